/* The folders in which the commands of a golden suite run: made, filled with the inputs, checked
 * for unexpected files, removed. */
#include "compare/golden.h"

#include <dirent.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/folder.h"
#include "codec/input.h"
#include "codec/output.h"

/* Puts a link to this program into FOLDER/bin, and this folder first into PATH. */
static bool install_program(const char *folder, struct error *err)
{
    const char *old = getenv("PATH");
    char self[PATH_MAX] = "", link[PATH_MAX + 16], *search = NULL;

    snprintf(link, sizeof link, "%s/bin/stencilcli", folder);
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0 || !path_make_parents(link) ||
        symlink(self, link) != 0)
        return error_errno(err, link, "create");
    bool good = asprintf(&search, "%s/bin:%s", folder, old ? old : "/usr/bin:/bin") >= 0 &&
                setenv("PATH", search, 1) == 0;
    free(search);
    return good || error_set(err, EXIT_INPUT, "no memory for PATH");
}

bool golden_scratch_make(char folder[PATH_MAX], struct error *err)
{
    const char *parent = getenv("TMPDIR");
    char made[PATH_MAX];

    snprintf(made, sizeof made, "%s/stencilcli-golden-XXXXXX", parent && *parent ? parent : "/tmp");
    /* Commands run in other folders, so PATH needs an absolute name. */
    if (!mkdtemp(made) || !realpath(made, folder))
        return error_errno(err, made, "create");
    if (install_program(folder, err))
        return true;
    golden_folder_remove(folder);
    return false;
}

#define COPY_BYTES ((size_t)1 << 20)

pthread_mutex_t golden_copy_lock = PTHREAD_MUTEX_INITIALIZER;

bool golden_copy(const char *from, const char *to, struct error *err)
{
    struct input *input = NULL;
    struct output *output = NULL;
    uint8_t *block = malloc(COPY_BYTES);
    size_t got = COPY_BYTES;
    bool good = (block || error_set(err, EXIT_INPUT, "%s: no memory to copy it", from)) &&
                input_open(&input, from, err);

    pthread_mutex_lock(&golden_copy_lock);
    good = good && output_open(&output, to, err);
    while (good && got == COPY_BYTES)
        good = input_read(input, block, COPY_BYTES, &got, err) &&
               output_write(output, block, got, err);
    good = output_end(output, good, err);
    pthread_mutex_unlock(&golden_copy_lock);
    input_close(input);
    free(block);
    return good;
}

/* ---- inputs ---- */

static bool copy_input(const char *from, const char *name, const char *folder, struct error *err)
{
    char to[PATH_MAX];
    struct stat status;

    if (snprintf(to, sizeof to, "%s/%s", folder, name) >= (int)sizeof to)
        return error_set(err, EXIT_INPUT, "%s: too long a name", from);
    path_make_parents(to);      /* after a failure the copy fails too */
    if (stat(to, &status) == 0) /* two patterns match it */
        return true;
    if (stat(from, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return error_file(err, from, "is no regular file"); /* a pipe would block */
    if (!golden_copy(from, to, err))
        return false;
    /* Keeps a script executable. */
    if (stat(from, &status) != 0 || chmod(to, (status.st_mode & 0777) | 0600) != 0)
        return error_errno(err, to, "set its mode bits");
    return true;
}

/* Copies files that match PATTERN below the suite's folder, whose own name is no pattern. */
static bool copy_inputs(const struct golden_suite *suite, const char *pattern, const char *folder,
                        struct error *err)
{
    char whole[3 * PATH_MAX], *to = whole;
    glob_t found = {0};
    bool good;

    for (const char *c = suite->folder; *c; c++) {
        if (strchr("*?[\\", *c))
            *to++ = '\\';
        *to++ = *c;
    }
    snprintf(to, PATH_MAX, "%s", pattern);
    int code = glob(whole, GLOB_ERR, NULL, &found);
    good = code == 0 || error_set(err, EXIT_INPUT, "%s: the input %s %s", suite->path, pattern,
                                  code == GLOB_NOMATCH ? "is not there" : "cannot be read");
    for (size_t i = 0; good && i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        good = copy_input(path, path + strlen(suite->folder), folder, err);
    }
    globfree(&found);
    return good;
}

bool golden_folder_make(const struct golden_suite *suite, const struct golden_case *one,
                        const char *folder, struct error *err)
{
    if (mkdir(folder, 0700) != 0)
        return error_errno(err, folder, "create");
    for (const char *pattern = one->inputs; *pattern; pattern += strlen(pattern) + 1) {
        if (!copy_inputs(suite, pattern, folder, err))
            return false;
    }
    return true;
}

/* Whether NAME, a file beside the suite, matches the first part of a pattern. */
static bool is_input(const struct golden_suite *suite, const struct golden_case *one,
                     const char *name)
{
    char part[PATH_MAX + NAME_MAX + 1];

    snprintf(part, sizeof part, "%s%s", suite->folder, name);
    if (access(part, F_OK) != 0)
        return false;
    for (const char *pattern = one->inputs; *pattern; pattern += strlen(pattern) + 1) {
        snprintf(part, sizeof part, "%.*s", (int)strcspn(pattern, "/"), pattern);
        if (fnmatch(part, name, FNM_PERIOD) == 0)
            return true;
    }
    return false;
}

bool golden_folder_stray(const struct golden_suite *suite, const struct golden_case *one,
                         const char *folder, char stray[NAME_MAX + 1])
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    size_t own = strcspn(one->file, "/");
    bool found = false;

    while (open && !found && (entry = readdir(open))) {
        const char *name = entry->d_name;
        found = strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
                (strlen(name) != own || memcmp(name, one->file, own) != 0) &&
                !folder_is_manifest(name) && /* left by a command on folders */
                !is_input(suite, one, name);
        snprintf(stray, NAME_MAX + 1, "%s", name);
    }
    if (open)
        closedir(open);
    return found;
}

/* ---- removal ---- */

/* Makes a folder readable before entering it, if its command has made it unreadable; removes
 * everything else. A file that cannot be removed stays, and nobody is told. */
static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)where;
    if (kind == FTW_D || kind == FTW_DNR)
        chmod(path, status->st_mode | 0700);
    else
        remove(path);
    return 0;
}

/* The first walk removes files, the second one the folders (FTW_DP), deepest first. */
void golden_folder_remove(const char *folder)
{
    nftw(folder, remove_entry, 16, FTW_PHYS);
    nftw(folder, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
}
