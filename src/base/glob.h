/* Patterns for names of files, as --include and --exclude take them. */
#ifndef STENCIL_BASE_GLOB_H
#define STENCIL_BASE_GLOB_H

#include <stdbool.h>

#define GLOBS_MAX 64
struct globs {
    int count;
    const char *text[GLOBS_MAX];
};

/* Does PATH (relative, no leading slash) match? `*`, `?` and `[...]` match bytes within one part of
 * the path, also a leading dot. A pattern without a slash is compared with the last part of the
 * path; a pattern with a slash is compared with the whole path, and a part `**` of it stands for
 * any number of parts. A slash at the end changes nothing. */
bool glob_match(const char *pattern, const char *path);

/* Does PATH match any of them? */
bool globs_match(const struct globs *globs, const char *path);

/* Is PATH below a folder that matches a pattern with a slash at the end? */
bool globs_match_folder(const struct globs *globs, const char *path);

#endif
