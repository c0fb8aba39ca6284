/* The files of a batch: see batch/list.h. Order, names of outputs, and the refusal of
 * trees that would feed on themselves; the walk through the folders is batch/walk.c. */
#include "batch/list.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "codec/codec.h"
#include "codec/input.h"

char *batch_path(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    char *path;

    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (asprintf(&path, "%.*s%s%s", (int)length, folder, folder[length - 1] == '/' ? "" : "/",
                 name) < 0)
        return NULL;
    return path;
}

bool batch_path_inside(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    if (strcmp(folder, "/") == 0)
        return true;
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* ---- items ---- */

/* NAME with the extension of the outputs. */
static char *output_name(const struct batch_tree *tree, const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    const char *base = slash ? slash + 1 : name;
    char *output;

    if (!tree->extension)
        return strdup(name);
    if (!dot || dot <= base)
        dot = name + strlen(name);
    if (asprintf(&output, "%.*s.%s", (int)(dot - name), name, tree->extension) < 0)
        return NULL;
    return output;
}

bool batch_list_add(struct batch_list *list, const struct batch_tree *tree, const char *name,
                    const char *trouble)
{
    struct batch_item *item;

    if ((list->count & (list->count - 1)) == 0) { /* room grows at powers of two */
        size_t room = list->count ? 2 * list->count : 1;
        struct batch_item *grown = reallocarray(list->item, room, sizeof *grown);
        if (!grown)
            return false;
        list->item = grown;
    }
    item = &list->item[list->count++];
    item->name = strdup(name);
    item->output = output_name(tree, name);
    item->trouble = trouble ? strdup(trouble) : NULL;
    return item->name && item->output && (!trouble || item->trouble);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct batch_item *)a)->name, ((const struct batch_item *)b)->name);
}

static void item_free(struct batch_item *item)
{
    free(item->name);
    free(item->output);
    free(item->trouble);
}

static void sort(struct batch_list *list)
{
    size_t i, kept = 0;

    if (list->count == 0)
        return;
    qsort(list->item, list->count, sizeof *list->item, compare_names);
    for (i = 1; i < list->count; i++) {
        if (strcmp(list->item[i].name, list->item[kept].name) == 0)
            item_free(&list->item[i]);
        else
            list->item[++kept] = list->item[i];
    }
    list->count = kept + 1;
}

void batch_list_free(struct batch_list *list)
{
    size_t i;

    for (i = 0; i < list->count; i++)
        item_free(&list->item[i]);
    free(list->item);
    free(list->input_real);
    *list = (struct batch_list){0};
}

/* ---- a list of names ---- */

/* Removes empty and `.` parts in place; false where a part is `..`. */
static bool clean_name(char *name)
{
    char *from = name, *to = name;

    while (*from) {
        size_t bytes = strcspn(from, "/");
        bool last = from[bytes] == '\0';
        if (bytes == 2 && memcmp(from, "..", 2) == 0)
            return false;
        if (bytes > 0 && !(bytes == 1 && *from == '.')) {
            if (to > name)
                *to++ = '/';
            memmove(to, from, bytes);
            to += bytes;
        }
        from += bytes + !last;
    }
    *to = '\0';
    return true;
}

/* What follows FOLDER in NAME; NULL where it does not lie there. */
static char *below(const char *folder, char *name)
{
    size_t length = strlen(folder);

    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (length == 1 && *folder == '/')
        length = 0;
    if (strncmp(name, folder, length) != 0)
        return NULL;
    if (name[length] == '\0')
        return name + length;
    return name[length] == '/' ? name + length + 1 : NULL;
}

/* What follows INPUT in a name as `find INPUT` prints it, or in an absolute one; else the whole
 * name. */
static char *below_input(const struct batch_list *list, const struct batch_tree *tree, char *name)
{
    char *rest = below(tree->input, name);

    if (!rest && *name == '/')
        rest = below(list->input_real, name);
    return rest ? rest : name;
}

/* A folder in the list is passed over: `find` without -type f names them too. */
static bool add_listed(struct batch_list *list, const struct batch_tree *tree, char *name)
{
    const char *trouble = NULL;
    char *path, *real;
    struct stat status;
    bool ok = true;

    name = below_input(list, tree, name);
    if (*name == '/')
        return batch_list_add(list, tree, name + 1, "is not below INPUT");
    if (!clean_name(name))
        return batch_list_add(list, tree, name, "leads out of INPUT");
    path = batch_path(tree->input, name);
    if (!path)
        return false;
    real = realpath(path, NULL);
    if (real && !tree->follow && !batch_path_inside(real, list->input_real))
        trouble = "a symlink that leads out of INPUT; use --follow";
    if (*name && !globs_match(&tree->exclude, name) &&
        (tree->include.count == 0 || batch_wants(tree, name)) &&
        !(real && stat(real, &status) == 0 && S_ISDIR(status.st_mode)))
        ok = batch_list_add(list, tree, name, trouble);
    free(real);
    free(path);
    return ok;
}

static bool read_list(struct batch_list *list, const struct batch_tree *tree, struct error *err)
{
    struct input *input = NULL;
    const uint8_t *bytes;
    size_t size;
    char *text = NULL;
    bool ok =
        input_open(&input, tree->files_from, err) && input_read_all(input, &bytes, &size, err);

    if (ok && !(text = malloc(size + 1)))
        ok = error_set(err, EXIT_INPUT, "%s: no memory to read it", input_name(input));
    if (ok && size > 0)
        memcpy(text, bytes, size);
    for (size_t at = 0; ok && at < size;) {
        char *end = memchr(text + at, tree->null_ended ? '\0' : '\n', size - at);
        size_t next = end ? (size_t)(end - text) : size;
        text[next] = '\0';
        if (!add_listed(list, tree, text + at))
            ok = error_set(err, EXIT_INPUT, "%s: no memory for its names", input_name(input));
        at = next + 1;
    }
    free(text);
    input_close(input);
    return ok;
}

/* ---- trees that would feed on themselves ---- */

char *batch_path_real(const char *path)
{
    char *head = strdup(path), *real = NULL, *joined = NULL, *slash;

    while (head && !(real = realpath(head, NULL)) && errno == ENOENT) {
        slash = strrchr(head, '/');
        while (slash && slash > head && slash[1] == '\0') { /* slashes at the end */
            *slash = '\0';
            slash = strrchr(head, '/');
        }
        if (!slash) {
            real = realpath(".", NULL);
            if (real)
                joined = batch_path(real, path);
            break;
        }
        *(slash == head ? slash + 1 : slash) = '\0';
    }
    if (real && !joined)
        joined = strlen(head) < strlen(path)
                     ? batch_path(real, path + strlen(head) + (path[strlen(head)] == '/'))
                     : strdup(real);
    free(real);
    free(head);
    return joined;
}

/* Of symlinks out of INPUT, which are followed: does one of them lead into OUTPUT? */
static bool check_links(const struct batch_list *list, const struct batch_tree *tree,
                        const char *output, struct error *err)
{
    bool ok = true;

    for (size_t i = 0; ok && tree->follow && i < list->count; i++) {
        char *path = batch_path(tree->input, list->item[i].name);
        char *real = path ? realpath(path, NULL) : NULL;
        if (real && !batch_path_inside(real, list->input_real) && batch_path_inside(real, output))
            ok = error_set(err, EXIT_USAGE, "%s: lies in the folder of outputs, %s", path,
                           tree->output);
        free(real);
        free(path);
    }
    return ok;
}

/* An output that lies in INPUT is an input of the next run, or writes over one of this. */
static bool check_overlap(const struct batch_list *list, const struct batch_tree *tree,
                          struct error *err)
{
    char *output = batch_path_real(tree->output);
    const char *input = list->input_real, *below;
    bool ok = true;

    if (!output)
        return error_errno(err, tree->output, "use it as the folder of outputs");
    if (batch_path_inside(output, input)) {
        ok = error_set(err, EXIT_USAGE,
                       "%s: lies in the folder of inputs, %s: outputs would become inputs",
                       tree->output, tree->input);
    } else if (batch_path_inside(input, output)) {
        below = input + (strcmp(output, "/") == 0 ? 1 : strlen(output) + 1);
        for (size_t i = 0; ok && i < list->count; i++)
            if (batch_path_inside(list->item[i].output, below))
                ok = error_set(err, EXIT_USAGE,
                               "%s/%s: would be written into the folder of inputs, %s",
                               tree->output, list->item[i].output, tree->input);
    }
    ok = ok && check_links(list, tree, output, err);
    free(output);
    return ok;
}

static int compare_outputs(const void *a, const void *b)
{
    const struct batch_item *const *first = a, *const *second = b;
    int order = strcmp((*first)->output, (*second)->output);

    return order ? order : strcmp((*first)->name, (*second)->name);
}

/* With an extension of their own, a.png and a.jpg have one output. */
static bool check_shared(const struct batch_list *list, const struct batch_tree *tree,
                         struct error *err)
{
    const struct batch_item **sorted;
    bool ok = true;
    size_t i;

    if (!tree->extension || list->count == 0)
        return true;
    sorted = malloc(list->count * sizeof *sorted);
    if (!sorted)
        return error_set(err, EXIT_INPUT, "%s: no memory for its names", tree->input);
    for (i = 0; i < list->count; i++)
        sorted[i] = &list->item[i];
    qsort(sorted, list->count, sizeof *sorted, compare_outputs);
    for (i = 1; ok && i < list->count; i++)
        if (strcmp(sorted[i - 1]->output, sorted[i]->output) == 0)
            ok = error_set(err, EXIT_USAGE, "%s/%s: the output of both %s and %s", tree->output,
                           sorted[i]->output, sorted[i - 1]->name, sorted[i]->name);
    free(sorted);
    return ok;
}

bool batch_list_make(struct batch_list *list, const struct batch_tree *tree, struct error *err)
{
    *list = (struct batch_list){.input_real = realpath(tree->input, NULL)};
    if (!list->input_real)
        return error_errno(err, tree->input, "read");
    if (!(tree->files_from ? read_list(list, tree, err) : batch_walk(list, tree, err)))
        return false;
    sort(list);
    return check_overlap(list, tree, err) && check_shared(list, tree, err);
}
