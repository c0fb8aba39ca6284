/* The values of options as `bench` understands them: --kernel as a list, --sweep, --depth. */
#include "cli/option_table.h"

#include <string.h>

const char *depth_word(int index)
{
    static const char *const words[] = {"8", "16"};
    return index < 2 ? words[index] : NULL;
}

bool option_set_depth(struct options *options, const struct option_spec *spec, const char *value,
                      struct error *err)
{
    for (int i = 0; spec->words(i); i++) {
        if (strcmp(spec->words(i), value) == 0) {
            options->depth = 8 * (i + 1);
            return true;
        }
    }
    return error_set(err, EXIT_USAGE, "--%s %s: expected 8 or 16", spec->name, value);
}

const char *sweep_word(int index)
{
    static const char *const words[] = {"tile", "mask"};
    return index < 2 ? words[index] : NULL;
}

bool option_set_sweep(struct options *options, const struct option_spec *spec, const char *value,
                      struct error *err)
{
    for (int i = 0; spec->words(i); i++) {
        if (strcmp(spec->words(i), value) == 0) {
            options->sweep = spec->words(i);
            return true;
        }
    }
    return error_set(err, EXIT_USAGE, "--%s %s: expected tile or mask", spec->name, value);
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

static bool is_known(const char *word)
{
    for (int i = 1; bench_kernel_word(i); i++) {
        if (strcmp(bench_kernel_word(i), word) == 0)
            return true;
    }
    return false;
}

static bool unknown_kernel(const struct option_spec *spec, const char *word, struct error *err)
{
    const char *near = word_nearest(word, bench_kernel_word);
    char all[512];
    if (near)
        return error_set(err, EXIT_USAGE, "--%s %s: unknown kernel; did you mean '%s'?", spec->name,
                         word, near);
    words_join(all, sizeof all, bench_kernel_word);
    return error_set(err, EXIT_USAGE, "--%s %s: expected %s, or several with commas between",
                     spec->name, word, all);
}

bool option_read_kernels(struct options *options, const struct option_spec *spec, const char *value,
                         struct error *err)
{
    bool all = false;
    for (const char *at = value; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (strcmp(word, "all") == 0 || strcmp(word, "auto") == 0)
            all = true;
        else if (!is_known(word))
            return unknown_kernel(spec, word, err);
    }
    options->kernels = all ? NULL : value;
    return true;
}
