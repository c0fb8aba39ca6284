/* The parser of the command line: its results, and its messages about wrong words.
 * tests/cli/test_option_texts.c tests the texts made from the same tables (help, man page,
 * completions). */
#include <stdlib.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "cli/option_table.h"
#include "tests/test.h"

static struct options options;
static struct error err;

/* Parses "stencilcli" and the words of LINE, separated by blanks. Like argv, the words live until
 * the next call. */
static bool parse(const char *line)
{
    static char copy[512];
    static char *argv[32] = {"stencilcli"};
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word && argc < 31; word = strtok(NULL, " "))
        argv[argc++] = word;
    err.text[0] = '\0';
    err.code = EXIT_DONE;
    return options_parse(&options, argc, argv, &err);
}

static void accepts(const char *line)
{
    CHECKF(parse(line), "'%s': %s", line, err.text);
}

static void refuses(const char *line, const char *sentence)
{
    CHECKF(!parse(line), "'%s' was taken", line);
    CHECKF(err.code == EXIT_USAGE, "'%s': code %d", line, (int)err.code);
    CHECKF(strcmp(err.text, sentence) == 0, "'%s': %s", line, err.text);
}

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void test_defaults(void)
{
    accepts("blur in.png out.png");
    CHECK(same(options.command, "blur") && options.operands == 2);
    CHECK(same(options.operand[0], "in.png") && same(options.operand[1], "out.png"));
    CHECK(!options.request.filter.mask && !options.request.filter.has_sigma &&
          options.request.filter.radius == -1 && !options.request.filter.amount);
    CHECK(!options.request.filter.overrides.divisor && !options.request.filter.overrides.offset &&
          !options.request.filter.overrides.has_anchor && !options.request.filter.overrides.flip);
    CHECK(options.request.filter.repeat == 1 && !options.request.filter.channels);
    CHECK(options.request.filter.border.border == BORDER_REPLICATE);
    CHECK(options.request.filter.alpha == ALPHA_WEIGHTED && !options.request.sink.drop_alpha);
    CHECK(options.request.device_auto && !options.kernel && options.request.tile == 0 &&
          options.request.threads == 0);
    CHECK(options.request.sink.format == FORMAT_NONE && options.request.sink.quality == 0);
    CHECK(!options.plan && !options.request.verify && !options.time && !options.json);
    CHECK(!options.quiet && !options.verbose);
    accepts("");
    CHECK(!options.command && options.operands == 0);
    accepts("blur -q 1 --json 2 3 4 --sigma 2 5 6 7 8 9 -v 10");
    CHECK(options.operands == 10 && same(options.operand[0], "1") && same(options.operand[1], "2"));
    CHECK(same(options.operand[8], "9") && same(options.operand[9], "10"));
    accepts("blur in.png --plan");
    CHECK(options.plan && options.operands == 1);
}

static void test_places_and_forms(void)
{
    accepts("--sigma 2.5 gauss a -b mirror b --radius=4");
    CHECK(same(options.command, "gauss") && same(options.operand[1], "b"));
    CHECK(options.request.filter.has_sigma && options.request.filter.sigma == 2.5 &&
          options.request.filter.radius == 4);
    CHECK(options.request.filter.border.border == BORDER_MIRROR);
    accepts("blur a b -bwrap");
    CHECK(options.request.filter.border.border == BORDER_WRAP);
    accepts("blur a b -vqbzero -t3");
    CHECK(options.quiet && !options.verbose && options.request.threads == 3);
    CHECK(options.request.filter.border.border == BORDER_ZERO);
    accepts("blur a b --mask=x=y");
    CHECK(same(options.request.filter.mask, "x=y"));
    accepts("blur - -");
    CHECK(same(options.operand[0], "-") && same(options.operand[1], "-"));
    accepts("blur a - -m -");
    CHECK(same(options.operand[1], "-") && same(options.request.filter.mask, "-"));
    refuses("blur - - -m -", "the mask and the picture cannot both be read from standard input");
    accepts("blur --flip -- --sigma -b");
    CHECK(options.request.filter.overrides.flip && same(options.operand[0], "--sigma") &&
          same(options.operand[1], "-b"));
    accepts("mask -1");
    CHECK(same(options.operand[0], "-1"));
    accepts("blur a b --quality 1 --quality 100 --border wrap --border constant:7");
    CHECK(options.request.sink.quality == 100 &&
          options.request.filter.border.border == BORDER_CONSTANT);
    CHECK(same(options.request.filter.border.value, "7"));
}

static void test_values(void)
{
    accepts("blur a b --offset -5 --divisor -1/2 --anchor 0,6000 --repeat 1000");
    CHECK(same(options.request.filter.overrides.offset, "-5") &&
          same(options.request.filter.overrides.divisor, "-1/2"));
    CHECK(options.request.filter.overrides.has_anchor &&
          options.request.filter.overrides.anchor_x == 0 &&
          options.request.filter.overrides.anchor_y == 6000);
    CHECK(options.request.filter.repeat == 1000);
    accepts("unsharp a b --amount 3/5 --channels rg --tile 64 --threads 1024");
    CHECK(same(options.request.filter.amount, "3/5") &&
          same(options.request.filter.channels, "rg"));
    CHECK(options.request.tile == 64 && options.request.threads == 1024);
    accepts("blur a b --alpha drop");
    CHECK(options.request.sink.drop_alpha && options.request.filter.alpha == ALPHA_WEIGHTED);
    accepts("blur a b --alpha drop --alpha plain");
    CHECK(!options.request.sink.drop_alpha && options.request.filter.alpha == ALPHA_PLAIN);
    CHECK(options.request.sink.png_level == PNG_LEVEL_DEFAULT);
    accepts("blur a b --png-level fast --png-level small");
    CHECK(options.request.sink.png_level == PNG_LEVEL_SMALL);
    refuses("blur a b --png-level best", "--png-level best: expected fast, default or small");
    accepts("blur a b --device cuda:3");
    CHECK(!options.request.device_auto && options.request.device == DEVICE_CUDA &&
          options.request.device_index == 3);
    accepts("blur a b --device cuda:3 --device auto");
    CHECK(options.request.device_auto && options.request.device_index == 0);
    accepts("blur a b -d cpu -k auto");
    CHECK(!options.request.device_auto && options.request.device == DEVICE_CPU && !options.kernel);
    accepts("blur a b -k reference");
    CHECK(options.request.device_auto && same(options.kernel, "reference"));
    accepts("blur a b --format pam --plan --verify --time --json");
    CHECK(options.request.sink.format == FORMAT_PAM && options.plan && options.request.verify);
    CHECK(options.time && options.json);
    accepts("blur a b --format jpg");
    CHECK(options.request.sink.format == FORMAT_JPEG);
    accepts("--sigma 1e-3 mask");
    CHECK(options.request.filter.sigma == 1e-3);
}

static void test_wrong_numbers(void)
{
    static const char quality[] = "--quality %s: expected a whole number from 1 to 100";
    static const char *const wrong[] = {
        "0", "101", "1.5", "x", "9x", "0x9", "99999999999999999999"};
    char line[128], sentence[128];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(line, sizeof line, "blur a b --quality %s", wrong[i]);
        snprintf(sentence, sizeof sentence, quality, wrong[i]);
        refuses(line, sentence);
    }
    static const char *const sigmas[] = {"0",     "-1", "nan", "inf", "0x10",
                                         "1e999", "1 ", "2px", "."};
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        char *argv[] = {"stencilcli", "gauss", "a", "b", "--sigma", (char *)sigmas[i]};
        CHECKF(!options_parse(&options, 6, argv, &err), "--sigma '%s' was taken", sigmas[i]);
        CHECKF(strstr(err.text, ": expected a number greater than 0"), "%s", err.text);
    }
    refuses("blur a b --radius -1", "--radius -1: expected a whole number from 0 to 3000");
    refuses("blur a b --repeat 1001", "--repeat 1001: expected a whole number from 1 to 1000");
    refuses("blur a b -t 0", "--threads 0: expected a whole number from 1 to 1024");
    refuses("blur a b --tile 12", "--tile 12: expected 8, 16, 32 or 64");
    static const char *const anchors[] = {"1",    "1,",     ",1",     "1,2,3",
                                          "-1,0", "6001,0", "0,6001", "1;2"};
    for (size_t i = 0; i < sizeof anchors / sizeof anchors[0]; i++) {
        snprintf(line, sizeof line, "blur a b --anchor %s", anchors[i]);
        snprintf(sentence, sizeof sentence,
                 "--anchor %s: expected X,Y, two whole numbers from 0 to 6000 with a comma between",
                 anchors[i]);
        refuses(line, sentence);
    }
}

static void test_wrong_words(void)
{
    refuses("blurr a b", "unknown filter 'blurr'; did you mean 'blur'?");
    refuses("lsit masks", "unknown command 'lsit'; did you mean 'list'?");
    refuses("xyzzy", "unknown filter or command 'xyzzy'; try 'stencilcli --help'");
    refuses("blur a b --sgima 2", "unknown option '--sgima'; did you mean '--sigma'?");
    refuses("blur a b --xyzzy=2", "unknown option '--xyzzy'; try 'stencilcli --help'");
    refuses("blur a b -mask gauss5", "unknown option '-mask'; did you mean '--mask'?");
    refuses("blur a b -qx", "unknown option '-x'; try 'stencilcli --help'");
    refuses("blur a b --flip=yes", "--flip takes no value, got 'yes'");
    refuses("blur a b --mask", "--mask needs a value: MASK");
    refuses("blur a b -b", "--border needs a value: BORDER");
    refuses("blur a b --mask=", "--mask '': expected a name, a file or rows of numbers");
    refuses("blur a b -b mirorr", "--border mirorr: unknown border; did you mean 'mirror'?");
    refuses("blur a b -b constnt:5",
            "--border constnt:5: unknown border; did you mean 'constant:V'?");
    refuses("blur a b -b constant", "--border: constant needs a value: constant:V or constant:N%");
    refuses("blur a b -b zero:0", "--border: 'zero' takes no value; only constant:V does");
    refuses("blur a b --alpha wieghted",
            "--alpha wieghted: unknown alpha; did you mean 'weighted'?");
    refuses("blur a b -k referense",
            "--kernel referense: unknown kernel; did you mean 'reference'?");
    refuses("blur a b -d gpu", "--device gpu: unknown device; did you mean 'cuda'?");
    refuses("blur a b -d cuda:-1",
            "--device cuda:-1: expected cuda:N, where N is a device's number");
    refuses("blur a b --format heic",
            "--format heic: expected png, jpeg, webp, tiff, bmp, tga, pgm, ppm, pam, y4m or pnm");
    refuses(
        "list",
        "list needs filters|kernels|methods|masks|formats|devices; try 'stencilcli list --help'");
    refuses("list fliters", "list 'fliters': did you mean 'filters'?");
    refuses("list things",
            "list 'things': expected filters, kernels, methods, masks, formats or devices");
    refuses("blur a", "blur needs INPUT OUTPUT; try 'stencilcli blur --help'");
    refuses("compare a b c", "unexpected 'c': compare takes A B");
    refuses("--sigma 2", "expected a filter or a command; try 'stencilcli --help'");
    refuses("list masks --sigma 2", "list has no option --sigma; try 'stencilcli list --help'");
}

static void test_help_words(void)
{
    accepts("-h");
    CHECK(options.help_short && !options.help_full && !options.command);
    accepts("--help blur");
    CHECK(options.help_full && same(options.command, "blur"));
    accepts("list -h");
    CHECK(options.help_short && same(options.command, "list"));
    accepts("--version");
    CHECK(options.version);
    accepts("--man");
    CHECK(options.man);
    accepts("--completion=zsh");
    CHECK(same(options.completion, "zsh"));
    refuses("blurr --help", "unknown filter 'blurr'; did you mean 'blur'?");
    refuses("--completion csh", "--completion csh: unknown completion; did you mean 'zsh'?");
}

/* The option table and the words of filters name the same options. chain takes them in its steps,
 * and --alpha (drop) also for its output. */
static void test_filter_words(void)
{
    struct filter_word word;
    int count = 0;

    for (; filter_word(count, &word); count++) {
        const struct option_spec *spec = option_find(0, word.name, strlen(word.name));
        CHECKF(spec && spec->letter == word.letter && !spec->argument == !word.argument &&
                   (!word.argument || same(spec->argument, word.argument)) &&
                   (spec->commands & FOR(COMMAND_FILTER)) &&
                   (!(spec->commands & FOR(COMMAND_CHAIN)) || same(word.name, "alpha")),
               "--%s", word.name);
        count -= !spec;
    }
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, FOR_ALL_COMMANDS));)
        count -= spec->set == option_set_filter || spec->set == option_set_alpha;
    CHECK(count == 0);
}

/* A list of words in which any meaning of the synonyms may stand. */
static word_function *const lists[] = {command_name, filter_border_word, alpha_word,
                                       device_word,  kernel_word,        method_word,
                                       format_word,  png_level_word,     list_word};

static void add_mask(const char *name, const char *path, void *context)
{
    (void)path;
    strcat(strcat(context, " "), name);
}

/* Every word that the synonyms stand for is a word of the command line. */
static void test_synonyms(void)
{
    char masks[4096] = "";
    const char *meant;
    mask_list(add_mask, masks);
    for (int i = 0; (meant = did_you_mean_meant(i)); i++) {
        bool known = strstr(masks, meant) || strcmp(meant, "constant") == 0 ||
                     option_find(0, meant, strlen(meant));
        for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
            known = known || word_find(meant, lists[k]) >= 0;
        CHECKF(known, "%s", meant);
    }
}

/* CUDA's driver reads this variable at its start; a value set by the user is kept. */
static void one_job_has_one_queue(void)
{
    static const char name[] = "CUDA_DEVICE_MAX_CONNECTIONS";
    const char *value;

    unsetenv(name);
    command_has_one_job();
    value = getenv(name);
    CHECK(value && strcmp(value, "1") == 0);
    setenv(name, "4", 1);
    command_has_one_job();
    value = getenv(name);
    CHECK(value && strcmp(value, "4") == 0);
    unsetenv(name);
}

int main(void)
{
    TEST(test_defaults);
    TEST(test_places_and_forms);
    TEST(test_values);
    TEST(test_wrong_numbers);
    TEST(test_wrong_words);
    TEST(test_help_words);
    TEST(test_filter_words);
    TEST(test_synonyms);
    TEST(one_job_has_one_queue);
    return test_finish();
}
