/* Help, man page and completions are made from the tables of options, commands and filters. These
 * tests parse the texts again: they must name exactly the contents of the tables, that is, every
 * shown option and every command, and for each command and filter the options that it takes.
 * tests/cli tests whether the shells and man accept the texts. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_table.h"
#include "plan/filter.h"
#include "tests/test.h"

#define LIST_BYTES 4096

/* ---- the contents of the tables: words, each after a blank ---- */

static void add_word(char *list, const char *word, size_t length)
{
    size_t used = strlen(list);
    snprintf(list + used, LIST_BYTES - used, " %.*s", (int)length, word);
}

/* The shown options of COMMANDS as "-m --mask --sigma ...". VALUED: only options with a value.
 * FILTER, if not NULL: only the options that it takes. */
static void table_options_for(char *list, unsigned commands, bool valued,
                              const struct filter *filter)
{
    const struct option_spec *table = option_table;
    list[0] = '\0';
    for (int i = 0; i < OPTION_ROWS; i++) {
        if ((table[i].commands & HIDDEN) || !(table[i].commands & commands) ||
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
    const char *name;
    for (int i = 0; (name = command_name(i)); i++)
        add_word(list, name, strlen(name));
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

/* Copies the next line of *AT to LINE; false at the end. */
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

/* Every --word of TEXT must be a shown option. */
static void check_known(const char *text)
{
    for (const char *at = strstr(text, "--"); at; at = strstr(at + 2, "--")) {
        size_t length = 2;
        while (islower((unsigned char)at[length]) || at[length] == '-')
            length++;
        const struct option_spec *spec = option_find(0, at + 2, length - 2);
        if (length > 2 && at[2] != '-')
            CHECKF(spec && !(spec->commands & HIDDEN), "the text names %.*s", (int)length, at);
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

/* Collects the terms of --help: in sections without code, the lines with four blanks, up to the
 * next two blanks. */
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
    char *text = capture(options_print_full_help, NULL), sections[LIST_BYTES] = "";
    char line[LIST_BYTES];
    help_terms(text, options, names);
    for (const char *at = text; next_line(&at, line);)
        if (isupper((unsigned char)line[0]))
            add_word(sections, line, strlen(line));
    table_options(expected, FOR_ALL_COMMANDS, false);
    check_same("options", options, expected);
    table_names(expected);
    check_same("names", names, expected);
    check_known(text);
    CHECK(strstr(text, "correlation") && strstr(text, "true convolution"));
    /* The questions that people ask most come first. */
    CHECK(strncmp(sections, " SYNOPSIS EXAMPLES DESCRIPTION FILTERS COMMANDS OPTIONS ", 56) == 0);
    CHECK(!strstr(sections, " NAME"));
    free(text);
}

/* A screen of 24 rows: the help, and the prompt after it. */
static void check_screen(const char *name, const char *text)
{
    char line[LIST_BYTES];
    int lines = 0;
    for (; next_line(&text, line); lines++)
        CHECKF(strlen(line) < 80, "%s: too wide: %s", name, line);
    CHECKF(lines <= 23, "%s: %d lines", name, lines);
}

static void test_short_help(void)
{
    char *text = capture(options_print_short_help, NULL);
    const char *name;
    check_screen("-h", text);
    check_known(text);
    CHECK(strstr(text, "\nexample:  stencilcli "));
    for (int i = 0; (name = command_name(i)); i++)
        CHECKF(strstr(text, name), "%s", name);
    free(text);
}

/* The help of one command or filter in full names exactly the options that it takes; one screen
 * names no others, and an example. */
static void check_command_help(unsigned commands, const char *name, bool full)
{
    char *text = NULL, options[LIST_BYTES] = "", names[LIST_BYTES] = "";
    char expected[LIST_BYTES], *word, *rest = options;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    fputs("OPTIONS\n", out); /* all terms are options */
    options_print_command_help(out, name, full);
    fclose(out);
    check_known(text);
    CHECKF(strstr(text, "\nexample:  stencilcli "), "%s", name);
    table_options_for(expected, commands, false, filter_find(name));
    if (full) {
        help_terms(text, options, names);
        check_same(name, options, expected);
        CHECKF(strcmp(name, "bench") == 0 || !strstr(text, "For bench"), "%s", text);
    } else {
        check_screen(name, text + strlen("OPTIONS\n"));
        for (const char *at = strstr(text, "\n  "); at; at = strstr(at + 1, "\n  "))
            add_options(options, at + 3, at + 26);
        while ((word = strtok_r(rest, " ", &rest)))
            CHECKF(strstr(expected, word), "%s: %s", name, word);
    }
    free(text);
}

static void test_command_help(void)
{
    const char *name;
    for (int i = 0; (name = command_name(i)); i++) {
        check_command_help(FOR(command_find(name)), name, true);
        check_command_help(FOR(command_find(name)), name, false);
    }
}

/* Removes roff's \-, \(xx and \fX. */
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
               " \"EXIT STATUS\" \"ENVIRONMENT\" \"FILES\" \"MASK FILES\" \"BORDERS\" \"ALPHA\""
               " \"FORMATS\" \"FOLDERS\" \"SIGNALS\" \"BENCH\" \"COMPARING\" \"GOLDEN\" \"TRY\""
               " \"FORMULA\""
               " \"EXAMPLES\" \"SEE ALSO\"");
    check_known(text);
    free(text);
}

/* ---- completions ---- */

/* Lists the words offered for the last word of LINE, each after a blank; ":files" stands for file
 * names. Blanks separate the words of LINE. */
static void offered(char *list, const char *line)
{
    char copy[256], *words[16], *at = copy, *text = NULL, row[LIST_BYTES];
    int count = 0;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    snprintf(copy, sizeof copy, "%s", line);
    while (at && count < 16) {
        words[count++] = at;
        at = strchr(at, ' ');
        if (at)
            *at++ = '\0';
    }
    options_complete(out, count, words);
    fclose(out);
    list[0] = '\0';
    for (const char *rest = text; next_line(&rest, row);)
        add_word(list, row, strcspn(row, "\t"));
    free(text);
}

static void check_offered(const char *line, const char *expected)
{
    char list[LIST_BYTES];
    offered(list, line);
    check_same(line, list, expected);
}

/* Each command and filter is offered exactly the options that it takes. */
static void test_completed_options(void)
{
    char line[64], expected[LIST_BYTES];
    const char *name;
    for (int i = 0; (name = command_name(i)); i++) {
        snprintf(line, sizeof line, "%s -", name);
        table_options_for(expected, FOR(command_find(name)), false, filter_find(name));
        check_offered(line, expected);
    }
    table_options(expected, FOR_ALL_COMMANDS, false);
    check_offered("-", expected);
    check_offered("unknown -", expected);
    check_offered("blur --bo", " --border");
    check_offered("sobel --si", "");
    check_offered("-q --sigma 2 blur --bo", " --border");
}

static void test_completed_names(void)
{
    char expected[LIST_BYTES];
    table_names(expected);
    check_offered("", expected);
    check_offered("--sigma 2 ", expected);
    check_offered("-q ", expected);
    check_offered("-b wrap --border=wrap b", " blur box bilateral blackhat bench");
}

/* Lists the words that WORDS and COMPLETE offer, each with BEFORE in front. */
static void expected_place(char *list, const struct option_spec *spec, const char *before)
{
    char word[128];
    list[0] = '\0';
    for (int i = 0; spec->words && spec->words(i); i++) {
        snprintf(word, sizeof word, "%s%s", before, spec->words(i));
        add_word(list, word, strlen(word));
    }
    if (spec->complete == COMPLETE_FILE)
        add_word(list, ":files", 6);
}

/* After an option with a value, in each of its forms, the value's words are offered; after a flag,
 * the words that the command takes. */
static void test_completed_values(void)
{
    const struct option_spec *table = option_table;
    for (int i = 0; i < OPTION_ROWS; i++) {
        char line[128], before[64], list[LIST_BYTES];
        const char *name = table[i].name;
        if (!name || table[i].complete == COMPLETE_MASK)
            continue;
        expected_place(list, &table[i], "");
        snprintf(line, sizeof line, "blur --%s ", name);
        check_offered(line, table[i].argument ? list : " :files");
        snprintf(line, sizeof line, "blur -%c ", table[i].letter);
        if (table[i].letter)
            check_offered(line, table[i].argument ? list : " :files");
        snprintf(before, sizeof before, "--%s=", name);
        snprintf(line, sizeof line, "blur %s", before);
        expected_place(list, &table[i], before);
        if (table[i].argument)
            check_offered(line, list);
    }
    check_offered("list ", " filters kernels methods masks formats devices");
    check_offered("list f", " filters formats");
    check_offered("blur in", " :files");
    check_offered("blur --border=mi", " --border=mirror");
    check_offered("blur --unknown=", "");
    check_offered("blur --=", "");
    check_offered("blur --flip=", "");
    check_offered("blur -m gauss5", " gauss5 :files");
    check_offered("mask --mask=gauss5", " --mask=gauss5 :files");
    check_offered("mask gauss5", " gauss5 :files");
    check_offered("golden ", " record check");
    check_offered("golden record ", " :files");
    check_offered("golden record suite ", "");
    check_offered("help com", " compare");
    check_offered("help blur ", "");
    check_offered("version ", "");
    check_offered("list masks ", "");
    check_offered("blur in.png out.png ", " :files");
}

/* An option or a word that the command would refuse is not offered. */
static void test_refused_completions(void)
{
    char list[LIST_BYTES];
    check_offered("golden check suite --h", " --html --help");
    check_offered("golden record suite --h", " --help");
    check_offered("golden record suite --j", " --json");
    check_offered("bench --alpha ", " weighted ignore plain");
    check_offered("signal --tile 1", " 128 1024");
    check_offered("reuse --tile ", "");
    check_offered("signal --kernel avx", "");
    check_offered("bench --kernel al", " all");
    offered(list, "blur --kernel s");
    CHECKF(strstr(list, " scalar"), "%s", list);
    check_offered("signal -m gauss",
                  " :files"); /* none of the shipped masks is a row or a column */
    check_offered("help -", " -h --help --version");
}

/* Each shell's script asks the program for the answers; tests/cli tests the scripts in their
 * shells. */
static void test_scripts(void)
{
    for (int i = 0; shell_word(i); i++) {
        char *text = capture(NULL, shell_word(i));
        CHECK(strstr(text, " --complete \"") || strstr(text, " --complete $words"));
        CHECK(strstr(text, ":files"));
        free(text);
    }
    CHECK(!options_print_completion(stdout, "csh"));
}

int main(void)
{
    TEST(test_full_help);
    TEST(test_short_help);
    TEST(test_command_help);
    TEST(test_man_page);
    TEST(test_completed_options);
    TEST(test_completed_names);
    TEST(test_completed_values);
    TEST(test_refused_completions);
    TEST(test_scripts);
    return test_finish();
}
