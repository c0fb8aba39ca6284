/* The files of a batch: the pictures below INPUT or a list of names, in a fixed order, and
 * the name of each output below OUTPUT. Names are bytes: blanks, newlines and bytes that
 * are no UTF-8 are kept. Only folders and the list are opened here, no pictures. */
#ifndef STENCIL_BATCH_LIST_H
#define STENCIL_BATCH_LIST_H

#include "codec/folder.h"

struct batch_tree {
    const char *input, *output; /* folders */
    struct folder_filter filter;
    const char *files_from; /* names, one a line; "-": stdin; NULL: all wanted files */
    bool null_ended;        /* ... each ended by a zero byte */
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
    const struct batch_tree *tree;
    struct folder_rest rest; /* of the walk; of a list of names nothing is counted */
    char *input_real;        /* INPUT without symlinks */
};

/* Refused (EXIT_USAGE): outputs that would be inputs, and one output for two inputs. Free also when
 * it fails. */
bool batch_list_make(struct batch_list *list, const struct batch_tree *tree, struct error *err);
void batch_list_free(struct batch_list *list);

/* Makes OUTPUT and the folders below it that the first COUNT files need, and removes temporaries of
 * dead runs in them. The files of a folder that cannot be made get a trouble; for OUTPUT itself
 * this is an error. */
bool batch_folders_make(struct batch_list *list, size_t count, struct error *err);

#endif
