/* What the values of options mean: the setters that the rows of the option table
 * name, and the word lists behind them, which the completions and --help show
 * too. A setter stores a value or says what was expected; it looks at no other
 * option (cli/options_parse.c does that) and opens nothing. */
#include "base/did_you_mean.h"
#include "cli/option_table.h"
#include "cpu/method.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

/* A list of literals as a word_function. */
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
WORDS(list_word, "filters", "kernels", "methods", "masks", "devices")

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

const char *method_word(int index)
{
    int count;
    const struct cpu_method *const *methods = cpu_methods(&count);
    return index == 0 ? "auto" : index <= count ? methods[index - 1]->name : NULL;
}

/* The formats from the enum's first to the last that has a name. */
const char *format_word(int index)
{
    return index <= FORMAT_PNM - FORMAT_PNG ? format_name((enum format)(FORMAT_PNG + index)) : NULL;
}

const char *word_nearest(const char *text, word_function words)
{
    const char *list[64];
    int count = 0;
    for (const char *word; count < 64 && (word = words(count)); count++)
        list[count] = word;
    return did_you_mean(text, list, count);
}

void words_join(char *text, size_t bytes, word_function words)
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

/* Which of the words TEXT is; -1 and a sentence with the nearest when it is none. */
static int word_index(const struct option_spec *spec, const char *text, struct error *err)
{
    for (int i = 0; spec->words(i); i++) {
        if (strcmp(spec->words(i), text) == 0)
            return i;
    }
    /* The nearest number is no help: 12 is not a slip of 16. */
    const char *near = isdigit((unsigned char)*text) ? NULL : word_nearest(text, spec->words);
    char all[512];
    words_join(all, sizeof all, spec->words);
    if (near)
        error_set(err, EXIT_USAGE, "--%s %s: unknown %s; did you mean '%s'?", spec->name, text,
                  spec->name, near);
    else
        error_set(err, EXIT_USAGE, "--%s %s: expected %s", spec->name, text, all);
    return -1;
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

/* ---- the plain setters ---- */

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

/* ---- the setters of one option each ---- */

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
    /* A slip in the name is what the parser of borders does not look for. */
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
                return error_set(err, EXIT_USAGE, "--%s %s: expected cuda:N, N a device's number",
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

bool option_read_kernel(struct options *options, enum command_id command, struct error *err)
{
    const struct option_spec *spec = option_find("kernel", 6);
    if (!options->kernel_text)
        return true;
    if (command == COMMAND_BENCH)
        return option_read_kernels(options, spec, options->kernel_text, err);
    int index = word_index(spec, options->kernel_text, err);
    if (index < 0)
        return false;
    options->kernel = index == 0 ? NULL : options->kernel_text;
    return true;
}

bool option_set_method(struct options *options, const struct option_spec *spec, const char *value,
                       struct error *err)
{
    int index = word_index(spec, value, err);
    if (index < 0)
        return false;
    options->method = index == 0 ? NULL : method_word(index);
    return true;
}

bool option_read_tile(struct options *options, enum command_id command, struct error *err)
{
    struct option_spec spec = *option_find("tile", 4);
    if (!options->tile_text)
        return true;
    if (command == COMMAND_REUSE)
        return option_read_tiles(options, &spec, options->tile_text, err);
    if (command == COMMAND_SIGNAL) /* a block of threads, which has no second side */
        spec.words = block_word;
    int index = word_index(&spec, options->tile_text, err);
    if (index < 0)
        return false;
    options->tile = (int)strtol(spec.words(index), NULL, 10);
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

bool option_set_completion(struct options *options, const struct option_spec *spec,
                           const char *value, struct error *err)
{
    int index = word_index(spec, value, err);
    if (index < 0)
        return false;
    options->completion = spec->words(index);
    return true;
}
