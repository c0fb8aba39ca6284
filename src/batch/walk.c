/* The walk through the folder of a batch's inputs: see batch/list.h. A folder is read
 * whole and closed before those in it are entered, so that deep trees need no
 * descriptors. What cannot be read becomes a file with its trouble, and the walk
 * goes on. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/list.h"
#include "batch/manifest.h"
#include "codec/codec.h"
#include "codec/output.h"

/* Deeper trees than PATH_MAX can name do not exist for the program; the limit is the stack's. */
#define MAX_DEPTH 2048

/* The folders that the walk is in: a symlink to one of them would never end. */
struct above {
    const struct above *above;
    dev_t device;
    ino_t inode;
    int depth;
};

struct walk {
    const struct batch_tree *tree;
    struct batch_list *list;
    bool out_of_memory;
};

struct entry {
    char *name; /* below INPUT */
    unsigned char type;
};

bool batch_wants(const struct batch_tree *tree, const char *name)
{
    const bool is_picture = format_of_path(name) != FORMAT_NONE;
    return tree->include.count == 0 ? is_picture
                                    : globs_match(&tree->include, name) ||
                                          (is_picture && globs_match_folder(&tree->include, name));
}

static void add(struct walk *walk, const char *name, const char *trouble)
{
    if (!batch_list_add(walk->list, walk->tree, name, trouble))
        walk->out_of_memory = true;
}

static void add_failed(struct walk *walk, const char *name)
{
    char text[128];

    snprintf(text, sizeof text, "cannot read: %s", strerror(errno));
    add(walk, name, text);
}

/* What the program and scripts/slurm_batch leave beside pictures. */
static bool is_own(const char *name)
{
    return temporary_is_name(name) || manifest_is_name(name) ||
           strncmp(name, ".stencilcli-slurm-", 18) == 0;
}

/* The entries of FOLDER; false with errno set. */
static bool read_folder(const char *path, const char *folder, struct entry **entries, size_t *count)
{
    DIR *stream = opendir(path);
    struct dirent *found;
    bool ok = stream != NULL;

    *entries = NULL;
    *count = 0;
    while (ok && (errno = 0, found = readdir(stream))) {
        const char *name = found->d_name;
        struct entry *grown = *entries;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || is_own(name))
            continue;
        if ((*count & (*count - 1)) == 0)
            grown = reallocarray(*entries, *count ? 2 * *count : 1, sizeof *grown);
        ok = grown != NULL;
        if (!ok)
            break;
        *entries = grown;
        grown[*count].type = found->d_type;
        grown[*count].name = *folder ? batch_path(folder, name) : strdup(name);
        ok = grown[(*count)++].name != NULL;
    }
    ok = ok && errno == 0;
    if (stream)
        closedir(stream);
    return ok;
}

static bool is_above(const struct above *above, const struct stat *status)
{
    for (; above; above = above->above)
        if (above->device == status->st_dev && above->inode == status->st_ino)
            return true;
    return false;
}

/* Where a link leads; DT_UNKNOWN where it is not followed. A link to nothing is a file that will
 * not open. */
static unsigned char link_type(struct walk *walk, const char *path, const char *name)
{
    struct stat status;
    char *real = realpath(path, NULL);
    bool folder = real && stat(real, &status) == 0 && S_ISDIR(status.st_mode);
    bool outside = real && !batch_path_inside(real, walk->list->input_real);
    unsigned char type = folder ? DT_DIR : DT_REG;

    free(real);
    if (!outside || walk->tree->follow)
        return type;
    if ((folder || batch_wants(walk->tree, name)) && !globs_match(&walk->tree->exclude, name))
        walk->list->links_outside++;
    return DT_UNKNOWN;
}

static unsigned char entry_type(struct walk *walk, const struct entry *entry, const char *path)
{
    struct stat status;

    if (entry->type == DT_LNK)
        return link_type(walk, path, entry->name);
    if (entry->type != DT_UNKNOWN) /* some file systems do not say */
        return entry->type;
    if (lstat(path, &status) != 0)
        return DT_REG; /* opening it will say what is wrong */
    if (S_ISLNK(status.st_mode))
        return link_type(walk, path, entry->name);
    return S_ISDIR(status.st_mode) ? DT_DIR : DT_REG;
}

static void walk_folder(struct walk *walk, const char *folder, const struct above *above);

static void walk_entry(struct walk *walk, const struct entry *entry, const struct above *here)
{
    char *path = batch_path(walk->tree->input, entry->name);
    unsigned char type;

    if (!path) {
        walk->out_of_memory = true;
        return;
    }
    type = entry_type(walk, entry, path);
    free(path);
    if (type == DT_UNKNOWN || globs_match(&walk->tree->exclude, entry->name))
        return;
    if (type == DT_DIR)
        walk_folder(walk, entry->name, here);
    else if (batch_wants(walk->tree, entry->name))
        add(walk, entry->name, NULL); /* also what is no regular file: it is named and refused */
    else
        walk->list->others++;
}

/* FOLDER is below INPUT; empty: INPUT itself. */
static void walk_folder(struct walk *walk, const char *folder, const struct above *above)
{
    char *path = *folder ? batch_path(walk->tree->input, folder) : strdup(walk->tree->input);
    struct above here = {.above = above, .depth = above ? above->depth + 1 : 0};
    struct entry *entries = NULL;
    struct stat status;
    size_t count = 0;

    if (!path) {
        walk->out_of_memory = true;
        return;
    }
    if (here.depth > MAX_DEPTH)
        errno = ENAMETOOLONG;
    if (here.depth > MAX_DEPTH || stat(path, &status) != 0) {
        add_failed(walk, folder);
    } else if (!is_above(above, &status)) {
        here.device = status.st_dev;
        here.inode = status.st_ino;
        if (!read_folder(path, folder, &entries, &count))
            add_failed(walk, folder);
        for (size_t i = 0; i < count; i++)
            if (entries[i].name)
                walk_entry(walk, &entries[i], &here);
    }
    for (size_t i = 0; i < count; i++)
        free(entries[i].name);
    free(entries);
    free(path);
}

bool batch_walk(struct batch_list *list, const struct batch_tree *tree, struct error *err)
{
    struct walk walk = {.tree = tree, .list = list};

    walk_folder(&walk, "", NULL);
    if (walk.out_of_memory)
        return error_set(err, EXIT_INPUT, "%s: no memory for its names", tree->input);
    return true;
}
