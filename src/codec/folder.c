/* The walk through folders of pictures, and the paths of their files. A folder is read whole and
 * closed before the folders in it are entered, so that deep trees need few descriptors. For a
 * folder that cannot be read, the visit function gets the reason, and the walk goes on. */
#include "codec/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "codec/codec.h"
#include "codec/output.h"

/* Trees too deep for PATH_MAX cannot be opened; this limit protects the stack. */
#define MAX_DEPTH 2048

/* The chain of folders that the walk is inside; a symlink to one of them would never end. */
struct above {
    const struct above *above;
    dev_t device;
    ino_t inode;
    int depth;
};

struct walk {
    const char *folder, *real;
    const struct folder_filter *filter;
    folder_visit *visit;
    void *context;
    struct folder_rest *rest;
    bool failed;
};

bool folder_is_manifest(const char *name)
{
    size_t length = strlen(name), suffix = strlen(FOLDER_MANIFEST_SUFFIX);

    return strncmp(name, FOLDER_MANIFEST_PREFIX, strlen(FOLDER_MANIFEST_PREFIX)) == 0 &&
           length > suffix && strcmp(name + length - suffix, FOLDER_MANIFEST_SUFFIX) == 0;
}

enum folder_choice folder_choose(const struct folder_filter *filter, const char *name)
{
    enum glob_reach reach =
        filter->include.count > 0 ? globs_reach(&filter->include, name) : GLOB_BY_PLACE;

    if (reach == GLOB_NOT)
        return FOLDER_LEAVE_OUT;
    return reach == GLOB_BY_NAME || format_describe(format_of_path(name)).reads ? FOLDER_TAKE
                                                                                : FOLDER_PASS_OVER;
}

/* For scandir: all entries but the files that this program and scripts/slurm_batch create. */
static int is_foreign(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !temporary_is_name(name) &&
           !folder_is_manifest(name) && strncmp(name, ".stencilcli-slurm-", 18) != 0;
}

static void tell(struct walk *walk, const char *name, bool passed, const char *trouble)
{
    if (!walk->failed && !walk->visit(walk->context, name, passed, trouble))
        walk->failed = true;
}

static void visit_unreadable(struct walk *walk, const char *name)
{
    char text[128];

    snprintf(text, sizeof text, "cannot read: %s", strerror(errno));
    tell(walk, name, false, text);
}

/* The type of a link's target; DT_UNKNOWN if the link is not followed. A dangling link counts as a
 * file, which will fail to open. */
static unsigned char link_type(struct walk *walk, const char *path, const char *name)
{
    struct stat status;
    char *real = realpath(path, NULL);
    bool folder = real && stat(real, &status) == 0 && S_ISDIR(status.st_mode);
    bool outside = real && !path_inside(real, walk->real);

    free(real);
    if (!outside || walk->filter->follow)
        return folder ? DT_DIR : DT_REG;
    if ((folder || folder_choose(walk->filter, name) == FOLDER_TAKE) &&
        !globs_match(&walk->filter->exclude, name))
        walk->rest->links_outside++;
    return DT_UNKNOWN;
}

static unsigned char entry_type(struct walk *walk, unsigned char type, const char *path,
                                const char *name)
{
    struct stat status;

    if (type == DT_UNKNOWN)                       /* some file systems do not tell the type */
        type = lstat(path, &status) != 0 ? DT_REG /* opening it will report the error */
               : S_ISLNK(status.st_mode) ? DT_LNK
               : S_ISDIR(status.st_mode) ? DT_DIR
                                         : DT_REG;
    return type == DT_LNK ? link_type(walk, path, name) : type;
}

static void walk_folder(struct walk *walk, const char *folder, const struct above *above);

static void walk_entry(struct walk *walk, const char *folder, const struct dirent *entry,
                       const struct above *here)
{
    char *name = *folder ? path_join(folder, entry->d_name) : strdup(entry->d_name);
    char *path = name ? path_join(walk->folder, name) : NULL;
    unsigned char type = path ? entry_type(walk, entry->d_type, path, name) : DT_UNKNOWN;
    enum folder_choice choice = FOLDER_LEAVE_OUT;

    if (!path) {
        walk->failed = true;
    } else if (type != DT_UNKNOWN) {
        if (!globs_match(&walk->filter->exclude, name))
            choice = type == DT_DIR ? FOLDER_TAKE : folder_choose(walk->filter, name);
        if (choice == FOLDER_LEAVE_OUT)
            walk->rest->left_out++;
        else if (type == DT_DIR)
            walk_folder(walk, name, here);
        else
            tell(walk, name, choice == FOLDER_PASS_OVER, NULL);
    }
    free(path);
    free(name);
}

static bool is_above(const struct above *above, const struct stat *status)
{
    for (; above; above = above->above)
        if (above->device == status->st_dev && above->inode == status->st_ino)
            return true;
    return false;
}

/* FOLDER is relative to the walk's folder; empty: the walk's folder itself. */
static void walk_folder(struct walk *walk, const char *folder, const struct above *above)
{
    struct above here = {.above = above, .depth = above ? above->depth + 1 : 0};
    char *path = *folder ? path_join(walk->folder, folder) : strdup(walk->folder);
    struct dirent **entries = NULL;
    struct stat status;
    int count = 0;

    if (!path) {
        walk->failed = true;
        return;
    }
    if (here.depth > MAX_DEPTH)
        errno = ENAMETOOLONG;
    if (here.depth > MAX_DEPTH || stat(path, &status) != 0) {
        visit_unreadable(walk, folder);
    } else if (is_above(above, &status)) {
        walk->rest->loops++;
    } else {
        here.device = status.st_dev;
        here.inode = status.st_ino;
        count = scandir(path, &entries, is_foreign, NULL);
        if (count < 0)
            visit_unreadable(walk, folder);
        for (int i = 0; i < count; i++) {
            walk_entry(walk, folder, entries[i], &here);
            free(entries[i]);
        }
        free(entries);
    }
    free(path);
}

bool folder_walk(const char *folder, const char *real, const struct folder_filter *filter,
                 folder_visit *visit, void *context, struct folder_rest *rest)
{
    struct walk walk = {folder, real, filter, visit, context, rest, false};

    walk_folder(&walk, "", NULL);
    return !walk.failed;
}

/* ---- files that are passed over ---- */

void folder_kinds_add(struct folder_kinds *kinds, const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const char *dot = strrchr(base, '.');
    char kind[sizeof kinds->kind->name] = "";
    int i = 0;

    if (dot > base && strlen(dot + 1) < sizeof kind)
        for (size_t at = 0; dot[at]; at++)
            kind[at] = (char)tolower((unsigned char)dot[at + 1]);
    while (i < kinds->count && strcmp(kinds->kind[i].name, kind) != 0)
        i++;
    kinds->files++;
    if (i == FOLDER_KINDS)
        return; /* counted among all files only */
    memcpy(kinds->kind[i].name, kind, sizeof kind);
    kinds->kind[i].files++;
    kinds->count += i == kinds->count;
}

/* Kinds without an extension come last. */
static int compare_kinds(const void *a, const void *b)
{
    const struct folder_kind *one = a, *two = b;

    if (!*one->name != !*two->name)
        return !*one->name - !*two->name;
    if (one->files != two->files)
        return one->files > two->files ? -1 : 1;
    return strcmp(one->name, two->name);
}

const char *folder_kinds_line(char text[FOLDER_KINDS_BYTES], const struct folder_kinds *kinds)
{
    struct folder_kinds sorted = *kinds;
    const char *before = ": ";
    size_t rest = kinds->files;

    qsort(sorted.kind, (size_t)sorted.count, sizeof *sorted.kind, compare_kinds);
    text[0] = '\0';
    text_append(text, FOLDER_KINDS_BYTES, "%zu file%s passed over", kinds->files,
                kinds->files == 1 ? "" : "s");
    for (int i = 0; i < sorted.count; i++, before = ", ") {
        const struct folder_kind *kind = &sorted.kind[i];
        text_append(text, FOLDER_KINDS_BYTES, "%s", before);
        if (kind->files > 1 || !*kind->name)
            text_append(text, FOLDER_KINDS_BYTES, "%zu ", kind->files);
        text_append(text, FOLDER_KINDS_BYTES, "%s", *kind->name ? kind->name : "without extension");
        rest -= kind->files;
    }
    if (rest > 0)
        text_append(text, FOLDER_KINDS_BYTES, ", %zu others", rest);
    return text;
}

/* ---- paths ---- */

char *path_join(const char *folder, const char *name)
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

bool path_inside(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    if (strcmp(folder, "/") == 0)
        return true;
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

bool path_make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

char *path_real(const char *path)
{
    char *real = realpath(path, NULL), *head, *parent;
    size_t name = strlen(path);

    if (real || errno != ENOENT)
        return real;
    while (name > 0 && path[name - 1] == '/') /* trailing slashes */
        name--;
    while (name > 0 && path[name - 1] != '/')
        name--;
    head = name > 0 ? strndup(path, name) : strdup(".");
    parent = head ? path_real(head) : NULL;
    real = parent ? path_join(parent, path + name) : NULL;
    free(parent);
    free(head);
    return real;
}

/* ---- sets of files and folders ---- */

struct identity {
    dev_t device;
    ino_t inode;
};

static int compare_identities(const void *a, const void *b)
{
    const struct identity *one = a, *two = b;

    if (one->device != two->device)
        return one->device < two->device ? -1 : 1;
    return (one->inode > two->inode) - (one->inode < two->inode);
}

bool path_set_add(struct path_set *set, const char *path)
{
    struct stat status;
    struct identity *file, **place;

    if (stat(path, &status) != 0)
        return true;
    file = malloc(sizeof *file);
    if (!file)
        return false;
    *file = (struct identity){status.st_dev, status.st_ino};
    place = tsearch(file, &set->files, compare_identities);
    if (!place || *place != file)
        free(file);
    return place != NULL;
}

bool path_set_has(const struct path_set *set, const char *path)
{
    char *target = output_target(path), *real = target ? path_real(target) : NULL;
    struct stat status;
    bool found = false;

    for (char *end = real ? real + strlen(real) : NULL; end && !found;) {
        found = stat(*real ? real : "/", &status) == 0 &&
                tfind(&(struct identity){status.st_dev, status.st_ino}, &set->files,
                      compare_identities);
        end = strrchr(real, '/');
        if (end)
            *end = '\0';
    }
    free(real);
    free(target);
    return found;
}

void path_set_free(struct path_set *set)
{
    tdestroy(set->files, free);
    set->files = NULL;
}
