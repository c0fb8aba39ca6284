/* One file of a batch: see batch/file.h. */
#include "batch/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(struct batch_result *result, const char *why)
{
    result->status = BATCH_FAILED;
    return error_set(&result->err, EXIT_INPUT, "%s: %s", result->input, why);
}

/* An output that is a symlink is written through it. */
static bool leads_into_inputs(const struct batch_place *place, const char *output)
{
    struct stat status;
    char *real;
    bool inside;

    if (lstat(output, &status) != 0 || !S_ISLNK(status.st_mode))
        return false;
    real = realpath(output, NULL);
    inside = real && batch_path_inside(real, place->input_real);
    free(real);
    return inside;
}

/* Its status, and what it will take; false with the result's error. */
static bool look_at(struct batch_result *result, struct stat *in, struct batch_cost *cost)
{
    /* A pipe would keep the program waiting; only files are wanted here. */
    int fd = open(result->input, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool ok = fd >= 0 && fstat(fd, in) == 0;

    if (!ok) {
        result->status = BATCH_FAILED;
        error_errno(&result->err, result->input, "read");
    } else if (!S_ISREG(in->st_mode)) {
        ok = fail(result, "is no regular file");
    } else {
        result->input_bytes = (uint64_t)in->st_size;
        *cost = batch_cost_of(fd, result->input_bytes);
        posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

bool batch_file_prepare(const struct batch_place *place, const struct batch_item *item,
                        struct batch_result *result, struct stat *in, struct batch_cost *cost)
{
    struct stat out;

    if (item->trouble)
        return fail(result, item->trouble);
    if (!look_at(result, in, cost))
        return false;
    if (leads_into_inputs(place, result->output))
        return fail(result, "its output is a symlink into the folder of inputs");
    if (!place->force && stat(result->output, &out) == 0 && S_ISREG(out.st_mode) &&
        manifest_has(place->manifest, item->output, &out, in)) {
        result->status = BATCH_SKIPPED;
        result->output_bytes = (uint64_t)out.st_size;
        return false;
    }
    return true;
}

bool batch_file_filter(const struct batch_place *place, const struct batch_item *item,
                       struct batch_result *result, const struct stat *in,
                       const struct picture_request *request, struct error *err)
{
    struct picture_request watched = *request;
    struct stat out = {0};

    watched.sink.written = &out;
    result->status = BATCH_FAILED;
    if (!picture_filter(&watched, result->input, result->output, &result->report, &result->err))
        return true;
    result->status = BATCH_DONE;
    if (!S_ISREG(out.st_mode))
        return true; /* a pipe or a device has no next time: nothing to note */
    result->output_bytes = (uint64_t)out.st_size;
    return manifest_add(place->manifest, item->output, &out, item->name, in, err);
}
