/* Matching of names with patterns (base/glob.h). fnmatch(3) matches one part of a path; this file
 * goes through the parts, because fnmatch has no `**`. The program never sets a locale, so names
 * are compared byte by byte. */
#include "base/glob.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Does a part of a path match a part of a pattern? Parts longer than NAME_MAX never match. */
static bool part_match(const char *pattern, size_t pattern_bytes, const char *part, size_t bytes)
{
    char a[NAME_MAX + 1], b[NAME_MAX + 1];

    if (pattern_bytes > NAME_MAX || bytes > NAME_MAX)
        return false;
    snprintf(a, sizeof a, "%.*s", (int)pattern_bytes, pattern);
    snprintf(b, sizeof b, "%.*s", (int)bytes, part);
    return fnmatch(a, b, 0) == 0;
}

/* The part that follows the part of BYTES bytes at TEXT, or NULL if there is none. A slash at the
 * end starts no part. */
static const char *next_part(const char *text, size_t bytes)
{
    return text[bytes] && text[bytes + 1] ? text + bytes + 1 : NULL;
}

/* PATTERN and PATH start with a part; NULL: no part is left. After a mismatch it is enough to go
 * back to the last `**`, as with `*` in a word. */
static bool parts_match(const char *pattern, const char *path)
{
    const char *again_pattern = NULL, *again_path = NULL;

    while (path) {
        size_t pattern_bytes = pattern ? strcspn(pattern, "/") : 0, bytes = strcspn(path, "/");
        if (pattern && pattern_bytes == 2 && memcmp(pattern, "**", 2) == 0) {
            again_pattern = pattern = next_part(pattern, pattern_bytes);
            again_path = path;
            if (!pattern)
                return true;
        } else if (pattern && part_match(pattern, pattern_bytes, path, bytes)) {
            pattern = next_part(pattern, pattern_bytes);
            path = next_part(path, bytes);
        } else if (again_path) {
            pattern = again_pattern;
            path = again_path = next_part(again_path, strcspn(again_path, "/"));
        } else {
            return false;
        }
    }
    return !pattern || strcmp(pattern, "**") == 0;
}

bool glob_match(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/'), *inner = strchr(pattern, '/');

    if (!inner || inner[1] == '\0')
        return parts_match(pattern, slash ? slash + 1 : path);
    return parts_match(pattern + (*pattern == '/'), path);
}

bool globs_match_folder(const struct globs *globs, const char *path)
{
    char folder[PATH_MAX], *slash; /* a longer path cannot be opened */

    snprintf(folder, sizeof folder, "%s", path);
    while ((slash = strrchr(folder, '/'))) {
        *slash = '\0';
        for (int i = 0; i < globs->count; i++) {
            const char *text = globs->text[i];
            if (*text && text[strlen(text) - 1] == '/' && glob_match(text, folder))
                return true;
        }
    }
    return false;
}

bool globs_match(const struct globs *globs, const char *path)
{
    for (int i = 0; i < globs->count; i++)
        if (glob_match(globs->text[i], path))
            return true;
    return false;
}
