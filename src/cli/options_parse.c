/* The parser of the command line. It goes through argv twice: first to find the command, since some
 * values depend on the command; then each option's setter stores its value. At last it checks the
 * line as a whole: whether the command exists, takes these options and has enough operands. It does
 * not check anything that depends on the mask, the device or the picture (filter_load and
 * picture_check do that). */
#include "cli/option_table.h"

#include <ctype.h>
#include <string.h>

#include "base/did_you_mean.h"

/* The state of the parser. */
struct scan {
    struct options *options;
    char **argv;
    int argc, next;          /* argv[next] is the next word */
    bool store;              /* second pass: store values */
    enum command_id command; /* COMMAND_COUNT: none, or an unknown one */
    bool given[OPTION_ROWS]; /* indexed by row of the option table */
};

/* VALUE is NULL if the word has none. An option that needs a value then takes the next word, even
 * if it looks like an option, so that `--offset -5` and `--mask -` work. */
static bool give(struct scan *scan, const struct option_spec *spec, const char *value,
                 struct error *err)
{
    if (spec->argument && !value && scan->next == scan->argc)
        return error_set(err, EXIT_USAGE, "--%s needs a value: %s", spec->name, spec->argument);
    if (spec->argument && !value)
        value = scan->argv[scan->next++];
    scan->given[spec - option_table] = true;
    struct option_value given = {spec, value, scan->command, scan->options, err};
    return !scan->store || spec->set(&given);
}

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

/* WORD is `--name` or `--name=value`. */
static bool parse_long(struct scan *scan, const char *word, struct error *err)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    const struct option_spec *spec = option_find(0, name, length);
    if (!spec) {
        char typed[64];
        snprintf(typed, sizeof typed, "--%.*s", (int)length, name);
        return unknown_option(typed, err);
    }
    if (!spec->argument && value)
        return error_set(err, EXIT_USAGE, "--%s takes no value, got '%s'", spec->name, value);
    return give(scan, spec, value, err);
}

/* WORD is `-q`, `-qv`, `-b` (value follows), `-bmirror` or `-qbmirror`. */
static bool parse_letters(struct scan *scan, const char *word, struct error *err)
{
    /* Otherwise `-mask gauss5` would be --mask with the value "ask". */
    if (strlen(word) > 3 && option_find(0, word + 1, strcspn(word + 1, "=")))
        return error_set(err, EXIT_USAGE, "unknown option '%s'; did you mean '-%s'?", word, word);
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option_spec *spec = option_find(*letter, NULL, 0);
        if (!spec && !isprint((unsigned char)*letter))
            return error_set(err, EXIT_USAGE, "unknown option in '%s'; try 'stencilcli --help'",
                             word);
        if (!spec)
            return unknown_option((char[]){'-', *letter, '\0'}, err);
        if (spec->argument)
            return give(scan, spec, letter[1] ? letter + 1 : NULL, err);
        if (!give(scan, spec, NULL, err))
            return false;
    }
    return true;
}

/* Whether WORD is an option. `-` is an operand: standard input or output. A minus sign and a digit
 * begin an operand too, perhaps a row of a mask; only -0 is an option, as for xargs. */
static bool is_option(const char *word)
{
    if (word[0] != '-' || word[1] == '\0')
        return false;
    return strcmp(word, "-0") == 0 || (!isdigit((unsigned char)word[1]) && word[1] != '.');
}

/* The first word that is not an option is the command; later ones are its operands. The second pass
 * moves them to the beginning of argv, over words that are read already. */
static bool scan_words(struct scan *scan, struct error *err)
{
    struct options *options = scan->options;
    bool options_ended = false, good = true;
    while (good && scan->next < scan->argc) {
        const char *word = scan->argv[scan->next++];
        if (!options_ended && strcmp(word, "--") == 0)
            options_ended = true;
        else if (!options_ended && is_option(word))
            good = (word[1] == '-' ? parse_long : parse_letters)(scan, word, err);
        else if (!options->command)
            options->command = word;
        else if (scan->store)
            scan->argv[1 + options->operands++] = (char *)word;
    }
    return good;
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
    bool may_lack = options->plan && command != &command_table[COMMAND_CHAIN];
    int least = command->min_operands - may_lack;
    if (options->operands < least)
        return error_set(err, EXIT_USAGE, "%s needs %s; try 'stencilcli %s --help'",
                         options->command, command->operands, options->command);
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

#define STEP_WORDS 64

/* Splits TEXT, in place, into words: at spaces, except between quotes. argv[0] stays free. Returns
 * their number; -1: a quote has no end, or there are too many. */
static int split_words(char *text, char *argv[STEP_WORDS])
{
    int count = 1;

    for (;;) {
        char *to = text += strspn(text, " \t\n"), quote = '\0';
        if (*text == '\0')
            return count;
        if (count == STEP_WORDS)
            return -1;
        argv[count++] = to;
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

static bool parse_options(struct scan *scan, struct error *err);

/* Checks the words of a step: a filter and its options. */
static bool check_step(const struct scan *scan, struct error *err)
{
    const struct options *options = scan->options;
    const char *name = options->command;

    if (!name)
        return error_set(err, EXIT_USAGE, "expected a filter and its options");
    if (scan->command == COMMAND_COUNT)
        return unknown_command(name, err);
    if (scan->command != COMMAND_FILTER)
        return error_set(err, EXIT_USAGE, "%s is not a filter", name);
    if (options->operands > 0)
        return error_set(err, EXIT_USAGE, "unexpected '%s': a step is a filter and its options",
                         options->operand[0]);
    for (int i = 0; i < OPTION_ROWS; i++) {
        const struct option_spec *spec = &option_table[i];
        if (scan->given[i] && !(spec->commands & FOR(COMMAND_FILTER)))
            return not_taken(name, COMMAND_FILTER, spec->name, err);
        if (scan->given[i] && (spec->commands & FOR(COMMAND_CHAIN)))
            return error_set(err, EXIT_USAGE, "--%s is for the whole chain: write it outside STEP",
                             spec->name ? spec->name : "h");
    }
    if (options->request.filter.mask && strcmp(options->request.filter.mask, "-") == 0)
        return error_set(err, EXIT_USAGE,
                         "a step cannot read its mask from standard input: name a file");
    return true;
}

static bool parse_step(struct filter_request *step, char *text, struct error *err)
{
    struct options options;
    char *argv[STEP_WORDS] = {text};
    struct scan scan = {.options = &options, .argv = argv, .argc = split_words(text, argv)};

    if (scan.argc < 0)
        return error_set(err, EXIT_USAGE, "a quote has no end, or there are too many words");
    if (!parse_options(&scan, err) || !check_step(&scan, err))
        return false;
    *step = options.request.filter;
    step->filter = filter_find(options.command);
    return true;
}

/* Makes the steps from the operands behind OUTPUT, which are operands no more. */
static bool parse_steps(struct options *options, struct error *err)
{
    options->steps = options->operands - 2;
    options->operands = 2;
    for (int i = 0; i < options->steps; i++) {
        struct error why;
        if (!parse_step(&options->step[i], (char *)options->operand[2 + i], &why))
            return error_set(err, EXIT_USAGE, "step %d: %s", i + 1, why.text);
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
        .request = {.filter = {.radius = -1, .repeat = 1}, .device_auto = true},
        .decimals = -1,
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
        scan->next = 1;
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
