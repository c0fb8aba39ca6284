/* Help, man page and the three completion scripts are made from the option table
 * and the command table; here they are taken apart again and must name exactly
 * what the tables hold: every shown option and every command, for each command
 * the options that it can use, and nothing else. Whether the shells and man take
 * the texts is a matter of tests/cli. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_table.h"
#include "plan/filter.h"
#include "tests/test.h"

#define LIST_BYTES 4096

/* ---- what the tables say: words with a blank before each ---- */

static void add_word(char *list, const char *word, size_t length)
{
    size_t used = strlen(list);
    snprintf(list + used, LIST_BYTES - used, " %.*s", (int)length, word);
}

/* The shown options of COMMANDS as "-m --mask --sigma ..."; VALUED: only those with a value;
 * FILTER, if not NULL: only those that it takes. */
static void table_options_for(char *list, unsigned commands, bool valued,
                              const struct filter *filter)
{
    int count;
    const struct option_spec *table = option_table(&count);
    list[0] = '\0';
    for (int i = 0; i < count; i++) {
        if (table[i].show == NOWHERE || !(table[i].commands & commands) ||
            (valued && !table[i].argument))
            continue;
        if (filter && table[i].name && !filter_takes(filter, table[i].name))
            continue;
        char letter[] = {'-', table[i].letter, '\0'}, name[64];
        if (table[i].letter)
            add_word(list, letter, 2);
        snprintf(name, sizeof name, "--%s", table[i].name ? table[i].name : "");
        if (table[i].name)
            add_word(list, name, strlen(name));
    }
}

static void table_options(char *list, unsigned commands, bool valued)
{
    table_options_for(list, commands, valued, NULL);
}

static void table_names(char *list)
{
    list[0] = '\0';
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const char *name;
        for (int j = 0; (name = command_name(&command_table()[i], j)); j++)
            add_word(list, name, strlen(name));
    }
}

/* ---- the texts ---- */

static char *capture(void (*print)(FILE *), const char *shell)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (shell)
        CHECK(options_print_completion(out, shell));
    else
        print(out);
    fclose(out);
    return text;
}

/* The next line of *AT into LINE; false at the end. */
static bool next_line(const char **at, char *line)
{
    size_t length = strcspn(*at, "\n");
    if (**at == '\0')
        return false;
    CHECK(length < LIST_BYTES);
    snprintf(line, LIST_BYTES, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == '\n');
    return true;
}

/* Every --word of TEXT must be an option that is shown. */
static void check_known(const char *text)
{
    for (const char *at = strstr(text, "--"); at; at = strstr(at + 2, "--")) {
        size_t length = 2;
        while (islower((unsigned char)at[length]) || at[length] == '-')
            length++;
        const struct option_spec *spec = option_find(at + 2, length - 2);
        if (length > 2 && at[2] != '-')
            CHECKF(spec && spec->show != NOWHERE, "the text names %.*s", (int)length, at);
    }
}

static void check_same(const char *what, const char *found, const char *expected)
{
    CHECKF(strcmp(found, expected) == 0, "%s\n#   found    %s\n#   expected %s", what, found,
           expected);
}

/* The part of LINE after PREFIX, or NULL. */
static const char *after(const char *line, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(line, prefix, length) == 0 ? line + length : NULL;
}

/* Adds the option words of TEXT ("-m, --mask MASK", "{-m+,--mask=}") up to END. */
static void add_options(char *list, const char *text, const char *end)
{
    while (text < end) {
        size_t length = strspn(text, "-0abcdefghijklmnopqrstuvwxyz");
        if (*text == '-' && length > 1)
            add_word(list, text, length);
        text += length ? length : 1;
    }
}

/* ---- help and man page ---- */

/* The terms of --help: lines with four blanks, up to two blanks, in the sections that hold no
 * code. */
static void help_terms(const char *text, char *options, char *names)
{
    char line[LIST_BYTES], section[64] = "";
    while (next_line(&text, line)) {
        const char *term = after(line, "    ");
        if (isupper((unsigned char)line[0]))
            snprintf(section, sizeof section, "%.60s", line);
        if (!term || *term == ' ')
            continue;
        const char *gap = strstr(term, "  "), *end = gap ? gap : term + strlen(term);
        if (strcmp(section, "OPTIONS") == 0)
            add_options(options, term, end);
        if (strcmp(section, "FILTERS") == 0 || strcmp(section, "COMMANDS") == 0)
            add_word(names, term, strcspn(term, " "));
    }
}

static void test_full_help(void)
{
    char options[LIST_BYTES] = "", names[LIST_BYTES] = "", expected[LIST_BYTES];
    char *text = capture(options_print_full_help, NULL);
    help_terms(text, options, names);
    table_options(expected, FOR_ALL_COMMANDS, false);
    check_same("options", options, expected);
    table_names(expected);
    check_same("names", names, expected);
    check_known(text);
    CHECK(strstr(text, "correlation") && strstr(text, "true convolution"));
    free(text);
}

static void test_short_help(void)
{
    char *text = capture(options_print_short_help, NULL), line[LIST_BYTES];
    const char *at = text;
    int lines = 0, count;
    for (; next_line(&at, line); lines++)
        CHECKF(strlen(line) < 80, "too wide: %s", line);
    CHECKF(lines <= 40, "%d lines", lines);
    check_known(text);
    const struct option_spec *table = option_table(&count);
    for (int i = 0; i < count; i++) {
        char shown[64];
        snprintf(shown, sizeof shown, "--%s ", table[i].name ? table[i].name : "");
        if (table[i].name && table[i].show != NOWHERE)
            CHECKF((strstr(text, shown) != NULL) == (table[i].show == ON_SCREEN), "%s", shown);
    }
    free(text);
}

/* The help of one command or filter names the options that it takes and no others. */
static void check_command_help(unsigned commands, const char *name)
{
    char *text = NULL, options[LIST_BYTES] = "", names[LIST_BYTES] = "";
    char expected[LIST_BYTES];
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    fputs("OPTIONS\n", out); /* all its terms are options */
    options_print_command_help(out, name);
    fclose(out);
    help_terms(text, options, names);
    table_options_for(expected, commands, false, filter_find(name));
    check_same(name, options, expected);
    check_known(text);
    free(text);
}

static void test_command_help(void)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const char *name;
        for (int j = 0; (name = command_name(&command_table()[i], j)); j++)
            check_command_help(FOR(i), name);
    }
}

/* Roff's \- and \(xx and \fX taken away. */
static void unescape(char *text)
{
    char *to = text;
    for (; *text; text++) {
        if (text[0] == '\\' && text[1] == 'f')
            text += 2;
        else if (text[0] == '\\' && text[1] == '(')
            text += 3;
        else if (text[0] != '\\')
            *to++ = *text;
    }
    *to = '\0';
}

static void test_man_page(void)
{
    char options[LIST_BYTES] = "", names[LIST_BYTES] = "", expected[LIST_BYTES];
    char line[LIST_BYTES], section[64] = "", sections[LIST_BYTES] = "";
    char *text = capture(options_print_man, NULL);
    unescape(text);
    for (const char *at = text; next_line(&at, line);) {
        if (after(line, ".SH "))
            snprintf(section, sizeof section, "%.60s", after(line, ".SH "));
        if (after(line, ".SH "))
            add_word(sections, section, strlen(section));
        if (strcmp(line, ".TP") != 0 || !next_line(&at, line))
            continue;
        if (strcmp(section, "\"OPTIONS\"") == 0)
            add_options(options, line, line + strlen(line));
        if (strcmp(section, "\"FILTERS\"") == 0 || strcmp(section, "\"COMMANDS\"") == 0)
            add_word(names, line, strcspn(line, " "));
    }
    table_options(expected, FOR_ALL_COMMANDS, false);
    check_same("options", options, expected);
    table_names(expected);
    check_same("names", names, expected);
    check_same("sections", sections,
               " \"NAME\" \"SYNOPSIS\" \"DESCRIPTION\" \"FILTERS\" \"COMMANDS\" \"OPTIONS\""
               " \"MASK FILES\" \"BORDERS\" \"ALPHA\" \"FORMATS\" \"FOLDERS\" \"SIGNALS\" \"BENCH\""
               " \"COMPARING\" \"GOLDEN\" \"EXIT STATUS\" \"ENVIRONMENT\" \"FILES\" \"EXAMPLES\"");
    check_known(text);
    free(text);
}

/* ---- completions ---- */

/* Is NAME one of the words in these LENGTH bytes: "  (a|b)" or "    a | b)" or " a b"? */
static bool holds(const char *words, size_t length, const char *name)
{
    static const char between[] = " (|)";
    for (size_t i = 0; i < length;) {
        size_t skip = strspn(words + i, between), word = strcspn(words + i + skip, " (|)'");
        if (word > 0 && word == strlen(name) && memcmp(words + i + skip, name, word) == 0)
            return true;
        i += skip + word + (skip + word == 0);
    }
    return false;
}

/* REST is " -s m -l mask ..." of a fish line. */
static void add_fish_option(char *list, const char *rest)
{
    char word[64];
    const char *letter = after(rest, " -s "), *option = after(letter ? letter + 1 : rest, " -l ");
    if (letter) {
        snprintf(word, sizeof word, "-%c", *letter);
        add_word(list, word, strlen(word));
    }
    if (option) {
        snprintf(word, sizeof word, "--%.*s", (int)strcspn(option, " "), option);
        add_word(list, word, strlen(word));
    }
}

/* What the script of SHELL offers as options where the command is NAME ("*": none yet). */
static void offered_options(const char *shell, const char *text, const char *name, char *list)
{
    char line[LIST_BYTES];
    const char *at = text, *words;
    bool inside = false;
    list[0] = '\0';
    while (next_line(&at, line)) {
        size_t length = strlen(line);
        if (strcmp(shell, "fish") == 0) {
            words = after(line, "complete -c stencilcli -n '__stencilcli_takes");
            const char *end = words ? strchr(words, '\'') : NULL;
            if (end && (*name == '*' || holds(words, (size_t)(end - words), name)))
                add_fish_option(list, end + 1);
        } else if (length > 1 && line[length - 1] == ')' && line[0] == ' ' && !strchr(line, '\'')) {
            inside = holds(line, length, name);
        } else if (inside && (words = after(line, "        options='"))) {
            add_options(list, words, words + strlen(words));
        } else if (inside && (words = after(line, "      '"))) {
            const char *both = strchr(words, '{'), *end = strchr(words, '[');
            add_options(list, both && both < end ? both : words, end);
        }
    }
}

/* The names that are offered where no command was typed yet. */
static void offered_names(const char *shell, const char *text, char *list)
{
    static const char fish[] = "complete -c stencilcli -n 'not __stencilcli_command' -f -a ";
    char line[LIST_BYTES];
    const char *at = text, *word;
    list[0] = '\0';
    while (next_line(&at, line)) {
        if (strcmp(shell, "bash") == 0 && (word = after(line, "        words='")) &&
            !strstr(line, "masks="))
            snprintf(list, LIST_BYTES, " %.*s", (int)strcspn(word, "'"), word);
        if (strcmp(shell, "zsh") == 0 && (word = after(line, "    '")) &&
            isalpha((unsigned char)*word))
            add_word(list, word, strcspn(word, ":"));
        if (strcmp(shell, "fish") == 0 && (word = after(line, fish)))
            add_word(list, word, strcspn(word, " "));
    }
}

static void check_shell(const char *shell)
{
    char *text = capture(NULL, shell), list[LIST_BYTES], expected[LIST_BYTES];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const char *name;
        table_options(expected, FOR(i), false);
        for (int j = 0; (name = command_name(&command_table()[i], j)); j++) {
            offered_options(shell, text, name, list);
            check_same(name, list, expected);
        }
    }
    offered_options(shell, text, "*", list);
    table_options(expected, FOR_ALL_COMMANDS, false);
    check_same("no command", list, expected);
    offered_names(shell, text, list);
    table_names(expected);
    check_same("names", list, expected);
    table_options(expected, FOR_ALL_COMMANDS, true);
    CHECKF(strstr(text, expected), "options with values:%s", expected);
    check_known(text + strcspn(text, "{")); /* past the comment, which names --completion */
    free(text);
}

static void test_bash(void)
{
    check_shell("bash");
}

static void test_zsh(void)
{
    check_shell("zsh");
}

static void test_fish(void)
{
    check_shell("fish");
}

static void test_unknown_shell(void)
{
    CHECK(!options_print_completion(stdout, "csh"));
}

int main(void)
{
    TEST(test_full_help);
    TEST(test_short_help);
    TEST(test_command_help);
    TEST(test_man_page);
    TEST(test_bash);
    TEST(test_zsh);
    TEST(test_fish);
    TEST(test_unknown_shell);
    return test_finish();
}
