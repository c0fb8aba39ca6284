/* The checker's cases: the sizes, borders, depths and patterns for each mask, and how a case number
 * becomes a plan and a picture. */
#ifndef STENCIL_TESTS_KERNEL_CHECKER_CASES_H
#define STENCIL_TESTS_KERNEL_CHECKER_CASES_H

#include "plan/plan.h"

struct check_case {
    int number;
    char text[320]; /* the settings in words */
    int width, height, channels;
    enum sample_type type;
    int extra_pitch; /* samples of padding after each row */
    int pattern;
    uint64_t seed;      /* the seed of this case */
    size_t strip_bytes; /* a device memory limit that forces several strips */
    struct plan plan;
};

int check_case_count(int mask, bool small); /* number of cases of one mask */

/* Keeps two of the six borders for each size and depth, in turn, and every width. */
bool check_case_is_quick(int mask, int index);

/* Makes case INDEX of a mask. False (with a printed reason) if its plan cannot be made. */
bool check_case_make(struct check_case *c, int mask, int index, int number, uint64_t seed,
                     bool small);
void check_case_fill(const struct check_case *c, struct image *image); /* the pattern */
void check_case_free(struct check_case *c);

#endif
