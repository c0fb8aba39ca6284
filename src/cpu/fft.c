/* Large masks of any weights on the CPU: the picture in tiles, each by way of its Fourier
 * transform, so that a sample costs about the same whatever the mask's size. Linear masks, 8 and 16
 * bits, sums of 32 and of 64 bits; colour weighted by alpha under masks of whole numbers that are
 * not too large. Why the sums are right: cpu/fft_plan.h.
 *
 *     +-----------------------+   a tile of points: a part of the picture with the mask's
 *     | outputs       | mask  |   halo right and below; sums of the outputs' own columns and
 *     |               | - 1   |   rows are whole, the others wrap around and are not used
 *     |---------------+       |
 *     | mask - 1              |
 *     +-----------------------+
 *
 * One part is the real and another one the imaginary part of a tile's points: the weights are
 * real, so that they stay apart. A part is one channel. A tile goes three times through the
 * caches, four columns or four rows at a time, whose transforms are made side by side:
 *
 *   1  samples of four columns -> transforms along y -> turned, to the tile
 *   2  four rows of the tile -> along x -> times the mask's spectrum -> and back along x
 *   3  four columns -> turned -> back along y -> integers -> samples                          */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "cpu/fft_plan.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/rows.h"

#define LANES CPU_FFT_LANES

/* One channel of the outputs of one tile. */
struct part {
    int channel, x, y; /* the first output, in picture pixels */
    int width, height; /* 0: there is none */
    double ghost;
    const void **row;  /* for each point's row the picture's; NULL: ghost cells, or not used */
    ptrdiff_t *column; /* for each point's column the place in a row; -1: the same */
    int32_t *sum;      /* tile_height rows of sum_stride */
};

struct fft_worker {
    double *tile, *block;
    struct part part[2];
    void *line;
};

/* What all jobs share. */
struct shared {
    const struct cpu_ops *ops;
    bool weighted;
    struct plan layer_plan;   /* weighted: one layer's; its mask's weights are the plan's own */
    struct cpu_fft_plan *fft; /* of the plan, or of a layer */
};

struct fft_pass {
    const struct kernel_job *job;
    const struct cpu_ops *ops;
    const struct cpu_fft_plan *fft;
    int64_t *sums; /* NULL: samples are wanted */
    size_t sum_stride;
    int channel[4], channels; /* those that are filtered */
    int tiles_x, parts;
    struct fft_worker *worker;
    int workers;
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

static void transform_in(const struct fft_pass *pass, struct fft_worker *w)
{
    int n = pass->fft->y.n;
    for (int x = 0; x < pass->fft->x.n; x += LANES) {
        for (int k = 0; k < 2; k++) {
            double *out = w->block + k * LANES * n;
            if (w->part[k].height == 0)
                memset(out, 0, (size_t)(LANES * n) * sizeof *out);
            else if (pass->job->plan->type == SAMPLE_U8)
                load_u8(&w->part[k], n, x, out);
            else
                load_u16(&w->part[k], n, x, out);
        }
        cpu_fft_put_columns(pass->fft, pass->ops, w->block, w->tile, x);
    }
}

static void filter_tile(const struct fft_pass *pass, struct fft_worker *w)
{
    for (int y = 0; y < pass->fft->y.n / LANES; y++) {
        double *rows = w->tile + (size_t)y * pass->fft->stride;
        pass->ops->fft_forward(&pass->fft->x, rows);
        pass->ops->fft_multiply(pass->fft->spectrum + (size_t)y * pass->fft->stride, rows,
                                pass->fft->x.n);
        pass->ops->fft_back(&pass->fft->x, rows);
    }
}

/* The sum of one output, with the plan's own weights. */
static int64_t exact_sum(const struct fft_pass *pass, const struct part *part, int x, int y)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    uint64_t sum = (uint64_t)m->offset;
    for (int i = 0; i < m->height; i++) {
        const void *row = part->row[y + i];
        for (int j = 0; j < m->width; j++) {
            ptrdiff_t at = part->column[x + j];
            uint64_t sample = !row || at < 0                       ? (uint64_t)part->ghost
                              : pass->job->plan->type == SAMPLE_U8 ? ((const uint8_t *)row)[at]
                                                                   : ((const uint16_t *)row)[at];
            sum += (uint64_t)m->weight[i * m->width + j] * sample;
        }
    }
    return (int64_t)sum;
}

/* floor(value) for 0 <= value <= max, else what is next to it. */
static inline int32_t clamped_floor(double value, double max)
{
    value = value > max ? max : value;
    return (int32_t)(value < 0 ? 0 : value);
}

#define CHUNK 64 /* rows of a block */

/* Samples from sums of 64 bits, where both bounds agree; the others exactly. */
static void certify(const struct fft_pass *pass, const struct part *part, const double *value,
                    int x)
{
    const struct cpu_fft_plan *fft = pass->fft;
    const struct plan *plan = pass->job->plan;
    int width = part->width - x < LANES ? part->width - x : LANES;
    double round = fft->round, inverse = fft->inverse, below = fft->low, above = fft->high,
           max = plan->max;
    int32_t low[CHUNK * LANES], high[CHUNK * LANES];

    for (int first = 0; first < part->height; first += CHUNK, value += CHUNK * LANES) {
        int rows = part->height - first < CHUNK ? part->height - first : CHUNK;
        for (int k = 0; k < rows * LANES; k++) {
            double quotient = (value[k] + round - round) * inverse;
            low[k] = clamped_floor(quotient + below, max);
            high[k] = clamped_floor(quotient + above, max);
        }
        for (int y = 0; y < rows; y++)
            for (int k = 0; k < width; k++) {
                int32_t *out = part->sum + (size_t)(first + y) * pass->sum_stride + x + k;
                *out = low[y * LANES + k];
                if (*out != high[y * LANES + k])
                    *out =
                        (int32_t)cpu_finish_sample(plan, exact_sum(pass, part, x + k, first + y));
            }
    }
}

/* Column x to x + 3 of a part, to the picture of sums. */
static void put_sums(const struct fft_pass *pass, const struct part *part, const double *value,
                     int x)
{
    size_t step = (size_t)pass->job->plan->channels, line = step * (size_t)pass->job->out->width;
    int64_t *out = pass->sums + (size_t)(part->y - pass->job->out_first_row) * line +
                   (size_t)(part->x + x) * step + (size_t)part->channel;
    size_t end = (size_t)(part->width - x < LANES ? part->width - x : LANES);

    for (int y = 0; y < part->height; y++, value += LANES, out += line)
        for (size_t k = 0; k < end; k++)
            out[k * step] = (int64_t)(value[k] + CPU_FFT_NEAREST - CPU_FFT_NEAREST);
}

static void transform_out(const struct fft_pass *pass, struct fft_worker *w)
{
    int n = pass->fft->y.n, nx = pass->fft->x.n;
    int width = w->part[0].width > w->part[1].width ? w->part[0].width : w->part[1].width;
    for (int x = 0; x < width; x += LANES) {
        for (int k = 0; k < 2; k++)
            pass->ops->fft_turn(w->tile + k * LANES * nx + LANES * x, pass->fft->stride,
                                w->block + k * LANES * n, LANES * LANES, n / LANES);
        pass->ops->fft_back(&pass->fft->y, w->block);
        for (int k = 0; k < 2; k++) {
            const double *value = w->block + k * LANES * n;
            if (x >= w->part[k].width)
                continue;
            if (pass->sums)
                put_sums(pass, &w->part[k], value, x);
            else if (pass->fft->wide)
                certify(pass, &w->part[k], value, x);
            else
                pass->ops->fft_round(value, w->part[k].sum + x, pass->sum_stride,
                                     w->part[k].height);
        }
    }
}

/* ---- a part of the picture ---- */

static void part_set(const struct fft_pass *pass, struct part *part, int number)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int tile = number / pass->channels;

    part->height = part->width = 0;
    if (number >= pass->parts)
        return;
    part->channel = pass->channel[number % pass->channels];
    part->x = tile % pass->tiles_x * pass->fft->tile_width;
    part->y = job->out_first_row + tile / pass->tiles_x * pass->fft->tile_height;
    part->width = job->out->width - part->x;
    part->height = job->out_first_row + job->out->height - part->y;
    if (part->width > pass->fft->tile_width)
        part->width = pass->fft->tile_width;
    if (part->height > pass->fft->tile_height)
        part->height = pass->fft->tile_height;
    part->ghost = plan_ghost(plan, part->channel);
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

static void part_finish(const struct fft_pass *pass, const struct part *part, void *line)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    size_t step = (size_t)plan->channels;
    uint32_t offset = (uint32_t)plan->mask[0].offset;

    for (int y = 0; y < part->height; y++) {
        int32_t *sum = part->sum + (size_t)y * pass->sum_stride;
        size_t at = (size_t)part->x * step + (size_t)part->channel;
        void *out = image_row(job->out, part->y + y - job->out_first_row);
        if (!pass->fft->wide) {
            union cpu_sums sums = {.narrow = sum};
            for (int x = 0; x < part->width && offset != 0; x++)
                sum[x] = (int32_t)((uint32_t)sum[x] + offset);
            cpu_finish_linear(pass->ops, plan, false, sums, line, part->width);
            if (plan->type == SAMPLE_U8)
                for (int x = 0; x < part->width; x++)
                    ((uint8_t *)out)[at + (size_t)x * step] = ((uint8_t *)line)[x];
            else
                for (int x = 0; x < part->width; x++)
                    ((uint16_t *)out)[at + (size_t)x * step] = ((uint16_t *)line)[x];
        } else if (plan->type == SAMPLE_U8) {
            for (int x = 0; x < part->width; x++)
                ((uint8_t *)out)[at + (size_t)x * step] = (uint8_t)sum[x];
        } else {
            for (int x = 0; x < part->width; x++)
                ((uint16_t *)out)[at + (size_t)x * step] = (uint16_t)sum[x];
        }
    }
}

static void run_pair(void *context, int pair, int worker)
{
    const struct fft_pass *pass = context;
    struct fft_worker *w = &pass->worker[worker];

    for (int k = 0; k < 2; k++)
        part_set(pass, &w->part[k], 2 * pair + k);
    transform_in(pass, w);
    filter_tile(pass, w);
    transform_out(pass, w);
    for (int k = 0; k < 2 && !pass->sums; k++)
        part_finish(pass, &w->part[k], w->line);
}

/* ---- one pass ---- */

static bool worker_alloc(struct fft_worker *w, const struct fft_pass *pass)
{
    size_t nx = (size_t)pass->fft->x.n, ny = (size_t)pass->fft->y.n;
    bool ok;

    w->tile = cpu_fft_alloc(pass->fft->stride * ny / LANES);
    w->block = cpu_fft_alloc(2 * LANES * ny);
    w->line = malloc(nx * pass->job->plan->type);
    ok = w->tile && w->block && w->line;
    for (int k = 0; k < 2; k++) {
        struct part *part = &w->part[k];
        part->row = malloc(ny * sizeof *part->row);
        part->column = malloc(nx * sizeof *part->column);
        part->sum = calloc((size_t)pass->fft->tile_height * pass->sum_stride, sizeof *part->sum);
        ok = ok && part->row && part->column && part->sum;
    }
    return ok;
}

static void pass_free(struct fft_pass *pass)
{
    for (int i = 0; pass->worker && i < pass->workers; i++) {
        struct fft_worker *w = &pass->worker[i];
        free(w->tile);
        free(w->block);
        free(w->line);
        for (int k = 0; k < 2; k++) {
            free(w->part[k].row);
            free(w->part[k].column);
            free(w->part[k].sum);
        }
    }
    free(pass->worker);
}

static bool pass_make(struct fft_pass *pass)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    int tiles_y;
    bool ok;

    for (int c = 0; c < plan->channels; c++)
        if (plan->filtered >> c & 1)
            pass->channel[pass->channels++] = c;
    pass->tiles_x = (job->out->width + pass->fft->tile_width - 1) / pass->fft->tile_width;
    tiles_y = (job->out->height + pass->fft->tile_height - 1) / pass->fft->tile_height;
    pass->parts = pass->tiles_x * tiles_y * pass->channels;
    if (pass->workers > (pass->parts + 1) / 2) /* no part at all: nothing is filtered */
        pass->workers = pass->parts == 0 ? 1 : (pass->parts + 1) / 2;
    pass->sum_stride = (size_t)pass->fft->tile_width + CPU_BLOCK;
    pass->worker = calloc((size_t)pass->workers, sizeof *pass->worker);
    ok = pass->worker != NULL;
    for (int i = 0; ok && i < pass->workers; i++)
        ok = worker_alloc(&pass->worker[i], pass);
    return ok;
}

static bool run(struct fft_pass *pass, struct error *err)
{
    bool ok = pass->fft && pass_make(pass);
    if (ok)
        parallel_for(pass->workers, (pass->parts + 1) / 2, run_pair, pass);
    else
        error_set(err, EXIT_INPUT, "no memory for the tiles of %d threads", pass->workers);
    pass_free(pass);
    return ok;
}

static bool fft_sums(const struct kernel_job *job, const struct shared *shared, int64_t *sums,
                     struct error *err)
{
    struct fft_pass pass = {
        .job = job, .ops = shared->ops, .fft = shared->fft, .sums = sums, .workers = job->threads};
    return run(&pass, err);
}

/* ---- colour weighted by alpha ----
 *
 * The picture is cut into blocks of one tile of output each. A block's samples with all ghost cells
 * become pictures of 16 bits, whose sums are made one by one:
 *
 *   LOW    r*a  g*a  b*a  a    of 8 bits; of 16 bits the low half of each product, and a
 *   HIGH                       of 16 bits: the high half of each product, and 0
 *   PLAIN  r    g    b    a    only where a pixel has no alpha under its mask
 *
 * All sums are integers below 2^52 and off by less than a quarter before they are rounded. */

/* What is beside the transforms, in nanoseconds of a sample of each layer: products, quotients. */
#define COST_SAMPLE 10.0

/* Sums of weights up to which low + 65536 * high is below 2^52. */
#define MOST_SUM ((int64_t)1 << 20)

enum layer { LOW, HIGH, PLAIN };

struct block_worker {
    struct cpu_rows rows;
    uint32_t *line;
    struct image in;  /* the block with its ghost cells, 16 bits */
    int64_t *product; /* the sums of LOW and HIGH in one */
    int64_t *plain;   /* as cpu_finish_weighted takes it */
    struct error err;
    bool failed;
};

struct blocks {
    const struct shared *shared;
    const struct kernel_job *job;
    const struct cpu_fft_plan *fft;
    int blocks_x;
    struct block_worker *worker;
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

/* ---- one block of colour weighted by alpha ---- */

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

static bool sum_layer(const struct blocks *blocks, struct block_worker *w, enum layer layer, int y,
                      int height, int64_t *sums)
{
    const struct plan_mask *m = &blocks->job->plan->mask[0];
    struct image in = image_rows(&w->in, 0, height + m->height - 1), out = in;
    struct kernel_job job = {
        .plan = &blocks->shared->layer_plan, .in = &in, .out = &out, .threads = 1};

    in.width = w->rows.tile.pixels + m->width - 1;
    for (int i = 0; i < in.height; i++) {
        cpu_rows_fill(&w->rows, y - m->anchor_y + i, w->line);
        put_line(w->line, layer, in.channels, image_row(&in, i), in.width * in.channels);
    }
    job.picture_height = in.height;
    out.width = w->rows.tile.pixels;
    out.height = height;
    return fft_sums(&job, blocks->shared, sums, &w->err);
}

/* The products' sums and the coverage; *none: some pixel has no alpha at all. */
static bool sum_products(const struct blocks *blocks, struct block_worker *w, int y, int height,
                         bool *none)
{
    int channels = blocks->job->plan->channels, n = w->rows.tile.pixels * height * channels;
    int64_t offset = blocks->job->plan->mask[0].offset;

    *none = false;
    if (!sum_layer(blocks, w, LOW, y, height, w->product))
        return false;
    if (blocks->job->plan->type == SAMPLE_U16) { /* `plain` is free until then */
        if (!sum_layer(blocks, w, HIGH, y, height, w->plain))
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

static bool sum_plain(const struct blocks *blocks, struct block_worker *w, int y, int height)
{
    int n = w->rows.tile.pixels * height * blocks->job->plan->channels;

    if (!sum_layer(blocks, w, PLAIN, y, height, w->plain))
        return false;
    for (int i = 0; i < n; i++)
        w->plain[i] += blocks->job->plan->mask[0].offset;
    return true;
}

static void run_block(void *context, int block, int worker)
{
    const struct blocks *blocks = context;
    const struct kernel_job *job = blocks->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    struct block_worker *w = &blocks->worker[worker];
    int x = block % blocks->blocks_x * blocks->fft->tile_width, left = job->out->width - x;
    int y = block / blocks->blocks_x * blocks->fft->tile_height, height = job->out->height - y;
    int first = job->out_first_row + y, n;
    bool none;

    if (w->failed)
        return;
    if (height > blocks->fft->tile_height)
        height = blocks->fft->tile_height;
    w->rows.tile =
        (struct cpu_tile){.first_pixel = x,
                          .pixels = left < blocks->fft->tile_width ? left : blocks->fft->tile_width,
                          .first = first,
                          .end = first + height,
                          .top = first - m->anchor_y,
                          .bottom = first + height + m->height - m->anchor_y - 2};
    n = w->rows.tile.pixels * plan->channels;
    if (!sum_products(blocks, w, first, height, &none) ||
        (none && !sum_plain(blocks, w, first, height))) {
        w->failed = true;
        return;
    }
    for (int i = 0; i < height; i++) {
        union cpu_sums plain = {.wide = w->plain + (size_t)i * (size_t)n};
        union cpu_sums product = {.wide = w->product + (size_t)i * (size_t)n};
        uint8_t *out = (uint8_t *)image_row(job->out, y + i) +
                       (size_t)(x * plan->channels) * (size_t)plan->type;
        cpu_finish_weighted(blocks->shared->ops, plan, true, plain, true, product, out, n);
        if (plan->filtered != (1u << plan->channels) - 1)
            cpu_finish_unfiltered(job, first + i, x, w->rows.tile.pixels, out);
    }
}

/* ---- one blocks ---- */

static bool block_worker_alloc(struct block_worker *w, const struct blocks *blocks)
{
    const struct plan *plan = blocks->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    size_t channels = (size_t)plan->channels;
    size_t n =
        (size_t)blocks->fft->tile_width * (size_t)blocks->fft->tile_height * channels + CPU_BLOCK;

    w->rows = (struct cpu_rows){.job = blocks->job,
                                .mask_width = m->width,
                                .mask_height = m->height,
                                .anchor_x = m->anchor_x,
                                .anchor_y = m->anchor_y};
    w->line = malloc(((size_t)blocks->fft->x.n * channels + CPU_BLOCK) * sizeof *w->line);
    /* Cleared: the colours of `plain` are written only where they count. */
    w->product = large_alloc_cleared(n * sizeof *w->product);
    w->plain = large_alloc_cleared(n * sizeof *w->plain);
    return w->line && w->product && w->plain &&
           image_alloc(&w->in, blocks->fft->x.n, blocks->fft->y.n, plan->channels, SAMPLE_U16,
                       "block", &w->err);
}

static bool run_blocks(struct blocks *blocks, struct error *err)
{
    const struct image *out = blocks->job->out;
    int tile_width = blocks->fft->tile_width, tile_height = blocks->fft->tile_height;
    int count = (out->height + tile_height - 1) / tile_height;
    bool ok;

    blocks->blocks_x = (out->width + tile_width - 1) / tile_width;
    count *= blocks->blocks_x;
    blocks->workers = blocks->job->threads < count ? blocks->job->threads : count;
    blocks->worker = calloc((size_t)blocks->workers, sizeof *blocks->worker);
    ok = blocks->worker != NULL;
    for (int i = 0; ok && i < blocks->workers; i++)
        ok = block_worker_alloc(&blocks->worker[i], blocks);
    if (!ok)
        return error_set(err, EXIT_INPUT, "no memory for the tiles of %d threads", blocks->workers);
    parallel_for(blocks->workers, count, run_block, blocks);
    for (int i = 0; ok && i < blocks->workers; i++)
        if (blocks->worker[i].failed) {
            *err = blocks->worker[i].err;
            ok = false;
        }
    return ok;
}

static void blocks_free(struct blocks *blocks)
{
    for (int i = 0; blocks->worker && i < blocks->workers; i++) {
        struct block_worker *w = &blocks->worker[i];
        image_free(&w->in);
        free(w->line);
        free(w->product);
        free(w->plain);
    }
    free(blocks->worker);
}

/* ---- the row of the table ---- */

static void fft_free(void *state)
{
    struct shared *shared = state;
    cpu_fft_plan_delete(shared->fft);
    free(shared);
}

static void *fft_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct shared *shared = malloc(sizeof *shared);

    if (!shared)
        return NULL;
    *shared = (struct shared){.ops = ops, .weighted = plan->alpha == ALPHA_WEIGHTED};
    if (shared->weighted)
        shared->layer_plan = layer_plan_of(plan);
    shared->fft =
        cpu_fft_plan_new(shared->weighted ? &shared->layer_plan : plan, ops, width, height);
    if (shared->fft)
        return shared;
    fft_free(shared);
    return NULL;
}

static bool fft_run(const void *state, const struct kernel_job *job, struct error *err)
{
    const struct shared *shared = state;
    struct fft_pass pass = {
        .job = job, .ops = shared->ops, .fft = shared->fft, .workers = job->threads};
    struct blocks blocks = {.shared = shared, .job = job, .fft = shared->fft};
    bool ok;

    if (shared->weighted) {
        ok = run_blocks(&blocks, err);
        blocks_free(&blocks);
        return ok;
    }
    ok = run(&pass, err);
    for (int y = 0; ok && y < job->out->height; y++)
        cpu_finish_unfiltered(job, job->out_first_row + y, 0, job->out->width,
                              image_row(job->out, y));
    return ok;
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    struct plan layer = layer_plan_of(plan);
    struct cpu_fft_plan fft;
    bool weighted = plan->alpha == ALPHA_WEIGHTED;

    (void)ops;
    return (!weighted || plan->mask[0].sum < MOST_SUM) &&
                   cpu_fft_bound(&fft, weighted ? &layer : plan, CPU_FFT_MOST, CPU_FFT_MOST)
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
        return layers * (tiles + COST_SAMPLE * samples);
    return tiles + (plan->mask[0].accumulator == ACCUMULATOR_I64 ? CPU_FFT_CERTIFY * samples : 0);
}

const struct cpu_method cpu_method_fft = {
    .name = "fft",
    .idea = "tiles and their Fourier transforms, with sums that are proven to be right",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = refusal,
    .cost = cost,
    .make = fft_make,
    .run = fft_run,
    .free = fft_free,
    .rows = cpu_fft_band_rows,
};
