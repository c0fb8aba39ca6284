/* Records a golden suite: writes new checksums and keeps pictures. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/output.h"
#include "compare/golden.h"

/* Rewrites the suite with the results' checksums; all other text stays. */
static bool write_suite(const struct golden_job *job, struct error *err)
{
    const struct golden_suite *suite = job->suite;
    struct output *output;
    size_t at = 0;
    bool good = true;

    if (!output_open(&output, suite->path, err))
        return false;
    for (size_t i = 0; good && i < suite->count; i++) {
        const struct golden_case *one = &suite->cases[i];
        const char *checksum = job->result[i].checksum;
        size_t place = (size_t)(one->checksum - suite->words); /* in the original text too */
        good = output_write(output, suite->text + at, place - at, err) &&
               output_write(output, checksum, strlen(checksum), err);
        at = place + strlen(one->checksum);
    }
    good = good && output_write(output, suite->text + at, suite->bytes - at, err);
    return output_end(output, good, err);
}

/* Keeps the picture of a case that wants it, unless it is kept already: recording twice changes no
 * file. */
static bool keep_picture(const struct golden_suite *suite, const struct golden_case *one,
                         const struct golden_result *result, struct error *err)
{
    char path[GOLDEN_PATH], checksum[PICTURE_CHECKSUM_CHARS + 1];
    struct error ignored;

    if (!result->path[0] || !(one->reason || one->keep))
        return true;
    snprintf(path, sizeof path, "%sexpected", suite->folder);
    mkdir(path, 0777); /* after a failure the copy fails too */
    golden_expected_path(suite, one, result->checksum, path);
    return (access(path, F_OK) == 0 && picture_checksum(path, checksum, &ignored) &&
            strcmp(checksum, result->checksum) == 0) ||
           golden_copy(result->path, path, err);
}

/* Removes the picture of an old checksum that no case uses any more. */
static void remove_stale(const struct golden_job *job, const struct golden_case *one)
{
    char path[GOLDEN_PATH];

    for (size_t i = 0; i < job->suite->count; i++) {
        if (strcmp(job->result[i].checksum, one->checksum) == 0)
            return;
    }
    golden_expected_path(job->suite, one, one->checksum, path);
    if (strlen(one->checksum) == PICTURE_CHECKSUM_CHARS)
        unlink(path);
}

bool golden_record(const struct golden_job *job, struct error *err)
{
    const struct golden_suite *suite = job->suite;

    for (size_t i = 0; i < suite->count; i++) {
        if (job->result[i].state == GOLDEN_FAILED)
            return true;
    }
    for (size_t i = 0; i < suite->count; i++) {
        if (!keep_picture(suite, &suite->cases[i], &job->result[i], err))
            return false;
    }
    if (!write_suite(job, err))
        return false;
    for (size_t i = 0; i < suite->count; i++)
        remove_stale(job, &suite->cases[i]);
    return true;
}
