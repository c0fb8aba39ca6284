/* What `record` changes: checksums in the suite, pictures in `expected`. See compare/golden.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/golden_folder.h"

static bool wants_picture(const struct golden_case *one)
{
    return strcmp(one->file, "-") != 0 && (one->reason || one->keep);
}

/* The picture of this checksum stays, so that recording twice changes no file. */
static bool is_kept(const char *path, const char *checksum)
{
    char text[PIXEL_SUM_CHARS + 1] = "";
    struct error ignored;
    uint64_t sum;

    if (access(path, F_OK) == 0 && pixel_sum_file(path, &sum, &ignored))
        snprintf(text, sizeof text, "%016llx", (unsigned long long)sum);
    return strcmp(text, checksum) == 0;
}

static bool keep_picture(const struct golden_suite *suite, const struct golden_case *one,
                         const struct golden_result *result, struct error *err)
{
    char *to = golden_expected_path(suite, one, result->checksum);
    bool good = to || error_set(err, EXIT_INPUT, "%s: no memory to record it", suite->path);

    if (good && !is_kept(to, result->checksum))
        good = golden_copy(result->path, to, err);
    free(to);
    return good;
}

/* The picture of a checksum that no case has any more. */
static void remove_stale(const struct golden_job *job, size_t index)
{
    const struct golden_case *one = &job->suite->cases[index];
    for (size_t i = 0; i < job->suite->count; i++) {
        if (strcmp(job->result[i].checksum, one->checksum) == 0)
            return;
    }
    char *path = golden_expected_path(job->suite, one, one->checksum);
    if (path && strlen(one->checksum) == PIXEL_SUM_CHARS)
        unlink(path);
    free(path);
}

bool golden_keep(struct golden_job *job, struct error *err)
{
    const struct golden_suite *suite = job->suite;
    char *folder;
    bool good = true;

    for (size_t i = 0; i < suite->count; i++) {
        if (job->result[i].state == GOLDEN_FAILED)
            return true;
    }
    const char **checksums = calloc(suite->count, sizeof *checksums);
    if (!checksums || asprintf(&folder, "%sexpected", suite->folder) < 0) {
        free(checksums);
        return error_set(err, EXIT_INPUT, "%s: no memory to record it", suite->path);
    }
    for (size_t i = 0; good && i < suite->count; i++) {
        checksums[i] = job->result[i].checksum;
        if (!wants_picture(&suite->cases[i]))
            continue;
        mkdir(folder, 0777); /* what fails shows when a picture is kept */
        good = keep_picture(suite, &suite->cases[i], &job->result[i], err);
    }
    good = good && golden_suite_write(suite, checksums, err);
    for (size_t i = 0; good && i < suite->count; i++)
        remove_stale(job, i);
    free(folder);
    free(checksums);
    return good;
}
