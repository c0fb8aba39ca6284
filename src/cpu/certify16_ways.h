/* The ways to certified sums for 16-bit samples that cpu/certify16.c chooses from. */
#ifndef STENCIL_CPU_CERTIFY16_WAYS_H
#define STENCIL_CPU_CERTIFY16_WAYS_H

#include "cpu/certify16.h"
#include "cpu/planes16.h"

/* What they are made of. */
struct cpu_certify16_ways {
    const struct plan *plan;
    double *value;        /* of the mask, divided */
    double *rest, left;   /* less the terms; the sum of its sizes */
    double *column, *row; /* of all terms, one after the other */
    double *scaled;       /* room for both of any way */
    int terms;
    int32_t *plane; /* room for the planes of any way */
};

/* Finds one more term, of CPU_CERTIFY16_TERMS at most; false where nothing is left. */
bool cpu_certify16_add_term(struct cpu_certify16_ways *ways);

/* By the first TERMS columns and rows, into cleared weights; false where that cannot be used. */
bool cpu_certify16_make_terms(struct cpu_certify16 *certify, const struct cpu_certify16_ways *ways,
                              int terms, int group);

#endif
