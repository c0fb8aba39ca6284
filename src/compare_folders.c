/* Two folders into one list: see compare_folders.h. */
#include "compare_folders.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "codec.h"

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

/* Is it a file, perhaps by a symlink? Pipes and devices are not read. */
static bool is_file(const FTSENT *entry)
{
    struct stat status;
    if (entry->fts_info == FTS_SL)
        return stat(entry->fts_accpath, &status) == 0 && S_ISREG(status.st_mode);
    return entry->fts_info == FTS_F && S_ISREG(entry->fts_statp->st_mode);
}

static bool take_entry(struct compare_pairs *pairs, const FTSENT *entry, size_t prefix, bool in_a,
                       struct error *err)
{
    const char *name = entry->fts_path + prefix;

    if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
        errno = entry->fts_errno;
        return error_errno(err, entry->fts_path, "read");
    }
    /* A picture's name that leads nowhere stays in the list: opening it says why. */
    bool named = format_of_path(name) != FORMAT_NONE;
    if (!is_file(entry) && !(named && (entry->fts_info == FTS_SL || entry->fts_info == FTS_SLNONE)))
        return true;
    if (!named)
        pairs->others++;
    else if (!add(pairs, name + strspn(name, "/"), in_a))
        return error_set(err, EXIT_INPUT, "%s: no memory for its list of files", entry->fts_path);
    return true;
}

static bool walk(struct compare_pairs *pairs, const char *folder, bool in_a, struct error *err)
{
    char *const roots[] = {(char *)folder, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    bool good = tree != NULL;
    FTSENT *entry;

    if (!tree)
        return error_errno(err, folder, "read");
    while (good && (errno = 0, entry = fts_read(tree)))
        good = take_entry(pairs, entry, strlen(folder), in_a, err);
    if (good && errno != 0)
        good = error_errno(err, folder, "read");
    fts_close(tree);
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
