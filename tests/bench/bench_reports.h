/* Made-up measurements for the tests of the bench: numbers as a large GPU and a CPU of
 * 16 cores would give them, so that tables and plots can be tested, and looked at,
 * where there is neither. */
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
