/* Reads the values of options: the setters that the rows of the option table name, and the lists of
 * words that a value may be, which --help and the completions show too. A setter stores a value or
 * reports what was expected. It looks at no other option and opens no file. */
#include "cli/option_table.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/reuse.h"
#include "cpu/method.h"

/* ---- words ---- */

/* Makes a word_function from literals. These lists come first, then lists made from tables. */
#define WORDS(function, ...)                                                                       \
    const char *function(int index)                                                                \
    {                                                                                              \
        static const char *const words[] = {__VA_ARGS__};                                          \
        return index < (int)(sizeof words / sizeof words[0]) ? words[index] : NULL;                \
    }

WORDS(alpha_word, "weighted", "ignore", "plain", "drop")
WORDS(device_word, "auto", "cpu", "cuda", "soft")
WORDS(tile_word, "8", "16", "32", "64")
WORDS(template_word, "basic", "constant", "readonly", "tiled", "cached", "basic_1d", "constant_1d",
      "tiled_1d", "cached_1d")
WORDS(block_word, "32", "64", "128", "256", "512", "1024")
WORDS(png_level_word, "fast", "default", "small")
WORDS(tiff_compression_word, "none", "lzw", "deflate", "zstd", "packbits")
WORDS(shell_word, "bash", "zsh", "fish")
WORDS(golden_word, "record", "check")
WORDS(list_word, "filters", "kernels", "methods", "masks", "formats", "devices")
WORDS(sweep_word, "tile", "mask")
WORDS(depth_word, "8", "16")

/* The INDEX-th name of a kernel for pictures (DIMS is 2) or signals (1). */
static const char *kernel_name(int index, int dims)
{
    int count;
    const struct kernel *kernels = kernel_table(&count);
    for (int i = 0; i < count; i++) {
        if (kernels[i].dims == dims && index-- == 0)
            return kernels[i].name;
    }
    return NULL;
}

const char *kernel_word(int index)
{
    return index == 0 ? "auto" : kernel_name(index - 1, 2);
}

static const char *bench_kernel_word(int index)
{
    return index == 0 ? "all" : kernel_name(index - 1, 2);
}

static const char *signal_kernel_word(int index)
{
    return index == 0 ? "auto" : kernel_name(index - 1, 1);
}

/* bench writes no picture. */
static const char *bench_alpha_word(int index)
{
    return index < 3 ? alpha_word(index) : NULL;
}

word_function *option_words(const struct option_spec *spec, enum command_id command)
{
    if (command == COMMAND_BENCH && spec->words == kernel_word)
        return bench_kernel_word;
    if (command == COMMAND_BENCH && spec->words == alpha_word)
        return bench_alpha_word;
    if (command == COMMAND_SIGNAL && spec->words == kernel_word)
        return signal_kernel_word;
    if (command == COMMAND_SIGNAL && spec->words == tile_word)
        return block_word;
    if (command == COMMAND_TRY && spec->words == tile_word)
        return NULL;
    return command == COMMAND_REUSE && spec->words == tile_word ? NULL : spec->words;
}

const char *method_word(int index)
{
    int count;
    const struct cpu_method *const *methods = cpu_methods(&count);
    return index == 0 ? "auto" : index <= count ? methods[index - 1]->name : NULL;
}

/* The formats that can be written, here or in a build with their library. */
const char *format_word(int index)
{
    for (enum format format = FORMAT_NONE + 1; format < FORMATS; format++) {
        const struct format_about about = format_describe(format);
        if ((about.writes || about.package) && index-- == 0)
            return about.name;
    }
    return NULL;
}

/* Reports "--NAME VALUE: expected ..." and returns false. */
__attribute__((format(printf, 2, 3))) static bool expected(const struct option_value *given,
                                                           const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return word_expected(given->err, given->spec->name, given->text, "%s", text);
}

/* The index of the value in the row's words; -1 with an error if it is none of them. */
static int word_index(const struct option_value *given)
{
    word_function *words = option_words(given->spec, given->command);
    int index = word_find(given->text, words);
    if (index < 0)
        word_unknown(given->err, given->spec->name, given->text, words, "");
    return index;
}

/* ---- setters that store into the field of the row ---- */

static void *field_of(const struct option_value *given)
{
    return (char *)given->options + given->spec->field;
}

/* Explains an option whose value is an empty word by the first line of its help. */
static bool is_text(const struct option_value *given)
{
    const struct option_spec *spec = given->spec;

    return *given->text != '\0' ||
           expected(given, "%s: %.*s", spec->argument, (int)strcspn(spec->doc, "\n"), spec->doc);
}

bool option_set_flag(const struct option_value *given)
{
    *(bool *)field_of(given) = true;
    return true;
}

bool option_set_text(const struct option_value *given)
{
    if (!is_text(given))
        return false;
    *(const char **)field_of(given) = given->text;
    return true;
}

bool option_set_int(const struct option_value *given)
{
    const char *end;
    int number, min = given->spec->min, max = given->spec->max;
    if (!word_int(given->text, &end, &number) || *end != '\0' || number < min || number > max)
        return expected(given, "a whole number from %d to %d", min, max);
    *(int *)field_of(given) = number;
    return true;
}

/* Stores one of the row's words as text; "auto" is NULL. */
bool option_set_word(const struct option_value *given)
{
    if (word_index(given) < 0)
        return false;
    *(const char **)field_of(given) = strcmp(given->text, "auto") == 0 ? NULL : given->text;
    return true;
}

bool option_add_glob(const struct option_value *given)
{
    struct globs *globs = field_of(given);
    if (!is_text(given))
        return false;
    if (globs->count == GLOBS_MAX)
        return error_set(given->err, EXIT_USAGE, "--%s %s: at most %d patterns", given->spec->name,
                         given->text, GLOBS_MAX);
    if (glob_has_too_many_alternatives(given->text))
        return error_set(given->err, EXIT_USAGE, "--%s %s: at most %d alternatives in braces",
                         given->spec->name, given->text, GLOB_ALTERNATIVES_MAX);
    globs->text[globs->count++] = given->text;
    return true;
}

/* ---- setters of one option each ---- */

bool option_set_filter(const struct option_value *given)
{
    return filter_word_set(&given->options->request.filter, given->spec->name, given->text,
                           given->err);
}

bool option_set_alpha(const struct option_value *given)
{
    const bool drop = strcmp(given->text, "drop") == 0 && given->command != COMMAND_BENCH;
    struct filter_request *filter = &given->options->request.filter;

    if (word_index(given) < 0)
        return false;
    if (given->command == COMMAND_CHAIN && !drop)
        return error_set(given->err, EXIT_USAGE,
                         "--alpha %s is for a step: write it inside STEP, as in 'blur --alpha %s'",
                         given->text, given->text);
    /* drop filters as weighted; the alpha channel is dropped when the file is written. */
    given->options->request.sink.drop_alpha = drop;
    return filter_word_set(filter, "alpha", drop ? filter_alpha_word(ALPHA_WEIGHTED) : given->text,
                           given->err);
}

bool option_set_png_level(const struct option_value *given)
{
    static const enum png_level levels[] = {PNG_LEVEL_FAST, PNG_LEVEL_DEFAULT, PNG_LEVEL_SMALL};
    int index = word_index(given);
    if (index >= 0)
        given->options->request.sink.png_level = levels[index];
    return index >= 0;
}

bool option_set_tiff_compression(const struct option_value *given)
{
    static const int numbers[] = {1, 5, 8, 50000, 32773}; /* TIFF's own */
    int index = word_index(given);
    if (index >= 0)
        given->options->request.sink.tiff_compression = numbers[index];
    return index >= 0;
}

bool option_set_device(const struct option_value *given)
{
    struct options *options = given->options;
    bool soft = strncmp(given->text, "soft", 4) == 0;
    bool numbered = (soft || strncmp(given->text, "cuda", 4) == 0) && given->text[4] == ':';
    const char *at = given->text + 4;
    options->devices = 0;
    options->device_list[0] = 0;
    while (numbered && *at != '\0') {
        int *number = &options->device_list[options->devices];
        if (options->devices++ == OPTION_DEVICES_MAX || !word_int(at + 1, &at, number) ||
            *number < 0 || (*at != '\0' && *at != ','))
            return expected(given, "%.4s:N, where N is a device's number", given->text);
    }
    int index = numbered ? 2 : word_index(given);
    options->soft = soft;
    options->request.device_auto = index == 0;
    options->request.device = index >= 2 ? DEVICE_CUDA : DEVICE_CPU;
    options->request.device_index = options->device_list[0];
    return index >= 0;
}

/* Stores names separated by commas, for bench. */
static bool set_kernels(const struct option_value *given)
{
    bool all = false;
    for (const char *at = given->text, *comma; at; at = comma ? comma + 1 : NULL) {
        char word[64];
        comma = strchr(at, ',');
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (strcmp(word, "all") == 0 || strcmp(word, "auto") == 0)
            all = true;
        else if (word_find(word, bench_kernel_word) < 0)
            return word_unknown(given->err, "kernel", word, bench_kernel_word,
                                ", or several with commas between");
    }
    given->options->kernel = all ? NULL : given->text;
    return true;
}

bool option_set_kernel(const struct option_value *given)
{
    if (given->command == COMMAND_BENCH)
        return set_kernels(given);
    word_function *words = option_words(given->spec, given->command);
    if (word_find(given->text, words) < 0) /* elsewhere "kernel" often means a mask */
        return word_unknown(given->err, "kernel", given->text, words,
                            "; the weights are given by --mask");
    return option_set_word(given);
}

bool option_set_format(const struct option_value *given)
{
    /* Not only the listed names but any extension, such as jpg, is accepted. */
    enum format format = format_of_name(given->text);
    if (format == FORMAT_NONE)
        return word_index(given) >= 0;
    given->options->request.sink.format = format;
    return true;
}

/* --quiet or --verbose: the last one counts. */
bool option_set_loudness(const struct option_value *given)
{
    given->options->quiet = given->spec->letter == 'q';
    given->options->verbose = !given->options->quiet;
    return true;
}

/* Golden suites contain these limits too, so compare/verdict.c reads them. */
bool option_set_limit(const struct option_value *given)
{
    const char *wanted =
        compare_limit_read(&given->options->limits, given->spec->name, given->text);
    return !wanted || expected(given, "%s", wanted);
}

/* ---- lists of sizes ---- */

/* Reads digits, as a number from 1 to MAX; *text moves past them. */
static bool parse_size(const char **text, int max, int *number)
{
    return isdigit((unsigned char)**text) && word_int(*text, text, number) && *number >= 1 &&
           *number <= max;
}

/* Up to MOST sizes separated by commas, each number 1 to MAX. A size is N, or NxM if PAIRS. */
static bool parse_sizes(const char *text, int most, int max, bool pairs, struct option_sizes *sizes)
{
    *sizes = (struct option_sizes){0};
    do {
        int i = sizes->count++;
        if (i == most || !parse_size(&text, max, &sizes->width[i]))
            return false;
        if (pairs && *text == 'x') {
            text++;
            if (!parse_size(&text, max, &sizes->height[i]))
                return false;
        }
    } while (*text++ == ',');
    return text[-1] == '\0';
}

bool option_set_mask_width(const struct option_value *given)
{
    struct option_sizes *widths = &given->options->mask_width;
    return parse_sizes(given->text, OPTION_SIZES_MAX, MASK_MAX_SIDE, true, widths) ||
           expected(given, "K or KxL from 1 to %d, or up to %d of them with commas between",
                    MASK_MAX_SIDE, OPTION_SIZES_MAX);
}

bool option_set_size(const struct option_value *given)
{
    return parse_sizes(given->text, 1, INT_MAX, true, &given->options->size) ||
           expected(given, "N or WxH, whole numbers from 1 to %d", INT_MAX);
}

/* N or WxH, stored as two numbers. */
static bool set_sides(const struct option_value *given, int side[2])
{
    const char *end;

    if (word_int(given->text, &end, &side[0])) {
        side[1] = side[0];
        if (*end == '\0' || (*end == 'x' && word_int(end + 1, &end, &side[1]) && *end == '\0'))
            if (side[0] >= 1 && side[1] >= 1 && side[0] <= 1024 && side[1] <= 1024)
                return true;
    }
    return expected(given, "N or WxH, from 1 to 1024");
}

bool option_set_block(const struct option_value *given)
{
    return set_sides(given, given->options->block);
}

bool option_set_seed(const struct option_value *given)
{
    const char *end;

    return (word_int(given->text, &end, &given->options->seed) && *end == '\0' &&
            given->options->seed >= 0) ||
           expected(given, "a whole number from 0 on");
}

/* For reuse: a list of any widths. For signals: the threads of a block. */
bool option_set_tile(const struct option_value *given)
{
    if (given->command == COMMAND_REUSE)
        return parse_sizes(given->text, OPTION_SIZES_MAX, REUSE_MAX_TILE, false,
                           &given->options->tiles) ||
               expected(given,
                        "a whole number from 1 to %d, or up to %d of them with commas between",
                        REUSE_MAX_TILE, OPTION_SIZES_MAX);
    if (given->command == COMMAND_TRY)
        return set_sides(given, given->options->output_tile);
    if (word_index(given) < 0)
        return false;
    given->options->request.tile = (int)strtol(given->text, NULL, 10);
    return true;
}
