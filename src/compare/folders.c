/* Lists the pictures of two folders side by side. */
#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One of the two folders. */
struct side {
    struct compare_pairs *pairs;
    const char *folder;
    bool is_a;
    struct error *err;
};

static bool add(struct compare_pairs *pairs, const char *name, bool in_a)
{
    if ((pairs->count & (pairs->count - 1)) == 0) { /* capacity doubles at powers of two */
        size_t room = pairs->count ? 2 * pairs->count : 1;
        struct compare_pair *grown = reallocarray(pairs->pair, room, sizeof *grown);
        if (!grown)
            return false;
        pairs->pair = grown;
    }
    char *copy = strdup(name);
    if (copy)
        pairs->pair[pairs->count++] = (struct compare_pair){copy, in_a, !in_a};
    return copy != NULL;
}

/* A dangling symlink stays in the list: opening it will report the error. Pipes and devices are
 * left out. */
static bool take(void *context, const char *name, bool passed, const char *trouble)
{
    struct side *side = context;
    if (passed) {
        folder_kinds_add(&side->pairs->passed, name);
        return true;
    }
    char *path = *name ? path_join(side->folder, name) : strdup(side->folder);
    struct stat status;
    bool good = path != NULL;

    if (good && trouble)
        good = error_set(side->err, EXIT_INPUT, "%s: %s", path, trouble);
    else if (good && (stat(path, &status) != 0 || S_ISREG(status.st_mode)))
        good = add(side->pairs, name, side->is_a);
    free(path);
    return good;
}

static bool walk(struct compare_pairs *pairs, const char *folder, bool is_a, struct error *err)
{
    const struct folder_filter filter = {.follow = true};
    struct side side = {pairs, folder, is_a, err};
    struct folder_rest rest = {0};
    char *real = realpath(folder, NULL);
    bool good = real || error_errno(err, folder, "read");

    if (good) { /* this error remains unless another one replaces it */
        error_set(err, EXIT_INPUT, "%s: no memory for its list of files", folder);
        good = folder_walk(folder, real, &filter, take, &side, &rest);
    }
    free(real);
    return good;
}

static int by_name(const void *a, const void *b)
{
    const struct compare_pair *one = a, *two = b;
    return strcmp(one->name, two->name);
}

/* Merges the two entries of a name that is in both folders. */
static void merge(struct compare_pairs *pairs)
{
    size_t kept = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        struct compare_pair *last = kept ? &pairs->pair[kept - 1] : NULL;
        if (last && strcmp(last->name, pairs->pair[i].name) == 0) {
            last->in_a = last->in_b = true;
            free(pairs->pair[i].name);
        } else {
            pairs->pair[kept++] = pairs->pair[i];
        }
    }
    pairs->count = kept;
}

bool compare_pairs_make(struct compare_pairs *pairs, const char *a, const char *b,
                        struct error *err)
{
    memset(pairs, 0, sizeof *pairs);
    bool good = walk(pairs, a, true, err) && walk(pairs, b, false, err);
    if (good && pairs->count == 0)
        good = error_set(err, EXIT_INPUT, "%s and %s: no pictures to compare", a, b);
    if (!good) {
        compare_pairs_free(pairs);
        return false;
    }
    qsort(pairs->pair, pairs->count, sizeof *pairs->pair, by_name);
    merge(pairs);
    return true;
}

void compare_pairs_free(struct compare_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        free(pairs->pair[i].name);
    free(pairs->pair);
    memset(pairs, 0, sizeof *pairs);
}
