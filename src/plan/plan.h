/* The plan: everything that decides the output's bytes, as integers.
 *
 *   out = clamp( floor( (S + floor(d/2)) / d ), 0, max )
 *   S   = sum over the mask of  w[i][j] * in[y + i - ay][x + j - ax]   +  o
 *
 * An order filter has a window in place of the mask: the cells whose weight is 1. Its output is the
 * cell of the window that has a certain place among all of them, sorted.
 *
 * A plan is a pure function of (mask, options, sample depth). Backends execute a
 * plan and decide nothing that shows in the output. */
#ifndef STENCIL_PLAN_PLAN_H
#define STENCIL_PLAN_PLAN_H

#include <stdint.h>

#include "base/image.h"
#include "plan/border.h"
#include "plan/light.h"
#include "plan/mask.h"

/* Which accumulator holds every partial sum of S exactly. */
enum accumulator {
    ACCUMULATOR_I32, /* sum|w|*max + |o| + d < 2^31 */
    ACCUMULATOR_I64, /* ... < 2^62 */
};

/* With more terms or longer ones (terms * (width + height)), Fourier transforms are faster. */
#define PLAN_MOST_TERMS     4
#define PLAN_MOST_TERM_TAPS 256

/* A column times a row, at a place within a mask. */
struct plan_term {
    int top, left, height, width;
    int64_t *column, *row; /* one block, owned by column */
};

/* One mask over integers. */
struct plan_mask {
    int width, height, anchor_x, anchor_y;
    int64_t *weight; /* width*height, row-major; owned; NULL for a long mask of several rows */
    int64_t divisor; /* d >= 1 */
    int64_t offset;  /* o, already times d */
    int64_t sum;     /* W = sum w */
    int64_t sum_abs; /* sum |w| */
    int64_t bound;   /* sum|w|*max + |o| + d, < 2^62 */
    enum accumulator accumulator;
    bool float_exact;  /* sum|w|*max + |o| < 2^24: float32 sums are exact too */
    bool has_negative; /* any w < 0 */
    /* Rank 1: weight[i][j] == column[i] * row[j] exactly; row is primitive (its gcd is 1, its first
     * non-zero entry positive), column has the remaining factor. Else NULL. */
    int64_t *column, *row;
    int64_t centre; /* of a long mask: is added to the weight of the cell (width/2, height/2) */
    /* Low rank: the mask is the sum of this many terms, exactly if terms_exact, else modulo 2^32
     * (for sums of 32 bits). 0: there is no such sum, or the rank is 1. (plan/rank.c) */
    int terms;
    bool terms_exact;
    struct plan_term term[PLAN_MOST_TERMS];
    int quantised_bits;     /* q of plan/quantise.c if weights had to be quantised, else -1 */
    double quantised_error; /* the largest effect of quantising on a sample, in sample values */
};

enum plan_kind {
    PLAN_LINEAR,   /* mask[0] */
    PLAN_GRADIENT, /* clamp(round(sqrt(gx^2 + gy^2) / d)) of mask[0] and [1], whose divisor is d; no
                      offset */
    PLAN_LONG,     /* mask[0], longer than MASK_MAX_SIDE: column, row and centre are its weights */
    PLAN_ORDER,    /* mask[0] is a window: its weights are 0 and 1 */
    PLAN_BILATERAL, /* mask[0], whose weights are also multiplied by a weight for the difference of
                       the samples: see `range` */
};

/* A difference with a step's output, clamped. The picture: the input of the first step. */
enum plan_minus { MINUS_NOTHING, MINUS_PICTURE, MINUS_LAST, PICTURE_MINUS };

/* Part of a picture, in pixels; it may reach beyond the picture's right and lower edges. */
struct plan_region {
    int x, y, width, height; /* width 0: the whole picture */
};

enum alpha_mode { ALPHA_WEIGHTED, ALPHA_IGNORE, ALPHA_PLAIN };

struct plan {
    enum plan_kind kind;
    struct plan_mask mask[2]; /* the second for PLAN_GRADIENT only */
    int masks;                /* 1 or 2 */
    enum border border;
    uint32_t border_value; /* ghost cells' sample for constant; 0 for zero */
    uint32_t max;          /* samples lie in 0..max; max: 1..255 for U8, ..65535 for U16, ..2^21
                              for U32 */
    enum sample_type type;
    int channels;
    /* Resolved for this picture: PLAIN where there is no alpha; WEIGHTED only for a
     * mask without negative weights whose sum is not 0 (else IGNORE). */
    enum alpha_mode alpha;
    unsigned filtered; /* bit c set: channel c is filtered; else it is copied. In IGNORE the
                          alpha channel's bit is clear. */
    int repeat;        /* whole passes, >= 1; of the first step */
    int order;         /* PLAN_ORDER: the place of the output among the sum cells of the window,
                          sorted: 0 is the least */
    /* PLAN_BILATERAL: a cell's weight is mask[0]'s times range[d], where d is the sum of the
     * absolute differences between the cell and the window's middle, in the channels of
     * plan_compared; past range_last it is 0. Owned. */
    uint16_t *range;
    int range_last;
    /* Steps: each is a plan, and filters the output of the step before it, with ghost cells of
     * its own. A pass is all steps. Only PLAN_ORDER has several. */
    struct plan *then;     /* the next step, owned; NULL: this is the last one */
    bool of_picture;       /* the step filters the picture, not the output of the step before it */
    enum plan_minus minus; /* the output of the step before it is `LAST` */
    /* Samples that are NODATA count for nothing: the output is the quotient of the weighted sum and
     * the sum of the weights that count, like colour weighted by alpha, and NODATA where nothing
     * counts. For PLAN_LINEAR and PLAN_LONG without negative weights. */
    bool has_nodata;
    uint32_t nodata;
    /* What surrounds each pass (kernel/around.h). With `light`, the plan is for light, but a job's
     * pictures have codes. Outside the region the output is the input. Where the picture `where`,
     * of samples 0..where_max, has m, the output is (m * filtered + (where_max - m) * input) /
     * where_max, rounded. `where` belongs to the request; NULL: the filter's output everywhere. */
    const struct light *light;
    struct plan_region region;
    const struct image *where;
    uint32_t where_max;
    /* The next filter of a chain, owned; NULL: this is the last one. Only src/run runs chains:
     * kernels and methods get the plan of one filter. */
    struct plan *next;
    int step; /* its number in a chain, from 1; 0: no chain */
};

/* Do the sums need 64 bits and more, whatever the mask is? Few kernels have them. */
static inline bool plan_is_wide(const struct plan *plan)
{
    return plan->has_nodata || plan->type == SAMPLE_U32;
}

/* A channel's sample in a ghost cell of the borders zero and constant. */
static inline uint32_t plan_ghost(const struct plan *plan, int channel)
{
    bool alpha = image_has_alpha(plan->channels) && channel == plan->channels - 1;
    return alpha && plan->alpha != ALPHA_PLAIN ? plan->max : plan->border_value;
}

/* The channels whose differences a bilateral filter sums, as bits: the colours that it filters. */
static inline unsigned plan_compared(const struct plan *plan)
{
    bool alpha = image_has_alpha(plan->channels) && plan->alpha != ALPHA_PLAIN;
    return plan->filtered & ~(alpha ? 1u << (plan->channels - 1) : 0);
}

/* Overrides from the command line, each replacing the file's; NULL/false: none. */
struct plan_overrides {
    const char *divisor; /* rationals as text */
    const char *offset;  /* rational, or N% */
    bool has_anchor;
    int anchor_x, anchor_y; /* in the mask as it is written, before --flip */
    bool flip;
    bool normalize; /* divide by the sum of the weights */
};

/* Changes MASK as the overrides say. EXIT_USAGE for a divisor of 0, a sum of 0 to divide by, and an
 * anchor outside. */
bool plan_mask_override(struct mask *mask, const struct plan_overrides *overrides,
                        struct error *err);

/* Makes the integers of one mask for samples up to max. EXIT_USAGE if the numbers are too large. On
 * success free with plan_mask_free. */
bool plan_mask_make(struct plan_mask *plan, const struct mask *mask, uint32_t max,
                    struct error *err);
void plan_mask_free(struct plan_mask *plan);

/* Copies a window, perhaps turned by 180 degrees with its anchor. False: no memory. */
bool plan_mask_copy(struct plan_mask *copy, const struct plan_mask *window, bool turned);

/* The plan for pictures whose rows and columns are exchanged; and the one for pictures of one row,
 * whose ghost rows are copies of it, or constant: its masks have one row. False: no memory, or
 * there is no such plan. Free with plan_free. */
bool plan_turn(struct plan *turned, const struct plan *plan);
bool plan_fold(struct plan *folded, const struct plan *plan);

/* The exact rank of the integer weights (0 for an all-zero mask, -1 without memory). May take a
 * moment for large masks: for printing, not for running. */
int plan_mask_rank(const struct plan_mask *plan);

/* Whether a step makes flat areas brighter or darker. A mask with a sum of 0 makes them black,
 * which is what such a mask is for. */
static inline bool plan_changes_brightness(const struct plan *step)
{
    return (step->kind == PLAN_LINEAR || step->kind == PLAN_LONG) && step->mask[0].sum != 0 &&
           step->mask[0].sum != step->mask[0].divisor;
}

static inline bool plan_mask_is_long(const struct plan_mask *m)
{
    return m->width > MASK_MAX_SIDE || m->height > MASK_MAX_SIDE;
}

/* The weight of the cell in row i and column j, of any mask. */
static inline int64_t plan_mask_weight(const struct plan_mask *m, int i, int j)
{
    if (m->weight)
        return m->weight[i * m->width + j];
    return m->column[i] * m->row[j] + (i == m->height / 2 && j == m->width / 2 ? m->centre : 0);
}

/* How alpha is treated, as a word of --alpha; "none": the picture has no alpha. */
const char *plan_alpha_text(const struct plan *plan);

void plan_free(struct plan *plan);

#endif
