/* The method `outer16`: masks that are a column times a row of 16-bit numbers, such as every
 * Gaussian by --sigma. Exact sums are made in two halves with 16-bit multiplications, of which the
 * processor makes more at a time than of 32 bits, or of doubles.
 *
 * Let g be the common divisor of the column, c the column over g, r the row, and x' = x - 32768 at
 * 16 bits, x' = x at 8 bits:
 *
 *   R = sum of r*x'          |R| <= 2^31, since the sum of |r| is at most 2^16
 *     = 2^16 * H + L + 2^15  H and L of int16
 *   S = g * (2^16 * (sum of c*H) + sum of c*L + 2^15 * (sum of c) * (1 + sum of r)) + o
 *
 * Both sums in S fit 32 bits, since the sum of |c| is at most 2^16, too. Overflow on the way does
 * no harm. Sharpening by a Gaussian has one more cell, at the anchor, added when S is divided.
 *
 *   a row of the picture --> pairs of neighbouring pixels --> R
 *   R of two rows below each other --> a line of H and one of L --> S of four rows --> samples
 *
 * If S fits 32 bits, it is summed at once ("joined"), modulo 2^32, two rows at a time. A line is
 * then one row of R (without the 2^15), split at bit n so that H and 2^n * c fit int16:
 *
 *   R = 2^n * H + L,  0 <= L < 2^n
 *   S = sum of (2^n * c)*H + c*L + 2^15 * (sum of c) * (sum of r) + o    (at 8 bits without 2^15)
 *
 * The lines form a ring. A number of 16 bits and a sign, such as the middle of a narrow Gaussian,
 * is split into two: the second parts are extra taps over the same lines. */
#include <math.h>
#include <stdlib.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/taps.h"
#include "cpu/tiles.h"

#define RING_BYTES (160 * 1024) /* a part of the L2 cache */
#define MOST_SUM   65536        /* of the absolute values in a column or a row */
#define MOST_PAIRS (CPU_MAX_SIDE / 2 + 2)
#define ROWS       4 /* of output, made together; 2 if joined */
#define SLACK      CPU_REAL_SLACK

struct outer16_worker {
    uint8_t *padded[2];   /* rows of the picture with ghost cells */
    uint32_t *pairs;      /* of neighbouring pixels of a row */
    uint32_t *row[2];     /* R of two rows */
    uint32_t *ring;       /* all lines of H, then all lines of L; or all lines */
    void *sums[2 * ROWS]; /* of the rows: S, or the sums over H and those over L */
};

struct outer16_pass {
    CPU_STATE;
    struct cpu_masks row;   /* one mask */
    struct cpu_masks quads; /* for byte_row; its width is 0 if that cannot be used */
    struct cpu_masks column;
    struct cpu_halves halves;
    bool turned; /* R and S are in the order of byte_row or word_row */
    uint32_t weight[11 * MOST_PAIRS];
    int fold;  /* rows in a line, which makes as many lines, of H and of L; 1 if joined */
    int rows;  /* of output, made together */
    int lines; /* under the masks of these rows */
    /* Of one job: */
    struct cpu_tiles tiles;
    size_t stride; /* elements from one line to the next */
};

/* Numbers that are all negative could make a sum of 2^31. */
static bool fits(const int64_t *numbers, int n, int64_t common)
{
    int64_t sum = 0;
    bool positive = false;
    for (int i = 0; i < n; i++) {
        int64_t size = llabs(numbers[i] / common);
        if (size > 2 * INT16_MAX || (sum += size) > MOST_SUM)
            return false;
        positive |= numbers[i] / common > 0;
    }
    return positive || sum < MOST_SUM;
}

/* The common divisor of the column; negative if no number is positive, as in sharpening: then the
 * numbers over it are positive. */
static int64_t common_of(const int64_t *column, int n)
{
    bool positive = false;
    for (int i = 0; i < n; i++)
        positive |= column[i] > 0;
    return positive ? cpu_taps_common(column, n) : -cpu_taps_common(column, n);
}

/* Finds the column and the row of the mask. *cell: the extra weight of the cell at the anchor, as
 * in sharpening by a Gaussian. */
static bool factors_of(const struct plan_mask *m, struct plan_term *outer, int64_t *cell)
{
    *outer = (struct plan_term){0, 0, m->height, m->width, m->column, m->row};
    *cell = 0;
    if (m->row)
        return true;
    if (m->terms != 2 || !m->terms_exact || m->term[1].width > 1 || m->term[1].height > 1)
        return false;
    *outer = m->term[0];
    *cell = m->term[1].column[0] * m->term[1].row[0];
    return outer->width == m->width && outer->height == m->height &&
           m->term[1].left == m->anchor_x && m->term[1].top == m->anchor_y;
}

static double sum_of_sizes(const int64_t *numbers, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs((double)numbers[i]);
    return sum;
}

/* At which bit R is split for joined sums; -1: at none. */
static int low_bits_of(const struct plan *plan, const struct plan_term *outer)
{
    const int64_t largest = plan->type == SAMPLE_U8 ? UINT8_MAX : 32768;
    int64_t reach = 0;
    int bits = 0;

    for (int j = 0; j < outer->width; j++)
        reach += largest * llabs(outer->row[j]);
    while (reach >> bits > INT16_MAX)
        bits++;
    for (int i = 0; i < outer->height; i++)
        if (bits > 15 || llabs(outer->column[i]) << bits > INT16_MAX)
            return -1;
    return bits;
}

/* How the sums are divided; false: by none of the ways. See cpu/ops_divide.h. */
static bool choose_way(const struct plan *plan, const struct plan_term *outer, int64_t cell,
                       enum cpu_halves_way *way)
{
    const struct plan_mask *m = &plan->mask[0];
    const int64_t common = common_of(outer->column, m->height);
    const int64_t power = m->divisor & -m->divisor;
    /* All steps to S + d/2 stay below this: see the top. */
    const double most =
        65536 * (sum_of_sizes(outer->column, m->height) * (sum_of_sizes(outer->row, m->width) + 1) +
                 fabs((double)cell)) +
        fabs((double)m->offset) + (double)m->divisor;

    if (m->accumulator == ACCUMULATOR_I32 && cell == 0 && common == 1 &&
        low_bits_of(plan, outer) >= 0)
        *way = HALVES_JOINED;
    else if (m->accumulator == ACCUMULATOR_I32 || plan->type == SAMPLE_U8)
        return false;
    else if (cell == 0 && m->offset == 0 && !m->has_negative && m->divisor % common == 0 &&
             m->divisor / common == power && power >= 1 << 17 &&
             (double)m->sum * UINT16_MAX + (double)m->divisor / 2 < 0x1p48 * (double)common)
        *way = HALVES_SHIFTED;
    else if (most < 0x1p49 || (most < 0x1p53 && m->divisor == power))
        *way = HALVES_ONCE;
    else if (most < 0x1p53 && most / (double)power < 0x1p31)
        *way = HALVES_TWICE;
    else
        return false;
    return true;
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    const struct plan_mask *m = &plan->mask[0];
    enum cpu_halves_way way;
    struct plan_term outer;
    int64_t cell;
    (void)ops;
    if (plan->alpha == ALPHA_WEIGHTED)
        return "it does not weight colour by alpha";
    if (m->width == 1 || m->height == 1 || !factors_of(m, &outer, &cell) ||
        !fits(outer.row, m->width, 1) ||
        !fits(outer.column, m->height, common_of(outer.column, m->height)))
        return "the mask is no column times a row of numbers of 16 bits";
    return choose_way(plan, &outer, cell, &way) ? NULL : "its sums do not fit";
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    /* In plain C, 16-bit numbers are multiplied no faster than others. */
    const double slow = ops == &cpu_ops_scalar && plan->type == SAMPLE_U8 ? 2 : 1;
    const double joined = m->accumulator == ACCUMULATOR_I32 && ops->vector_bytes == 64 ? 0.85 : 1;
    return refusal(plan, ops) ? HUGE_VAL
                              : cpu_samples(plan, width, height) * slow * joined *
                                    (0.3 + 0.25 * plan->type + 0.019 * (2 * m->height + m->width));
}

/* ---- one tile ---- */

static uint32_t *line_at(const struct outer16_pass *pass, const struct outer16_worker *w, int k,
                         int half, int x)
{
    return w->ring + (size_t)(half * pass->lines + k % pass->lines) * pass->stride +
           (size_t)(x * pass->plan->channels);
}

/* Row v of the picture, from the tile's first tap on. 2 * CPU_BLOCK pixels behind the last tap may
 * be read, too. */
static const uint8_t *row_at(const struct outer16_pass *pass, struct outer16_worker *w,
                             const struct cpu_tile *tile, int v)
{
    const struct plan *plan = pass->plan;
    const int from = tile->first_pixel - plan->mask[0].anchor_x;
    const int to = from + tile->pixels + plan->mask[0].width;
    const uint8_t *row = cpu_tile_row(pass->job, tile, v, NULL);
    uint8_t *padded = w->padded[v & 1];

    cpu_tile_fetch(pass->job, tile, v);
    if (row && from >= 0 && to + 2 * CPU_BLOCK <= pass->job->in->width)
        return row + (size_t)(from * plan->channels) * plan->type;
    cpu_tiles_copy(pass->job, row, from, to, padded);
    return padded;
}

/* Makes R of a row in SUM. */
static void sum_row(const struct outer16_pass *pass, struct outer16_worker *w, const uint8_t *row,
                    const struct cpu_tile *tile, uint32_t *sum)
{
    const struct plan *plan = pass->plan;
    const int channels = plan->channels;
    const int n = (tile->pixels + plan->mask[0].width - 1) * channels;
    const void *pairs[2] = {w->pairs, w->pairs};

    if (plan->type == SAMPLE_U8)
        pass->ops->pairs_u8(row, row + channels, w->pairs, n);
    else
        pass->ops->pairs_u16((const uint16_t *)row, (const uint16_t *)row + channels, w->pairs, n);
    pass->ops->sum_row(&pass->row, pairs, 0, (void *[]){sum}, tile->pixels * channels);
}

static bool is_joined(const struct outer16_pass *pass)
{
    return pass->halves.way == HALVES_JOINED;
}

static void make_line(const struct outer16_pass *pass, struct outer16_worker *w,
                      const struct cpu_tile *tile, int x, int k)
{
    const int n = tile->pixels * pass->plan->channels;
    uint32_t *upper = line_at(pass, w, k, 0, x), *lower = line_at(pass, w, k, 1, x);
    const uint8_t *row;

    for (int i = 0; i < pass->fold; i++) {
        row = row_at(pass, w, tile, tile->top + pass->fold * k + i);
        if (pass->quads.width > 0)
            pass->ops->byte_row(&pass->quads, row, upper, n);
        else if (pass->turned)
            pass->ops->word_row(&pass->row, (const uint16_t *)row, upper, n);
        else
            sum_row(pass, w, row, tile, is_joined(pass) ? upper : w->row[i]);
    }
    if (!is_joined(pass))
        pass->ops->split_halves(w->row[0], w->row[1], upper, lower, n);
}

/* Makes a part of ROWS rows from row Y and line K on. X: its first pixel, less the tile's. */
static void filter(const struct outer16_pass *pass, struct outer16_worker *w,
                   const struct cpu_tile *part, int x, int k, int y, int rows)
{
    const struct cpu_ops *ops = pass->ops;
    const int n = part->pixels * pass->plan->channels, pairs = pass->column.pairs;
    const struct kernel_job *job = pass->job;
    const void *at[4 * MOST_PAIRS];

    for (int p = 0; p < pairs; p++)
        for (int half = 0; half < pass->fold; half++)
            at[half * pairs + p] = line_at(pass, w, k + p, half, x);
    if (is_joined(pass))
        ops->sum_two_rows(&pass->column, at, (uint32_t)pass->halves.start, w->sums, n);
    for (int half = 0; !is_joined(pass) && half < 2; half++)
        ops->sum_four_rows(&pass->column, at + half * pairs, 0, w->sums + half * ROWS, n);
    for (int r = 0; r < rows; r++) {
        void *out = cpu_tile_out(pass->job, part, y + r);
        if (is_joined(pass))
            cpu_finish_32(ops, pass->plan, w->sums[r], out, n, pass->tiles.streams, pass->turned);
        else if (pass->halves.way == HALVES_SHIFTED)
            ops->shift_halves(&pass->halves, w->sums[r], w->sums[ROWS + r], out, n);
        else
            ops->divide_halves(&pass->halves, w->sums[r], w->sums[ROWS + r],
                               (const uint16_t *)image_row(job->in, y + r - job->in_first_row) +
                                   (size_t)(part->first_pixel * job->plan->channels),
                               out, n);
        cpu_finish_unfiltered(pass->job, y + r, part->first_pixel, part->pixels, out);
    }
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct outer16_pass *pass = context;
    const int pixels = CPU_PART_SAMPLES / pass->plan->channels;
    struct cpu_tile part = *tile;

    for (int y = tile->first, k = 0, made = 0; y < tile->end; y += pass->rows) {
        for (int x = 0; x < tile->pixels; x += pixels) {
            part.first_pixel = tile->first_pixel + x;
            part.pixels = tile->pixels - x < pixels ? tile->pixels - x : pixels;
            for (int i = made; i < k + pass->lines; i++)
                make_line(pass, worker, &part, x, i);
            filter(pass, worker, &part, x, k, y,
                   tile->end - y < pass->rows ? tile->end - y : pass->rows);
        }
        made = k + pass->lines;
        k += pass->rows / pass->fold;
    }
}

/* ---- one pass ---- */

/* Number i of N, divided by COMMON: its first part, or the rest (SECOND). */
static uint32_t part_of(const int64_t *numbers, int i, int n, int64_t common, int second)
{
    int64_t v = i >= 0 && i < n ? numbers[i] / common : 0;
    int64_t first = v > INT16_MAX ? INT16_MAX : v < -INT16_MAX ? -INT16_MAX : v;
    return (uint32_t)(second ? v - first : first) & 0xffff;
}

/* How many parts the numbers need. */
static int parts_of(const int64_t *numbers, int n, int64_t common)
{
    for (int i = 0; i < n; i++)
        if (part_of(numbers, i, n, common, 1) != 0)
            return 2;
    return 1;
}

/* Puts pairs of numbers, from number FIRST on, one part after the other. */
static void put_pairs(uint32_t *to, const int64_t *numbers, int n, int64_t common, int first,
                      int pairs, int parts)
{
    for (int p = 0; p < parts * pairs; p++) {
        int i = first + 2 * (p % pairs), second = p / pairs;
        to[p] = part_of(numbers, i, n, common, second) | part_of(numbers, i + 1, n, common, second)
                                                             << 16;
    }
}

/* Puts the row's weights, 256 * a + b, as quads of int8: first all a, then all b. */
static void put_quads(struct outer16_pass *pass, const int64_t *row, int n)
{
    uint32_t *quads = pass->weight + 10 * MOST_PAIRS;
    const int width = (n + 3) / 4;

    for (int j = 0; j < n; j++) {
        quads[j / 4] |= (uint32_t)(uint8_t)((row[j] + 128) >> 8) << j % 4 * 8;
        quads[width + j / 4] |= (uint32_t)(uint8_t)row[j] << j % 4 * 8;
    }
    pass->quads = (struct cpu_masks){1, width, pass->plan->channels, quads, pass->row.low_bits};
}

/* Puts the column's weights: 2^bits * c and c for two rows if joined, else pairs for four rows. */
static void put_column(struct outer16_pass *pass, const int64_t *numbers, int n, int64_t common,
                       int bits)
{
    const int parts = parts_of(numbers, n, common);
    uint32_t *column = pass->weight + 2 * MOST_PAIRS;

    pass->fold = is_joined(pass) ? 1 : 2;
    pass->rows = is_joined(pass) ? 2 : ROWS;
    pass->lines = is_joined(pass) ? n + 1 : n / 2 + 2;
    pass->column = (struct cpu_masks){parts * pass->lines, 1, 0, column, 0};
    for (int r = 0; r < pass->rows; r++, column += parts * pass->lines)
        if (!is_joined(pass))
            put_pairs(column, numbers, n, common, -r, pass->lines, parts);
        else
            for (int i = 0; i < n; i++)
                column[r + i] = (uint32_t)(numbers[i] & 0xffff) | (uint32_t)numbers[i]
                                                                      << (16 + bits);
}

static bool outer16_make(void *state)
{
    struct outer16_pass *pass = state;
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = &plan->mask[0];
    const int taps = (m->width + 1) / 2;
    int64_t rows = 0, columns = 0, common, cell;
    struct plan_term outer;
    int parts, bits;

    factors_of(m, &outer, &cell);
    choose_way(plan, &outer, cell, &pass->halves.way);
    common = common_of(outer.column, m->height);
    bits = is_joined(pass) ? low_bits_of(plan, &outer) : 16;
    parts = parts_of(outer.row, m->width, 1);
    put_pairs(pass->weight, outer.row, m->width, 1, 0, taps, parts);
    pass->row = (struct cpu_masks){parts, taps, 2 * plan->channels, pass->weight, bits};
    put_column(pass, outer.column, m->height, common, bits);
    if (plan->type == SAMPLE_U8 && pass->ops->byte_row &&
        cpu_weights_fit(outer.row, m->width, INT16_MAX - 128))
        put_quads(pass, outer.row, m->width);
    pass->turned = pass->quads.width > 0 ||
                   (plan->type == SAMPLE_U16 && is_joined(pass) && pass->ops->word_row);
    for (int i = 0; i < m->height; i++)
        columns += outer.column[i] / common;
    for (int j = 0; plan->type == SAMPLE_U16 && j < m->width; j++)
        rows += outer.row[j];
    rows += !is_joined(pass); /* 2^15 in R */
    pass->halves = (struct cpu_halves){.way = pass->halves.way,
                                       .common = common,
                                       .start = common * 32768 * columns * rows + m->offset,
                                       .cell = cell,
                                       .divisor = m->divisor,
                                       .max = (int32_t)plan->max};
    return true;
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct outer16_pass *pass = context;
    struct outer16_worker *w = worker;
    size_t line = pass->stride * sizeof(uint32_t);
    size_t row = line + (size_t)(pass->plan->mask[0].width * pass->plan->channels) * 4;

    w->pairs = cpu_memory_take(memory, row);
    w->ring = cpu_memory_take(memory, 2 * (size_t)pass->lines * line);
    for (int k = 0; k < 2; k++) {
        w->padded[k] = cpu_memory_take(memory, row);
        w->row[k] = cpu_memory_take(memory, line);
    }
    for (int k = 0; k < 2 * ROWS; k++)
        w->sums[k] = cpu_memory_take(memory, line);
}

/* Cuts tiles so that the ring fits the cache, unless the halo would be most of a row. */
static bool outer16_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct outer16_worker), worker_make,
                                                run_tile};
    struct outer16_pass pass = *(const struct outer16_pass *)state;
    /* Processors with AVX-512 have an L2 cache of 1 MB or more. */
    const int ring = pass.ops->vector_bytes == 64 ? 384 * 1024 : RING_BYTES;
    int pixels = ring / (pass.fold * (int)sizeof(uint32_t) * pass.lines * pass.plan->channels);
    int width = pass.plan->mask[0].width;

    pass.job = job;
    pixels = (pixels > 2 * width ? pixels : 2 * width) / CPU_TILE_MIN * CPU_TILE_MIN;
    pass.tiles = cpu_tiles_cut(job, pixels);
    pass.halves.streams = pass.tiles.streams;
    pass.stride = cpu_tiles_stride(&pass.tiles, 0, SLACK);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

const struct cpu_method cpu_method_outer16 = {
    .name = "outer16",
    .idea = "a row pass, and a column pass in two halves, by multiplications of 16 bits",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = refusal,
    .cost = cost,
    .wide_cost = 0.55,
    .state_bytes = sizeof(struct outer16_pass),
    .make = outer16_make,
    .run = outer16_run,
};
