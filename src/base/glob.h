/* Patterns for names of files, as --include and --exclude take them. */
#ifndef STENCIL_BASE_GLOB_H
#define STENCIL_BASE_GLOB_H

#include <stdbool.h>

#define GLOBS_MAX 64
struct globs {
    int count;
    const char *text[GLOBS_MAX];
};

/* Whether PATH (relative, no leading slash) matches. `*`, `?` and `[...]` stay within one part of
 * the path and match any bytes, a leading dot too. A pattern without a slash looks at the last part
 * only; one with a slash at the whole path, where the part `**` stands for any number of parts. A
 * slash at the end changes nothing. */
bool glob_match(const char *pattern, const char *path);

/* Whether any of them does. */
bool globs_match(const struct globs *globs, const char *path);

/* Whether PATH is below a folder that matches one of those with a slash at the end. */
bool globs_match_folder(const struct globs *globs, const char *path);

#endif
