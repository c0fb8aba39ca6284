/* The files of a batch: order, names of outputs, refusal of outputs that would be inputs, and the
 * folders of the outputs. The walk through INPUT is codec/folder.h. */
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/batch.h"
#include "codec/codec.h"
#include "codec/input.h"
#include "codec/output.h"

/* ---- items ---- */

char *batch_input_path(const struct batch_tree *tree, const struct batch_item *item)
{
    return tree->files ? strdup(item->name) : path_join(tree->input, item->name);
}

char *batch_output_path(const struct batch_tree *tree, const struct batch_item *item)
{
    return path_join(tree->output, item->output);
}

/* NAME, or its last part for FILES, with the extension for outputs. A format that is not written
 * becomes PNG: a.psd.png, because a.png often lies beside a.psd. */
static char *name_of_output(const struct batch_tree *tree, const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    const char *base = slash ? slash + 1 : name;
    const struct format_about about = format_describe(format_of_path(base));
    char *output;

    if (tree->files)
        name = base;
    if (!tree->extension && about.reads && !about.writes)
        return asprintf(&output, "%s.png", name) < 0 ? NULL : output;
    if (!tree->extension)
        return strdup(name);
    if (!dot || dot <= base)
        dot = name + strlen(name);
    if (asprintf(&output, "%.*s.%s", (int)(dot - name), name, tree->extension) < 0)
        return NULL;
    return output;
}

/* Adds copies of NAME and TROUBLE, which may be NULL. False without memory. */
static bool add(void *context, const char *name, bool passed, const char *trouble)
{
    struct batch_list *list = context;
    struct batch_item *item;

    if ((list->count & (list->count - 1)) == 0) { /* capacity doubles at powers of two */
        size_t room = list->count ? 2 * list->count : 1;
        struct batch_item *grown = reallocarray(list->item, room, sizeof *grown);
        if (!grown)
            return false;
        list->item = grown;
    }
    item = &list->item[list->count++];
    item->name = strdup(name);
    item->output = name_of_output(list->tree, name);
    item->trouble = trouble ? strdup(trouble) : NULL;
    item->passed = passed;
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
    *item = (struct batch_item){0};
}

/* Sorts the files and removes repetitions. */
static void sort(struct batch_list *list)
{
    size_t kept = 0;

    if (list->count > 0)
        qsort(list->item, list->count, sizeof *list->item, compare_names);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && compare_names(&list->item[i], &list->item[kept - 1]) == 0)
            item_free(&list->item[i]);
        else
            list->item[kept++] = list->item[i];
    }
    list->count = kept;
}

void batch_list_free(struct batch_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        item_free(&list->item[i]);
    free(list->item);
    free(list->input_real);
    path_set_free(&list->sources);
}

static bool no_memory(const struct batch_list *list, struct error *err)
{
    return error_set(err, EXIT_INPUT, "%s: no memory for the names of its files",
                     list->tree->files ? list->tree->output : list->tree->input);
}

/* ---- a list of names ---- */

/* Removes empty and `.` parts of NAME in place; false if a part is `..`. */
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

/* The part of NAME after FOLDER; NULL if NAME is not in FOLDER. */
static char *below(const char *folder, char *name)
{
    size_t length = strlen(folder);

    while (length > 0 && folder[length - 1] == '/')
        length--;
    if (strncmp(name, folder, length) != 0 || (name[length] != '/' && name[length] != '\0'))
        return NULL;
    return name + length + (name[length] == '/');
}

/* Adds a name: as `find INPUT` prints it, absolute, or relative to INPUT. Folders are ignored,
 * since `find` without -type f prints them too. */
static bool add_listed(struct batch_list *list, char *name)
{
    const struct batch_tree *tree = list->tree;
    enum folder_choice choice = FOLDER_TAKE;
    const char *trouble = NULL;
    char *path, *real;
    struct stat status;
    bool ok = true;

    char *rest = below(tree->input, name);
    if (!rest && *name == '/')
        rest = below(list->input_real, name);
    name = rest ? rest : name;
    if (*name == '/')
        return add(list, name + 1, false, "is not below INPUT");
    if (!clean_name(name))
        return add(list, name, false, "leads out of INPUT");
    path = path_join(tree->input, name);
    if (!path)
        return false;
    real = realpath(path, NULL);
    if (real && !tree->filter.follow && !path_inside(real, list->input_real))
        trouble = "a symlink that leads out of INPUT; use --follow";
    if (globs_match(&tree->filter.exclude, name))
        choice = FOLDER_LEAVE_OUT;
    else if (tree->filter.include.count > 0)
        choice = folder_choose(&tree->filter, name);
    if (!*name || (real && stat(real, &status) == 0 && S_ISDIR(status.st_mode)))
        ; /* a folder */
    else if (choice == FOLDER_LEAVE_OUT)
        list->rest.left_out++;
    else
        ok = add(list, name, choice == FOLDER_PASS_OVER, trouble);
    free(real);
    free(path);
    return ok;
}

/* The input's window bounds a name: a damaged list may have a line of gigabytes. */
static bool read_list(struct batch_list *list, struct error *err)
{
    const struct batch_tree *tree = list->tree;
    struct input *input = NULL;
    const uint8_t *bytes;
    size_t got;
    bool ok = input_open(&input, tree->files_from, err);

    while (ok && (ok = input_peek(input, PATH_MAX, &bytes, &got, err)) && got > 0) {
        const uint8_t *end = memchr(bytes, tree->null_ended ? '\0' : '\n', got);
        const size_t length = end ? (size_t)(end - bytes) : got;
        char *name = strndup((const char *)bytes, length);
        if (length == PATH_MAX)
            ok = error_file(err, input_name(input), "holds a name of more than %d bytes",
                            PATH_MAX - 1);
        else if (name && strlen(name) < length)
            ok = error_file(err, input_name(input), "its names end with zero bytes: use -0");
        else if (!name || !add_listed(list, name))
            ok = error_file(err, input_name(input), "no memory for its names");
        free(name);
        input_skip(input, length + (end != NULL));
    }
    input_close(input);
    return ok;
}

/* ---- outputs that would be inputs ---- */

/* BELOW is INPUT relative to OUTPUT, NULL if it lies elsewhere; OUTPUT is without symlinks. */
static bool check_item(const struct batch_list *list, const struct batch_item *item,
                       const char *output, const char *below, struct error *err)
{
    const struct batch_tree *tree = list->tree;
    char *path, *real;
    bool ok = true;

    if (below && path_inside(item->output, below))
        return error_set(err, EXIT_USAGE, "%s/%s: would be written into the input folder, %s",
                         tree->output, item->output, tree->input);
    if (!tree->filter.follow)
        return true;
    path = path_join(tree->input, item->name);
    real = path ? realpath(path, NULL) : NULL;
    if (real && !path_inside(real, list->input_real) && path_inside(real, output))
        ok = error_set(err, EXIT_USAGE, "%s: is a link into the output folder, %s", path,
                       tree->output);
    free(real);
    free(path);
    return ok;
}

/* Adds INPUT and every folder between it and a file. */
static bool add_folders(struct batch_list *list)
{
    const char *input = list->tree->input, *before = "";
    bool ok = path_set_add(&list->sources, input);

    for (size_t i = 0; ok && i < list->count; before = list->item[i++].name) {
        const char *name = list->item[i].name, *slash = name;
        while (ok && !list->item[i].trouble && (slash = strchr(slash, '/'))) {
            size_t length = (size_t)(slash++ - name);
            if (strncmp(before, name, length + 1) == 0)
                continue; /* added for the file before */
            char *folder = strndup(name, length);
            char *path = folder ? path_join(input, folder) : NULL;
            ok = path && path_set_add(&list->sources, path);
            free(path);
            free(folder);
        }
    }
    return ok;
}

static bool refuse_output(const struct batch_list *list, struct error *err)
{
    return error_set(err, EXIT_USAGE, "%s: choose an output folder outside %s", list->tree->output,
                     list->tree->input);
}

/* Refuses outputs in INPUT: they would be inputs of the next run, or replace inputs of this run.
 * OUTPUT is the output folder without symlinks. */
static bool check_overlap(const struct batch_list *list, const char *output, struct error *err)
{
    const char *input = list->input_real, *below = NULL;

    if (path_inside(input, output))
        below = input + (strcmp(output, "/") == 0 ? 1 : strlen(output) + 1);
    for (size_t i = 0; i < list->count; i++)
        if (!list->item[i].passed && !check_item(list, &list->item[i], output, below, err))
            return false;
    return !path_set_has(&list->sources, list->tree->output) || refuse_output(list, err);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, two;

    return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

static int compare_outputs(const void *a, const void *b)
{
    return strcmp(((const struct batch_item *)a)->output, ((const struct batch_item *)b)->output);
}

static void keep_item(void *item)
{
    (void)item; /* the list owns it */
}

/* Refuses two inputs with one output: with --ext, a.png and a.jpg would share an output. Among
 * FILES the first of them gets it. A file that is named twice is taken once. */
static bool check_shared(struct batch_list *list, struct error *err)
{
    const struct batch_tree *tree = list->tree;
    void *outputs = NULL;
    size_t kept = 0;
    bool ok = true;

    for (size_t i = 0; ok && i < list->count; i++) {
        struct batch_item *item = &list->item[i], **first;
        if (item->passed || item->trouble)
            continue;
        first = tsearch(item, &outputs, compare_outputs);
        if (!first)
            ok = no_memory(list, err);
        else if (*first == item)
            continue;
        else if (!tree->files)
            ok = error_set(err, EXIT_USAGE, "%s/%s: the output of both %s and %s", tree->output,
                           item->output, (*first)->name, item->name);
        else if (is_same_file((*first)->name, item->name))
            item_free(item);
        else
            ok = asprintf(&item->trouble, "its output has the name of the output of %s",
                          (*first)->name) >= 0 ||
                 no_memory(list, err);
    }
    tdestroy(outputs, keep_item);
    for (size_t i = 0; i < list->count; i++)
        if (list->item[i].name)
            list->item[kept++] = list->item[i];
    list->count = kept;
    return ok;
}

/* ---- files that are named one by one ---- */

static bool add_files(struct batch_list *list)
{
    const struct batch_tree *tree = list->tree;
    struct stat status;

    for (int i = 0; i < tree->file_count; i++) {
        const char *name = tree->files[i], *trouble = NULL;
        if (strcmp(name, "-") == 0)
            trouble = "standard input has no name of its own: OUTPUT must name a file";
        else if (stat(name, &status) == 0 && S_ISDIR(status.st_mode))
            trouble = "is a folder: a folder is filtered alone, as the only INPUT";
        if (!add(list, name, false, trouble) || (!trouble && !path_set_add(&list->sources, name)))
            return false;
    }
    return true;
}

/* An input that an output would replace, its own or another's, is never filtered. */
static bool keep_sources(struct batch_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct batch_item *item = &list->item[i];
        char *path = batch_output_path(list->tree, item);
        bool ok = path != NULL;
        if (ok && !item->trouble && path_set_has(&list->sources, path))
            ok = asprintf(&item->trouble,
                          "its output, %s, would replace an input: choose another folder",
                          path) >= 0;
        free(path);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- the whole list ---- */

/* Lists the files of INPUT. OUTPUT is the output folder without symlinks. */
static bool list_folder(struct batch_list *list, const char *output, struct error *err)
{
    const struct batch_tree *tree = list->tree;

    if (path_inside(output, list->input_real)) /* before INPUT is listed, which may take long */
        return refuse_output(list, err);
    if (tree->files_from
            ? !read_list(list, err)
            : !folder_walk(tree->input, list->input_real, &tree->filter, add, list, &list->rest) &&
                  !no_memory(list, err))
        return false;
    sort(list);
    if (!add_folders(list))
        return no_memory(list, err);
    return check_overlap(list, output, err) && check_shared(list, err);
}

bool batch_list_make(struct batch_list *list, const struct batch_tree *tree, struct error *err)
{
    char *output;
    bool ok;

    *list = (struct batch_list){.tree = tree};
    if (tree->files)
        return ((add_files(list) && keep_sources(list)) || no_memory(list, err)) &&
               check_shared(list, err);
    list->input_real = realpath(tree->input, NULL);
    if (!list->input_real)
        return error_errno(err, tree->input, "read");
    output = path_real(tree->output);
    ok = output ? list_folder(list, output, err)
                : error_errno(err, tree->output, "use it as the output folder");
    free(output);
    return ok;
}

/* ---- the folders of the outputs ---- */

/* Makes the folder of NAME below OUTPUT. *trouble (malloc'ed) is the reason if the folder cannot
 * hold outputs, else NULL. False without memory. */
static bool prepare(const struct batch_list *list, const char *name, char **trouble)
{
    char *path = path_join(list->tree->output, name), *real = NULL, *slash;
    struct stat status;
    int printed = 0;

    *trouble = NULL;
    if (!path)
        return false;
    bool made = path_make_parents(path);
    slash = strrchr(path, '/');
    *(slash == path ? slash + 1 : slash) = '\0';
    if (!made || stat(path, &status) != 0 || !(real = realpath(path, NULL)))
        printed = asprintf(trouble, "cannot make the folder '%s': %s", path, strerror(errno));
    else if (!S_ISDIR(status.st_mode))
        printed = asprintf(trouble, "'%s' is not a folder", path);
    else if (list->input_real &&
             (path_inside(real, list->input_real) || path_set_has(&list->sources, path)))
        printed = asprintf(trouble, "the folder '%s' leads into the inputs", path);
    else
        temporary_remove_stale(path);
    free(real);
    free(path);
    return printed >= 0;
}

/* Compares files by the folders of their outputs. */
static int compare_folders(const void *a, const void *b)
{
    const char *one = ((const struct batch_item *)a)->output;
    const char *two = ((const struct batch_item *)b)->output;
    size_t length = (size_t)(strrchr(one, '/') - one), other = (size_t)(strrchr(two, '/') - two);

    return length != other ? (length > other) - (length < other) : memcmp(one, two, length);
}

bool batch_folders_make(struct batch_list *list, size_t files, struct error *err)
{
    const char *output = list->tree->output;
    char *trouble = NULL;
    void *folders = NULL; /* the first file of each folder, as a tree of search.h */
    bool ok = prepare(list, "", &trouble);

    for (size_t i = 0; ok && !trouble && i < files; i++) {
        struct batch_item *item = &list->item[i], **first;
        if (item->trouble || !strchr(item->output, '/'))
            continue;
        first = tsearch(item, &folders, compare_folders);
        if (first && *first == item)
            ok = prepare(list, item->output, &item->trouble);
        else
            ok = first && (!(*first)->trouble || (item->trouble = strdup((*first)->trouble)));
    }
    tdestroy(folders, keep_item);
    if (!ok)
        no_memory(list, err);
    else if (trouble)
        ok = error_set(err, EXIT_INPUT, "%s: %s", output, trouble);
    free(trouble);
    return ok;
}
