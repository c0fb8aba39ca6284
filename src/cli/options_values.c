/* How the values of options are read: the setters that the rows of the option table name, and the
 * lists of words that a value may be, which --help and the completions show too. A setter stores
 * a value or says what was expected. It looks at no other option (options_parse.c does that) and
 * opens no file. */
#include "cli/option_table.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "bench/reuse.h"
#include "compare/limits.h"
#include "kernel/kernel.h"
#include "plan/mask.h"

/* ---- words ---- */

/* A list of literals as a word_function. The lists come first, then those made from tables. */
#define WORDS(function, ...)                                                                       \
    const char *function(int index)                                                                \
    {                                                                                              \
        static const char *const words[] = {__VA_ARGS__};                                          \
        return index < (int)(sizeof words / sizeof words[0]) ? words[index] : NULL;                \
    }

WORDS(alpha_word, "weighted", "ignore", "plain", "drop")
WORDS(device_word, "auto", "cpu", "cuda")
WORDS(tile_word, "8", "16", "32", "64")
WORDS(block_word, "32", "64", "128", "256", "512", "1024")
WORDS(png_level_word, "fast", "default", "small")
WORDS(shell_word, "bash", "zsh", "fish")
WORDS(list_word, "filters", "kernels", "masks", "devices")
WORDS(sweep_word, "tile", "mask")
WORDS(depth_word, "8", "16")

const char *border_word(int index)
{
    /* The colon says that there is more to type. */
    if (index == BORDER_CONSTANT)
        return "constant:";
    return index < BORDER_COUNT ? border_name((enum border)index) : NULL;
}

/* A name that 1D and 2D kernels share is one word. */
const char *kernel_word(int index)
{
    int count;
    const struct kernel *kernels = kernel_table(&count);
    if (index == 0)
        return "auto";
    for (int i = 0; i < count; i++) {
        int first = 0;
        while (strcmp(kernels[first].name, kernels[i].name) != 0)
            first++;
        if (first == i && --index == 0)
            return kernels[i].name;
    }
    return NULL;
}

/* "all", then the names of the 2D kernels. */
static const char *bench_kernel_word(int index)
{
    int count;
    const struct kernel *kernels = kernel_table(&count);
    if (index == 0)
        return "all";
    for (int i = 0; i < count; i++) {
        if (kernels[i].dims == 2 && --index == 0)
            return kernels[i].name;
    }
    return NULL;
}

const char *format_word(int index)
{
    return index <= FORMAT_PNM - FORMAT_PNG ? format_name((enum format)(FORMAT_PNG + index)) : NULL;
}

const char *word_nearest(const char *text, word_function *words)
{
    const char *list[64];
    int count = 0;
    for (const char *word; count < 64 && (word = words(count)); count++)
        list[count] = word;
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

/* Says that WORD is none of the list: with the nearest word if there is one, else with all of them
 * and AFTER behind them. */
static bool word_unknown(const struct option_spec *spec, const char *word, word_function *words,
                         const char *after, struct error *err)
{
    /* The nearest number is no help: nobody types 12 for 16. */
    const char *near = isdigit((unsigned char)*word) ? NULL : word_nearest(word, words);
    char all[512];
    if (near)
        return error_set(err, EXIT_USAGE, "--%s %s: unknown %s; did you mean '%s'?", spec->name,
                         word, spec->name, near);
    words_join(all, sizeof all, words);
    return error_set(err, EXIT_USAGE, "--%s %s: expected %s%s", spec->name, word, all, after);
}

/* The index of VALUE in the row's words; -1 and a sentence if it is none of them. */
static int word_index(const struct option_spec *spec, const char *value, struct error *err)
{
    int index = word_find(value, spec->words);
    if (index < 0)
        word_unknown(spec, value, spec->words, "", err);
    return index;
}

/* ---- numbers ---- */

/* A whole number: an optional sign and digits, nothing else. */
static bool parse_int(const char *text, const char **end, int *number)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*digits))
        return false;
    char *stop;
    errno = 0;
    long value = strtol(text, &stop, 10);
    *end = stop;
    if (errno == ERANGE || value < INT_MIN || value > INT_MAX)
        return false;
    *number = (int)value;
    return true;
}

static void *field_of(struct options *options, const struct option_spec *spec)
{
    return (char *)options + spec->field;
}

/* ---- setters that store into the field of the row ---- */

bool option_set_flag(struct options *options, const struct option_spec *spec, const char *value,
                     struct error *err)
{
    (void)value, (void)err;
    *(bool *)field_of(options, spec) = true;
    return true;
}

bool option_set_text(struct options *options, const struct option_spec *spec, const char *value,
                     struct error *err)
{
    if (*value == '\0')
        return error_set(err, EXIT_USAGE, "--%s: expected %s, got an empty word", spec->name,
                         spec->argument);
    *(const char **)field_of(options, spec) = value;
    return true;
}

bool option_set_int(struct options *options, const struct option_spec *spec, const char *value,
                    struct error *err)
{
    const char *end;
    int number;
    if (!parse_int(value, &end, &number) || *end != '\0' || number < spec->min ||
        number > spec->max)
        return error_set(err, EXIT_USAGE, "--%s %s: expected a whole number from %d to %d",
                         spec->name, value, spec->min, spec->max);
    *(int *)field_of(options, spec) = number;
    return true;
}

/* One of the row's words, as text. */
bool option_set_word(struct options *options, const struct option_spec *spec, const char *value,
                     struct error *err)
{
    int index = word_index(spec, value, err);
    if (index >= 0)
        *(const char **)field_of(options, spec) = spec->words(index);
    return index >= 0;
}

/* One of the row's words, which are numbers. */
bool option_set_word_number(struct options *options, const struct option_spec *spec,
                            const char *value, struct error *err)
{
    int index = word_index(spec, value, err);
    if (index >= 0)
        *(int *)field_of(options, spec) = (int)strtol(spec->words(index), NULL, 10);
    return index >= 0;
}

bool option_add_glob(struct options *options, const struct option_spec *spec, const char *value,
                     struct error *err)
{
    struct globs *globs = field_of(options, spec);
    if (*value == '\0')
        return error_set(err, EXIT_USAGE, "--%s: expected %s, got an empty word", spec->name,
                         spec->argument);
    if (globs->count == GLOBS_MAX)
        return error_set(err, EXIT_USAGE, "--%s %s: at most %d patterns", spec->name, value,
                         GLOBS_MAX);
    globs->text[globs->count++] = value;
    return true;
}

/* ---- setters of one option each ---- */

bool option_set_sigma(struct options *options, const struct option_spec *spec, const char *value,
                      struct error *err)
{
    /* strtod knows nan, inf, hexadecimal and leading blanks as well; a sigma is a plain decimal. */
    char *end = NULL;
    double sigma = 0;
    if (strspn(value, "+-.eE0123456789") == strlen(value))
        sigma = strtod(value, &end);
    if (!end || end == value || *end != '\0' || !isfinite(sigma) || !(sigma > 0))
        return error_set(err, EXIT_USAGE, "--%s %s: expected a number greater than 0", spec->name,
                         value);
    options->sigma = sigma;
    options->has_sigma = true;
    return true;
}

bool option_set_anchor(struct options *options, const struct option_spec *spec, const char *value,
                       struct error *err)
{
    const char *end;
    int x, y;
    if (parse_int(value, &end, &x) && *end == ',' && parse_int(end + 1, &end, &y) && *end == '\0' &&
        x >= 0 && x < MASK_MAX_SIDE && y >= 0 && y < MASK_MAX_SIDE) {
        options->anchor_x = x;
        options->anchor_y = y;
        options->has_anchor = true;
        return true;
    }
    return error_set(err, EXIT_USAGE,
                     "--%s %s: expected X,Y, two whole numbers from 0 to %d with a comma between",
                     spec->name, value, MASK_MAX_SIDE - 1);
}

bool option_set_border(struct options *options, const struct option_spec *spec, const char *value,
                       struct error *err)
{
    options->has_border = true;
    if (border_parse(value, &options->border, err))
        return true;
    /* border_parse does not suggest a name for a mistyped one. */
    char name[32] = "";
    const char *names[BORDER_COUNT];
    size_t length = strcspn(value, ":");
    bool known = false;
    for (int i = 0; i < BORDER_COUNT; i++) {
        names[i] = border_name((enum border)i);
        known = known || (strlen(names[i]) == length && memcmp(names[i], value, length) == 0);
    }
    if (length < sizeof name)
        memcpy(name, value, length);
    const char *near = known ? NULL : did_you_mean(name, names, BORDER_COUNT);
    if (near)
        return error_set(err, EXIT_USAGE, "--%s %s: unknown border; did you mean '%s'?", spec->name,
                         value, near);
    struct error inner = *err;
    return error_set(err, inner.code, "--%s: %s", spec->name, inner.text);
}

bool option_set_alpha(struct options *options, const struct option_spec *spec, const char *value,
                      struct error *err)
{
    static const enum alpha_mode modes[] = {ALPHA_WEIGHTED, ALPHA_IGNORE, ALPHA_PLAIN};
    int index = word_index(spec, value, err);
    if (index < 0)
        return false;
    /* drop is weighted filtering; the alpha channel goes when the file is written. */
    options->has_alpha = true;
    options->drop_alpha = index == 3;
    options->alpha = options->drop_alpha ? ALPHA_WEIGHTED : modes[index];
    return true;
}

bool option_set_png_level(struct options *options, const struct option_spec *spec,
                          const char *value, struct error *err)
{
    static const enum png_level levels[] = {PNG_LEVEL_FAST, PNG_LEVEL_DEFAULT, PNG_LEVEL_SMALL};
    int index = word_index(spec, value, err);
    if (index < 0)
        return false;
    options->png_level = levels[index];
    return true;
}

bool option_set_device(struct options *options, const struct option_spec *spec, const char *value,
                       struct error *err)
{
    const char *at = value + 5, *end = at;
    options->devices = 0;
    if (strncmp(value, "cuda:", 5) == 0) {
        do {
            int *number = &options->device_list[options->devices];
            if (options->devices++ == OPTION_DEVICES_MAX || !parse_int(at, &end, number) ||
                *number < 0 || (*end != '\0' && *end != ','))
                return error_set(err, EXIT_USAGE,
                                 "--%s %s: expected cuda:N, where N is a device's number",
                                 spec->name, value);
            at = end + 1;
        } while (*end == ',');
        value = "cuda";
    }
    int index = word_index(spec, value, err);
    if (index < 0)
        return false;
    options->device_auto = index == 0;
    options->device = index == 2 ? DEVICE_CUDA : DEVICE_CPU;
    options->device_index = options->devices > 0 ? options->device_list[0] : 0;
    return true;
}

bool option_set_format(struct options *options, const struct option_spec *spec, const char *value,
                       struct error *err)
{
    /* Besides the listed names it takes what an extension may be, such as jpg. */
    enum format format = format_of_name(value);
    if (format == FORMAT_NONE)
        return word_index(spec, value, err) >= 0;
    options->format = format;
    return true;
}

/* The last of --quiet and --verbose counts. */
bool option_set_quiet(struct options *options, const struct option_spec *spec, const char *value,
                      struct error *err)
{
    (void)spec, (void)value, (void)err;
    options->quiet = true;
    options->verbose = false;
    return true;
}

bool option_set_verbose(struct options *options, const struct option_spec *spec, const char *value,
                        struct error *err)
{
    (void)spec, (void)value, (void)err;
    options->verbose = true;
    options->quiet = false;
    return true;
}

/* The limits of a comparison are words of golden suites too, so compare/limits.c reads them. */
bool option_set_limit(struct options *options, const struct option_spec *spec, const char *value,
                      struct error *err)
{
    const char *expected = compare_limit_read(&options->limits, spec->name, value);
    return !expected ||
           error_set(err, EXIT_USAGE, "--%s %s: expected %s", spec->name, value, expected);
}

/* ---- lists of sizes ---- */

/* Digits only, 1 to MAX; *text moves past them. */
static bool parse_size(const char **text, int max, int *number)
{
    const char *at = *text;
    int64_t value = 0;
    for (; isdigit((unsigned char)*at) && value <= max; at++)
        value = 10 * value + (*at - '0');
    if (at == *text || value < 1 || value > max)
        return false;
    *text = at;
    *number = (int)value;
    return true;
}

/* Up to MOST sizes with commas between, each number 1 to MAX. A size is N, or NxM if PAIRS. *sizes
 * does not change on failure. */
static bool parse_sizes(const char *text, int most, int max, bool pairs, struct option_sizes *sizes)
{
    struct option_sizes parsed = {0};
    do {
        int i = parsed.count++;
        if (i == most || !parse_size(&text, max, &parsed.width[i]))
            return false;
        if (pairs && *text == 'x') {
            text++;
            if (!parse_size(&text, max, &parsed.height[i]))
                return false;
        }
    } while (*text++ == ',');
    if (text[-1] != '\0')
        return false;
    *sizes = parsed;
    return true;
}

bool option_set_mask_width(struct options *options, const struct option_spec *spec,
                           const char *value, struct error *err)
{
    if (parse_sizes(value, OPTION_SIZES_MAX, MASK_MAX_SIDE, true, &options->mask_width))
        return true;
    return error_set(err, EXIT_USAGE,
                     "--%s %s: expected K or KxL from 1 to %d, or up to %d of them with commas "
                     "between",
                     spec->name, value, MASK_MAX_SIDE, OPTION_SIZES_MAX);
}

bool option_set_size(struct options *options, const struct option_spec *spec, const char *value,
                     struct error *err)
{
    if (parse_sizes(value, 1, INT_MAX, true, &options->size))
        return true;
    return error_set(err, EXIT_USAGE, "--%s %s: expected N or WxH, whole numbers from 1 to %d",
                     spec->name, value, INT_MAX);
}

/* ---- what is read once the command is known ---- */

static bool read_kernels(struct options *options, const struct option_spec *spec, struct error *err)
{
    bool all = false;
    for (const char *at = options->kernel_text; at;
         at = strchr(at, ',') ? strchr(at, ',') + 1 : 0) {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (strcmp(word, "all") == 0 || strcmp(word, "auto") == 0)
            all = true;
        else if (word_find(word, bench_kernel_word) < 0)
            return word_unknown(spec, word, bench_kernel_word, ", or several with commas between",
                                err);
    }
    options->kernels = all ? NULL : options->kernel_text;
    return true;
}

bool option_read_kernel(struct options *options, enum command_id command, struct error *err)
{
    const struct option_spec *spec = option_find("kernel", 6);
    if (!options->kernel_text)
        return true;
    if (command == COMMAND_BENCH)
        return read_kernels(options, spec, err);
    int index = word_index(spec, options->kernel_text, err);
    if (index > 0) /* the first is auto */
        options->kernel = options->kernel_text;
    return index >= 0;
}

bool option_read_tile(struct options *options, enum command_id command, struct error *err)
{
    struct option_spec spec = *option_find("tile", 4);
    const char *text = options->tile_text;
    if (!text)
        return true;
    if (command == COMMAND_REUSE)
        return parse_sizes(text, OPTION_SIZES_MAX, REUSE_MAX_TILE, false, &options->tiles) ||
               error_set(err, EXIT_USAGE,
                         "--%s %s: expected a whole number from 1 to %d, or up to %d of them with "
                         "commas between",
                         spec.name, text, REUSE_MAX_TILE, OPTION_SIZES_MAX);
    if (command == COMMAND_SIGNAL)
        spec.words = block_word;
    spec.field = offsetof(struct options, tile);
    return option_set_word_number(options, &spec, text, err);
}
