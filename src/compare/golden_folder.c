/* The folders that the commands of a golden suite run in: made, filled with the inputs, searched
 * for files that should not be there, removed. */
#include "compare/golden.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/folder.h"
#include "codec/input.h"
#include "codec/output.h"

/* Puts a link to this program into FOLDER/bin and that folder first into PATH. */
static bool install_program(const char *folder, struct error *err)
{
    const char *old = getenv("PATH");
    char self[PATH_MAX] = "", bin[PATH_MAX], link[PATH_MAX + 16], *search = NULL;
    bool good;

    snprintf(bin, sizeof bin, "%s/bin", folder);
    snprintf(link, sizeof link, "%s/stencilcli", bin);
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0 || mkdir(bin, 0700) != 0 ||
        symlink(self, link) != 0)
        return error_errno(err, link, "create");
    good = asprintf(&search, "%s:%s", bin, old ? old : "/usr/bin:/bin") >= 0 &&
           setenv("PATH", search, 1) == 0;
    free(search);
    return good || error_set(err, EXIT_INPUT, "no memory for PATH");
}

char *golden_scratch_make(struct error *err)
{
    const char *parent = getenv("TMPDIR");
    char *folder = NULL, *real;

    if (asprintf(&folder, "%s/stencilcli-golden-XXXXXX", parent && *parent ? parent : "/tmp") < 0) {
        error_set(err, EXIT_INPUT, "no memory for a scratch folder");
        return NULL;
    }
    if (!mkdtemp(folder)) {
        error_errno(err, folder, "create");
        free(folder);
        return NULL;
    }
    real = realpath(folder, NULL); /* commands run elsewhere: PATH needs an absolute name */
    if (real) {
        free(folder);
        folder = real;
    }
    if (install_program(folder, err))
        return folder;
    golden_folder_remove(folder);
    free(folder);
    return NULL;
}

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

void golden_spawn_begin(void)
{
    pthread_mutex_lock(&writing);
}

void golden_spawn_end(void)
{
    pthread_mutex_unlock(&writing);
}

static bool copy_into(struct input *input, const char *from, const char *to, struct error *err)
{
    struct output *output;
    unsigned char *bytes = NULL;
    size_t room = (size_t)256 * 1024, got = 0;
    bool good;

    if (!output_open(&output, to, err))
        return false;
    good = (bytes = malloc(room)) || error_set(err, EXIT_INPUT, "%s: no memory to copy it", from);
    do
        good = good && input_read(input, bytes, room, &got, err) &&
               output_write(output, bytes, got, err);
    while (good && got == room);
    free(bytes);
    return output_end(output, good, err);
}

bool golden_copy(const char *from, const char *to, struct error *err)
{
    struct input *input;
    bool good;

    if (!input_open(&input, from, err))
        return false;
    pthread_mutex_lock(&writing);
    good = copy_into(input, from, to, err);
    pthread_mutex_unlock(&writing);
    input_close(input);
    return good;
}

/* ---- inputs ---- */

/* PATTERN below the suite's folder, whose own name is no pattern. */
static bool find_inputs(const struct golden_suite *suite, const char *pattern, glob_t *found,
                        struct error *err)
{
    size_t used = 0, room = 2 * strlen(suite->folder) + strlen(pattern) + 1;
    char *whole = malloc(room);
    int code = GLOB_NOSPACE;

    for (const char *c = suite->folder; whole && *c; c++) {
        if (strchr("*?[\\", *c))
            whole[used++] = '\\';
        whole[used++] = *c;
    }
    if (whole) {
        snprintf(whole + used, room - used, "%s", pattern);
        code = glob(whole, GLOB_ERR, NULL, found);
    }
    free(whole);
    return code == 0 || error_set(err, EXIT_INPUT, "%s: the input %s %s", suite->path, pattern,
                                  code == GLOB_NOMATCH ? "is not there" : "cannot be read");
}

static bool copy_input(const char *from, const char *name, const char *folder, struct error *err)
{
    char to[PATH_MAX];
    struct stat status;

    if (snprintf(to, sizeof to, "%s/%s", folder, name) >= (int)sizeof to)
        return error_set(err, EXIT_INPUT, "%s: too long a name", from);
    path_make_parents(to);      /* if that fails, so does the copy */
    if (stat(to, &status) == 0) /* two patterns name it */
        return true;
    if (!golden_copy(from, to, err))
        return false;
    /* A script stays one that can be run. */
    if (stat(from, &status) != 0 || chmod(to, (status.st_mode & 0777) | 0600) != 0)
        return error_errno(err, to, "set its mode bits");
    return true;
}

bool golden_folder_make(const struct golden_suite *suite, const struct golden_case *one,
                        const char *folder, struct error *err)
{
    if (mkdir(folder, 0700) != 0)
        return error_errno(err, folder, "create");
    for (const char *pattern = one->inputs; *pattern; pattern += strlen(pattern) + 1) {
        glob_t found;
        bool good = find_inputs(suite, pattern, &found, err);
        if (!good)
            return false;
        for (size_t i = 0; good && i < found.gl_pathc; i++)
            good = copy_input(found.gl_pathv[i], found.gl_pathv[i] + strlen(suite->folder), folder,
                              err);
        globfree(&found);
        if (!good)
            return false;
    }
    return true;
}

/* Is NAME the first part of an input's name, or matched by one? */
static bool is_input(const struct golden_suite *suite, const struct golden_case *one,
                     const char *name)
{
    bool known = false;
    for (const char *pattern = one->inputs; !known && *pattern; pattern += strlen(pattern) + 1) {
        glob_t found;
        struct error ignored;
        if (!find_inputs(suite, pattern, &found, &ignored))
            continue;
        for (size_t i = 0; !known && i < found.gl_pathc; i++) {
            const char *input = found.gl_pathv[i] + strlen(suite->folder);
            size_t length = strcspn(input, "/");
            known = strlen(name) == length && memcmp(name, input, length) == 0;
        }
        globfree(&found);
    }
    return known;
}

char *golden_folder_stray(const struct golden_suite *suite, const struct golden_case *one,
                          const char *folder)
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    char *stray = NULL;
    size_t own = strcspn(one->file, "/");

    while (open && !stray && (entry = readdir(open))) {
        const char *name = entry->d_name;
        bool known = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
                     (strlen(name) == own && memcmp(name, one->file, own) == 0) ||
                     folder_is_manifest(name); /* of a command over folders */
        if (!known && !is_input(suite, one, name))
            stray = strdup(name);
    }
    if (open)
        closedir(open);
    return stray;
}

/* ---- removal ---- */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    remove(path); /* what cannot be removed stays; there is nobody to tell */
    return 0;
}

/* A folder that its command has made unreadable. */
static int open_folder(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)where;
    if (kind == FTW_D || kind == FTW_DNR)
        chmod(path, status->st_mode | 0700);
    return 0;
}

void golden_folder_remove(const char *folder)
{
    nftw(folder, open_folder, 16, FTW_PHYS);
    nftw(folder, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
}
