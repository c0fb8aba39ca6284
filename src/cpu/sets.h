/* The table of instruction sets: what differs between the CPU kernels. A set is a file that fills
 * every slot of cpu/ops.h, mostly with plain C that is compiled for its instructions
 * (cpu/ops_template.h), and has its row here. */
#ifndef STENCIL_CPU_SETS_H
#define STENCIL_CPU_SETS_H

#include "cpu/ops.h"

#define CPU_MOST_SETS 8

/* What the cost model multiplies with (kernel/rates.h): taps per millisecond of one thread, and
 * samples. */
struct cpu_rates {
    double rank1, of_8_bits, of_16_bits, of_32, of_64, weighted, samples;
};

struct cpu_set {
    const char *title; /* "AVX-512 with VNNI" */
    const char *idea;  /* of the kernel, one line */
    const struct cpu_ops *ops;
    const struct cpu_rates *rates;
};

/* Those of the processor's family, from slow to fast. */
const struct cpu_set *cpu_sets(int *count);

/* The last one that this processor has. */
const struct cpu_set *cpu_set_best(void);

#endif
