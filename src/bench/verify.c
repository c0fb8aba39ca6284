/* The output that the bench compares kernels with: the reference's rows, of the whole picture
 * where that is quick, else of three bands, top, middle and bottom. The bands hold every
 * kind of row that a kernel may treat differently: rows with ghost rows above or below,
 * and rows with neighbours only. All columns are compared, so both edges are covered. */
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

/* How the picture is cut. */
static void bands_place(struct bench_bands *bands, int rows[BENCH_BANDS], double quick, int height)
{
    int each = quick / BENCH_BANDS < 1 ? 1 : (int)(quick / BENCH_BANDS);
    if (quick >= height || each * BENCH_BANDS >= height) {
        bands->count = 1;
        rows[0] = height;
        return;
    }
    bands->count = BENCH_BANDS;
    bands->first[1] = (height - each) / 2;
    bands->first[2] = height - each;
    for (int i = 0; i < BENCH_BANDS; i++)
        rows[i] = each;
}

bool bench_bands_make(struct bench_bands *bands, const struct plan *plan, const struct image *in,
                      int threads, struct error *err)
{
    const struct plan_mask *m = &plan->mask[0];
    double row_taps =
        (double)in->width * (double)in->channels * (double)m->width * (double)m->height;
    int rows[BENCH_BANDS];

    memset(bands, 0, sizeof *bands);
    bands_place(bands, rows, TAPS * (double)threads / row_taps, in->height);
    for (int i = 0; i < bands->count; i++) {
        struct kernel_job job = kernel_job_whole(plan, in, &bands->want[i]);
        if (!image_alloc(&bands->want[i], in->width, rows[i], in->channels, in->type,
                         "the reference", err)) {
            bench_bands_free(bands);
            return false;
        }
        job.out_first_row = bands->first[i];
        parallel_for(threads, (rows[i] + PIECE_ROWS - 1) / PIECE_ROWS, reference_piece, &job);
        bands->rows += rows[i];
    }
    return true;
}

static unsigned sample_at(const struct image *image, int y, size_t i)
{
    const void *row = image_row(image, y);
    return image->type == SAMPLE_U8 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
}

static bool row_check(const struct image *got, int got_row, const struct image *want, int want_row,
                      int y, const char *name, struct error *err)
{
    size_t channels = (size_t)want->channels, i = 0;
    if (memcmp(image_row(got, got_row), image_row(want, want_row), image_row_bytes(want)) == 0)
        return true;
    while (sample_at(got, got_row, i) == sample_at(want, want_row, i))
        i++;
    return error_set(err, EXIT_DIFFERENT,
                     "%s differs from the reference at x %zu, y %d, channel %zu: %u where the "
                     "reference has %u",
                     name, i / channels, y, i % channels, sample_at(got, got_row, i),
                     sample_at(want, want_row, i));
}

bool bench_bands_check(const struct bench_bands *bands, const struct image *out, int first,
                       const char *name, struct error *err)
{
    for (int i = 0; i < bands->count; i++)
        for (int j = 0; j < bands->want[i].height; j++) {
            int y = bands->first[i] + j;
            if (y >= first && y < first + out->height &&
                !row_check(out, y - first, &bands->want[i], j, y, name, err))
                return false;
        }
    return true;
}

void bench_bands_free(struct bench_bands *bands)
{
    for (int i = 0; i < BENCH_BANDS; i++)
        image_free(&bands->want[i]);
    memset(bands, 0, sizeof *bands);
}
