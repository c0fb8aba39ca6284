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
    struct globs include, exclude; /* an empty include: files with the extension of a format */
    bool follow;                   /* follow symlinks that lead out of the folder, too */
};

/* Whether the include patterns select NAME; without patterns, whether its extension does. A pattern
 * for folders ("raw/") selects the files below them that have the extension of a format. */
bool folder_wants(const struct folder_filter *filter, const char *name);

/* Counts of what the walk did not visit. */
struct folder_rest {
    size_t links_outside; /* wanted symlinks that were not followed */
    size_t others;        /* files that are not wanted, without the program's own files */
};

/* Calls visit(context, NAME, TROUBLE) for every wanted file, in undefined order; NAME is relative
 * to FOLDER. TROUBLE is NULL, except for a folder NAME (empty: FOLDER) that cannot be read: TROUBLE
 * then says why. Pipes and devices are visited too, the program's own files are not. REAL is FOLDER
 * without symlinks. False if VISIT returned false or memory ran out. */
bool folder_walk(const char *folder, const char *real, const struct folder_filter *filter,
                 bool (*visit)(void *context, const char *name, const char *trouble), void *context,
                 struct folder_rest *rest);

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
