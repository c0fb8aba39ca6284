/* The parser of the command line. It goes through argv twice: first to find the command, since some
 * values depend on the command; then each option's setter stores its value. At last it checks the
 * line as a whole: whether the command exists, takes these options and has enough operands. It does
 * not check anything that depends on the mask, the device or the picture (filter_load and
 * picture_check do that). */
#include "cli/option_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/did_you_mean.h"

/* The state of the parser. */
struct scan {
    struct options *options;
    char **argv;
    int argc;
    bool store;              /* second pass: store values */
    enum command_id command; /* COMMAND_COUNT: none, or an unknown one */
    bool given[OPTION_ROWS]; /* indexed by row of the option table */
};

/* The INDEX-th option name for suggestions, or NULL past the last. */
static const char *option_name(int index)
{
    const struct option_spec *spec = NULL;
    do
        spec = option_next(spec, FOR_ALL_COMMANDS);
    while (spec && (!spec->name || index-- > 0));
    return spec ? spec->name : NULL;
}

/* TYPED has its dashes. */
static bool unknown_option(const char *typed, struct error *err)
{
    const char *name = typed + strspn(typed, "-");
    const char *advice = did_you_mean_advice(typed), *near = word_nearest(name, option_name);
    if (advice)
        return error_set(err, EXIT_USAGE, "unknown option '%s'; %s", typed, advice);
    if (filter_find(name))
        return error_set(err, EXIT_USAGE,
                         "unknown option '%s'; %s is a filter: stencilcli %s INPUT OUTPUT", typed,
                         name, name);
    if (near)
        return error_set(err, EXIT_USAGE, "unknown option '%s'; did you mean '--%s'?", typed, near);
    return error_set(err, EXIT_USAGE, "unknown option '%s'; try 'stencilcli --help'", typed);
}

static bool find_option(char letter, const char *name, size_t length, struct word_option *option)
{
    const struct option_spec *spec = option_find(letter, name, length);

    if (spec)
        *option = (struct word_option){spec, spec->name, spec->argument};
    return spec;
}

static bool take_option(void *context, const struct word_option *option, const char *value,
                        struct error *err)
{
    struct scan *scan = context;
    const struct option_spec *spec = option->row;
    struct option_value given = {spec, value, scan->command, scan->options, err};

    scan->given[spec - option_table] = true;
    return !scan->store || spec->set(&given);
}

static bool take_unknown(void *context, const char *typed, struct error *err)
{
    (void)context;
    return unknown_option(typed, err);
}

/* The first word that is not an option is the command; later ones are its operands. The second pass
 * moves them to the beginning of argv, over words that are read already. */
static bool take_word(void *context, char *word, struct error *err)
{
    struct scan *scan = context;
    struct options *options = scan->options;

    (void)err;
    if (!options->command)
        options->command = word;
    else if (scan->store)
        scan->argv[1 + options->operands++] = word;
    return true;
}

static bool scan_words(struct scan *scan, struct error *err)
{
    const struct word_reader reader = {scan, find_option, take_option, take_word, take_unknown};

    return words_read(&reader, scan->argc - 1, scan->argv + 1, err);
}

/* The letter at *TEXT, which moves past it. '-', '_' and case do not count. */
static int next_letter(const char **text)
{
    *text += strspn(*text, "-_");
    return **text ? tolower((unsigned char)*(*text)++) : '\0';
}

struct search {
    const char *typed;
    char found[64]; /* empty: nothing */
};

/* Keeps the mask NAME if it is the typed word. */
static void visit_mask(const char *name, const char *path, void *context)
{
    struct search *search = context;
    const char *a = name, *b = search->typed;
    int letter, typed;

    (void)path;
    do {
        letter = next_letter(&a);
        typed = next_letter(&b);
    } while (letter == typed && letter);
    if (letter == typed && !filter_find(name))
        snprintf(search->found, sizeof search->found, "%s", name);
}

static bool unknown_command(const char *name, struct error *err)
{
    struct search mask = {.typed = name};
    const char *advice = did_you_mean_advice(name), *near = word_nearest(name, command_name);
    if (advice)
        return error_set(err, EXIT_USAGE, "unknown filter or command '%s'; %s", name, advice);
    mask_list(visit_mask, &mask);
    if (mask.found[0])
        return error_set(err, EXIT_USAGE,
                         "unknown filter '%s'; %s is a mask: stencilcli convolve INPUT OUTPUT "
                         "--mask %s",
                         name, mask.found, mask.found);
    if (near)
        return error_set(err, EXIT_USAGE, "unknown %s '%s'; did you mean '%s'?",
                         filter_find(near) ? "filter" : "command", name, near);
    return error_set(err, EXIT_USAGE, "unknown filter or command '%s'; try 'stencilcli --help'",
                     name);
}

static bool check_operands(const struct options *options, const struct command_spec *command,
                           struct error *err)
{
    if (options->operands > command->max_operands)
        return error_set(err, EXIT_USAGE, "unexpected '%s': %s takes %s",
                         options->operand[command->max_operands], options->command,
                         command->max_operands ? command->operands : "no operands");
    /* --plan writes nothing, so OUTPUT may be missing if nothing follows it. */
    bool is_chain = command == &command_table[COMMAND_CHAIN];
    bool may_lack = options->plan && !is_chain;
    int least = command->min_operands - may_lack;
    if (options->operands < least)
        return error_set(err, EXIT_USAGE, "%s needs %s; try 'stencilcli %s --help'",
                         options->command, command->operands, options->command);
    /* An empty word is mostly an unset variable of a script. A chain's steps are checked later. */
    for (int i = 0; i < options->operands && (i < 2 || !is_chain); i++)
        if (options->operand[i][0] == '\0')
            return error_set(err, EXIT_USAGE, "%s: expected %s, got an empty word",
                             options->command, command->operands);
    const char *word = options->operand[0];
    if (!command->words || options->operands == 0 || word_find(word, command->words) >= 0)
        return true;
    if (command->words == command_name)
        return unknown_command(word, err);
    const char *near = word_nearest(word, command->words);
    if (near)
        return error_set(err, EXIT_USAGE, "%s '%s': did you mean '%s'?", options->command, word,
                         near);
    char all[256];
    words_join(all, sizeof all, command->words);
    return error_set(err, EXIT_USAGE, "%s '%s': expected %s", options->command, word, all);
}

/* Standard input can be read only once: as the mask, or as the INPUT of any command but mask. */
static bool check_standard_input(const struct options *options, enum command_id command,
                                 struct error *err)
{
    const char *mask = options->request.filter.mask;
    if (command == COMMAND_MASK || !mask || strcmp(mask, "-") != 0 || options->operands == 0 ||
        strcmp(options->operand[0], "-") != 0)
        return true;
    return error_set(err, EXIT_USAGE, "the mask and the %s cannot both be read from standard input",
                     command == COMMAND_SIGNAL ? "samples" : "picture");
}

static bool not_taken(const char *command, enum command_id id, const char *option,
                      struct error *err)
{
    const struct option_spec *spec = NULL;
    const char *names[OPTION_ROWS], *near;
    int count = 0;
    while ((spec = option_next(spec, FOR(id))))
        if (spec->name)
            names[count++] = spec->name;
    near = did_you_mean(option, names, count);
    if (near)
        return error_set(err, EXIT_USAGE, "%s has no option --%s; did you mean '--%s'?", command,
                         option, near);
    return error_set(err, EXIT_USAGE, "%s has no option --%s; try 'stencilcli %s --help'", command,
                     option, command);
}

/* ---- the steps of a chain ---- */

/* WORD is no filter, or no option of filters. */
static bool unknown_in_step(const char *word, bool is_option, struct error *err)
{
    const size_t dashes = strspn(word, "-");
    const struct option_spec *spec =
        option_find(dashes == 1 ? word[1] : '\0', word + dashes, strlen(word + dashes));

    if (!is_option && command_find(word) == COMMAND_COUNT)
        return unknown_command(word, err);
    if (!is_option)
        return error_set(err, EXIT_USAGE, "%s is not a filter", word);
    if (!spec)
        return unknown_option(word, err);
    if (!(spec->commands & FOR(COMMAND_FILTER)))
        return error_set(err, EXIT_USAGE, "a step has no option --%s", spec->name);
    return error_set(err, EXIT_USAGE, "--%s is for the whole chain: write it outside STEP",
                     spec->name ? spec->name : "h");
}

/* Makes the steps from the operands behind OUTPUT, which are operands no more. Each is cut into
 * words in a copy, because the program of --device soft gets the command line too. */
static bool parse_steps(struct options *options, struct error *err)
{
    static struct filter_request step[CHAIN_MOST]; /* large, and most commands have none */
    static char *copy[CHAIN_MOST];

    memset(step, 0, sizeof step);
    options->step = step;
    options->steps = options->operands - 2;
    options->operands = 2;
    for (int i = 0; i < options->steps; i++) {
        free(copy[i]);
        copy[i] = strdup(options->operand[2 + i]);
        if (!copy[i])
            return error_set(err, EXIT_INPUT, "no memory for the command line");
        if (!filter_parse(&options->step[i], copy[i], unknown_in_step, err))
            return error_in_step(err, i + 1);
        if (i > 0)
            options->step[i - 1].next = &options->step[i];
    }
    options->request.filter = options->step[0];
    return true;
}

/* ---- the whole ---- */

/* Checks that the command takes every given option. Notes the first options for folders. */
static bool check_given(const struct scan *scan, struct error *err)
{
    struct options *options = scan->options;
    for (int i = 0; i < OPTION_ROWS; i++) {
        const struct option_spec *spec = &option_table[i];
        if (scan->given[i] && scan->command == COMMAND_CHAIN &&
            (spec->commands & (FOR(COMMAND_FILTER) | FOR(COMMAND_CHAIN))) == FOR(COMMAND_FILTER))
            return error_set(err, EXIT_USAGE,
                             "--%s is for a step: write it inside STEP, as in 'blur --%s ...'",
                             spec->name, spec->name);
        if (scan->given[i] && !(spec->commands & FOR(scan->command)))
            return not_taken(options->command, scan->command, spec->name, err);
        if (scan->given[i] && (spec->commands & CHECK_ONLY) && scan->command == COMMAND_GOLDEN &&
            strcmp(options->operand[0], "record") == 0)
            return error_set(err, EXIT_USAGE, "golden record has no --%s: it compares nothing",
                             spec->name);
        if (scan->given[i] && (spec->commands & FOR_FOLDERS) && !options->folder_option)
            options->folder_option = spec->name;
        if (scan->given[i] && (spec->commands & FOR_INTO) && !options->into_option)
            options->into_option = spec->name;
    }
    return true;
}

/* Reads all words: once to find the command, and once to store the values. */
static bool parse_options(struct scan *scan, struct error *err)
{
    const struct options defaults = {
        .request = {.filter = FILTER_DEFAULTS, .device_auto = true},
        .decimals = -1,
        .seed = 1,
        .limits = COMPARE_EXACT,
    };
    struct options *options = scan->options;

    scan->command = COMMAND_COUNT;
    for (int pass = 0; pass < 2; pass++) {
        *options = defaults;
        options->operand = (const char *const *)scan->argv + 1;
        if (scan->command == COMMAND_BENCH)
            options->request.filter.alpha = ALPHA_PLAIN;
        if (scan->command == COMMAND_SIGNAL) /* as in the textbook: silence before and after */
            options->request.filter.border.border = BORDER_ZERO;
        scan->store = pass == 1;
        if (!scan_words(scan, err))
            return false;
        scan->command = options->command ? command_find(options->command) : COMMAND_COUNT;
    }
    return true;
}

bool options_parse(struct options *options, int argc, char **argv, struct error *err)
{
    struct scan scan = {.options = options, .argv = argv, .argc = argc};

    if (!parse_options(&scan, err))
        return false;

    bool asks_for_text = options->help_short || options->help_full || options->version ||
                         options->man || options->completion;
    if (!options->command && argc > 1 && !asks_for_text)
        return error_set(err, EXIT_USAGE,
                         "expected a filter or a command; try 'stencilcli --help'");
    if (!options->command)
        return true;
    if (scan.command == COMMAND_COUNT)
        return unknown_command(options->command, err);
    if (asks_for_text)
        return true;
    if (options->devices > 1 && !(FOR(scan.command) & (FOR(COMMAND_FILTER) | FOR(COMMAND_CHAIN))))
        return error_set(err, EXIT_USAGE, "%s runs on one device", options->command);
    return check_operands(options, &command_table[scan.command], err) && check_given(&scan, err) &&
           (scan.command != COMMAND_CHAIN || parse_steps(options, err)) &&
           check_standard_input(options, scan.command, err);
}
