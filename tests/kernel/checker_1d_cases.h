/* The 1D checker's cases: mask widths, sizes, borders, number types and patterns; how a case number
 * becomes a job; and the sums that a job must give. */
#ifndef STENCIL_TESTS_KERNEL_CHECKER_1D_CASES_H
#define STENCIL_TESTS_KERNEL_CHECKER_1D_CASES_H

#include "kernel/signal_job.h"

struct case_1d {
    int number;
    char text[160];        /* the settings in words */
    struct signal_job job; /* without `out` */
    void *in, *weight;     /* owned */
};

int case_1d_widths(void);
int case_1d_width(int width);             /* in weights */
int case_1d_count(int width, bool small); /* number of cases of one width */

/* Makes case INDEX of a width. False without memory; free the case anyway. */
bool case_1d_make(struct case_1d *c, int width, int index, int number, uint64_t seed, bool small);
void case_1d_free(struct case_1d *c);

/* Cell i as an integer. */
int64_t case_1d_get(enum signal_type type, const void *cells, int i);

/* Compares SUMS with sums computed differently: every ghost cell is found by walking to it, one
 * step a cell. Prints the first difference. Only for cases that are short enough. */
bool case_1d_is_short(const struct case_1d *c);
bool case_1d_check(const struct case_1d *c, const void *sums);

#endif
