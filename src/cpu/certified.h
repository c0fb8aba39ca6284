/* Which of the certified methods takes a plan whose exact sums need 64 bits: each sums rounded
 * weights, knows how far that can be off, and sums the samples in doubt exactly. */
#ifndef STENCIL_CPU_CERTIFIED_H
#define STENCIL_CPU_CERTIFIED_H

#include "plan/plan.h"

enum cpu_certified {
    CERTIFIED_NONE,
    CERTIFIED_NEAR8,    /* 8 bits, close to rank 1 */
    CERTIFIED_LOWRANK8, /* 8 bits, close to a few columns and rows */
    CERTIFIED_DIRECT8,  /* 8 bits, every cell */
    CERTIFIED_DIRECT16, /* 16 bits */
};

/* *COST: about the nanoseconds of a sample. Of large masks CERTIFIED_DIRECT8 is a guess. */
enum cpu_certified cpu_certified_way(const struct plan *plan, double *cost);

/* The cost of a certified method: HUGE_VAL where WAY is not the plan's. */
double cpu_certified_cost(const struct plan *plan, enum cpu_certified way, int width, int height);

#endif
