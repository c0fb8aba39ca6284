/* The folders of a batch's outputs: see batch/list.h. Each is made, checked (a symlink
 * may lead it into the inputs), and freed of what killed runs have left. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/list.h"
#include "codec/output.h"

/* mkdir -p; false with errno set. */
static bool make_folder(char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    if (errno != ENOENT)
        return false;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Why PATH cannot hold outputs, malloc'ed; NULL: it can. */
static char *prepare(char *path, const char *input_real)
{
    char *real, *trouble = NULL;
    struct stat status;

    if (!make_folder(path) || stat(path, &status) != 0 || !(real = realpath(path, NULL))) {
        if (asprintf(&trouble, "cannot make the folder '%s': %s", path, strerror(errno)) < 0)
            trouble = NULL;
        return trouble;
    }
    if (!S_ISDIR(status.st_mode)) {
        if (asprintf(&trouble, "'%s' is not a folder", path) < 0)
            trouble = NULL;
    } else if (batch_path_inside(real, input_real)) {
        if (asprintf(&trouble, "the folder '%s' leads into the inputs", path) < 0)
            trouble = NULL;
    } else {
        temporary_remove_stale(path);
    }
    free(real);
    return trouble;
}

/* ---- which there are ---- */

struct folder {
    const char *output; /* some file's name, of which the first bytes are the folder's */
    size_t bytes;
    char *trouble;
};

static int compare_folders(const void *a, const void *b)
{
    const struct folder *first = a, *second = b;
    size_t bytes = first->bytes < second->bytes ? first->bytes : second->bytes;
    int order = memcmp(first->output, second->output, bytes);

    return order ? order : (first->bytes > second->bytes) - (first->bytes < second->bytes);
}

static struct folder folder_of(const struct batch_item *item)
{
    const char *slash = strrchr(item->output, '/');

    return (struct folder){.output = item->output,
                           .bytes = slash ? (size_t)(slash - item->output) : 0};
}

/* The distinct folders, parents first; NULL without memory. */
static struct folder *find_folders(const struct batch_list *list, size_t files, size_t *count)
{
    struct folder *folders = malloc((files + 1) * sizeof *folders);
    size_t kept = 0;

    *count = 0;
    if (!folders || files == 0)
        return folders;
    for (size_t i = 0; i < files; i++) {
        folders[kept] = folder_of(&list->item[i]);
        /* Most files lie beside the one before. */
        if (kept == 0 || compare_folders(&folders[kept - 1], &folders[kept]) != 0)
            kept++;
    }
    qsort(folders, kept, sizeof *folders, compare_folders);
    for (size_t i = 0; i < kept; i++)
        if (*count == 0 || compare_folders(&folders[*count - 1], &folders[i]) != 0)
            folders[(*count)++] = folders[i];
    return folders;
}

bool batch_folders_make(struct batch_list *list, size_t files, const struct batch_tree *tree,
                        struct error *err)
{
    char *top = strdup(tree->output), *trouble = NULL;
    size_t count = 0;
    struct folder *folders = find_folders(list, files, &count);
    bool ok = top && folders;

    if (!ok)
        error_set(err, EXIT_INPUT, "%s: no memory for its folders", tree->output);
    else if ((trouble = prepare(top, list->input_real)))
        ok = error_set(err, EXIT_INPUT, "%s: %s", tree->output, trouble);
    for (size_t i = 0; ok && i < count; i++) {
        char *name = strndup(folders[i].output, folders[i].bytes);
        char *path = name ? batch_path(tree->output, name) : NULL;
        if (path && folders[i].bytes > 0)
            folders[i].trouble = prepare(path, list->input_real);
        free(path);
        free(name);
    }
    for (size_t i = 0; ok && i < files; i++) {
        struct folder key = folder_of(&list->item[i]);
        struct folder *folder = bsearch(&key, folders, count, sizeof *folders, compare_folders);
        if (folder && folder->trouble && !list->item[i].trouble)
            list->item[i].trouble = strdup(folder->trouble);
    }
    for (size_t i = 0; i < count; i++)
        free(folders[i].trouble);
    free(folders);
    free(trouble);
    free(top);
    return ok;
}
