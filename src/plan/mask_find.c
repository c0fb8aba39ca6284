/* Loads the mask that the argument of --mask names: rows in place, standard input, or a
 * file that is looked for in the folders of masks, else a built-in mask. At most 8 MiB are read, so
 * that an argument which names a picture or an endless device fails as fast as any other mistake.
 * Every failure here is a bad mask: EXIT_USAGE. */
#include "plan/mask.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/did_you_mean.h"

/* 255*255 numbers of 64 characters and as many separators are 4.2 MB; the rest is room for
 * comments. */
#define MASK_MAX_BYTES ((size_t)8 << 20)

#define MASK_SUFFIX ".txt"

/* Parses the whole FILE and closes it. If FILE is NULL, errno says why. */
static bool read_mask(struct mask *mask, FILE *file, const char *name, struct error *err)
{
    char *text = calloc(1, MASK_MAX_BYTES + 2);
    size_t used = file && text ? fread(text, 1, MASK_MAX_BYTES + 1, file) : 0;
    bool good;

    if (!file || ferror(file))
        good = error_set(err, EXIT_USAGE, "%s: cannot read: %s", name, strerror(errno));
    else if (!text)
        good = error_set(err, EXIT_INPUT, "%s: no memory for the mask's text", name);
    else if (used > MASK_MAX_BYTES)
        good = error_set(err, EXIT_USAGE, "%s: too large for a mask: more than 8 MiB", name);
    else
        good = mask_parse(mask, name, text, used, err);
    free(text);
    if (file && file != stdin)
        fclose(file);
    return good;
}

/* ---- folders ---- */

/* The folders of masks, each ended by a zero byte, then one more zero byte. The caller frees the
 * list. NULL: no memory. */
static char *folders_make(void)
{
    const char *given = getenv("STENCILCLI_MASKS");
    char program[4096], *list = NULL;
    Dl_info library;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    size_t bytes;
    FILE *out = open_memstream(&list, &bytes);

    while (out && given && *given) {
        int n = (int)strcspn(given, ":");
        if (n > 0)
            fprintf(out, "%.*s%c", n, given, '\0');
        given += n + (given[n] == ':');
    }
    /* PREFIX/share/stencilcli/masks for a program in PREFIX/bin, or libstencil in PREFIX/lib: found
     * also when the whole installation was moved. */
    if (out && length > 0) {
        program[length] = '\0';
        fprintf(out, "%s/share/stencilcli/masks%c", dirname(dirname(program)), '\0');
    }
    if (out && dladdr((void *)(uintptr_t)mask_load, &library) && strstr(library.dli_fname, ".so")) {
        snprintf(program, sizeof program, "%s", library.dli_fname);
        fprintf(out, "%s/share/stencilcli/masks%c", dirname(dirname(program)), '\0');
    }
    if (out)
        fprintf(out, "%s%c", STENCIL_MASKS_DIR, '\0');
    if (out && fclose(out) == 0)
        return list;
    free(list);
    return NULL;
}

/* The text after the zero byte of TEXT. */
static const char *next(const char *text)
{
    return text + strlen(text) + 1;
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* The path of a file FOLDER/NAME or, without a folder, NAME; as it is or with .txt. NULL: none. */
static char *find_in(const char *folder, const char *name)
{
    static const char *const suffixes[] = {"", MASK_SUFFIX};
    for (int i = 0; i < 2; i++) {
        char *path;
        if (asprintf(&path, "%s%s%s%s", folder, *folder ? "/" : "", name, suffixes[i]) < 0)
            return NULL;
        if (is_file(path))
            return path;
        free(path);
    }
    return NULL;
}

static char *find_file(const char *argument)
{
    char *path = find_in("", argument), *folders;
    if (path || strchr(argument, '/'))
        return path;
    folders = folders_make();
    for (const char *folder = folders; folder && *folder && !path; folder = next(folder))
        path = find_in(folder, argument);
    free(folders);
    return path;
}

/* The name of the built-in mask that the argument names, with or without .txt. NULL: none. */
static const char *find_builtin(const char *argument)
{
    const char *name;
    for (int i = 0; (name = mask_builtin_name(i)); i++) {
        size_t length = strlen(name);
        const char *rest = argument + length;
        if (strncmp(argument, name, length) == 0 && (!*rest || strcmp(rest, MASK_SUFFIX) == 0))
            break;
    }
    return name;
}

/* ---- the list ---- */

struct entry {
    char *name; /* without .txt; the path follows its zero byte */
    int number; /* in the order in which they were found */
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    int order = strcmp(first->name, second->name);
    return order ? order : first->number - second->number;
}

static int is_mask_name(const struct dirent *item)
{
    size_t length = strlen(item->d_name), suffix = strlen(MASK_SUFFIX);
    return length > suffix && item->d_name[0] != '.' &&
           strcmp(item->d_name + length - suffix, MASK_SUFFIX) == 0;
}

/* Appends the masks in FOLDER to the *count entries. Without memory the list stays as it is. */
static void add_entries(struct entry **entries, int *count, const char *folder)
{
    struct dirent **items;
    int found = scandir(folder, &items, is_mask_name, NULL);
    size_t wanted = (size_t)(*count + found);
    struct entry *larger = found > 0 ? reallocarray(*entries, wanted, sizeof *larger) : NULL;

    *entries = larger ? larger : *entries;
    for (int k = 0; k < found; k++) {
        const char *file = items[k]->d_name;
        struct entry entry = {NULL, *count};
        int bare = (int)(strlen(file) - strlen(MASK_SUFFIX));
        if (asprintf(&entry.name, "%.*s%c%s/%s", bare, file, '\0', folder, file) < 0)
            entry.name = NULL;
        if (larger && entry.name && is_file(next(entry.name)))
            larger[(*count)++] = entry;
        else
            free(entry.name);
        free(items[k]);
    }
    if (found >= 0)
        free(items);
}

/* Appends the built-in masks likewise. */
static void add_builtins(struct entry **entries, int *count)
{
    const char *name;
    for (int i = 0; (name = mask_builtin_name(i)); i++) {
        struct entry *larger = reallocarray(*entries, (size_t)*count + 1, sizeof *larger);
        struct entry entry = {NULL, *count};
        *entries = larger ? larger : *entries;
        if (larger && asprintf(&entry.name, "%s%c%s", name, '\0', name) >= 0)
            larger[(*count)++] = entry;
    }
}

void mask_list(void (*visit)(const char *name, const char *path, void *context), void *context)
{
    char *folders = folders_make();
    struct entry *entries = NULL;
    int count = 0;

    for (const char *folder = folders; folder && *folder; folder = next(folder))
        add_entries(&entries, &count, folder);
    add_builtins(&entries, &count);
    if (count > 0)
        qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int i = 0; i < count; i++)
        if (i == 0 || strcmp(entries[i - 1].name, entries[i].name) != 0)
            visit(entries[i].name, next(entries[i].name), context);
    for (int i = 0; i < count; i++)
        free(entries[i].name);
    free(entries);
    free(folders);
}

/* ---- a name that is not there ---- */

struct search {
    const char *wanted;
    char near[64]; /* the nearest name so far */
};

/* Keeps NAME if it is nearer to the wanted name than the nearest so far. */
static void visit_near(const char *name, const char *path, void *context)
{
    struct search *search = context;
    const char *words[] = {search->near, name};

    (void)path;
    if (did_you_mean(search->wanted, words, 2) == name)
        snprintf(search->near, sizeof search->near, "%s", name);
}

/* What makes the mask of a name such as gauss11 or box9, or an empty text. */
static void made_by(char text[48], const char *name)
{
    const char *number = name + strcspn(name, "0123456789");
    long side = strtol(number, NULL, 10);
    bool odd = strspn(number, "0123456789") == strlen(number) && (name[strlen(name) - 1] & 1);

    text[0] = '\0';
    if (!odd || side < 3 || side > MASK_MAX_SIDE)
        return;
    int radius = (int)side / 2;
    if (strncasecmp(name, "gauss", 5) == 0) /* 3*sigma is rounded up */
        snprintf(text, 48, "--sigma %d.%02d", radius / 3, radius % 3 * 100 / 3);
    else if (strncasecmp(name, "box", 3) == 0)
        snprintf(text, 48, "the filter box with --radius %d", radius);
}

static bool not_found(const char *argument, struct error *err)
{
    struct search search = {argument, ""};
    char places[600] = "this folder", made[48], *folders;
    size_t used = strlen(places);
    struct stat status;

    if (stat(argument, &status) == 0 && S_ISDIR(status.st_mode))
        return error_set(err, EXIT_USAGE, "no mask '%.300s': it is a folder; name a file in it",
                         argument);
    if (strchr(argument, '/'))
        return error_set(err, EXIT_USAGE, "no mask '%.300s': no such file, with or without .txt",
                         argument);
    folders = folders_make();
    for (const char *folder = folders; folder && *folder; folder = next(folder)) {
        const char *first = folders;
        while (strcmp(first, folder) != 0)
            first = next(first);
        if (first == folder && access(folder, X_OK) == 0 && used < sizeof places)
            used += (size_t)snprintf(places + used, sizeof places - used, ", %s", folder);
    }
    free(folders);
    mask_list(visit_near, &search);
    made_by(made, argument);
    return error_set(err, EXIT_USAGE, "no mask '%.200s' (looked in %s)%s%s%s%s%s", argument, places,
                     search.near[0] ? "; did you mean '" : "", search.near,
                     search.near[0] ? made[0] ? "', or " : "'?"
                     : made[0]      ? "; try "
                                    : "; `stencilcli list masks` prints all",
                     made, search.near[0] && made[0] ? "?" : "");
}

/* ---- what the argument is ---- */

/* Returns the number of words, separated by blanks or commas; *numbers of them are numbers. */
static int count_words(const char *text, int *numbers)
{
    int words = 0;
    mpq_t value;
    const char *why;

    *numbers = 0;
    mpq_init(value);
    while (*(text += strspn(text, " \t,"))) {
        size_t length = strcspn(text, " \t,");
        words++;
        *numbers += rational_parse(value, text, length, &why);
        text += length;
    }
    mpq_clear(value);
    return words;
}

/* Whether the argument is rows of numbers. */
static bool is_rows(const char *argument)
{
    int numbers, words = count_words(argument, &numbers);
    return strpbrk(argument, ";\n") || (words >= 2 && numbers == words);
}

char *mask_path(const char *argument)
{
    return is_rows(argument) || strcmp(argument, "-") == 0 ? NULL : find_file(argument);
}

bool mask_load(struct mask *mask, const char *argument, struct error *err)
{
    int numbers, words = count_words(argument, &numbers);

    memset(mask, 0, sizeof *mask);
    if (words == 0)
        return error_set(err, EXIT_USAGE, "--mask: expected a name, a file or rows of numbers");
    if (strcmp(argument, "-") == 0)
        return read_mask(mask, stdin, "standard input", err);
    if (is_rows(argument))
        return mask_parse(mask, "--mask", argument, strlen(argument), err);

    char *path = find_file(argument);
    const char *builtin = path ? NULL : find_builtin(argument);
    if (builtin)
        return mask_builtin(mask, builtin, err);
    if (path) {
        bool good = read_mask(mask, fopen(path, "re"), path, err);
        free(path);
        return good;
    }
    /* A single number is a mask of one cell. A row or a number with a mistake in it ('1 x 1',
     * '1/0') gets the message that says where the mistake is, not one about a missing file. */
    if ((numbers > 0 && strchr("+-.0123456789", argument[strspn(argument, " \t,")])) ||
        (isdigit((unsigned char)argument[strspn(argument, "+-.")]) &&
         strspn(argument, "+-.0123456789eE/") == strlen(argument)))
        return mask_parse(mask, "--mask", argument, strlen(argument), err);
    return not_found(argument, err);
}
