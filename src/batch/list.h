/* The files of a batch: what INPUT holds, or a list of names says, in a fixed order, and
 * what each becomes below OUTPUT. Names are bytes: blanks, newlines and what is no
 * UTF-8 are kept as they are. Nothing is opened here but folders and the list. */
#ifndef STENCIL_BATCH_LIST_H
#define STENCIL_BATCH_LIST_H

#include "base/error.h"
#include "base/glob.h"

struct batch_tree {
    const char *input, *output; /* folders */
    struct globs include, exclude;
    const char *files_from; /* names, one a line; "-": stdin; NULL: all there are */
    bool null_ended;        /* ... each ended by a zero byte */
    bool follow;            /* symlinks that lead out of INPUT, too */
    const char *extension;  /* of the outputs, without the dot; NULL: as the input's */
};

struct batch_item {
    char *name;    /* below INPUT */
    char *output;  /* below OUTPUT */
    char *trouble; /* why it cannot be done, without the name; NULL: nothing is known */
};

struct batch_list {
    struct batch_item *item; /* in C-locale order of names, each once */
    size_t count;
    size_t links_outside; /* symlinks that were not followed */
    size_t others;        /* files that the walk passed over, the program's own not counted */
    char *input_real;     /* INPUT without symlinks */
};

/* Without include patterns: files whose extension is that of an image format. Refused (EXIT_USAGE):
 * outputs that would be inputs, or that two inputs would share. Free also when it fails. */
bool batch_list_make(struct batch_list *list, const struct batch_tree *tree, struct error *err);
void batch_list_free(struct batch_list *list);

/* "FOLDER/NAME", malloc'ed; NULL without memory. */
char *batch_path(const char *folder, const char *name);

/* True if PATH is FOLDER or lies below it; both without symlinks. */
bool batch_path_inside(const char *path, const char *folder);

/* PATH without symlinks, as far as it exists; what does not yet is appended as it is. Malloc'ed;
 * NULL with errno set. */
char *batch_path_real(const char *path);

/* ---- batch/walk.c ---- */

/* Adds a file; TROUBLE may be NULL. The names are copied. False without memory. */
bool batch_list_add(struct batch_list *list, const struct batch_tree *tree, const char *name,
                    const char *trouble);

/* Adds every wanted file below INPUT. */
bool batch_walk(struct batch_list *list, const struct batch_tree *tree, struct error *err);

/* Whether the include patterns, or without any the extension, choose NAME. Those that name folders
 * ("raw/") choose as the extension does. */
bool batch_wants(const struct batch_tree *tree, const char *name);

/* ---- batch/folders.c ---- */

/* Makes OUTPUT and the folders below it that the first COUNT files need, and removes temporaries of
 * dead runs in them. Where that fails the files of that folder get their trouble; OUTPUT itself is
 * an error. */
bool batch_folders_make(struct batch_list *list, size_t count, const struct batch_tree *tree,
                        struct error *err);

#endif
