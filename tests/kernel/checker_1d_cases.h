/* The 1D checker's cases: which mask widths, sizes, borders, number types and
 * patterns, how a case number becomes a job, and what its sums must be. */
#ifndef STENCIL_TESTS_KERNEL_CHECKER_1D_CASES_H
#define STENCIL_TESTS_KERNEL_CHECKER_1D_CASES_H

#include "kernel/signal_job.h"

struct case_1d {
    int number;
    char text[160];        /* the settings in words */
    struct signal_job job; /* but for out */
    void *in, *weight;     /* owned */
};

int case_1d_widths(void);
int case_1d_width(int width);             /* in weights */
int case_1d_count(int width, bool small); /* cases of one of them */

/* Case INDEX of a width. False without memory; free it all the same. */
bool case_1d_make(struct case_1d *c, int width, int index, int number, uint64_t seed, bool small);
void case_1d_free(struct case_1d *c);

/* Cell i as an integer. */
int64_t case_1d_get(enum signal_type type, const void *cells, int i);

/* Holds the case's SUMS to sums that are made another way: every ghost cell is found by walking to
 * it, a step a cell. Prints the first difference. Only for cases that are short enough for that. */
bool case_1d_is_short(const struct case_1d *c);
bool case_1d_check(const struct case_1d *c, const void *sums);

#endif
