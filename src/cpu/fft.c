/* The method `fft`, for large masks of any weights: filters each tile of the picture by its Fourier
 * transform, so that a sample costs about the same for any size of the mask. Takes linear masks, 8
 * and 16 bits, sums of 32 and 64 bits; also colour weighted by alpha, under masks of whole numbers
 * that are not too large. Why the sums are right: cpu/fft_plan.h.
 *
 *     +-----------------------+   a tile of points: a part of the picture with the mask's
 *     | outputs       | mask  |   halo right and below; the sums of the outputs are right, all
 *     |               | - 1   |   other sums wrap around and are not used
 *     |---------------+       |
 *     | mask - 1              |
 *     +-----------------------+
 *
 * Two parts share a tile, one as the real part of its points, one as the imaginary part. They stay
 * separate, because the weights are real. A part is one channel. A tile passes through the caches
 * three times, four columns or four rows at a time, which are transformed side by side:
 *
 *   1  samples of four columns -> transforms along y -> turned, to the tile
 *   2  four rows of the tile -> along x -> times the mask's spectrum -> and back along x
 *   3  four columns -> turned -> back along y -> integers -> samples
 *
 * With colour weighted by alpha the parts of a tile are transformed one pair after the other:
 *
 *   LOW    r*a  g*a  b*a  a    of 8 bits; of 16 bits the low half of each product, and a
 *   HIGH                       of 16 bits: the high half of each product, and 0
 *   PLAIN  r    g    b    a    only where a pixel has no alpha under its mask
 *
 * All these sums are integers below 2^52; before rounding their error is less than a quarter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/fft_plan.h"
#include "cpu/finish.h"
#include "cpu/method.h"

#define LANES CPU_FFT_LANES

/* For sums of weights below this, low + 65536 * high is below 2^52. */
#define MOST_SUM ((int64_t)1 << 20)

enum layer { PLAIN, LOW, HIGH };

/* One channel of the outputs of one tile. */
struct part {
    enum layer layer;
    int channel, x, y; /* the first output, in picture pixels */
    int width, height; /* 0: no part */
    int to_alpha;      /* samples from the channel to its pixel's alpha; products */
    double ghost;
    const void **row;  /* picture row of each row of points; NULL: ghost cells, or not used */
    ptrdiff_t *column; /* place in a row of each column of points; -1: like NULL */
};

struct fft_worker {
    double *tile, *block;
    struct part part[2];
    /* Weighted by alpha: one tile's sums of products (LOW and HIGH in one), and of samples. */
    int64_t *product, *plain;
};

struct fft_pass {
    CPU_STATE;
    struct cpu_fft_plan *fft;
    bool weighted;
    int channel[4], channels; /* the filtered channels */
    int tiles_x, tiles;
};

/* ---- a tile ---- */

#define LOAD(name, sample)                                                                         \
    static void name(const struct part *part, int rows, int x, double *out)                        \
    {                                                                                              \
        const ptrdiff_t *at = part->column + x;                                                    \
        bool inside = at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[3] >= 0;                        \
        for (int y = 0; y < rows; y++, out += LANES) {                                             \
            const sample *row = part->row[y];                                                      \
            if (row && inside)                                                                     \
                for (int k = 0; k < LANES; k++)                                                    \
                    out[k] = row[at[k]];                                                           \
            else                                                                                   \
                for (int k = 0; k < LANES; k++)                                                    \
                    out[k] = row && at[k] >= 0 ? row[at[k]] : part->ghost;                         \
        }                                                                                          \
    }
LOAD(load_u8, uint8_t)
LOAD(load_u16, uint16_t)

/* The number of LAYER for a colour and its alpha, or for alpha alone. */
static double layer_of(enum layer layer, uint32_t sample, uint32_t alpha)
{
    return layer == PLAIN ? sample : layer == LOW ? sample * alpha & 0xffff : sample * alpha >> 16;
}

static void load_layer(const struct plan *plan, const struct part *part, int rows, int x,
                       double *out)
{
    for (int y = 0; y < rows; y++)
        for (int k = 0; k < LANES; k++) {
            const void *row = part->row[y];
            ptrdiff_t at = part->column[x + k];
            if (!row || at < 0)
                *out++ = part->ghost;
            else
                *out++ = layer_of(part->layer, image_sample(row, plan->type, (size_t)at),
                                  part->to_alpha
                                      ? image_sample(row, plan->type, (size_t)(at + part->to_alpha))
                                      : 1);
        }
}

static void transform_in(const struct fft_pass *pass, struct fft_worker *w)
{
    const struct plan *plan = pass->job->plan;
    int n = pass->fft->y.n;

    for (int x = 0; x < pass->fft->x.n; x += LANES) {
        for (int k = 0; k < 2; k++) {
            double *out = w->block + k * LANES * n;
            if (w->part[k].height == 0)
                memset(out, 0, (size_t)(LANES * n) * sizeof *out);
            else if (w->part[k].layer != PLAIN)
                load_layer(plan, &w->part[k], n, x, out);
            else if (plan->type == SAMPLE_U8)
                load_u8(&w->part[k], n, x, out);
            else
                load_u16(&w->part[k], n, x, out);
        }
        cpu_fft_put_columns(pass->fft, w->block, w->tile, x);
    }
}

static void filter_tile(const struct fft_pass *pass, struct fft_worker *w)
{
    for (int y = 0; y < pass->fft->y.n / LANES; y++) {
        double *rows = w->tile + (size_t)y * pass->fft->stride;
        pass->fft->ops->fft_forward(&pass->fft->x, rows);
        pass->fft->ops->fft_multiply(pass->fft->spectrum + (size_t)y * pass->fft->stride, rows,
                                     pass->fft->x.n);
        pass->fft->ops->fft_back(&pass->fft->x, rows);
    }
}

#define CHUNK 64 /* rows of a block */

/* Recomputes the samples of four columns whose bounds differ. */
static void resolve(const struct fft_pass *pass, const struct part *part, int x, int first, int n,
                    int32_t *low, const int32_t *high)
{
    for (int k = 0; k < n; k++)
        if (low[k] != high[k])
            low[k] = (int32_t)cpu_exact_sample(pass->job, part->x + x + k % LANES,
                                               part->y + first + k / LANES, part->channel);
}

/* Writes columns x to x + 3 of a part to the picture, as samples. */
static void put_samples(const struct fft_pass *pass, const struct part *part, const double *value,
                        int x)
{
    const struct cpu_fft_plan *fft = pass->fft;
    const struct image *image = pass->job->out;
    int width = part->width - x < LANES ? part->width - x : LANES, step = image->channels;
    size_t at = (size_t)((part->x + x) * step + part->channel);
    int32_t low[CHUNK * LANES], high[CHUNK * LANES];
    double max = pass->job->plan->max;

    for (int first = 0; first < part->height; first += CHUNK, value += CHUNK * LANES) {
        int rows = part->height - first < CHUNK ? part->height - first : CHUNK, n = rows * LANES;
        fft->ops->fft_floor(value, fft->round, fft->inverse, fft->low, max, low, n);
        if (fft->round <= 0) {
            fft->ops->fft_floor(value, 0, fft->inverse, fft->high, max, high, n);
            resolve(pass, part, x, first, n, low, high);
        }
        for (int y = 0; y < rows; y++) {
            void *out = image_row(image, part->y + first + y - pass->job->out_first_row);
            for (int k = 0; k < width; k++)
                image_put_sample(out, image->type, at + (size_t)(k * step),
                                 (uint32_t)low[y * LANES + k]);
        }
    }
}

/* Puts columns x to x + 3 of a part into the tile's sums of products or of samples. */
static void put_sums(const struct fft_pass *pass, struct fft_worker *w, const struct part *part,
                     const double *value, int x)
{
    const struct plan *plan = pass->job->plan;
    int end = part->width - x < LANES ? part->width - x : LANES;

    for (int y = 0; y < part->height; y++, value += LANES)
        for (int k = 0; k < end; k++) {
            int at = (y * part->width + x + k) * plan->channels + part->channel;
            int64_t sum = (int64_t)(value[k] + CPU_FFT_NEAREST - CPU_FFT_NEAREST);
            if (part->layer == PLAIN)
                w->plain[at] = sum + plan->mask[0].offset;
            else if (part->layer == LOW)
                w->product[at] = sum;
            else
                w->product[at] += 65536 * sum;
        }
}

static void transform_out(const struct fft_pass *pass, struct fft_worker *w)
{
    int n = pass->fft->y.n, nx = pass->fft->x.n;
    int width = w->part[0].width > w->part[1].width ? w->part[0].width : w->part[1].width;
    for (int x = 0; x < width; x += LANES) {
        for (int k = 0; k < 2; k++)
            pass->fft->ops->fft_turn(w->tile + k * LANES * nx + LANES * x, pass->fft->stride,
                                     w->block + k * LANES * n, LANES * LANES, n / LANES);
        pass->fft->ops->fft_back(&pass->fft->y, w->block);
        for (int k = 0; k < 2; k++) {
            const double *value = w->block + k * LANES * n;
            if (x >= w->part[k].width)
                continue;
            if (pass->weighted)
                put_sums(pass, w, &w->part[k], value, x);
            else
                put_samples(pass, &w->part[k], value, x);
        }
    }
}

/* ---- a part of the picture ---- */

/* Sets PART to channel CHANNEL of LAYER of tile TILE; to no part if there is no such tile. */
static void part_set(const struct fft_pass *pass, struct part *part, int tile, int channel,
                     enum layer layer)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int alpha = plan->channels - 1;

    part->height = part->width = 0;
    if (tile >= pass->tiles)
        return;
    part->layer = layer;
    part->channel = channel;
    part->to_alpha = layer == PLAIN ? 0 : alpha - channel;
    part->x = tile % pass->tiles_x * pass->fft->tile_width;
    part->y = job->out_first_row + tile / pass->tiles_x * pass->fft->tile_height;
    part->width = job->out->width - part->x;
    part->height = job->out_first_row + job->out->height - part->y;
    if (part->width > pass->fft->tile_width)
        part->width = pass->fft->tile_width;
    if (part->height > pass->fft->tile_height)
        part->height = pass->fft->tile_height;
    part->ghost =
        layer_of(layer, plan_ghost(plan, channel), part->to_alpha ? plan_ghost(plan, alpha) : 1);
    for (int i = 0; i < pass->fft->y.n; i++) {
        int y = border_fold(plan->border, part->y - m->anchor_y + i, job->picture_height);
        bool used = i < part->height + m->height - 1 && y != BORDER_OUTSIDE;
        part->row[i] = used ? image_row(job->in, y - job->in_first_row) : NULL;
    }
    for (int j = 0; j < pass->fft->x.n; j++) {
        int x = border_fold(plan->border, part->x - m->anchor_x + j, job->in->width);
        bool used = j < part->width + m->width - 1 && x != BORDER_OUTSIDE;
        part->column[j] = used ? (ptrdiff_t)x * plan->channels + part->channel : -1;
    }
}

/* Filters both parts of the worker. */
static void run_parts(const struct fft_pass *pass, struct fft_worker *w)
{
    transform_in(pass, w);
    filter_tile(pass, w);
    transform_out(pass, w);
}

static void run_pair(const void *context, void *worker, int pair)
{
    const struct fft_pass *pass = context;
    struct fft_worker *w = worker;

    for (int k = 0; k < 2; k++) {
        int number = 2 * pair + k;
        part_set(pass, &w->part[k], number / pass->channels, pass->channel[number % pass->channels],
                 PLAIN);
    }
    run_parts(pass, w);
}

/* ---- colour weighted by alpha ---- */

static void sum_layer(const struct fft_pass *pass, struct fft_worker *w, int tile, enum layer layer)
{
    for (int c = 0; c < pass->job->plan->channels; c += 2) { /* 2 or 4 */
        part_set(pass, &w->part[0], tile, c, layer);
        part_set(pass, &w->part[1], tile, c + 1, layer);
        run_parts(pass, w);
    }
}

static void run_weighted(const void *context, void *worker, int tile)
{
    const struct fft_pass *pass = context;
    const struct plan *plan = pass->job->plan;
    struct fft_worker *w = worker;
    const struct part *part = &w->part[0];
    int alpha = plan->channels - 1, n;
    bool none = false; /* has some pixel no alpha at all? */

    sum_layer(pass, w, tile, LOW);
    if (plan->type == SAMPLE_U16)
        sum_layer(pass, w, tile, HIGH);
    n = part->width * plan->channels;
    for (int i = alpha; i < n * part->height; i += plan->channels)
        none |= w->product[i] == 0;
    if (none)
        sum_layer(pass, w, tile, PLAIN);
    for (int i = 0; i < part->height; i++) {
        size_t row = (size_t)i * (size_t)n;
        uint8_t *out =
            (uint8_t *)image_row(pass->job->out, part->y + i - pass->job->out_first_row) +
            (size_t)(part->x * plan->channels) * (size_t)plan->type;
        cpu_finish_weighted(plan, w->plain + row, NULL, w->product + row, out, n);
        cpu_finish_unfiltered(pass->job, part->y + i, part->x, part->width, out);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct fft_pass *pass = context;
    const struct cpu_fft_plan *fft = pass->fft;
    const struct plan *plan = pass->job->plan;
    struct fft_worker *w = worker;
    size_t nx = (size_t)fft->x.n, ny = (size_t)fft->y.n;
    size_t sums = (size_t)fft->tile_width * (size_t)fft->tile_height * (size_t)plan->channels;

    w->tile = cpu_memory_take(memory, fft->stride * ny / LANES * sizeof(double));
    w->block = cpu_memory_take(memory, 2 * LANES * ny * sizeof(double));
    for (int k = 0; k < 2; k++) {
        struct part *part = &w->part[k];
        part->row = cpu_memory_take(memory, ny * sizeof *part->row);
        part->column = cpu_memory_take(memory, nx * sizeof *part->column);
    }
    if (!pass->weighted)
        return;
    /* Cleared: the colours of `plain` are written only where they count. */
    w->product = cpu_memory_take(memory, (sums + CPU_BLOCK) * sizeof *w->product);
    w->plain = cpu_memory_take(memory, (sums + CPU_BLOCK) * sizeof *w->plain);
}

static bool fft_run(const void *state, const struct kernel_job *job, struct error *err)
{
    const struct plan *plan = job->plan;
    struct fft_pass pass = *(const struct fft_pass *)state;
    int pieces, width = pass.fft->tile_width, height = pass.fft->tile_height;
    bool ok = true;

    pass.job = job;
    pass.weighted = plan->alpha == ALPHA_WEIGHTED;
    for (int c = 0; c < plan->channels; c++)
        if (plan->filtered >> c & 1)
            pass.channel[pass.channels++] = c;
    pass.tiles_x = (job->out->width - 1) / width + 1;
    pass.tiles = pass.tiles_x * ((job->out->height - 1) / height + 1);
    pieces = pass.weighted ? pass.tiles : (pass.tiles * pass.channels + 1) / 2;
    if (pieces > 0) /* 0: nothing is filtered */
        ok = cpu_workers_run(job->threads, pieces, sizeof(struct fft_worker), worker_make,
                             pass.weighted ? run_weighted : run_pair, &pass, err);
    for (int y = 0; ok && !pass.weighted && y < job->out->height; y++)
        cpu_finish_unfiltered(job, job->out_first_row + y, 0, job->out->width,
                              image_row(job->out, y));
    return ok;
}

/* ---- the row of the table ---- */

/* Work besides the transforms, in nanoseconds per sample weighted by alpha: of each layer, and
 * quotients. */
#define COST_LAYER    2.4
#define COST_WEIGHTED 7.8
/* More for a sample whose sum has 64 bits; for one that is copied. */
#define COST_64_BITS 0.7
#define COST_COPIED  2.5

/* The plan for the transforms: PLAN; with colour weighted by alpha the plan of a layer, with 16
 * bits and sums that must round to the exact integers. */
static struct plan transformed_plan(const struct plan *plan)
{
    struct plan layer = *plan;
    if (plan->alpha == ALPHA_WEIGHTED) {
        layer.max = UINT16_MAX;
        layer.filtered = (1u << plan->channels) - 1;
        layer.mask[0].accumulator = ACCUMULATOR_I32;
    }
    return layer;
}

static bool fft_make(void *state)
{
    struct fft_pass *pass = state;
    struct plan transformed = transformed_plan(pass->plan);
    pass->fft = cpu_fft_plan_new(&transformed, pass->ops, pass->width, pass->height);
    return pass->fft != NULL;
}

static void fft_free(void *state)
{
    cpu_fft_plan_delete(((struct fft_pass *)state)->fft);
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    struct plan transformed = transformed_plan(plan);
    struct cpu_fft_plan fft;

    (void)ops;
    return (plan->alpha != ALPHA_WEIGHTED || plan->mask[0].sum < MOST_SUM) &&
                   cpu_fft_bound(&fft, &transformed, CPU_FFT_MOST, CPU_FFT_MOST)
               ? NULL
               : "its sums would be off by too much";
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    double samples = cpu_samples(plan, width, height);
    bool weighted = plan->alpha == ALPHA_WEIGHTED;
    int layers = weighted && plan->type == SAMPLE_U16 ? 2 : 1, points[2];
    int channels = weighted ? plan->channels : __builtin_popcount(plan->filtered);
    double tiles;

    if (cpu_cells(plan) < CPU_FEW_CELLS || refusal(plan, ops))
        return HUGE_VAL;
    tiles = cpu_fft_cost(&plan->mask[0], width, height, channels, &points[0], &points[1]);
    if (weighted)
        return layers * (tiles + COST_LAYER * samples) + COST_WEIGHTED * samples;
    return tiles + (plan->mask[0].accumulator == ACCUMULATOR_I64 ? COST_64_BITS * samples : 0) +
           COST_COPIED * samples * (plan->channels - channels) / plan->channels;
}

const struct cpu_method cpu_method_fft = {
    .name = "fft",
    .idea = "tiles and their Fourier transforms, with sums that are proven to be right",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = refusal,
    .cost = cost,
    .wide_cost = 0.94,
    .state_bytes = sizeof(struct fft_pass),
    .make = fft_make,
    .run = fft_run,
    .free = fft_free,
    .rows = cpu_fft_band_rows,
};
