/* Masks of low rank as a sum of few products of a column and a row: unsharp, differences of
 * Gaussians, sums of boxes. A part of the plan, made with it. */
#ifndef STENCIL_PLAN_TERMS_H
#define STENCIL_PLAN_TERMS_H

#include "plan/plan.h"

/* With more terms or longer ones, Fourier transforms are faster. */
#define PLAN_MOST_TERMS     4
#define PLAN_MOST_TERM_TAPS 256 /* terms * (width + height) */

/* Fills term, terms and terms_exact, with terms 0 where there is no such sum. False: no memory. */
bool plan_terms_make(struct plan_mask *mask);
void plan_terms_free(struct plan_mask *mask);

#endif
