/* Borders: the value of a ghost cell (a cell outside the picture). Only this file defines it. The
 * reference calls border_fold for every cell; fast kernels call it only at edges.
 *
 * For the row a b c d :
 *   replicate   a a a | d d d      the closest valid cell (the default)
 *   zero        0 0 0 | 0 0 0      the textbook's ghost cells
 *   constant:V  V V V | V V V      V an integer in 0..max, or N% of max
 *   reflect     c b a | d c b      the edge is repeated
 *   mirror      d c b | c b a      the edge is not repeated (reflect 101)
 *   wrap        b c d | a b c      periodic */
#ifndef STENCIL_PLAN_BORDER_H
#define STENCIL_PLAN_BORDER_H

#include <stdint.h>

#include "base/error.h"

enum border {
    BORDER_REPLICATE,
    BORDER_ZERO,
    BORDER_CONSTANT,
    BORDER_REFLECT,
    BORDER_MIRROR,
    BORDER_WRAP,
};
#define BORDER_COUNT 6

/* border_fold's result for a ghost cell with a constant value. */
#define BORDER_OUTSIDE (-1)

int border_fold_ghost(enum border border, int i, int n); /* for I outside 0..n-1 only */

/* The cell in 0..n-1 that index I (any int, n >= 1) stands for, or BORDER_OUTSIDE for zero and
 * constant. Folds as often as necessary. */
static inline int border_fold(enum border border, int i, int n)
{
    return i >= 0 && i < n ? i : border_fold_ghost(border, i, n);
}

/* As given on the command line. percent: value is N of `N%`, else V itself. */
struct border_choice {
    enum border border;
    bool percent;
    const char *value; /* points into the text that was parsed, for constant only */
};

/* TEXT is `replicate`, ..., `constant:V` or `constant:N%`; wrong text is EXIT_USAGE. */
bool border_parse(const char *text, struct border_choice *choice, struct error *err);

/* The ghost cells' sample value for samples up to max: 0 for every border but
 * constant; N% is rounded half up. V > max is EXIT_USAGE. */
bool border_value(const struct border_choice *choice, uint32_t max, uint32_t *value,
                  struct error *err);

/* "replicate", "zero", "constant", ... */
const char *border_name(enum border border);

#endif
