/* The chain that is meant by a command with several filters: `blur in.png out.png sobel -t 2` is
 * `chain in.png out.png blur sobel --threads 2`. An option of filters goes into the step of the
 * filter before it; if a filter refuses what it gets so, all go into the first step. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/option_table.h"

#define MOST 8 /* steps */
#define ROOM 256

struct hint {
    bool first; /* all options go into the first step */
    int steps, files;
    const char *name[MOST];   /* of the steps' filters */
    char options[MOST][ROOM]; /* of the steps; a blank before each */
    char rest[ROOM];          /* likewise, of the whole chain */
    const char *file[2];
    bool fits;
};

bool chain_hint_is_filter(const char *word)
{
    return filter_find(word) && access(word, F_OK) != 0;
}

/* Appends a word of a shell's command line. */
static void append_word(char *text, size_t room, const char *word)
{
    const bool plain = *word && word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv"
                                                  "wxyz0123456789_./,:+@%=-")] == '\0';

    text_append(text, room, plain ? "" : "'");
    for (; *word; word++)
        text_append(text, room, *word == '\'' ? "'\\''" : "%c", *word);
    text_append(text, room, plain ? "" : "'");
}

static bool find(char letter, const char *name, size_t length, struct word_option *option)
{
    const struct option_spec *spec = option_find(letter, name, length);

    if (spec)
        *option = (struct word_option){spec, spec->name, spec->argument};
    return spec;
}

static bool take_option(void *context, const struct word_option *option, const char *value,
                        struct error *err)
{
    struct hint *hint = context;
    struct filter_request ignored = FILTER_DEFAULTS;
    char *step = hint->options[hint->first || hint->steps == 0 ? 0 : hint->steps - 1];

    if (!filter_word_set(&ignored, option->name, value, err)) {
        text_append(hint->rest, ROOM, " --%s%s", option->name, value ? " " : "");
        if (value)
            append_word(hint->rest, ROOM, value);
        return true;
    }
    text_append(step, ROOM, " --%s", option->name);
    if (value) {
        const char *quote = strchr(value, '"') ? "'" : strpbrk(value, " \t\n'") ? "\"" : "";
        text_append(step, ROOM, " %s%s%s", quote, value, quote);
        hint->fits &= !strchr(value, '"') || !strchr(value, '\'');
    }
    return true;
}

static bool take_word(void *context, char *word, struct error *err)
{
    struct hint *hint = context;

    (void)err;
    if (hint->steps == 0 || chain_hint_is_filter(word)) {
        hint->fits &= hint->steps < MOST;
        hint->name[hint->steps < MOST ? hint->steps++ : 0] = word;
    } else {
        hint->fits &= hint->files < 2;
        hint->file[hint->files < 2 ? hint->files++ : 0] = word;
    }
    return true;
}

static bool take_unknown(void *context, const char *typed, struct error *err)
{
    (void)context;
    return error_set(err, EXIT_USAGE, "%s", typed);
}

/* Whether the filter takes these options. */
static bool step_is_right(const char *step)
{
    struct filter_request request = FILTER_DEFAULTS;
    struct error ignored;
    char text[2 * ROOM];
    bool good;

    snprintf(text, sizeof text, "%s", step);
    good = filter_parse(&request, text, NULL, &ignored);
    if (!good || (request.mask && strcmp(request.mask, "-") == 0)) /* not to be read here */
        return good;
    good = filter_load(&request, &ignored);
    if (good)
        filter_unload(&request);
    return good;
}

static bool write_chain(struct hint *hint, char *const *words, bool first, char *text, size_t room)
{
    const struct word_reader reader = {hint, find, take_option, take_word, take_unknown};
    struct error ignored;
    int count = 0;

    *hint = (struct hint){.first = first, .fits = true};
    while (words[count])
        count++;
    if (!words_read(&reader, count - 1, (char **)words + 1, &ignored) || hint->files != 2)
        return false;
    text[0] = '\0';
    text_append(text, room, "stencilcli chain");
    for (int i = 0; i < 2 + hint->steps; i++) {
        char step[2 * ROOM] = "";
        if (i >= 2)
            text_append(step, sizeof step, "%s%s", hint->name[i - 2], hint->options[i - 2]);
        if (i >= 2 && !step_is_right(step))
            return false;
        text_append(text, room, " ");
        append_word(text, room, i < 2 ? hint->file[i] : step);
        hint->fits &= i < 2 || strlen(hint->options[i - 2]) < ROOM - 1;
    }
    text_append(text, room, "%s", hint->rest);
    return hint->fits && strlen(hint->rest) < ROOM - 1 && strlen(text) < room - 1;
}

bool chain_hint_write(char *const *words, char *text, size_t room)
{
    struct hint hint;

    return write_chain(&hint, words, false, text, room) ||
           write_chain(&hint, words, true, text, room);
}
