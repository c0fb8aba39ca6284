/* The pictures below a folder, and paths of files in folders: for batches, comparisons of
 * folders and golden suites. Names are bytes: blanks, newlines and bytes that are no UTF-8
 * are kept. Only folders are opened here, no pictures. */
#ifndef STENCIL_CODEC_FOLDER_H
#define STENCIL_CODEC_FOLDER_H

#include "base/error.h"
#include "base/glob.h"

/* The manifests that a batch writes into its folder of outputs (batch/manifest.h). */
#define FOLDER_MANIFEST_PREFIX ".stencilcli-manifest"
#define FOLDER_MANIFEST_SUFFIX ".jsonl"

/* ".stencilcli-manifest*.jsonl" */
bool folder_is_manifest(const char *name);

/* Which files below a folder are wanted. */
struct folder_filter {
    struct globs include, exclude; /* without include: files with the extension of a format */
    bool follow;                   /* also symlinks that lead out of the folder */
};

/* Whether the include patterns, or without any the extension, choose NAME. A pattern for folders
 * ("raw/") chooses the files below them that have the extension of a format. */
bool folder_wants(const struct folder_filter *filter, const char *name);

/* What the walk did not visit. */
struct folder_rest {
    size_t links_outside; /* wanted symlinks that were not followed */
    size_t others;        /* files that are not wanted; the program's own are not counted */
};

/* Calls visit(context, name below FOLDER, trouble) for every wanted file, in no order. TROUBLE says
 * why a folder cannot be read, and NAME is then that folder (empty: FOLDER itself); else it is
 * NULL. Pipes and devices are visited too. The program's own files (temporaries, manifests) are
 * not. REAL is FOLDER without symlinks. False when VISIT returned false or without memory. */
bool folder_walk(const char *folder, const char *real, const struct folder_filter *filter,
                 bool (*visit)(void *context, const char *name, const char *trouble), void *context,
                 struct folder_rest *rest);

/* "FOLDER/NAME", malloc'ed; NULL without memory. */
char *path_join(const char *folder, const char *name);

/* True if PATH is FOLDER or lies below it; both without symlinks. */
bool path_inside(const char *path, const char *folder);

/* Makes the folders above PATH. False with errno set. PATH is as before. */
bool path_make_parents(char *path);

/* PATH without symlinks as far as it exists; the part that does not exist is appended as it is.
 * Malloc'ed; NULL with errno set. */
char *path_real(const char *path);

#endif
