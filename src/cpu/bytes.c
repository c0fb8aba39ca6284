/* The method `bytes`: 8-bit samples and small weights, all sums in 16 bits, 32 samples per
 * register. It takes linear masks whose final sum fits 16 bits (blurs and boxes by rows and
 * columns; sharpen, edge, laplace directly) and gradients (sobel), whose roots are made at once.
 *
 * Output byte j reads input bytes j + channels*dx, so a row of the picture is one line of bytes for
 * any number of channels. One multiply-add takes two taps: two bytes side by side, times two int8.
 * The instruction saturates, so only pairs of weights are used whose sum of products always fits
 * int16. Sums of pairs wrap modulo 2^16, and the final value fits by the plan's bound.
 *
 *   direct      S = sum over pairs of taps, anywhere in the mask
 *   separable   r = sum over pairs of the row factor's taps, once a row of the picture,
 *               S = sum over i of column[i] * r[y + i - ay]
 *
 * Tiles of columns are so narrow that a ring of row sums r stays in the L2 cache, and two or four
 * rows of output share the loads from the ring. While sums are made, the next input row is fetched
 * into L2: without this, gauss5 takes 1.3 times as long. Lines are read in place. A line is copied
 * and padded only if a tile has ghost cells, or if a block would read past the row's end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"
#include "cpu/taps.h"

/* A part of a 512 KiB L2 cache. Tiles that fit L1 save a third of the work, but lose more time in
 * memory, because a row is then read in many pieces. */
#define RING_BYTES (128 * 1024)
/* For output that is stored past the caches. An L1 cache of STREAM_L1_BYTES holds the ring of a
 * tile of STREAM_SAMPLES a row. A smaller L1 cache holds no ring: there a tile's ring takes
 * STREAM_RING_BYTES of the L2 cache, and four rows of output share its loads. */
#define STREAM_SAMPLES    3072
#define STREAM_L1_BYTES   (48 * 1024)
#define STREAM_RING_BYTES (288 * 1024)
#define FEW_ROWS          5 /* masks of more rows gain nothing from four rows of output */
#define FEW_BLOCKS        4 /* a row with fewer blocks inside is copied whole */
/* Any two weights of a gradient make a pair. */
#define MOST_GRADIENT_WEIGHT 64

/* Two taps: cells of the mask (or of its row factor, then i is 0). */
struct cpu_byte_pair {
    int i[2], j[2];
};

/* One mask as pairs of taps, or both masks of a gradient. */
struct cpu_byte_taps {
    struct cpu_byte_pair *pair;
    uint32_t *weight;
    struct cpu_byte_pairs pairs;
    uint16_t start; /* initial value of the sums */
};

struct bytes_worker {
    struct cpu_tile tile;
    uint8_t *copies;      /* `slots` padded lines of pass.stride bytes */
    const uint8_t **line; /* per slot: the line under the tile's first tap */
    const uint8_t **at;   /* the addresses of both bytes of every pair */
    uint16_t *ring;       /* separable: `slots` lines of line_pixels * channels row sums */
    const uint16_t **row; /* lines of the ring, in the order of the mask */
    uint16_t *sum;
};

struct bytes_pass {
    CPU_STATE;
    bool separable;
    struct cpu_byte_taps taps;
    struct cpu_gradient gradient;
    struct cpu_taps column;
    struct cpu_divide16 divide;
    int slots; /* lines that are kept */
    /* Of one job: */
    struct cpu_tiles tiles;
    size_t stride;
    int line_pixels; /* a tile's pixels in whole blocks; the last tile is padded */
};

/* ---- which plans, and their weights ---- */

/* S + floor(d/2) must fit uint16_t or int16_t, and division is a 16-bit multiplication: with
 * m = ceil(2^(16+k) / d) and e = m*d - 2^(16+k), v*m / 2^(16+k) is v/d + v*e / (d * 2^(16+k)),
 * whose floor is right while the excess stays below 1/d. */
bool cpu_bytes_divide(const struct plan *plan, struct cpu_divide16 *divide)
{
    const struct plan_mask *m = &plan->mask[0];
    int64_t half = m->divisor / 2;
    int64_t low, high;

    if (m->bound >= 1 << 20)
        return false;
    low = (m->sum - m->sum_abs) / 2 * plan->max + m->offset + half;
    high = (m->sum + m->sum_abs) / 2 * plan->max + m->offset + half;
    if (!(low >= 0 && high <= UINT16_MAX) && !(low >= INT16_MIN && high <= INT16_MAX))
        return false;
    *divide = (struct cpu_divide16){.is_signed = low < 0, .max = (uint16_t)plan->max};
    if ((m->divisor & (m->divisor - 1)) == 0) {
        divide->shift = __builtin_ctzll((unsigned long long)m->divisor);
        if (divide->shift > 15) /* then every v is below d */
            divide->max = 0;
        divide->shift &= 15;
        return true;
    }
    for (int k = 0; k < 16; k++) {
        int64_t power = (int64_t)1 << (16 + k);
        int64_t factor = (power + m->divisor - 1) / m->divisor;
        if (factor <= UINT16_MAX && (factor * m->divisor - power) * high < power) {
            divide->factor = (uint16_t)factor;
            divide->shift = k;
            return true;
        }
    }
    return false;
}

/* The number of taps that are not 0. */
static int count_taps(const int64_t *weight, int count)
{
    int taps = 0;
    for (int i = 0; i < count; i++)
        taps += weight[i] != 0;
    return taps;
}

/* A tap of the column costs at most as much as a pair of bytes. */
bool cpu_bytes_separable(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return plan->kind == PLAN_LINEAR && m->row && cpu_weights_fit(m->row, m->width, INT8_MAX) &&
           (count_taps(m->row, m->width) + 1) / 2 + count_taps(m->column, m->height) <=
               (count_taps(m->weight, m->width * m->height) + 1) / 2;
}

/* Finds the cells of a gradient's pairs: two pairs for both masks, one for each mask alone. A cell
 * that is not needed is -1. False: the masks have more taps. */
static bool gradient_cells(const struct plan_mask *m, int cell[2 * CPU_GRADIENT_PAIRS])
{
    static const int end[] = {[3] = 4, [1] = 6, [2] = 8}; /* of both masks, the first, the second */
    int next[] = {[3] = 0, [1] = 4, [2] = 6};

    memset(cell, -1, 2 * CPU_GRADIENT_PAIRS * sizeof *cell);
    for (int k = 0; k < m->width * m->height; k++) {
        int masks = (m[0].weight[k] != 0) + 2 * (m[1].weight[k] != 0);
        if (masks > 0 && next[masks] == end[masks])
            return false;
        if (masks > 0)
            cell[next[masks]++] = k;
    }
    return true;
}

bool cpu_bytes_wins(const struct plan *plan)
{
    const struct plan_mask *m = plan->mask;
    struct cpu_divide16 divide;
    int cell[2 * CPU_GRADIENT_PAIRS];
    if (plan->type != SAMPLE_U8 || plan->alpha == ALPHA_WEIGHTED)
        return false;
    if (plan->kind == PLAN_GRADIENT) {
        if (m->divisor != 1 && m->divisor != 2 && m->divisor != 4)
            return false;
        for (int k = 0; k < plan->masks; k++)
            if (m[k].bound > CPU_MOST_GRADIENT || !cpu_mask_fits(&m[k], MOST_GRADIENT_WEIGHT))
                return false;
        return gradient_cells(m, cell);
    }
    return cpu_bytes_divide(plan, &divide) &&
           (cpu_bytes_separable(plan) || cpu_mask_fits(m, INT8_MAX));
}

bool cpu_byte_pair_fits(int64_t a, int64_t b)
{
    int64_t low = (a < 0 ? a : 0) + (b < 0 ? b : 0), high = (a > 0 ? a : 0) + (b > 0 ? b : 0);
    return low * UINT8_MAX >= INT16_MIN && high * UINT8_MAX <= INT16_MAX;
}

/* The weights of a pair, as struct cpu_byte_pairs has them. */
static uint32_t pair_weights(int64_t first, int64_t second)
{
    uint32_t two = (uint8_t)first | (uint32_t)(uint8_t)second << 8;
    return two | two << 16;
}

static void put_pair(struct cpu_byte_taps *taps, int first, int second, int width)
{
    taps->pair[taps->pairs.count++] =
        (struct cpu_byte_pair){{first / width, second / width}, {first % width, second % width}};
}

/* Makes pairs of neighbouring taps that are not 0. If two do not fit, the first one stays alone: it
 * is paired with itself at weight 0. */
static bool byte_taps_make(struct cpu_byte_taps *taps, const int64_t *weight, int width, int height)
{
    int cells = width * height, open = -1;
    size_t most = (size_t)cells + 1;

    taps->pair = calloc(most, sizeof *taps->pair);
    taps->weight = calloc(most, sizeof *taps->weight);
    if (!taps->pair || !taps->weight)
        return false;
    for (int k = 0; k <= cells; k++) {
        if (k < cells && weight[k] == 0)
            continue;
        if (open < 0) {
            open = k < cells ? k : -1;
            continue;
        }
        bool both = k < cells && cpu_byte_pair_fits(weight[open], weight[k]);
        taps->weight[taps->pairs.count] = pair_weights(weight[open], both ? weight[k] : 0);
        put_pair(taps, open, both ? k : open, width);
        open = both || k == cells ? -1 : k;
    }
    taps->pairs.weight = taps->weight;
    return true;
}

static bool gradient_make(struct bytes_pass *pass)
{
    const struct plan_mask *m = pass->plan->mask;
    struct cpu_gradient *g = &pass->gradient;
    int cell[2 * CPU_GRADIENT_PAIRS];

    pass->taps.pair = calloc(CPU_GRADIENT_PAIRS, sizeof *pass->taps.pair);
    if (!pass->taps.pair || !gradient_cells(m, cell))
        return false;
    *g = (struct cpu_gradient){.divisor = (int)m->divisor, .max = (uint16_t)pass->plan->max};
    for (int p = 0; p < CPU_GRADIENT_PAIRS; p++) {
        int a = cell[2 * p], b = cell[2 * p + 1];
        for (int k = 0; k < 2; k++)
            g->weight[k][p] = pair_weights(a < 0 ? 0 : m[k].weight[a], b < 0 ? 0 : m[k].weight[b]);
        put_pair(&pass->taps, a < 0 ? 0 : a, b < 0 ? 0 : b, m->width);
    }
    return true;
}

/* ---- lines ---- */

static int slot_of(const struct bytes_pass *pass, int v)
{
    int slot = v % pass->slots;
    return slot < 0 ? slot + pass->slots : slot;
}

static int whole_blocks(int n)
{
    return (n + CPU_BLOCK - 1) / CPU_BLOCK * CPU_BLOCK;
}

/* The number of the tile's elements, rounded up to whole blocks. */
static int block_elements(const struct bytes_pass *pass, const struct bytes_worker *w)
{
    return whole_blocks(w->tile.pixels * pass->job->plan->channels);
}

static void row_sums(const struct bytes_pass *pass, struct bytes_worker *w, const uint8_t *line,
                     uint16_t *sum, int n, const uint8_t *next)
{
    const struct cpu_byte_taps *t = &pass->taps;
    for (int p = 0; p < 2 * t->pairs.count; p++)
        w->at[p] = line + t->pair[p / 2].j[p % 2] * pass->job->plan->channels;
    pass->ops->byte_sums(&t->pairs, w->at, 0, sum, n, next);
}

/* Makes the row sums of ROW (NULL: of ghost cells). Blocks [begin, end) read the row itself; blocks
 * that touch ghost cells or the row's end read copies. */
static void ring_line(const struct bytes_pass *pass, struct bytes_worker *w, const uint8_t *row,
                      int slot, const uint8_t *next)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    int channels = job->plan->channels, from = w->tile.first_pixel - m->anchor_x;
    int n = block_elements(pass, w), last = from + w->tile.pixels + m->width - 1;
    int begin = from < 0 ? whole_blocks(-from * channels) : 0;
    int readable = (job->in->width - from - m->width + 1) * channels;
    int end = readable < n ? readable / CPU_BLOCK * CPU_BLOCK : n;
    uint16_t *sum = w->ring + (size_t)(slot * pass->line_pixels * channels);

    if (!row || end - begin < FEW_BLOCKS * CPU_BLOCK) {
        cpu_tiles_copy(job, row, from, last, w->copies);
        row_sums(pass, w, w->copies, sum, n, NULL);
        return;
    }
    if (begin > 0) {
        cpu_tiles_copy(job, row, from, from + begin / channels + m->width, w->copies);
        row_sums(pass, w, w->copies, sum, begin, NULL);
    }
    row_sums(pass, w, row + (from * channels + begin), sum + begin, end - begin, next);
    if (end < n) {
        cpu_tiles_copy(job, row, from + end / channels, last, w->copies);
        row_sums(pass, w, w->copies + end % channels, sum + end, n - end, NULL);
    }
}

/* Prepares picture row v, or the row that v folds to, for the sums. */
static void take_line(const struct bytes_pass *pass, struct bytes_worker *w, int v)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    int channels = job->plan->channels, slot = slot_of(pass, v);
    int from = w->tile.first_pixel - m->anchor_x, n = block_elements(pass, w);
    const uint8_t *row = cpu_tile_row(job, &w->tile, v, NULL);
    uint8_t *copy = w->copies + (size_t)slot * pass->stride;

    if (pass->separable) {
        ring_line(pass, w, row, slot, cpu_tile_next(job, &w->tile, v));
    } else if (row && from >= 0 &&
               (from + m->width - 1) * channels + n <= job->in->width * channels) {
        w->line[slot] = row + (size_t)from * (size_t)channels;
    } else {
        cpu_tiles_copy(job, row, from, from + w->tile.pixels + m->width - 1, copy);
        w->line[slot] = copy;
    }
}

/* ---- rows of one tile ---- */

static void filter_directly(const struct bytes_pass *pass, struct bytes_worker *w, int y,
                            uint8_t *out, int n)
{
    const struct plan *plan = pass->job->plan;
    const struct cpu_byte_taps *t = &pass->taps;
    const int top = y - plan->mask[0].anchor_y, last = top + plan->mask[0].height - 1;
    const uint8_t *next = cpu_tile_next(pass->job, &w->tile, last);

    for (int p = 0; p < 2 * t->pairs.count; p++)
        w->at[p] = w->line[slot_of(pass, top + t->pair[p / 2].i[p % 2])] +
                   t->pair[p / 2].j[p % 2] * plan->channels;
    if (plan->kind == PLAN_GRADIENT) {
        pass->ops->gradient_u8(&pass->gradient, w->at, out, n, next);
    } else {
        pass->ops->byte_sums(&t->pairs, w->at, t->start, w->sum, n, next);
        pass->ops->divide_16_u8(&pass->divide, w->sum, out, n);
    }
}

/* Filters ROWS rows from y on (1 if not separable). Their lines have been taken. */
static void filter_rows(const struct bytes_pass *pass, struct bytes_worker *w, int y, int rows)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int n = w->tile.pixels * plan->channels;
    uint8_t *out[CPU_COLUMN_ROWS];

    for (int r = 0; r < rows; r++)
        out[r] = cpu_tile_out(job, &w->tile, y + r);
    if (pass->separable) {
        for (int i = 0; i < m->height + rows - 1; i++)
            w->row[i] = w->ring + (size_t)(slot_of(pass, y - m->anchor_y + i) * pass->line_pixels *
                                           plan->channels);
        pass->ops->column_16_u8(&pass->column, w->row, pass->taps.start, &pass->divide, out, rows,
                                n);
    } else {
        filter_directly(pass, w, y, out[0], n);
    }
    for (int r = 0; r < rows; r++)
        cpu_finish_unfiltered(job, y + r, w->tile.first_pixel, w->tile.pixels, out[r]);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct bytes_pass *pass = context;
    struct bytes_worker *w = worker;
    int halo = pass->job->plan->mask[0].height - 1, most = pass->slots - halo, rows;

    w->tile = *tile;
    for (int v = tile->top; v < tile->top + halo; v++)
        take_line(pass, w, v);
    for (int y = tile->first; y < tile->end; y += rows) {
        int below = tile->top + halo + y - tile->first;
        rows = tile->end - y < most ? tile->end - y : most;
        for (int r = 0; r < rows; r++)
            take_line(pass, w, below + r);
        filter_rows(pass, w, y, rows);
    }
}

/* ---- one pass ---- */

static bool weights_make(struct bytes_pass *pass)
{
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = plan->mask;

    if (plan->kind == PLAN_LINEAR) {
        cpu_bytes_divide(plan, &pass->divide);
        pass->taps.start = (uint16_t)(m->offset + m->divisor / 2);
    }
    if (pass->separable)
        return byte_taps_make(&pass->taps, m->row, m->width, 1) &&
               cpu_taps_make(&pass->column, m->column, m->height, 0, 1);
    return plan->kind == PLAN_GRADIENT
               ? gradient_make(pass)
               : byte_taps_make(&pass->taps, m->weight, m->width, m->height);
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct bytes_pass *pass = context;
    const struct plan *plan = pass->job->plan;
    struct bytes_worker *w = worker;
    size_t slots = (size_t)pass->slots, pairs = (size_t)pass->taps.pairs.count;
    size_t n = (size_t)pass->line_pixels * (size_t)plan->channels + CPU_BLOCK;
    size_t ring = pass->separable ? slots * n * sizeof *w->ring : 1;

    w->copies = cpu_memory_take(memory, slots * pass->stride);
    w->line = cpu_memory_take(memory, slots * sizeof *w->line);
    w->at = cpu_memory_take(memory, 2 * pairs * sizeof *w->at);
    w->row = cpu_memory_take(memory, slots * sizeof *w->row);
    w->ring = cpu_memory_take(memory, ring);
    w->sum = cpu_memory_take(memory, n * sizeof *w->sum);
}

/* Cuts tiles of whole blocks, so that the ring fits the cache. */
static void pass_cut(struct bytes_pass *pass)
{
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    const size_t l1 = machine_l1_bytes();
    const bool small = l1 > 0 && l1 < STREAM_L1_BYTES;
    int block = plan->channels * CPU_BLOCK, line;

    pass->slots = m->height;
    if (pass->separable)
        pass->slots += (small && m->height <= FEW_ROWS ? CPU_COLUMN_ROWS : 2) - 1;
    line = 2 * pass->slots;
    pass->tiles = cpu_tiles_cut(pass->job, (small ? STREAM_RING_BYTES / line : STREAM_SAMPLES) /
                                               block * CPU_BLOCK);
    pass->divide.streams = pass->gradient.streams = pass->tiles.streams;
    if (!pass->tiles.streams)
        pass->tiles = cpu_tiles_cut(pass->job, RING_BYTES / line / block * CPU_BLOCK);
    pass->line_pixels = whole_blocks(pass->tiles.tile_pixels);
    pass->stride = (size_t)whole_blocks((pass->line_pixels + m->width) * plan->channels);
}

static void bytes_free(void *state)
{
    struct bytes_pass *pass = state;
    free(pass->taps.pair);
    free(pass->taps.weight);
    cpu_taps_free(&pass->column);
}

static bool bytes_make(void *state)
{
    struct bytes_pass *pass = state;

    pass->separable = cpu_bytes_separable(pass->plan);
    return weights_make(pass);
}

static bool bytes_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct bytes_worker), worker_make, run_tile};
    struct bytes_pass pass = *(const struct bytes_pass *)state;

    pass.job = job;
    pass_cut(&pass);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return plan->type != SAMPLE_U8         ? "it takes 8-bit samples only"
           : plan->alpha == ALPHA_WEIGHTED ? "it does not weight colour by alpha"
           : !cpu_bytes_wins(plan) ? "its sums have 16 bits, its weights 8, its gradients few taps"
                                   : NULL;
}

/* Nanoseconds of a square root. */
#define ROOT_NS 0.35

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    const double cells = cpu_cells(plan), root = plan->kind == PLAN_GRADIENT ? ROOT_NS : 0;
    const double mask = m->row ? 0.07 + fmin(cells, m->width + m->height) / 64 : 0.13 + cells / 97;

    return refusal(plan, ops) ? HUGE_VAL : cpu_samples(plan, width, height) * (mask + root);
}

const struct cpu_method cpu_method_bytes = {
    .name = "bytes",
    .idea = "8 bits, sums of 16 bits: every cell, or a row pass and a column pass",
    .kinds = KERNEL_KIND(PLAN_LINEAR) | KERNEL_KIND(PLAN_GRADIENT),
    .refusal = refusal,
    .cost = cost,
    .wide_cost = 0.87,
    .state_bytes = sizeof(struct bytes_pass),
    .make = bytes_make,
    .run = bytes_run,
    .free = bytes_free,
};
