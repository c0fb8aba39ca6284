/* Loads the mask that the argument of --mask names: rows in place, standard input, or a
 * file that is looked for in the folders of masks. At most 8 MiB are read, so that an
 * argument which names a picture or an endless device fails as fast as any other
 * mistake. Every failure here is a bad mask: EXIT_USAGE. */
#include "plan/mask.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/did_you_mean.h"

/* 255*255 numbers of 64 characters and as many separators are 4.2 MB; the rest is room for
 * comments. */
#define MASK_MAX_BYTES ((size_t)8 << 20)

#define MASK_SUFFIX ".txt"

/* ---- reading ---- */

/* Parses all that FD gives. */
static bool read_mask(struct mask *mask, int fd, const char *name, struct error *err)
{
    char *text = malloc(MASK_MAX_BYTES + 1);
    size_t used = 0;
    ssize_t got = 1;
    bool good;

    while (text && got > 0 && used <= MASK_MAX_BYTES) {
        got = read(fd, text + used, MASK_MAX_BYTES + 1 - used);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            used += (size_t)got;
    }
    if (!text)
        good = error_set(err, EXIT_USAGE, "%s: no memory for the mask's text", name);
    else if (got < 0)
        good = error_set(err, EXIT_USAGE, "%s: cannot read: %s", name, strerror(errno));
    else if (used > MASK_MAX_BYTES)
        good = error_set(err, EXIT_USAGE, "%s: too large for a mask: more than 8 MiB", name);
    else
        good = mask_parse(mask, name, text, used, err);
    free(text);
    return good;
}

static bool load_file(struct mask *mask, const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good;

    if (fd < 0)
        return error_set(err, EXIT_USAGE, "%s: cannot read: %s", path, strerror(errno));
    good = read_mask(mask, fd, path, err);
    close(fd);
    return good;
}

/* ---- folders ---- */

struct folders {
    char **path;
    int count;
};

/* Appends PATH, which it owns from now on, unless the list has it. */
static void folders_add(struct folders *folders, char *path)
{
    char **larger = NULL;
    int known = 0;

    while (path && known < folders->count && strcmp(folders->path[known], path) != 0)
        known++;
    if (path && known == folders->count)
        larger = reallocarray(folders->path, (size_t)folders->count + 1, sizeof *larger);
    if (!larger) {
        free(path);
        return;
    }
    folders->path = larger;
    folders->path[folders->count++] = path;
}

/* PREFIX/share/stencilcli/masks for a program in PREFIX/bin: found also when the whole installation
 * was moved. */
static char *folder_beside_program(void)
{
    char program[4096], *path = NULL;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    if (length <= 0)
        return NULL;
    program[length] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(program, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    return asprintf(&path, "%s/share/stencilcli/masks", program) < 0 ? NULL : path;
}

static struct folders folders_make(void)
{
    struct folders folders = {NULL, 0};
    const char *list = getenv("STENCILCLI_MASKS");

    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (length > 0)
            folders_add(&folders, strndup(list, length));
        list += length + (list[length] == ':');
    }
    folders_add(&folders, folder_beside_program());
#ifdef STENCIL_MASKS_DIR
    folders_add(&folders, strdup(STENCIL_MASKS_DIR));
#endif
#ifdef STENCIL_SOURCE_MASKS_DIR
    folders_add(&folders, strdup(STENCIL_SOURCE_MASKS_DIR));
#endif
    return folders;
}

static void folders_free(struct folders *folders)
{
    for (int i = 0; i < folders->count; i++)
        free(folders->path[i]);
    free(folders->path);
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
        if (asprintf(&path, "%s%s%s%s", folder ? folder : "", folder ? "/" : "", name,
                     suffixes[i]) < 0)
            return NULL;
        if (is_file(path))
            return path;
        free(path);
    }
    return NULL;
}

static char *find_file(const char *argument)
{
    char *path = find_in(NULL, argument);
    if (path || strchr(argument, '/'))
        return path;
    struct folders folders = folders_make();
    for (int i = 0; i < folders.count && !path; i++)
        path = find_in(folders.path[i], argument);
    folders_free(&folders);
    return path;
}

/* ---- the list ---- */

struct entry {
    char *name, *path;
    int folder; /* its number */
};

struct entries {
    struct entry *entry;
    int count;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    int order = strcmp(first->name, second->name);
    return order ? order : first->folder - second->folder;
}

static int is_mask_name(const struct dirent *item)
{
    size_t length = strlen(item->d_name), suffix = strlen(MASK_SUFFIX);
    return length > suffix && item->d_name[0] != '.' &&
           strcmp(item->d_name + length - suffix, MASK_SUFFIX) == 0;
}

/* Without memory the list goes without this mask. */
static void add_entry(struct entries *entries, const char *path, const char *file, int folder)
{
    struct entry entry = {strndup(file, strlen(file) - strlen(MASK_SUFFIX)), NULL, folder};
    struct entry *larger = NULL;

    if (asprintf(&entry.path, "%s/%s", path, file) < 0)
        entry.path = NULL;
    if (entry.name && entry.path && is_file(entry.path))
        larger = reallocarray(entries->entry, (size_t)entries->count + 1, sizeof *larger);
    if (larger) {
        entries->entry = larger;
        larger[entries->count++] = entry;
    } else {
        free(entry.name);
        free(entry.path);
    }
}

void mask_list(void (*visit)(const char *name, const char *path, void *context), void *context)
{
    struct folders folders = folders_make();
    struct entries entries = {NULL, 0};

    for (int i = 0; i < folders.count; i++) {
        struct dirent **items;
        int found = scandir(folders.path[i], &items, is_mask_name, alphasort);
        for (int k = 0; k < found; k++) {
            add_entry(&entries, folders.path[i], items[k]->d_name, i);
            free(items[k]);
        }
        if (found >= 0)
            free(items);
    }
    if (entries.count > 0)
        qsort(entries.entry, (size_t)entries.count, sizeof *entries.entry, compare_entries);
    for (int i = 0; i < entries.count; i++)
        if (i == 0 || strcmp(entries.entry[i - 1].name, entries.entry[i].name) != 0)
            visit(entries.entry[i].name, entries.entry[i].path, context);
    for (int i = 0; i < entries.count; i++) {
        free(entries.entry[i].name);
        free(entries.entry[i].path);
    }
    free(entries.entry);
    folders_free(&folders);
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
    const char *words[2] = {search->near, name};
    int known = search->near[0] != '\0';
    const char *near = did_you_mean(search->wanted, known ? words : words + 1, known + 1);

    (void)path;
    if (near == name)
        snprintf(search->near, sizeof search->near, "%s", name);
}

static bool not_found(const char *argument, struct error *err)
{
    struct search search = {argument, ""};
    char places[600] = "this folder";
    size_t used = strlen(places);

    if (strchr(argument, '/'))
        return error_set(err, EXIT_USAGE, "no mask '%.300s': no such file, with or without .txt",
                         argument);
    struct folders folders = folders_make();
    for (int i = 0; i < folders.count; i++)
        if (access(folders.path[i], X_OK) == 0 && used < sizeof places)
            used += (size_t)snprintf(places + used, sizeof places - used, ", %s", folders.path[i]);
    folders_free(&folders);
    mask_list(visit_near, &search);
    return error_set(err, EXIT_USAGE, "no mask '%.200s' (looked in %s)%s%s%s", argument, places,
                     search.near[0] ? "; did you mean '" : "", search.near,
                     search.near[0] ? "'?" : "");
}

/* ---- what the argument is ---- */

/* Blanks and commas separate; *numbers of the words are numbers. Returns the words. */
static int count_words(const char *text, int *numbers)
{
    int words = 0;
    mpq_t value;
    const char *why;

    *numbers = 0;
    mpq_init(value);
    for (;;) {
        text += strspn(text, " \t,");
        size_t length = strcspn(text, " \t,");
        if (length == 0)
            break;
        words++;
        *numbers += rational_parse(value, text, length, &why);
        text += length;
    }
    mpq_clear(value);
    return words;
}

bool mask_load(struct mask *mask, const char *argument, struct error *err)
{
    int numbers, words = count_words(argument, &numbers);
    bool good;

    memset(mask, 0, sizeof *mask);
    if (words == 0)
        return error_set(err, EXIT_USAGE, "--mask: expected a name, a file or rows of numbers");
    if (strcmp(argument, "-") == 0)
        return read_mask(mask, STDIN_FILENO, "standard input", err);
    if (strpbrk(argument, ";\n") || (words >= 2 && numbers == words))
        return mask_parse(mask, "--mask", argument, strlen(argument), err);

    char *path = find_file(argument);
    if (path) {
        good = load_file(mask, path, err);
        free(path);
        return good;
    }
    /* A single number is a mask of one cell. A row with a mistake in it ('1 x 1') gets the message
     * that says where the mistake is, not one about a missing file. */
    if (numbers > 0 && strchr("+-.0123456789", argument[strspn(argument, " \t,")]))
        return mask_parse(mask, "--mask", argument, strlen(argument), err);
    return not_found(argument, err);
}
