/* Colour weighted by alpha under large masks: the sums of products with alpha by way of Fourier
 * transforms, so that a sample costs about the same whatever the mask's size. 8 and 16 bits, masks
 * of whole numbers that are not too large: the sums are exact, and so are the quotients.
 *
 * The picture is cut into blocks of one tile of output each (cpu/fft.c). A block's samples with
 * all ghost cells become pictures of 16 bits, whose sums are made one by one:
 *
 *   LOW    r*a  g*a  b*a  a    of 8 bits; of 16 bits the low half of each product, and a
 *   HIGH                       of 16 bits: the high half of each product, and 0
 *   PLAIN  r    g    b    a    only where a pixel has no alpha under its mask
 *
 * All sums are integers below 2^52 and off by less than a quarter before they are rounded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "cpu/fft.h"
#include "cpu/fft_plan.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/rows.h"

/* What is beside the transforms, in nanoseconds of a sample of each layer: products, quotients. */
#define COST_SAMPLE 10.0

/* Sums of weights up to which low + 65536 * high is below 2^52. */
#define MOST_SUM ((int64_t)1 << 20)

enum layer { LOW, HIGH, PLAIN };

struct worker {
    struct cpu_rows rows;
    uint32_t *line;
    struct image in;  /* the block with its ghost cells, 16 bits */
    int64_t *product; /* the sums of LOW and HIGH in one */
    int64_t *plain;   /* as cpu_finish_weighted takes it */
    struct error err;
    bool failed;
};

struct pass {
    const struct cpu_ops *ops;
    struct plan layer_plan; /* one layer's; its mask's weights are those of the job's plan */
    struct cpu_fft_plan *fft;
    /* Of one job: */
    const struct kernel_job *job;
    int blocks_x;
    struct worker *worker;
    int workers;
};

/* Samples of 16 bits whose ghost cells stand in the picture; nothing but sums is asked for. */
static struct plan layer_plan_of(const struct plan *plan)
{
    struct plan layer = *plan;
    layer.type = SAMPLE_U16;
    layer.max = UINT16_MAX;
    layer.alpha = ALPHA_PLAIN;
    layer.filtered = (1u << plan->channels) - 1;
    layer.border = BORDER_REPLICATE;
    layer.mask[0].anchor_x = layer.mask[0].anchor_y = 0;
    layer.mask[0].accumulator = ACCUMULATOR_I32; /* the nearest integers have to be the sums */
    return layer;
}

/* ---- one block ---- */

static void put_line(const uint32_t *line, enum layer layer, int channels, uint16_t *out, int n)
{
    for (int x = 0; x < n; x += channels) {
        uint32_t alpha = line[x + channels - 1];
        for (int c = 0; c < channels - 1; c++) {
            uint32_t product = line[x + c] * alpha;
            out[x + c] = (uint16_t)(layer == LOW    ? product
                                    : layer == HIGH ? product >> 16
                                                    : line[x + c]);
        }
        out[x + channels - 1] = (uint16_t)(layer == HIGH ? 0 : alpha);
    }
}

static bool sum_layer(const struct pass *pass, struct worker *w, enum layer layer, int y,
                      int height, int64_t *sums)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    struct image in = image_rows(&w->in, 0, height + m->height - 1), out = in;
    struct kernel_job job = {.plan = &pass->layer_plan, .in = &in, .out = &out, .threads = 1};

    in.width = w->rows.strip.pixels + m->width - 1;
    for (int i = 0; i < in.height; i++) {
        cpu_rows_fill(&w->rows, y - m->anchor_y + i, w->line);
        put_line(w->line, layer, in.channels, image_row(&in, i), in.width * in.channels);
    }
    job.picture_height = in.height;
    out.width = w->rows.strip.pixels;
    out.height = height;
    return cpu_fft_sums(&job, pass->ops, pass->fft, sums, &w->err);
}

/* The products' sums and the coverage; *none: some pixel has no alpha at all. */
static bool sum_products(const struct pass *pass, struct worker *w, int y, int height, bool *none)
{
    int channels = pass->job->plan->channels, n = w->rows.strip.pixels * height * channels;
    int64_t offset = pass->job->plan->mask[0].offset;

    *none = false;
    if (!sum_layer(pass, w, LOW, y, height, w->product))
        return false;
    if (pass->job->plan->type == SAMPLE_U16) { /* `plain` is free until then */
        if (!sum_layer(pass, w, HIGH, y, height, w->plain))
            return false;
        for (int i = 0; i < n; i++)
            w->product[i] += w->plain[i] * 65536;
    }
    for (int i = channels - 1; i < n; i += channels) {
        *none |= w->product[i] == 0;
        w->plain[i] = w->product[i] + offset;
    }
    return true;
}

static bool sum_plain(const struct pass *pass, struct worker *w, int y, int height)
{
    int n = w->rows.strip.pixels * height * pass->job->plan->channels;

    if (!sum_layer(pass, w, PLAIN, y, height, w->plain))
        return false;
    for (int i = 0; i < n; i++)
        w->plain[i] += pass->job->plan->mask[0].offset;
    return true;
}

static void run_block(void *context, int block, int worker)
{
    const struct pass *pass = context;
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    struct worker *w = &pass->worker[worker];
    int x = block % pass->blocks_x * pass->fft->tile_width, left = job->out->width - x;
    int y = block / pass->blocks_x * pass->fft->tile_height, height = job->out->height - y;
    int first = job->out_first_row + y, n;
    bool none;

    if (w->failed)
        return;
    if (height > pass->fft->tile_height)
        height = pass->fft->tile_height;
    w->rows.strip =
        (struct cpu_strip){.first_pixel = x,
                           .pixels = left < pass->fft->tile_width ? left : pass->fft->tile_width,
                           .first = first,
                           .end = first + height,
                           .top = first - m->anchor_y,
                           .bottom = first + height + m->height - m->anchor_y - 2};
    n = w->rows.strip.pixels * plan->channels;
    if (!sum_products(pass, w, first, height, &none) ||
        (none && !sum_plain(pass, w, first, height))) {
        w->failed = true;
        return;
    }
    for (int i = 0; i < height; i++) {
        union cpu_sums plain = {.wide = w->plain + (size_t)i * (size_t)n};
        union cpu_sums product = {.wide = w->product + (size_t)i * (size_t)n};
        uint8_t *out = (uint8_t *)image_row(job->out, y + i) +
                       (size_t)(x * plan->channels) * (size_t)plan->type;
        cpu_finish_weighted(pass->ops, plan, true, plain, true, product, out, n);
        if (plan->filtered != (1u << plan->channels) - 1)
            cpu_finish_unfiltered(job, first + i, x, w->rows.strip.pixels, out);
    }
}

/* ---- one pass ---- */

static bool worker_alloc(struct worker *w, const struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    size_t channels = (size_t)plan->channels;
    size_t n =
        (size_t)pass->fft->tile_width * (size_t)pass->fft->tile_height * channels + CPU_BLOCK;

    w->rows = (struct cpu_rows){.job = pass->job,
                                .mask_width = m->width,
                                .mask_height = m->height,
                                .anchor_x = m->anchor_x,
                                .anchor_y = m->anchor_y};
    w->line = malloc(((size_t)pass->fft->x.n * channels + CPU_BLOCK) * sizeof *w->line);
    /* Cleared: the colours of `plain` are written only where they count. */
    w->product = large_alloc_cleared(n * sizeof *w->product);
    w->plain = large_alloc_cleared(n * sizeof *w->plain);
    return w->line && w->product && w->plain &&
           image_alloc(&w->in, pass->fft->x.n, pass->fft->y.n, plan->channels, SAMPLE_U16, "block",
                       &w->err);
}

static bool run_blocks(struct pass *pass, struct error *err)
{
    const struct image *out = pass->job->out;
    int tile_width = pass->fft->tile_width, tile_height = pass->fft->tile_height;
    int blocks = (out->height + tile_height - 1) / tile_height;
    bool ok;

    pass->blocks_x = (out->width + tile_width - 1) / tile_width;
    blocks *= pass->blocks_x;
    pass->workers = pass->job->threads < blocks ? pass->job->threads : blocks;
    pass->worker = calloc((size_t)pass->workers, sizeof *pass->worker);
    ok = pass->worker != NULL;
    for (int i = 0; ok && i < pass->workers; i++)
        ok = worker_alloc(&pass->worker[i], pass);
    if (!ok)
        return error_set(err, EXIT_INPUT, "no memory for the tiles of %d threads", pass->workers);
    parallel_for(pass->workers, blocks, run_block, pass);
    for (int i = 0; ok && i < pass->workers; i++)
        if (pass->worker[i].failed) {
            *err = pass->worker[i].err;
            ok = false;
        }
    return ok;
}

static void pass_free(struct pass *pass)
{
    for (int i = 0; pass->worker && i < pass->workers; i++) {
        struct worker *w = &pass->worker[i];
        image_free(&w->in);
        free(w->line);
        free(w->product);
        free(w->plain);
    }
    free(pass->worker);
}

static void weighted_free(void *state)
{
    struct pass *pass = state;
    cpu_fft_plan_delete(pass->fft);
    free(pass);
}

static void *weighted_make(const struct plan *plan, const struct cpu_ops *ops, int width,
                           int height)
{
    struct pass *pass = calloc(1, sizeof *pass);

    if (!pass)
        return NULL;
    pass->ops = ops;
    pass->layer_plan = layer_plan_of(plan);
    pass->fft = cpu_fft_plan_new(&pass->layer_plan, ops, width, height);
    if (pass->fft)
        return pass;
    weighted_free(pass);
    return NULL;
}

static bool weighted_run(const void *state, const struct kernel_job *job, struct error *err)
{
    struct pass pass = *(const struct pass *)state;
    bool ok;

    pass.job = job;
    ok = run_blocks(&pass, err);
    pass_free(&pass);
    return ok;
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    struct plan layer = layer_plan_of(plan);
    struct cpu_fft_plan fft;

    (void)ops;
    if (plan->alpha != ALPHA_WEIGHTED)
        return "it is for colour weighted by alpha";
    return plan->mask[0].sum < MOST_SUM && cpu_fft_bound(&fft, &layer, CPU_FFT_MOST, CPU_FFT_MOST)
               ? NULL
               : "its sums would be off by too much";
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    int layers = plan->type == SAMPLE_U8 ? 1 : 2, channels = plan->channels, points[2];

    if (cpu_cells(plan) < CPU_FEW_CELLS || refusal(plan, ops))
        return HUGE_VAL;
    return layers * (cpu_fft_cost(&plan->mask[0], width, height, channels, &points[0], &points[1]) +
                     COST_SAMPLE * width * height * channels);
}

const struct cpu_method cpu_method_fft_weighted = {
    .name = "fft_weighted",
    .idea = "colour weighted by alpha by Fourier transforms of tiles",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = refusal,
    .cost = cost,
    .make = weighted_make,
    .run = weighted_run,
    .free = weighted_free,
    .rows = cpu_fft_band_rows,
};
