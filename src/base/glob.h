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
 * any number of parts. A slash at the end changes nothing. `{a,b}` stands for a or b. */
bool glob_match(const char *pattern, const char *path);

/* More alternatives in braces are refused: each pair of braces multiplies them. */
#define GLOB_ALTERNATIVES_MAX 1000
bool glob_has_too_many_alternatives(const char *pattern);

/* Does PATH match any of them? */
bool globs_match(const struct globs *globs, const char *path);

/* How patterns that select files reach PATH. A pattern with a slash at the end reaches the files
 * below the folders that it matches. */
enum glob_reach {
    GLOB_NOT,
    GLOB_BY_PLACE, /* by patterns that leave the extension open: `2026/` followed by `**`, `IMG_*`
                    */
    GLOB_BY_NAME,  /* by a pattern that says the extension or the whole name: `*.dat`, `scan` */
};
enum glob_reach globs_reach(const struct globs *globs, const char *path);

#endif
