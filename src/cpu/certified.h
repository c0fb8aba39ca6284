/* The costs of the certified methods, which take plans whose exact sums need 64 bits: each sums
 * rounded weights, knows how far that can be off, and sums the samples in doubt exactly. */
#ifndef STENCIL_CPU_CERTIFIED_H
#define STENCIL_CPU_CERTIFIED_H

#include "plan/plan.h"

enum cpu_certified {
    CERTIFIED_NEAR8,    /* 8 bits, close to rank 1 */
    CERTIFIED_LOWRANK8, /* 8 bits, close to a few columns and rows */
    CERTIFIED_DIRECT8,  /* 8 bits, every cell */
    CERTIFIED_DIRECT16, /* 16 bits */
};

/* As a method's cost, of a linear plan; HUGE_VAL where WAY cannot run it. Of large masks that of
 * CERTIFIED_DIRECT8 is a guess. */
double cpu_certified_cost(const struct plan *plan, enum cpu_certified way, int width, int height);

#endif
