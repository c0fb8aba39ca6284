/* Direct sums of 8-bit samples on the CPU, two rows of output at a time: any mask whose weights fit
 * int16, and masks whose exact sums need 64 bits by way of an approximation in int16 that knows how
 * far it can be off (cpu/rounded.h).
 *
 * Lines of pairs hold two rows of the picture side by side, as bytes where the weights
 * are small and else as int16, so that one multiply-add takes two
 * taps. Output rows y and y+1 read the same lines:
 *
 *   rows      y-ay  +1 | +2  +3 | +4  +5      (mask of 5 rows)
 *   y          w0   w1 | w2  w3 | w4   0
 *   y+1         0   w0 | w1  w2 | w3  w4
 *
 * so each line is loaded once for both, and only every second row begins a line.
 * Where there are lines of four rows, small weights take them: lines t, t + 2, t + 4 ... of
 * those that begin at every second row. The lines stand in a ring; ghost cells stand in them
 * already. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/bytes.h"
#include "cpu/rounded.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"

#define RING_BYTES (160 * 1024) /* as in cpu/direct.c: a part of the L2 cache */

/* The weights over lines of pairs of bytes. */
struct byte_pairs {
    bool can;
    bool narrow; /* all sums fit 16 bits, and are divided so: */
    struct cpu_divide16 divide;
    struct cpu_two_byte_masks masks;
    uint8_t *full; /* owned: masks.full */
};

struct direct8_worker {
    struct cpu_tile tile;
    uint8_t *ring;    /* pass.lines lines of pass.stride pairs (quads) */
    const void **at;  /* the lines of one row pair, from the top */
    uint32_t *sum[2]; /* of two rows of output */
    uint16_t *sum16[2];
    uint8_t *doubtful;
    uint8_t *ghosts; /* a row */
};

struct direct8_pass {
    const struct plan *plan;
    const struct cpu_ops *ops;
    struct cpu_two_masks masks;
    uint32_t *weights; /* owned: of all masks */
    int line_rows;     /* 2, or 4 of quads */
    int lines;         /* that a row of output spans: all of them, or every second one */
    bool certified;
    struct byte_pairs bytes;
    size_t pair_bytes;
    struct cpu_rounded rounded; /* where they are certified */
    /* Of one job: */
    const struct kernel_job *job;
    struct cpu_tiles tiles;
    size_t stride; /* pairs of a line */
};

/* ---- weights ---- */

/* What weights of one sign may add up to so that their products fit 16 bits. */
#define MOST_SIGNED   (INT16_MAX / UINT8_MAX)
#define MOST_UNSIGNED (UINT16_MAX / UINT8_MAX)

/* Of bytes times weights: how far up and down their sum can go, in units of 255. */
struct reach {
    int up, down;
};

static struct reach reach_of(int64_t a, int64_t b)
{
    return (struct reach){(int)((a > 0 ? a : 0) + (b > 0 ? b : 0)),
                          (int)-((a < 0 ? a : 0) + (b < 0 ? b : 0))};
}

/* Do all weights fit int8, and the products of any two below each other int16? */
static bool bytes_fit(const struct plan_mask *m)
{
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++) {
            int64_t a = m->weight[i * m->width + j];
            int64_t b = i + 1 < m->height ? m->weight[(i + 1) * m->width + j] : 0;
            struct reach reach;
            if (a < -INT8_MAX || a > INT8_MAX || b < -INT8_MAX || b > INT8_MAX)
                return false;
            reach = reach_of(a, b);
            if (reach.up > MOST_SIGNED || reach.down > MOST_SIGNED)
                return false;
        }
    return true;
}

/* Do all weights fit int8, for lines of quads? */
static bool quads_fit(const struct plan_mask *m)
{
    for (int k = 0; k < m->width * m->height; k++)
        if (m->weight[k] < INT8_MIN || m->weight[k] > INT8_MAX)
            return false;
    return true;
}

/* Has OPS one of the two for the plan's mask, and is it sooner done that way than by `bytes`? */
static bool bytes_win(const struct cpu_ops *ops, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int pairs = m->height / 2 + 1, quads = m->height / 4 + 1, taps = 0;

    if (plan->kind != PLAN_LINEAR || cpu_bytes_separable(plan))
        return false;
    for (int k = 0; k < m->width * m->height; k++)
        taps += m->weight[k] != 0;
    /* Here every place of the mask is walked, with 4 instructions a pair, or 6 a quad of half as
     * many samples, or with loads 8; there two taps that are not 0 take 8. */
    if (ops->byte_quads && quads_fit(m))
        return quads * m->width * 6 + 20 < (taps + 1) / 2 * 8;
    return ops->byte_two_rows_16 && pairs * m->width * 4 + 20 < (taps + 1) / 2 * 8 && bytes_fit(m);
}

/* Where sums of 16 bits are full. */
static void find_full(struct byte_pairs *bytes, const int8_t *weight, int taps)
{
    int most = bytes->masks.is_signed ? MOST_SIGNED : MOST_UNSIGNED;
    struct reach sum[2] = {{0, 0}, {0, 0}};

    for (int t = 0; t < taps; t++) {
        bool fits = true;
        for (int k = 0; k < 2; k++) {
            const int8_t *two = weight + 4 * (t + k * taps);
            struct reach more = reach_of(two[0], two[1]);
            fits = fits && sum[k].up + more.up <= most && sum[k].down + more.down <= most;
        }
        if (!fits) {
            bytes->full[t - 1] = 1;
            sum[0] = sum[1] = (struct reach){0, 0};
        }
        for (int k = 0; k < 2; k++) {
            const int8_t *two = weight + 4 * (t + k * taps);
            struct reach more = reach_of(two[0], two[1]);
            sum[k].up += more.up;
            sum[k].down += more.down;
        }
    }
    bytes->full[taps - 1] = 1;
}

/* From the int16 pairs of such a mask, which are changed to int8 in place. False: no memory. */
static bool bytes_make(struct byte_pairs *bytes, const struct cpu_ops *ops, const struct plan *plan,
                       const struct cpu_two_masks *masks, uint32_t *weights)
{
    const struct plan_mask *m = &plan->mask[0];
    int taps = masks->pairs * masks->width;

    bytes->full = calloc((size_t)taps, 1);
    if (!bytes->full)
        return false;
    for (int k = 0; k < 2 * taps; k++) {
        uint32_t two = (weights[k] & 0xff) | (weights[k] >> 16 & 0xff) << 8;
        weights[k] = two | two << 16;
    }
    bytes->masks = (struct cpu_two_byte_masks){masks->pairs, masks->width,
                                               masks->step,  {weights, weights + taps},
                                               bytes->full,  m->sum_abs > m->sum};
    find_full(bytes, (const int8_t *)weights, taps);
    bytes->can = true;
    bytes->narrow = ops->byte_two_rows_16 && cpu_bytes_divide(plan, &bytes->divide);
    return true;
}

/* Of so many lines, with the weights of both rows behind each other. */
static struct cpu_two_masks two_masks(int pairs, const struct plan *plan, const uint32_t *weights)
{
    int width = plan->mask[0].width, taps = pairs * width;
    return (struct cpu_two_masks){pairs, width, plan->channels, {weights, weights + taps}};
}

/* ROWS rows of weights to an entry of PACKED, which is cleared: of HEIGHT rows of STRIDE cells. */
static void weights_lay(const struct cpu_two_masks *masks, int rows, const int64_t *weight,
                        int stride, int height, uint32_t *packed)
{
    int bits = 32 / rows, taps = masks->width * masks->pairs;

    for (int lower = 0; lower < 2; lower++)
        for (int i = 0; i < height; i++)
            for (int j = 0; j < masks->width; j++) {
                uint32_t w = (uint32_t)weight[i * stride + j] & ((1U << bits) - 1);
                int at = lower * taps + (i + lower) / rows * masks->width + j;
                packed[at] |= w << (i + lower) % rows * bits;
            }
}

/* ---- lines of pairs ---- */

/* Elements [first, first + n) of the rows, side by side. */
static void put_line(const struct direct8_pass *pass, const uint8_t *const row[4], size_t first,
                     void *out, int n)
{
    if (pass->line_rows == 4) {
        const uint8_t *at[4];
        for (int i = 0; i < 4; i++)
            at[i] = row[i] + first;
        pass->ops->byte_quads(at, out, n);
    } else if (pass->bytes.can) {
        pass->ops->byte_pairs(row[0] + first, row[1] + first, out, n);
    } else {
        pass->ops->pairs_u8(row[0] + first, row[1] + first, out, n);
    }
}

/* Line k of the tile: its rows top + 2k and the next ones. */
static void fill_line(const struct direct8_pass *pass, struct direct8_worker *w, int k)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    const uint8_t *const ghosts[4] = {w->ghosts, w->ghosts, w->ghosts, w->ghosts};
    const uint8_t *row[4];
    size_t channels = (size_t)plan->channels;
    uint8_t *line = w->ring + (size_t)(k % pass->lines) * pass->stride * pass->pair_bytes;
    int from = w->tile.first_pixel - m->anchor_x;
    int to = from + w->tile.pixels + m->width - 1;
    struct cpu_span span;

    for (int i = 0; i < pass->line_rows; i++)
        row[i] = cpu_tile_row(job, &w->tile, w->tile.top + 2 * k + i, w->ghosts);
    for (int x = from; x < to; x += span.pixels) {
        void *out = line + (size_t)(x - from) * channels * pass->pair_bytes;
        span = cpu_span_at(job, x, to);
        if (span.cell != BORDER_OUTSIDE)
            put_line(pass, row, (size_t)span.cell * channels, out, span.pixels * plan->channels);
        else
            put_line(pass, ghosts, 0, out, plan->channels);
    }
}

/* ---- two rows of one tile ---- */

static void finish_row(const struct direct8_pass *pass, const struct direct8_worker *w, int lower,
                       int y)
{
    const struct plan *plan = pass->job->plan;
    int n = w->tile.pixels * plan->channels;
    uint8_t *out = cpu_tile_out(pass->job, &w->tile, y);

    if (pass->bytes.narrow) {
        pass->ops->divide_16_u8(&pass->bytes.divide, w->sum16[lower], out, n);
    } else if (!pass->certified) {
        union cpu_sums sums = {.narrow = (int32_t *)w->sum[lower]};
        cpu_finish_linear(pass->ops, plan, false, sums, out, n);
    } else {
        pass->ops->certify_u8(&pass->rounded.test, (const int32_t *)w->sum[lower], out, w->doubtful,
                              n);
        cpu_rounded_resolve(pass->job, &w->tile, y, w->ghosts, w->doubtful, out);
    }
    cpu_finish_unfiltered(pass->job, y, w->tile.first_pixel, w->tile.pixels, out);
}

static void sum_two_rows(const struct direct8_pass *pass, const struct direct8_worker *w, int n)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    const uint32_t *const *lines = (const uint32_t *const *)w->at;
    uint32_t start = pass->certified ? 0 : (uint32_t)m->offset;
    uint16_t start_16 = (uint16_t)(m->offset + m->divisor / 2);

    if (pass->line_rows == 4 && pass->bytes.narrow)
        pass->ops->quad_two_rows_16(&pass->masks, lines, start_16, w->sum16[0], w->sum16[1], n);
    else if (pass->line_rows == 4)
        pass->ops->quad_two_rows(&pass->masks, lines, start, w->sum[0], w->sum[1], n);
    else if (pass->bytes.narrow)
        pass->ops->byte_two_rows_16(&pass->bytes.masks, (const uint16_t *const *)w->at, start_16,
                                    w->sum16[0], w->sum16[1], n);
    else if (pass->bytes.can)
        pass->ops->byte_two_rows(&pass->bytes.masks, (const uint16_t *const *)w->at, start,
                                 w->sum[0], w->sum[1], n);
    else
        pass->ops->sum_two_rows(&pass->masks, lines, start, w->sum[0], w->sum[1], n);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct direct8_pass *pass = context;
    struct direct8_worker *w = worker;
    int pairs = pass->masks.pairs, n = tile->pixels * pass->job->plan->channels;

    w->tile = *tile;
    for (int k = 0; k < pass->lines - 1; k++)
        fill_line(pass, w, k);
    for (int t = 0; tile->first + 2 * t < tile->end; t++) {
        int y = tile->first + 2 * t;
        fill_line(pass, w, t + pass->lines - 1);
        for (int p = 0; p < pairs; p++) {
            int slot = (t + p * pass->line_rows / 2) % pass->lines;
            w->at[p] = w->ring + (size_t)slot * pass->stride * pass->pair_bytes;
        }
        sum_two_rows(pass, w, n);
        finish_row(pass, w, 0, y);
        if (y + 1 < tile->end)
            finish_row(pass, w, 1, y + 1);
    }
}

/* ---- one pass ---- */

/* The weights to sum with, rounded where they are certified; false where they cannot be. */
static bool weights_round(struct direct8_pass *pass, int64_t *weight)
{
    const struct plan_mask *m = &pass->plan->mask[0];
    size_t bytes = (size_t)m->width * (size_t)m->height * sizeof *weight;

    if (!pass->certified) {
        memcpy(weight, m->weight, bytes);
        return true;
    }
    if (!cpu_rounded_make(&pass->rounded, pass->plan))
        return false;
    memcpy(weight, pass->rounded.weight, bytes);
    return true;
}

/* Weights as pairs or quads. */
static bool weights_pack(struct direct8_pass *pass, const int64_t *weight)
{
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = &plan->mask[0];
    int pairs;
    size_t taps;

    pass->line_rows = !pass->certified && pass->ops->byte_quads && quads_fit(m) ? 4 : 2;
    pairs = m->height / pass->line_rows + 1;
    taps = (size_t)m->width * (size_t)pairs;
    pass->lines = (pairs - 1) * (pass->line_rows / 2) + 1;
    pass->weights = calloc(2 * taps, sizeof *pass->weights);
    if (!pass->weights)
        return false;
    pass->masks = two_masks(pairs, plan, pass->weights);
    weights_lay(&pass->masks, pass->line_rows, weight, m->width, m->height, pass->weights);
    pass->pair_bytes = 4;
    if (pass->line_rows == 4) {
        pass->bytes.narrow = cpu_bytes_divide(plan, &pass->bytes.divide);
    } else if (!pass->certified && pass->ops->byte_two_rows && bytes_fit(m)) {
        pass->pair_bytes = 2;
        return bytes_make(&pass->bytes, pass->ops, plan, &pass->masks, pass->weights);
    }
    return true;
}

static bool weights_make(struct direct8_pass *pass)
{
    const struct plan_mask *m = &pass->plan->mask[0];
    size_t cells = (size_t)m->width * (size_t)m->height;
    int64_t *weight = calloc(cells, sizeof *weight);
    bool ok;

    pass->certified = m->accumulator == ACCUMULATOR_I64;
    ok = weight && weights_round(pass, weight) && weights_pack(pass, weight);
    free(weight);
    return ok;
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct direct8_pass *pass = context;
    struct direct8_worker *w = worker;
    size_t line = pass->stride * pass->pair_bytes, n = cpu_tiles_sums(&pass->tiles);

    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    w->ring = cpu_memory_keep(memory, large_alloc_cleared((size_t)pass->lines * line));
    w->at = cpu_memory_keep(memory, calloc((size_t)pass->masks.pairs, sizeof *w->at));
    for (int k = 0; k < 2; k++) {
        w->sum[k] = cpu_memory_keep(memory, large_alloc_cleared(n * sizeof *w->sum[k]));
        w->sum16[k] = cpu_memory_keep(memory, large_alloc_cleared(n * sizeof *w->sum16[k]));
    }
    w->doubtful = cpu_memory_keep(memory, calloc(n, 1));
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
}

/* Tiles whose ring fits the cache. */
static void pass_cut(struct direct8_pass *pass)
{
    const struct plan *plan = pass->job->plan;
    int line = (int)pass->pair_bytes * pass->lines * plan->channels, width = plan->mask[0].width;

    pass->tiles = cpu_tiles_cut(pass->job, RING_BYTES / line - width);
    pass->stride = cpu_tiles_stride(&pass->tiles, width, CPU_BLOCK);
}

static void direct8_free(void *state)
{
    struct direct8_pass *pass = state;
    free(pass->weights);
    free(pass->bytes.full);
    cpu_rounded_free(&pass->rounded);
    free(pass);
}

static void *direct8_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct direct8_pass *pass = calloc(1, sizeof *pass);

    (void)width, (void)height;
    if (!pass)
        return NULL;
    pass->plan = plan;
    pass->ops = ops;
    if (weights_make(pass))
        return pass;
    direct8_free(pass);
    return NULL;
}

static bool direct8_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct direct8_worker), worker_make,
                                                run_tile};
    struct direct8_pass pass = *(const struct direct8_pass *)state;

    pass.job = job;
    pass_cut(&pass);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

/* ---- the rows of the table ---- */

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return plan->type != SAMPLE_U8                        ? "it takes 8-bit samples only"
           : plan->alpha == ALPHA_WEIGHTED                ? "it does not weight colour by alpha"
           : plan->mask[0].accumulator == ACCUMULATOR_I64 ? "its sums have 32 bits"
           : !cpu_weights_fit_int16(&plan->mask[0])       ? "its weights have 16 bits"
                                                          : NULL;
}

/* Where both can run a plan, this method beside `bytes` is a matter of instructions. */
static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    bool narrow = bytes_fit(&plan->mask[0]);

    if (refusal(plan, ops))
        return HUGE_VAL;
    if (cpu_bytes_wins(plan) && bytes_win(ops, plan))
        return cpu_method_cost(&cpu_method_bytes, plan, ops, width, height);
    return cpu_samples(plan, width, height) *
           (cpu_cells(plan) / (narrow ? CPU_RATE_BYTES : CPU_RATE_INT16) + 1);
}

static const char *refusal_certified(const struct plan *plan, const struct cpu_ops *ops)
{
    struct cpu_rounded rounded;

    (void)ops;
    if (plan->type != SAMPLE_U8)
        return "it takes 8-bit samples only";
    if (plan->alpha == ALPHA_WEIGHTED)
        return "it does not weight colour by alpha";
    if (plan->mask[0].accumulator != ACCUMULATOR_I64)
        return "it is for sums of 64 bits";
    if (!cpu_rounded_make(&rounded, plan))
        return "rounded weights would leave too much in doubt";
    cpu_rounded_free(&rounded);
    return NULL;
}

static double cost_certified(const struct plan *plan, const struct cpu_ops *ops, int width,
                             int height)
{
    struct cpu_rounded rounded;
    double sample_ns;

    if (refusal_certified(plan, ops) || !cpu_rounded_make(&rounded, plan))
        return HUGE_VAL;
    sample_ns = rounded.sample_ns;
    cpu_rounded_free(&rounded);
    return cpu_samples(plan, width, height) * sample_ns;
}

const struct cpu_method cpu_method_direct8 = {
    .name = "direct8",
    .idea = "8 bits: every cell, for two rows at a time",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal,
    .cost = cost,
    .make = direct8_make,
    .run = direct8_run,
    .free = direct8_free,
};

const struct cpu_method cpu_method_certified8 = {
    .name = "certified8",
    .idea = "8 bits, rounded weights: every cell; samples in doubt are summed exactly",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal_certified,
    .cost = cost_certified,
    .make = direct8_make,
    .run = direct8_run,
    .free = direct8_free,
};
