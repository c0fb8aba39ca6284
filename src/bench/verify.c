/* The output that the bench compares kernels with: the reference's rows, of the whole picture
 * where that is quick, else of three bands, top, middle and bottom. The bands hold every
 * kind of row that a kernel may treat differently: rows with ghost rows above or below,
 * and rows with neighbours only. All columns are compared, so both edges are covered. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "bench/bench.h"
#include "kernel/kernel.h"

/* Taps (a weight times a sample) that the reference sums for one mask on each thread: about a
 * second of work. */
#define TAPS 6e7

#define PIECE_ROWS 2

static void reference_piece(void *context, int piece, int worker)
{
    const struct kernel_job *job = context;
    int first = piece * PIECE_ROWS, left = job->out->height - first;
    (void)worker;
    reference_rows(job, first, left < PIECE_ROWS ? left : PIECE_ROWS);
}

bool bench_bands_make(struct bench_bands *bands, const struct plan *plan, const struct image *in,
                      int threads, struct error *err)
{
    const struct plan_mask *m = &plan->mask[0];
    double row_taps =
        (double)in->width * (double)in->channels * (double)m->width * (double)m->height;
    double quick = TAPS * (double)threads / row_taps; /* rows */
    double each = fmax(1, floor(quick / BENCH_BANDS));

    *bands = (struct bench_bands){.count = 1, .each = in->height};
    if (quick < in->height && each * BENCH_BANDS < in->height) {
        bands->count = BENCH_BANDS;
        bands->each = (int)each;
        bands->first[1] = (in->height - bands->each) / 2;
        bands->first[2] = in->height - bands->each;
    }
    if (!image_alloc(&bands->want, in->width, bands->count * bands->each, in->channels, in->type,
                     "the reference", err))
        return false;
    for (int i = 0; i < bands->count; i++) {
        struct image want = image_rows(&bands->want, i * bands->each, bands->each);
        struct kernel_job job = kernel_job_whole(plan, in, &want);
        job.out_first_row = bands->first[i];
        parallel_for(threads, (bands->each - 1) / PIECE_ROWS + 1, reference_piece, &job);
    }
    return true;
}

static unsigned sample_at(const struct image *image, int y, size_t i)
{
    const void *row = image_row(image, y);
    return image->type == SAMPLE_U8 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
}

bool bench_bands_check(const struct bench_bands *bands, const struct image *out, int first,
                       const char *name, struct error *err)
{
    const struct image *want = &bands->want;
    size_t bytes = image_row_bytes(want), channels = (size_t)want->channels, i = 0;
    for (int row = 0; row < want->height; row++) {
        int y = bands->first[row / bands->each] + row % bands->each, got = y - first;
        if (got < 0 || got >= out->height ||
            memcmp(image_row(out, got), image_row(want, row), bytes) == 0)
            continue;
        while (sample_at(out, got, i) == sample_at(want, row, i))
            i++;
        return error_set(err, EXIT_DIFFERENT,
                         "%s differs from the reference at x %zu, y %d, channel %zu: %u where the "
                         "reference has %u",
                         name, i / channels, y, i % channels, sample_at(out, got, i),
                         sample_at(want, row, i));
    }
    return true;
}
