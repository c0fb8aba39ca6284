/* --verify: the reference beside the kernel, every byte compared. */
#include <string.h>

#include "base/parallel.h"
#include "kernel/kernel.h"
#include "run/picture.h"

/* Rows a piece: the reference is slow enough that small pieces even out the threads. */
#define PIECE_ROWS 8

static void verify_piece(void *context, int piece, int worker)
{
    const struct kernel_job *job = context;
    int first = piece * PIECE_ROWS, left = job->out->height - first;
    (void)worker;
    reference_rows(job, first, left < PIECE_ROWS ? left : PIECE_ROWS);
}

static bool verify_pass(const struct kernel_job *job, const void *context, struct error *err)
{
    struct kernel_job copy = *job;
    (void)context, (void)err;
    parallel_for(job->threads, (job->out->height + PIECE_ROWS - 1) / PIECE_ROWS, verify_piece,
                 &copy);
    return true;
}

static bool report_difference(const struct image *got, const struct image *want, int y,
                              const char *name, struct error *err)
{
    const void *ours = image_row(got, y), *right = image_row(want, y);
    size_t channels = (size_t)got->channels, i = 0;
    while (image_sample(ours, got->type, i) == image_sample(right, got->type, i))
        i++;
    return error_set(err, EXIT_DIFFERENT,
                     "%s: the output differs from the reference at x %zu, y %d, channel %zu: %u "
                     "where the reference has %u",
                     name, i / channels, y, i % channels, image_sample(ours, got->type, i),
                     image_sample(right, got->type, i));
}

bool picture_verify(const struct plan *plan, const struct image *in, const struct image *out,
                    int threads, const char *name, struct error *err)
{
    struct image want;
    struct kernel_job job;
    bool ok;

    if (!image_alloc(&want, out->width, out->height, out->channels, out->type, name, err))
        return false;
    job = kernel_job_whole(plan, in, &want);
    job.threads = threads;
    ok = passes_run(&job, verify_pass, NULL, err);
    for (int y = 0; ok && y < out->height; y++)
        if (memcmp(image_row(out, y), image_row(&want, y), image_row_bytes(out)) != 0)
            ok = report_difference(out, &want, y, name, err);
    image_free(&want);
    return ok;
}
