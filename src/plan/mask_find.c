/* From --mask's argument to a mask: rows in place, standard input, or a file that
 * is looked for in the folders of masks. Reading is bounded: an argument that
 * names a picture or an endless device is answered as fast as any other mistake.
 * Everything that goes wrong here is a bad mask, EXIT_USAGE. */
#include "plan/mask.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/did_you_mean.h"

/* 255*255 numbers of 64 characters and as many separators are 4.2 MB; twice that leaves room for
 * comments. */
#define MASK_MAX_BYTES ((size_t)8 << 20)

#define MASK_SUFFIX ".txt"

/* ---- reading ---- */

static bool read_failed(const char *name, struct error *err)
{
    return error_set(err, EXIT_USAGE, "%s: cannot read: %s", name, strerror(errno));
}

/* Everything that FD gives, into a buffer of the caller's. */
static bool read_text(int fd, const char *name, char **text, size_t *length, struct error *err)
{
    size_t used = 0, capacity = 0;
    char *buffer = NULL;

    for (;;) {
        if (used == capacity) {
            capacity = capacity ? 2 * capacity : 16384;
            char *larger = realloc(buffer, capacity);
            if (!larger) {
                free(buffer);
                return error_set(err, EXIT_USAGE, "%s: no memory for the mask's text", name);
            }
            buffer = larger;
        }
        ssize_t got = read(fd, buffer + used, capacity - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            free(buffer);
            return read_failed(name, err);
        }
        used += (size_t)got;
        if (used > MASK_MAX_BYTES) {
            free(buffer);
            return error_set(err, EXIT_USAGE, "%s: too large for a mask: more than 8 MiB", name);
        }
        if (got == 0)
            break;
    }
    *text = buffer;
    *length = used;
    return true;
}

static bool load_file(struct mask *mask, const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    char *text = NULL;
    size_t length = 0;
    bool good = false;

    if (fd < 0)
        return read_failed(path, err);
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size > (off_t)MASK_MAX_BYTES)
        error_set(err, EXIT_USAGE, "%s: too large for a mask: more than 8 MiB", path);
    else if (read_text(fd, path, &text, &length, err))
        good = mask_parse(mask, path, text, length, err);
    close(fd);
    free(text);
    return good;
}

/* Standard input can be read once, but a mask is asked for again: when the options are checked,
 * and for every picture. So its text is kept until the program ends. */
static bool load_stdin(struct mask *mask, struct error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *text;
    static size_t length;
    bool good;

    pthread_mutex_lock(&lock);
    good = text || read_text(STDIN_FILENO, "standard input", &text, &length, err);
    pthread_mutex_unlock(&lock);
    return good && mask_parse(mask, "standard input", text, length, err);
}

/* ---- folders ---- */

struct folders {
    char **path;
    int count;
};

/* Takes the PATH over; a folder stands in the list once. */
static void folders_add(struct folders *folders, char *path)
{
    bool known = false;
    for (int i = 0; path && i < folders->count; i++)
        known |= strcmp(folders->path[i], path) == 0;
    char **larger = NULL;
    if (path && !known)
        larger = realloc(folders->path, (size_t)(folders->count + 1) * sizeof *larger);
    if (!larger) {
        free(path);
        return;
    }
    folders->path = larger;
    folders->path[folders->count++] = path;
}

/* PREFIX/share/... for a program in PREFIX/bin: an installation that was moved as a whole. */
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

/* FOLDER/NAME or NAME alone, as it stands or with .txt, if there is such a file. */
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
};

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static int is_mask_name(const struct dirent *item)
{
    size_t length = strlen(item->d_name), suffix = strlen(MASK_SUFFIX);
    return length > suffix && item->d_name[0] != '.' &&
           strcmp(item->d_name + length - suffix, MASK_SUFFIX) == 0;
}

static bool has_entry(const struct entry *entries, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(entries[i].name, name) == 0)
            return true;
    return false;
}

/* Adds the masks of one folder that no folder before it had. */
static int list_folder(struct entry **entries, int count, const char *folder)
{
    struct dirent **items;
    int found = scandir(folder, &items, is_mask_name, alphasort);

    for (int i = 0; i < found; i++) {
        struct entry entry = {NULL, NULL};
        size_t length = strlen(items[i]->d_name) - strlen(MASK_SUFFIX);
        entry.name = strndup(items[i]->d_name, length);
        if (asprintf(&entry.path, "%s/%s", folder, items[i]->d_name) < 0)
            entry.path = NULL;
        free(items[i]);
        struct entry *larger = NULL;
        if (entry.name && entry.path && is_file(entry.path) &&
            !has_entry(*entries, count, entry.name))
            larger = realloc(*entries, (size_t)(count + 1) * sizeof *larger);
        if (!larger) {
            free(entry.name);
            free(entry.path);
            continue;
        }
        *entries = larger;
        larger[count++] = entry;
    }
    if (found >= 0)
        free(items);
    return count;
}

void mask_list(void (*visit)(const char *name, const char *path, void *context), void *context)
{
    struct folders folders = folders_make();
    struct entry *entries = NULL;
    int count = 0;

    for (int i = 0; i < folders.count; i++)
        count = list_folder(&entries, count, folders.path[i]);
    if (count > 0)
        qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int i = 0; i < count; i++) {
        visit(entries[i].name, entries[i].path, context);
        free(entries[i].name);
        free(entries[i].path);
    }
    free(entries);
    folders_free(&folders);
}

/* ---- a name that is not there ---- */

struct search {
    const char *wanted;
    char near[64]; /* the nearest name so far */
};

/* The nearest of the nearest so far and this one: both are at hand only now. */
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
        return load_stdin(mask, err);
    if (strpbrk(argument, ";\n") || (words >= 2 && numbers == words))
        return mask_parse(mask, "--mask", argument, strlen(argument), err);

    char *path = find_file(argument);
    if (path) {
        good = load_file(mask, path, err);
        free(path);
        return good;
    }
    /* A lone number is a mask of one cell; a row with a slip in it ('1 x 1') gets the sentence that
     * says where, and not one about a missing file. */
    if (numbers > 0 && strchr("+-.0123456789", argument[strspn(argument, " \t,")]))
        return mask_parse(mask, "--mask", argument, strlen(argument), err);
    return not_found(argument, err);
}
