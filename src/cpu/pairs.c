/* Sums of every cell, two or four rows of output at a time, for any mask whose weights fit int16,
 * and for gradients. With 8-bit samples also masks whose exact sums need 64 bits: by weights
 * rounded to int16, with a bound of the error (cpu/rounded.h). The methods `direct` and
 * `certified8`.
 *
 * A line holds rows of the picture side by side, so that one multiply-add takes several taps, and
 * all rows of output that are made together read the line (drawn in docs/methods.md): pairs of rows
 * as int16; for int8 weights, if an instruction takes bytes, pairs or quads of rows as bytes. Quads
 * make four rows of output, all else two. A line begins at every fourth or second row. Rounded
 * weights of 16 bits are two planes of int8 over quads, which share the loads and make two rows: a
 * mask then reads quads t, t + 2, t + 4 ... A 16-bit sample minus 32768 fits int16: the sums begin
 * with 32768 times the sum of the weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/rounded.h"
#include "cpu/finish.h"
#include "cpu/lines.h"
#include "cpu/method.h"

struct pairs_worker {
    const void **at; /* the lines of a group of rows, from the top */
    void *sum[2][4]; /* of each mask and of each row of output; narrow: of 16 bits */
    uint8_t *doubtful;
};

/* What an element of a line holds: two rows as int16, or two or four as bytes. */
enum line_form { PAIRS, BYTE_PAIRS, BYTE_QUADS };

struct pairs_pass {
    CPU_STATE;
    enum line_form form;
    cpu_sum_rows *sum;
    struct cpu_masks masks[2]; /* of each mask of the plan */
    uint32_t *weights[2];      /* owned */
    uint32_t start[2];         /* of the sums */
    bool certified;
    struct cpu_rounded rounded; /* if certified */
    bool narrow;                /* sums of bytes fit 16 bits and use: */
    struct cpu_divide16 divide;
    struct cpu_lines lines;
};

/* ---- weights ---- */

static int rows_of(enum line_form form)
{
    return form == BYTE_QUADS ? 4 : 2;
}

/* Do sums of the products of two weights, one below the other, always fit int16? */
static bool byte_pairs_fit(const struct plan_mask *m)
{
    for (int k = m->width; k < m->width * m->height; k++)
        if (!cpu_byte_pair_fits(m->weight[k - m->width], m->weight[k]))
            return false;
    return true;
}

static enum line_form form_of(const struct cpu_ops *ops, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];

    if (plan->type != SAMPLE_U8 || plan->kind != PLAN_LINEAR)
        return PAIRS;
    if (m->accumulator == ACCUMULATOR_I64)
        return ops->quad_two_planes ? BYTE_QUADS : PAIRS;
    if (!cpu_mask_fits(m, INT8_MAX))
        return PAIRS;
    return ops->byte_quads ? BYTE_QUADS : ops->byte_pairs && byte_pairs_fit(m) ? BYTE_PAIRS : PAIRS;
}

/* The quads under the masks of four rows of output. */
static int quads_of(const struct plan_mask *m)
{
    return (m->height + 6) / 4 * m->width;
}

/* Is the plan's mask faster here than by `bytes`? */
static bool bytes_lose(const struct cpu_ops *ops, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    enum line_form form = form_of(ops, plan);
    int places, taps = 0;

    if (form == PAIRS || cpu_bytes_separable(plan))
        return false;
    for (int k = 0; k < m->width * m->height; k++)
        taps += m->weight[k] != 0;
    /* Instructions here: 5 per quad for all places of the mask, and the division of sums of 32
     * bits; or 4 per pair. Instructions of `bytes`: 8 per two taps that are not 0. */
    places = form == BYTE_QUADS ? quads_of(m) * 5 + 40 : (m->height / 2 + 1) * m->width * 4 + 20;
    return places < (taps + 1) / 2 * 8;
}

/* Sets FULL for each tap after which the next tap might overflow a sum of 16 bits. */
static void full_mark(const struct cpu_masks *masks, uint32_t *full)
{
    const int taps = masks->pairs * masks->width;
    int reach[4] = {0}; /* of either row, positive and negative */

    for (int t = 0; t < taps; t++) {
        int more[4] = {0};
        for (int k = 0; k < 4; k++) {
            int8_t weight = (int8_t)(masks->weight[k / 2 * taps + t] >> k % 2 * 8);
            more[k / 2 * 2 + (weight < 0)] += abs(weight) * UINT8_MAX;
        }
        for (int k = 0; k < 4; k++)
            if (reach[k] + more[k] > INT16_MAX) {
                full[t - 1] = 1;
                memset(reach, 0, sizeof reach);
            }
        for (int k = 0; k < 4; k++)
            reach[k] += more[k];
    }
}

/* Puts HEIGHT rows of weights / 2^SHIFT, rounded, into PACKED, which is cleared. */
static void weights_lay(const struct pairs_pass *pass, const struct cpu_masks *masks,
                        const int64_t *weight, int height, int shift, uint32_t *packed)
{
    const enum line_form form = pass->form;
    int rows = rows_of(form), bits = form == PAIRS ? 16 : 8, taps = masks->width * masks->pairs;

    for (int lower = 0; lower < pass->lines.rows; lower++)
        for (int i = 0; i < height; i++)
            for (int j = 0; j < masks->width; j++) {
                int64_t rounded = weight[i * masks->width + j] + (1 << shift) / 2;
                uint32_t w = (uint32_t)(rounded >> shift) & ((1U << bits) - 1);
                int at = lower * taps + (i + lower) / rows * masks->width + j;
                packed[at] |= w << (i + lower) % rows * bits;
                if (form == BYTE_PAIRS)
                    packed[at] |= w << ((i + lower) % rows * bits + 16);
            }
}

/* ---- two rows of one tile ---- */

static void put(const void *context, const void *const *row, size_t first, void *line, size_t at,
                int n)
{
    const struct pairs_pass *pass = context;
    const struct cpu_ops *ops = pass->ops;
    const uint8_t *byte[4];

    if (pass->plan->type == SAMPLE_U16) {
        ops->pairs_u16((const uint16_t *)row[0] + first, (const uint16_t *)row[1] + first,
                       (uint32_t *)line + at, n);
        return;
    }
    for (int i = 0; i < rows_of(pass->form); i++)
        byte[i] = (const uint8_t *)row[i] + first;
    if (pass->form == BYTE_QUADS)
        ops->byte_quads(byte, (uint32_t *)line + at, n);
    else if (pass->form == BYTE_PAIRS)
        ops->byte_pairs(byte[0], byte[1], (uint16_t *)line + at, n);
    else
        ops->pairs_u8(byte[0], byte[1], (uint32_t *)line + at, n);
}

static void finish_row(const struct pairs_pass *pass, const struct pairs_worker *w,
                       const struct cpu_tile *tile, int r, int y)
{
    const struct plan *plan = pass->plan;
    const void *sums = w->sum[0][r];
    const int32_t *sum = sums;
    int n = tile->pixels * plan->channels;
    void *out = cpu_tile_out(pass->job, tile, y);

    if (pass->narrow)
        pass->ops->divide_16_u8(&pass->divide, sums, out, n);
    else if (plan->kind == PLAN_GRADIENT)
        cpu_finish_gradient(pass->ops, plan, sum, w->sum[1][r], out, n);
    else if (!pass->certified)
        cpu_finish_32(pass->ops, plan, sum, out, n, pass->lines.tiles.streams, false);
    else {
        pass->ops->certify_u8(&pass->rounded.test, sum, out, w->doubtful, n);
        cpu_exact_samples(pass->job, tile, y, w->doubtful, out);
    }
}

/* Rows for lines of bytes would come late from memory: they are fetched while sums are made. */
static void filter(const void *context, void *worker, const struct cpu_tile *tile,
                   const void *const *lines, int y, int rows)
{
    const struct pairs_pass *pass = context;
    const struct cpu_lines *l = &pass->lines;
    const int channels = pass->plan->channels, pixels = CPU_PART_SAMPLES / channels;
    const int last = tile->top + y - tile->first + (l->span - 1) * l->step;
    struct pairs_worker *w = worker;
    struct cpu_tile part = *tile;

    for (int x = 0; x < tile->pixels; x += pixels) {
        part.first_pixel = tile->first_pixel + x;
        part.pixels = tile->pixels - x < pixels ? tile->pixels - x : pixels;
        for (int r = 0; pass->form != PAIRS && r < l->rows; r++)
            cpu_tile_fetch(pass->job, &part, last + r);
        for (int p = 0; p < pass->masks[0].pairs; p++)
            w->at[p] = (const char *)lines[p * rows_of(pass->form) / l->step] +
                       (size_t)(x * channels) * l->bytes;
        for (int k = 0; k < pass->plan->masks; k++)
            pass->sum(&pass->masks[k], w->at, pass->start[k], w->sum[k], part.pixels * channels);
        for (int r = 0; r < rows; r++)
            finish_row(pass, w, &part, r, y + r);
    }
}

/* ---- one pass ---- */

/* The lines, as pairs or quads, under the mask in all rows of output that are made together. */
static int pairs_of(const struct pairs_pass *pass)
{
    const int rows = rows_of(pass->form);
    return (pass->plan->mask[0].height + pass->lines.rows + rows - 2) / rows;
}

/* Packs the weights of mask K as pairs or quads. False: no memory. */
static bool weights_pack(struct pairs_pass *pass, int k, const int64_t *weight)
{
    const struct plan_mask *m = &pass->plan->mask[k];
    int pairs = pairs_of(pass), taps = m->width * pairs;
    bool planes = pass->certified && pass->form == BYTE_QUADS;
    uint32_t *packed = calloc(4 * (size_t)taps, sizeof *packed); /* room for a second plane */

    pass->weights[k] = packed;
    if (!packed)
        return false;
    pass->masks[k] = (struct cpu_masks){pairs, m->width, pass->plan->channels, packed, 0};
    weights_lay(pass, &pass->masks[k], weight, m->height, planes ? 8 : 0, packed);
    if (planes)
        weights_lay(pass, &pass->masks[k], weight, m->height, 0, packed + 2 * (size_t)taps);
    if (pass->form == BYTE_PAIRS)
        full_mark(&pass->masks[k], packed + 2 * (size_t)taps);
    pass->start[k] = pass->certified ? 0 : (uint32_t)m->offset;
    if (pass->narrow)
        pass->start[k] += (uint32_t)m->divisor / 2;
    if (pass->plan->type == SAMPLE_U16)
        pass->start[k] += 32768 * (uint32_t)m->sum;
    return true;
}

static bool weights_make(struct pairs_pass *pass)
{
    const struct plan *plan = pass->plan;
    const struct cpu_ops *ops = pass->ops;
    const bool quads = pass->form == BYTE_QUADS;
    const int rows = rows_of(pass->form);
    const int together = quads && !pass->certified ? 4 : 2;

    pass->narrow = pass->form == BYTE_PAIRS && cpu_bytes_divide(plan, &pass->divide);
    pass->sum = pass->form == PAIRS ? ops->sum_two_rows
                : pass->narrow      ? ops->byte_two_rows_16
                : !quads            ? ops->byte_two_rows
                : pass->certified   ? ops->quad_two_planes
                                    : ops->quad_four_rows;
    pass->lines = (struct cpu_lines){.line_rows = rows,
                                     .step = together,
                                     .rows = together,
                                     .bytes = pass->form == BYTE_PAIRS ? 2 : 4};
    pass->lines.span = (pairs_of(pass) - 1) * rows / pass->lines.step + 1;
    if (pass->certified)
        return cpu_rounded_make(&pass->rounded, plan) &&
               weights_pack(pass, 0, pass->rounded.weight);
    for (int k = 0; k < plan->masks; k++)
        if (!weights_pack(pass, k, plan->mask[k].weight))
            return false;
    return true;
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct pairs_pass *pass = context;
    struct pairs_worker *w = worker;
    size_t n = cpu_tiles_sums(&pass->lines.tiles);

    w->at = cpu_memory_take(memory, (size_t)pass->masks[0].pairs * sizeof *w->at);
    for (int k = 0; k < pass->plan->masks; k++)
        for (int r = 0; r < pass->lines.rows; r++)
            w->sum[k][r] = cpu_memory_take(memory, n * sizeof(uint32_t));
    w->doubtful = cpu_memory_take(memory, n);
}

static void pairs_free(void *state)
{
    struct pairs_pass *pass = state;
    free(pass->weights[0]);
    free(pass->weights[1]);
    cpu_rounded_free(&pass->rounded);
}

static bool pairs_make(void *state)
{
    struct pairs_pass *pass = state;

    pass->form = form_of(pass->ops, pass->plan);
    pass->certified = pass->plan->mask[0].accumulator == ACCUMULATOR_I64;
    return weights_make(pass);
}

static bool pairs_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_lines_hooks hooks = {sizeof(struct pairs_worker), worker_make, put,
                                                 filter};
    struct pairs_pass pass = *(const struct pairs_pass *)state;

    pass.job = job;
    return cpu_lines_run(&pass.lines, job, &hooks, &pass, err);
}

/* ---- the rows of the table ---- */

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    if (plan->alpha == ALPHA_WEIGHTED)
        return "it does not weight colour by alpha";
    if (plan->kind == PLAN_GRADIENT && plan->mask[0].divisor > CPU_MOST_GRADIENT_DIVISOR)
        return "it divides gradients by 128 at most";
    for (int k = 0; k < plan->masks; k++)
        if (plan->mask[k].accumulator == ACCUMULATOR_I64 ||
            !cpu_mask_fits(&plan->mask[k], INT16_MAX))
            return "its weights have 16 bits, and its sums 32 bits";
    return NULL;
}

/* Nanoseconds of a square root. */
#define ROOT_NS 1.4

/* If `bytes` can run the plan, too, the number of instructions decides. */
static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const bool linear = plan->kind == PLAN_LINEAR;
    const enum line_form form = form_of(ops, plan);

    if (refusal(plan, ops))
        return HUGE_VAL;
    if (linear && cpu_bytes_wins(plan) && bytes_lose(ops, plan))
        return cpu_method_bytes.cost(plan, ops, width, height);
    const double ns = form == PAIRS        ? cpu_cells(plan) / CPU_RATE_INT16
                      : form == BYTE_PAIRS ? cpu_cells(plan) / CPU_RATE_BYTES
                                           : quads_of(&plan->mask[0]) / 50.0;
    return cpu_samples(plan, width, height) *
           (plan->masks * (0.19 + 0.12 * plan->type + ns) + (linear ? 0 : ROOT_NS));
}

/* The time per sample, if certified8 can run the plan; else the reason why it cannot. */
static const char *certified_time(const struct plan *plan, double *sample_ns)
{
    struct cpu_rounded rounded;

    if (plan->type != SAMPLE_U8)
        return "it takes 8-bit samples only";
    if (plan->alpha == ALPHA_WEIGHTED)
        return "it does not weight colour by alpha";
    if (plan->mask[0].accumulator != ACCUMULATOR_I64)
        return "it is for sums of 64 bits";
    if (!cpu_rounded_make(&rounded, plan))
        return "rounded weights would leave too much in doubt";
    *sample_ns = rounded.sample_ns;
    cpu_rounded_free(&rounded);
    return NULL;
}

static const char *refusal_certified(const struct plan *plan, const struct cpu_ops *ops)
{
    double unused;

    (void)ops;
    return certified_time(plan, &unused);
}

static double cost_certified(const struct plan *plan, const struct cpu_ops *ops, int width,
                             int height)
{
    double sample_ns;

    (void)ops;
    return certified_time(plan, &sample_ns) ? HUGE_VAL
                                            : cpu_samples(plan, width, height) * sample_ns;
}

const struct cpu_method cpu_method_direct = {
    .name = "direct",
    .idea = "every cell, for two or four rows at a time, and gradients",
    .kinds = KERNEL_KIND(PLAN_LINEAR) | KERNEL_KIND(PLAN_GRADIENT),
    .refusal = refusal,
    .cost = cost,
    .wide_cost = 0.66,
    .state_bytes = sizeof(struct pairs_pass),
    .make = pairs_make,
    .run = pairs_run,
    .free = pairs_free,
};

const struct cpu_method cpu_method_certified8 = {
    .name = "certified8",
    .idea = "8 bits, rounded weights: every cell; samples in doubt are summed exactly",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = refusal_certified,
    .cost = cost_certified,
    .wide_cost = 0.64,
    .state_bytes = sizeof(struct pairs_pass),
    .make = pairs_make,
    .run = pairs_run,
    .free = pairs_free,
};
