/* The pictures below two folders, side by side: files with the extension of an image format,
 * by their names relative to the folder, in C-locale order. Symlinks are followed, but not to
 * a folder that contains them. */
#ifndef STENCIL_COMPARE_FOLDERS_H
#define STENCIL_COMPARE_FOLDERS_H

#include <stddef.h>

#include "base/error.h"

struct compare_pair {
    char *name;      /* below both folders */
    bool in_a, in_b; /* at least one of them */
};

struct compare_pairs {
    struct compare_pair *pair;
    size_t count;
    size_t others; /* files with other names; the program's own are not counted */
};

/* An error when a folder cannot be read to its end, or when there is no picture at all. */
bool compare_pairs_make(struct compare_pairs *pairs, const char *a, const char *b,
                        struct error *err);
void compare_pairs_free(struct compare_pairs *pairs);

#endif
