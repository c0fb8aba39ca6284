/* Matching of names with patterns (base/glob.h). fnmatch(3) matches one part of a path; this file
 * goes through the parts, because fnmatch has no `**`. The program never sets a locale, so names
 * are compared byte by byte. */
#include "base/glob.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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

static bool plain_match(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/'), *inner = strchr(pattern, '/');

    if (!inner || inner[1] == '\0')
        return parts_match(pattern, slash ? slash + 1 : path);
    return parts_match(pattern + (*pattern == '/'), path);
}

/* ---- alternatives in braces ---- */

/* The end of the alternative that begins at TEXT: its comma or closing brace, or NULL. */
static const char *alternative_end(const char *text)
{
    for (int depth = 0; *text; text++) {
        if (depth == 0 && (*text == ',' || *text == '}'))
            return text;
        depth += (*text == '{') - (*text == '}');
        text += *text == '\\' && text[1];
    }
    return NULL;
}

/* The first opening brace that has alternatives, and *close. As in shells, `{a}` has none. */
static const char *find_braces(const char *pattern, const char **close)
{
    for (const char *open = pattern; *open; open++) {
        const char *end = *open == '{' ? alternative_end(open + 1) : NULL;
        bool several = end && *end == ',';
        while (end && *end == ',')
            end = alternative_end(end + 1);
        *close = end;
        if (end && several)
            return open;
        open += *open == '\\' && open[1];
    }
    return NULL;
}

/* Calls TRY with each pattern that PATTERN stands for, until TRY returns true. */
static bool any_alternative(const char *pattern, bool (*try)(const char *plain, void *context),
                            void *context)
{
    const char *close, *open = find_braces(pattern, &close), *end;
    bool found = false;

    if (!open)
        return try(pattern, context);
    for (const char *from = open + 1; !found && from <= close; from = end + 1) {
        char *plain;
        end = alternative_end(from);
        if (asprintf(&plain, "%.*s%.*s%s", (int)(open - pattern), pattern, (int)(end - from), from,
                     close + 1) < 0)
            return false;
        found = any_alternative(plain, try, context);
        free(plain);
    }
    return found;
}

static bool try_match(const char *plain, void *path)
{
    return plain_match(plain, path);
}

bool glob_match(const char *pattern, const char *path)
{
    return any_alternative(pattern, try_match, (char *)path);
}

static bool count_one(const char *plain, void *count)
{
    (void)plain;
    return ++*(int *)count > GLOB_ALTERNATIVES_MAX;
}

bool glob_has_too_many_alternatives(const char *pattern)
{
    return any_alternative(pattern, count_one, &(int){0});
}

bool globs_match(const struct globs *globs, const char *path)
{
    for (int i = 0; i < globs->count; i++)
        if (glob_match(globs->text[i], path))
            return true;
    return false;
}

/* ---- selected files ---- */

struct reach {
    const char *path;
    enum glob_reach best;
};

/* Whether the last part of a pattern says the extension, or has no wildcards at all. */
static bool says_extension(const char *plain)
{
    const char *slash = strrchr(plain, '/'), *name = slash ? slash + 1 : plain;
    const char *dot = strrchr(name, '.');

    return !strpbrk(name, "*?[") || (dot && dot[1] && !strchr(dot, '*'));
}

/* Whether PATH lies below a folder that matches. */
static bool below_folder(const char *plain, const char *path)
{
    char folder[PATH_MAX], *slash; /* a longer path cannot be opened */

    snprintf(folder, sizeof folder, "%s", path);
    while ((slash = strrchr(folder, '/'))) {
        *slash = '\0';
        if (plain_match(plain, folder))
            return true;
    }
    return false;
}

static bool try_reach(const char *plain, void *context)
{
    struct reach *reach = context;

    if (*plain && plain[strlen(plain) - 1] == '/')
        reach->best = below_folder(plain, reach->path) ? GLOB_BY_PLACE : reach->best;
    else if (plain_match(plain, reach->path))
        reach->best = says_extension(plain) ? GLOB_BY_NAME : GLOB_BY_PLACE;
    return reach->best == GLOB_BY_NAME;
}

enum glob_reach globs_reach(const struct globs *globs, const char *path)
{
    struct reach reach = {path, GLOB_NOT};

    for (int i = 0; i < globs->count; i++)
        if (any_alternative(globs->text[i], try_reach, &reach))
            break;
    return reach.best;
}
