/* Lists of words, and the reader of a line of words (base/words.h). */
#include "base/words.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/did_you_mean.h"

/* ---- lists of words ---- */

const char *word_nearest(const char *text, word_function *words)
{
    const char *list[128];
    int count = 0;
    while (count < 128 && (list[count] = words(count)))
        count++;
    return did_you_mean(text, list, count);
}

void words_join(char *text, size_t bytes, word_function *words)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; words(i) && used < bytes; i++) {
        const char *word = words(i), *before = i == 0 ? "" : words(i + 1) ? ", " : " or ";
        int length = snprintf(text + used, bytes - used, "%s%s%s", before, word,
                              word[strlen(word) - 1] == ':' ? "V" : "");
        used += length > 0 ? (size_t)length : 0;
    }
}

int word_find(const char *word, word_function *words)
{
    for (int i = 0; words(i); i++) {
        if (strcmp(words(i), word) == 0)
            return i;
    }
    return -1;
}

bool word_int(const char *text, const char **end, int *number)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *stop;
    long value = strtol(text, &stop, 10);
    *end = stop;
    *number = (int)value;
    return isdigit((unsigned char)*digits) && value >= INT_MIN && value <= INT_MAX;
}

/* A value in a sentence: an empty word would leave a gap. */
static const char *shown(const char *text)
{
    return *text != '\0' ? text : "''";
}

bool word_expected(struct error *err, const char *name, const char *text, const char *format, ...)
{
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(err, EXIT_USAGE, "--%s %s: expected %s", name, shown(text), what);
}

bool word_unknown(struct error *err, const char *name, const char *word, word_function *words,
                  const char *after)
{
    /* No suggestion for numbers: nobody types 12 for 16. */
    const char *near = isdigit((unsigned char)*word) ? NULL : word_nearest(word, words);
    char all[512];
    if (near)
        return error_set(err, EXIT_USAGE, "--%s %s: unknown %s; did you mean '%s'?", name, word,
                         name, near);
    words_join(all, sizeof all, words);
    return error_set(err, EXIT_USAGE, "--%s %s: expected %s%s", name, shown(word), all, after);
}

/* ---- reading a line ---- */

int words_split(char *text, char **word, int most)
{
    int count = 0;

    for (;;) {
        char *to = text += strspn(text, " \t\n"), quote = '\0';
        if (*text == '\0')
            return count;
        if (count == most)
            return -1;
        word[count++] = to;
        for (; *text && (quote || !strchr(" \t\n", *text)); text++) {
            if (*text == quote)
                quote = '\0';
            else if (!quote && (*text == '"' || *text == '\''))
                quote = *text;
            else
                *to++ = *text;
        }
        if (quote)
            return -1;
        text += *text != '\0';
        *to = '\0';
    }
}

/* The words that are not read yet. */
struct line {
    const struct word_reader *reader;
    char **word;
    int count, next; /* word[next] is the next one */
};

/* VALUE is NULL if the word has none. An option that needs a value then takes the next word, even
 * if it looks like an option, so that `--offset -5` and `--mask -` work. */
static bool give(struct line *line, const struct word_option *option, const char *value,
                 struct error *err)
{
    if (option->argument && !value && line->next == line->count)
        return error_set(err, EXIT_USAGE, "--%s needs a value: %s", option->name, option->argument);
    if (option->argument && !value)
        value = line->word[line->next++];
    return line->reader->option(line->reader->context, option, value, err);
}

/* WORD is `--name` or `--name=value`. */
static bool read_long(struct line *line, const char *word, struct error *err)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    struct word_option option;

    if (!line->reader->find(0, name, length, &option)) {
        char typed[64];
        snprintf(typed, sizeof typed, "--%.*s", (int)length, name);
        return line->reader->unknown(line->reader->context, typed, err);
    }
    if (!option.argument && value)
        return error_set(err, EXIT_USAGE, "--%s takes no value, got '%s'", option.name, value);
    return give(line, &option, value, err);
}

/* WORD is `-q`, `-qv`, `-b` (value follows), `-bmirror` or `-qbmirror`. */
static bool read_letters(struct line *line, const char *word, struct error *err)
{
    const struct word_reader *reader = line->reader;
    struct word_option option;

    /* Otherwise `-mask gauss5` would be --mask with the value "ask". */
    if (strlen(word) > 3 && reader->find(0, word + 1, strcspn(word + 1, "="), &option))
        return error_set(err, EXIT_USAGE, "unknown option '%s'; did you mean '-%s'?", word, word);
    for (const char *letter = word + 1; *letter; letter++) {
        bool known = reader->find(*letter, NULL, 0, &option);
        if (!known && !isprint((unsigned char)*letter))
            return error_set(err, EXIT_USAGE, "unknown option in '%s'", word);
        if (!known)
            return reader->unknown(reader->context, (char[]){'-', *letter, '\0'}, err);
        if (option.argument)
            return give(line, &option, letter[1] ? letter + 1 : NULL, err);
        if (!give(line, &option, NULL, err))
            return false;
    }
    return true;
}

/* Whether WORD is an option. `-` is none: standard input or output. A minus sign and a digit begin
 * another word too, perhaps a row of a mask; only -0 is an option, as for xargs. */
static bool is_option(const char *word)
{
    if (word[0] != '-' || word[1] == '\0')
        return false;
    return strcmp(word, "-0") == 0 || (!isdigit((unsigned char)word[1]) && word[1] != '.');
}

bool words_read(const struct word_reader *reader, int count, char **words, struct error *err)
{
    struct line line = {reader, words, count, 0};
    bool options_ended = false, good = true;

    while (good && line.next < count) {
        char *word = words[line.next++];
        if (!options_ended && strcmp(word, "--") == 0)
            options_ended = true;
        else if (!options_ended && is_option(word))
            good = (word[1] == '-' ? read_long : read_letters)(&line, word, err);
        else
            good = reader->word(reader->context, word, err);
    }
    return good;
}
