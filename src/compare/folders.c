/* Two folders into one list: see compare/folders.h. */
#include "compare/folders.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/list.h"

static bool add(struct compare_pairs *pairs, const char *name, bool in_a)
{
    if ((pairs->count & (pairs->count - 1)) == 0) {
        size_t room = pairs->count ? 2 * pairs->count : 1;
        struct compare_pair *grown = realloc(pairs->pair, room * sizeof *grown);
        if (!grown)
            return false;
        pairs->pair = grown;
    }
    char *copy = strdup(name);
    if (copy)
        pairs->pair[pairs->count++] = (struct compare_pair){copy, in_a, !in_a};
    return copy != NULL;
}

static bool take(struct compare_pairs *pairs, const char *folder, const struct batch_item *item,
                 bool in_a, struct error *err)
{
    char *path = *item->name ? batch_path(folder, item->name) : strdup(folder);
    struct stat status;
    bool good = path != NULL;

    /* A name that leads nowhere stays in the list: opening it says why. Pipes and devices are not
     * read. */
    if (good && item->trouble)
        good = error_set(err, EXIT_INPUT, "%s: %s", path, item->trouble);
    else if (!good || ((stat(path, &status) != 0 || S_ISREG(status.st_mode)) &&
                       !add(pairs, item->name, in_a)))
        good = error_set(err, EXIT_INPUT, "%s: no memory for its list of files", folder);
    free(path);
    return good;
}

/* The same files that a batch takes, and links out of the folder too. */
static bool walk(struct compare_pairs *pairs, const char *folder, bool in_a, struct error *err)
{
    const struct batch_tree tree = {.input = folder, .follow = true};
    struct batch_list list = {.input_real = realpath(folder, NULL)};
    bool good = list.input_real ? batch_walk(&list, &tree, err) : error_errno(err, folder, "read");

    for (size_t i = 0; good && i < list.count; i++)
        good = take(pairs, folder, &list.item[i], in_a, err);
    pairs->others += list.others;
    batch_list_free(&list);
    return good;
}

static int by_name(const void *a, const void *b)
{
    const struct compare_pair *one = a, *two = b;
    return strcmp(one->name, two->name);
}

/* The two entries of a name that both have become one. */
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
