/* Masks that are a column times a row, for those who compare other methods with them. */
#ifndef STENCIL_CPU_SEPARABLE_H
#define STENCIL_CPU_SEPARABLE_H

#include "plan/plan.h"

/* Is the mask such a one whose sums fit, and is that cheaper than every cell? */
bool cpu_separable_wins(const struct plan *plan);

/* Taps that a sample takes by columns and rows, of a mask of rank 1 or of terms. */
int cpu_terms_taps(const struct plan_mask *mask);

#endif
