/* The pictures below a folder, and paths of files in folders: for batches, comparisons of folders
 * and golden suites. Names are bytes: blanks, newlines and bytes that are no UTF-8 are kept. This
 * code opens folders only, never pictures. */
#ifndef STENCIL_CODEC_FOLDER_H
#define STENCIL_CODEC_FOLDER_H

#include "base/error.h"
#include "base/glob.h"

/* Names of the manifests that a batch writes into its output folder (batch/manifest.h). */
#define FOLDER_MANIFEST_PREFIX ".stencilcli-manifest"
#define FOLDER_MANIFEST_SUFFIX ".jsonl"

/* True for names like ".stencilcli-manifest*.jsonl". */
bool folder_is_manifest(const char *name);

/* Which files below a folder are wanted. */
struct folder_filter {
    struct globs include, exclude; /* an empty include selects all files */
    bool follow;                   /* follow symlinks that lead out of the folder, too */
};

enum folder_choice {
    FOLDER_TAKE,
    FOLDER_PASS_OVER, /* selected, but its extension is that of no format */
    FOLDER_LEAVE_OUT, /* the user's patterns do not select it */
};

/* A file is taken if the patterns select it and it has the extension of a format, or if a pattern
 * says its extension (`*.dat`). */
enum folder_choice folder_choose(const struct folder_filter *filter, const char *name);

/* Counts of what the walk did not visit. */
struct folder_rest {
    size_t links_outside; /* wanted symlinks that were not followed */
    size_t loops;         /* paths that lead back to a folder above */
    size_t left_out;      /* files and folders that the patterns do not select */
};

/* Calls visit(context, NAME, PASSED, TROUBLE) for every selected file, in undefined order; NAME is
 * relative to FOLDER. PASSED: the file is passed over. TROUBLE is NULL, except for a folder NAME
 * (empty: FOLDER) that cannot be read: TROUBLE then says why. Pipes and devices are visited too,
 * the program's own files are not. REAL is FOLDER without symlinks. False if VISIT returned false
 * or memory ran out. */
typedef bool folder_visit(void *context, const char *name, bool passed, const char *trouble);
bool folder_walk(const char *folder, const char *real, const struct folder_filter *filter,
                 folder_visit *visit, void *context, struct folder_rest *rest);

/* Files that were passed over, counted by their extensions. */
#define FOLDER_KINDS 16
struct folder_kinds {
    size_t files;
    int count;
    struct folder_kind {
        char name[16]; /* the extension in lower case, without the dot; empty: none */
        size_t files;
    } kind[FOLDER_KINDS];
};

void folder_kinds_add(struct folder_kinds *kinds, const char *name);

/* "4 files passed over: 2 heic, avif, gif"; returns TEXT. Kinds that many files have come first. */
#define FOLDER_KINDS_BYTES 512
const char *folder_kinds_line(char text[FOLDER_KINDS_BYTES], const struct folder_kinds *kinds);

/* "FOLDER/NAME", malloc'ed; NULL without memory. */
char *path_join(const char *folder, const char *name);

/* True if PATH is FOLDER or lies below it; both without symlinks. */
bool path_inside(const char *path, const char *folder);

/* Makes the folders above PATH. False with errno set. PATH is unchanged on return. */
bool path_make_parents(char *path);

/* Files and folders by device and inode, since one folder may have several paths (mount --bind). */
struct path_set {
    void *files; /* a tree of search.h; NULL: empty */
};

/* Adds the file or folder at PATH; one that is not there is ignored. False without memory. */
bool path_set_add(struct path_set *set, const char *path);

/* Whether PATH, or a folder above it, is in the set. Symlinks are followed, and PATH need not
 * exist. */
bool path_set_has(const struct path_set *set, const char *path);
void path_set_free(struct path_set *set);

/* Resolves the symlinks in the existing part of PATH and appends the rest as it is. Malloc'ed; NULL
 * with errno set. */
char *path_real(const char *path);

#endif
