/* The instruction sets of the processor's family, and which of them this processor has. A set is a
 * file that fills struct cpu_ops (by cpu/ops_template.h), and has a row in cpu/processor.c. */
#ifndef STENCIL_CPU_PROCESSOR_H
#define STENCIL_CPU_PROCESSOR_H

#include "cpu/ops.h"

#define CPU_MOST_SETS 8

struct cpu_set {
    const char *title;         /* "AVX-512 with VNNI" */
    const char *idea;          /* of the kernel, one line */
    const char *multiply_adds; /* the fastest kind: "16-bit vpdpwssd" */
    bool (*available)(void);   /* does this processor have the instructions? */
    const struct cpu_ops *ops;
};

/* The sets of the processor's family, from slow to fast. */
const struct cpu_set *cpu_sets(int *count);

/* The fastest set that this processor has. */
const struct cpu_set *cpu_set_best(void);

#endif
