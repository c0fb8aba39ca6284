/* The columns and rows whose products make up a mask, as cpu/rank1.c sums them: one of
 * a mask of rank 1, several of a mask of low rank (plan/terms.h), each with its own
 * place and size within the mask. */
#ifndef STENCIL_CPU_TERMS_H
#define STENCIL_CPU_TERMS_H

#include "cpu/taps.h"
#include "plan/terms.h"

/* From here on sliding beats adding up, measured with AVX2. */
#define SLIDE_ROWS    4
#define SLIDE_COLUMNS 12

struct cpu_term {
    int top, left;
    struct cpu_taps column, row;
    struct cpu_taps64 row64;        /* with what the column's weights have in common */
    bool column_slides, row_slides; /* all weights alike */
};

/* The plan's: one for a mask of rank 1, else the mask's own. */
int cpu_terms_count(const struct plan_mask *mask);
struct plan_term cpu_terms_get(const struct plan_mask *mask, int k);

/* Do column sums of samples up to LARGEST fit int32, once the common factor is taken out? */
bool cpu_terms_fit(const struct plan_mask *mask, int64_t largest);

/* Has any column or row weights that are all alike, enough of them to slide? */
bool cpu_terms_slide(const struct plan_mask *mask);

/* Taps that a sample takes. */
int cpu_terms_taps(const struct plan_mask *mask);

/* WIDE: what a column's weights have in common goes to the row. False: no memory. */
bool cpu_term_make(struct cpu_term *term, const struct plan_term *from, int channels, bool wide);
void cpu_term_free(struct cpu_term *term);

#endif
