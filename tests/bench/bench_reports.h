/* Made-up measurements for the tests of the bench: typical numbers of a large GPU and of a CPU
 * with 16 cores. With them tables and plots can be tested, and looked at, on a machine that has
 * neither. */
#ifndef STENCIL_TESTS_BENCH_BENCH_REPORTS_H
#define STENCIL_TESTS_BENCH_BENCH_REPORTS_H

#include "bench/bench.h"

struct made_up {
    struct kernel kernel[10];
    struct bench_result result[128];
    struct bench_report report;
};

/* A GPU and a CPU with every kernel, 5 x 5; without the GPU; sweeps on the GPU. */
void made_up_both(struct made_up *made);
void made_up_cpu(struct made_up *made);
void made_up_sweep(struct made_up *made, enum bench_sweep sweep);

#endif
