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

#include "base/did_you_mean.h"
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
WORDS(light_word, "encoded", "linear")
WORDS(device_word, "auto", "cpu", "cuda", "soft")
WORDS(tile_word, "8", "16", "32", "64")
WORDS(block_word, "32", "64", "128", "256", "512", "1024")
WORDS(png_level_word, "fast", "default", "small")
WORDS(tiff_compression_word, "none", "lzw", "deflate", "zstd", "packbits")
WORDS(shell_word, "bash", "zsh", "fish")
WORDS(golden_word, "record", "check")
WORDS(list_word, "filters", "kernels", "methods", "masks", "formats", "devices")
WORDS(sweep_word, "tile", "mask")
WORDS(depth_word, "8", "16")

/* The name of a border, as in messages. */
static const char *border_plain_word(int index)
{
    return index < BORDER_COUNT ? border_name((enum border)index) : NULL;
}

const char *border_word(int index)
{
    /* The colon shows that a value follows. */
    return index == BORDER_CONSTANT ? "constant:" : border_plain_word(index);
}

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

/* Reports "--NAME VALUE: expected ..." and returns false. */
__attribute__((format(printf, 2, 3))) static bool expected(const struct option_value *given,
                                                           const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(given->err, EXIT_USAGE, "--%s %s: expected %s", given->spec->name, given->text,
                     text);
}

/* Reports that WORD is not in the list, with the nearest word if there is one, else with all words
 * and then AFTER. */
static bool word_unknown(const struct option_value *given, const char *word, word_function *words,
                         const char *after)
{
    const char *name = given->spec->name;
    /* No suggestion for numbers: nobody types 12 for 16. */
    const char *near = isdigit((unsigned char)*word) ? NULL : word_nearest(word, words);
    char all[512];
    if (near)
        return error_set(given->err, EXIT_USAGE, "--%s %s: unknown %s; did you mean '%s'?", name,
                         word, name, near);
    words_join(all, sizeof all, words);
    return error_set(given->err, EXIT_USAGE, "--%s %s: expected %s%s", name, word, all, after);
}

/* The index of the value in the row's words; -1 with an error if it is none of them. */
static int word_index(const struct option_value *given)
{
    word_function *words = option_words(given->spec, given->command);
    int index = word_find(given->text, words);
    if (index < 0)
        word_unknown(given, given->text, words, "");
    return index;
}

/* ---- setters that store into the field of the row ---- */

static void *field_of(const struct option_value *given)
{
    return (char *)given->options + given->spec->field;
}

/* Reads a whole number (an optional sign and digits) from the start of TEXT. */
static bool parse_int(const char *text, const char **end, int *number)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *stop;
    long value = strtol(text, &stop, 10);
    *end = stop;
    *number = (int)value;
    return isdigit((unsigned char)*digits) && value >= INT_MIN && value <= INT_MAX;
}

static bool is_text(const struct option_value *given)
{
    return *given->text != '\0' ||
           error_set(given->err, EXIT_USAGE, "--%s: expected %s, got an empty word",
                     given->spec->name, given->spec->argument);
}

#define MOST_SIDE 1000000000 /* of a region; the sum of two fits an int */

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
    if (!parse_int(given->text, &end, &number) || *end != '\0' || number < min || number > max)
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

bool option_set_sigma(const struct option_value *given)
{
    /* A sigma must be a plain decimal; strtod would accept nan, inf, hexadecimal and blanks. */
    char *end = NULL;
    double sigma = 0;
    if (strspn(given->text, "+-.eE0123456789") == strlen(given->text))
        sigma = strtod(given->text, &end);
    if (!end || end == given->text || *end != '\0' || !isfinite(sigma) || !(sigma > 0))
        return expected(given, "a number greater than 0");
    given->options->request.filter.sigma = sigma;
    given->options->request.filter.has_sigma = true;
    return true;
}

bool option_set_anchor(const struct option_value *given)
{
    const char *end;
    int x, y;
    if (!parse_int(given->text, &end, &x) || *end != ',' || !parse_int(end + 1, &end, &y) ||
        *end != '\0' || x < 0 || x >= MASK_LONGEST || y < 0 || y >= MASK_LONGEST)
        return expected(given, "X,Y, two whole numbers from 0 to %d with a comma between",
                        MASK_LONGEST - 1);
    struct plan_overrides *overrides = &given->options->request.filter.overrides;
    overrides->anchor_x = x;
    overrides->anchor_y = y;
    overrides->has_anchor = true;
    return true;
}

bool option_set_region(const struct option_value *given)
{
    const char *at = given->text;
    int number[4];
    bool good = true;

    for (int i = 0; good && i < 4; i++) {
        good = parse_int(at, &at, &number[i]) && *at == (i < 3 ? ',' : '\0') &&
               number[i] >= i / 2 && number[i] <= MOST_SIDE;
        at += i < 3;
    }
    if (!good)
        return expected(given, "X,Y,W,H: four whole numbers with commas between, W and H at least "
                               "1, as in 100,50,640,480");
    given->options->request.filter.region =
        (struct plan_region){number[0], number[1], number[2], number[3]};
    return true;
}

bool option_set_nodata(const struct option_value *given)
{
    const char *end;
    int number;

    if (!parse_int(given->text, &end, &number) || *end != '\0' || number < 0 || number > UINT16_MAX)
        return expected(given, "a sample, a whole number from 0 to %d", UINT16_MAX);
    given->options->request.filter.nodata = (uint32_t)number;
    given->options->request.filter.has_nodata = true;
    return true;
}

bool option_set_light(const struct option_value *given)
{
    int index = word_index(given);
    given->options->request.filter.light = index == 1;
    return index >= 0;
}

/* Suggests a name for a mistyped one, since border_parse does not. */
bool option_set_border(const struct option_value *given)
{
    char word[32];
    struct error inner;

    if (border_parse(given->text, &given->options->request.filter.border, &inner))
        return true;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given->text, ":"), given->text);
    const char *near = word_nearest(word, border_plain_word);
    if (near && strcmp(near, word) != 0)
        return error_set(given->err, EXIT_USAGE,
                         "--border %s: unknown border; did you mean '%s%s'?", given->text, near,
                         strcmp(near, border_name(BORDER_CONSTANT)) == 0 ? ":V" : "");
    return error_set(given->err, inner.code, "--border: %s", inner.text);
}

bool option_set_alpha(const struct option_value *given)
{
    int index = word_index(given); /* in the order of enum alpha_mode; then drop */
    if (index < 0)
        return false;
    /* drop filters as weighted; the alpha channel is dropped when the file is written. */
    given->options->request.sink.drop_alpha = index == 3;
    given->options->request.filter.alpha = index == 3 ? ALPHA_WEIGHTED : (enum alpha_mode)index;
    return true;
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
        if (options->devices++ == OPTION_DEVICES_MAX || !parse_int(at + 1, &at, number) ||
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
            return word_unknown(given, word, bench_kernel_word, ", or several with commas between");
    }
    given->options->kernel = all ? NULL : given->text;
    return true;
}

bool option_set_kernel(const struct option_value *given)
{
    if (!is_text(given))
        return false;
    if (given->command == COMMAND_BENCH)
        return set_kernels(given);
    word_function *words = option_words(given->spec, given->command);
    if (word_find(given->text, words) < 0) /* elsewhere "kernel" often means a mask */
        return word_unknown(given, given->text, words, "; the weights are given by --mask");
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
    return isdigit((unsigned char)**text) && parse_int(*text, text, number) && *number >= 1 &&
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

/* For reuse: a list of any widths. For signals: the threads of a block. */
bool option_set_tile(const struct option_value *given)
{
    if (!is_text(given))
        return false;
    if (given->command == COMMAND_REUSE)
        return parse_sizes(given->text, OPTION_SIZES_MAX, REUSE_MAX_TILE, false,
                           &given->options->tiles) ||
               expected(given,
                        "a whole number from 1 to %d, or up to %d of them with commas between",
                        REUSE_MAX_TILE, OPTION_SIZES_MAX);
    if (word_index(given) < 0)
        return false;
    given->options->request.tile = (int)strtol(given->text, NULL, 10);
    return true;
}
