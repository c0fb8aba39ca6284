/* The table of CPU methods: a row is one way to compute a mask's sums. All methods give the same
 * bytes, with any instruction set. The plan and the size of the work decide which one is fastest.
 * The kernels (cpu/kernels.c) choose by the table, --method and `list methods` read it, and the
 * checker walks it.
 *
 * A method is a file that exports its row; methods.c lists the rows. */
#ifndef STENCIL_CPU_METHOD_H
#define STENCIL_CPU_METHOD_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

/* The first members of a method's state: the plan and the loops, which stay valid, and about the
 * size of the output. run() sets JOB in a copy. */
#define CPU_STATE                                                                                  \
    const struct plan *plan;                                                                       \
    const struct cpu_ops *ops;                                                                     \
    int width, height;                                                                             \
    const struct kernel_job *job

struct cpu_method {
    const char *name;
    const char *idea; /* one line */
    unsigned kinds;   /* of plan, as KERNEL_KIND; others are refused before refusal is asked */
    /* NULL if the method can run the plan, else the reason: "it takes 8-bit samples only". No
     * function: the method runs any plan of its kinds. */
    const char *(*refusal)(const struct plan *plan, const struct cpu_ops *ops);
    /* Estimates the nanoseconds of one thread with AVX2 for a pass over WIDTH x HEIGHT pixels;
     * HUGE_VAL if the method cannot run the plan, or must not be chosen for it. */
    double (*cost)(const struct plan *plan, const struct cpu_ops *ops, int width, int height);
    /* The time with registers of 64 bytes (AVX-512), by the cost; 0: as long as the cost. */
    double wide_cost;
    /* Makes the state of all jobs of a picture, of STATE_BYTES: CPU_STATE is filled, the rest is
     * zero. False: no memory, or the method cannot run the plan after all. No function: the state
     * is the instruction set's struct cpu_ops. */
    size_t state_bytes;
    bool (*make)(void *state);
    /* Runs one pass; any threads may call it at once. */
    bool (*run)(const void *state, const struct kernel_job *job, struct error *err);
    void (*free)(void *state); /* what make() took, though it failed; NULL: nothing */
    /* As `rows` of struct kernel; NULL: any number of rows will do. */
    int (*rows)(const struct plan *plan, int width, int rows, int most);
};

/* All rows, from the most special to the most general one. At equal cost the first one is taken. */
const struct cpu_method *const *cpu_methods(int *count);

/* The method called NAME; NULL: there is none. */
const struct cpu_method *cpu_method_find(const char *name);

/* As refusal and cost of the row, and checks the kind of the plan. The cost is that of the
 * instruction set. */
const char *cpu_method_refusal(const struct cpu_method *method, const struct plan *plan,
                               const struct cpu_ops *ops);
double cpu_method_cost(const struct cpu_method *method, const struct plan *plan,
                       const struct cpu_ops *ops, int width, int height);

/* The cheapest method that is not in LEFT_OUT (bit i: row i). NULL: none. */
const struct cpu_method *cpu_method_fastest(const struct plan *plan, const struct cpu_ops *ops,
                                            int width, int height, unsigned left_out);

/* The rows, each in its own file. */
extern const struct cpu_method cpu_method_bytes, cpu_method_direct, cpu_method_certified8,
    cpu_method_outer16, cpu_method_real, cpu_method_separable, cpu_method_runs, cpu_method_fft,
    cpu_method_long, cpu_method_extremes, cpu_method_network, cpu_method_columns, cpu_method_ranks,
    cpu_method_histogram, cpu_method_bilateral, cpu_method_wide;

/* ---- for the costs ----
 *
 * Costs and wide costs were fitted to scripts/bench_methods on an Intel Xeon and an AMD EPYC
 * (Zen 4), both with AVX-512 and VNNI, 2026-11-29. Here: cells of a mask that a thread sums in a
 * nanosecond. */

#define CPU_RATE_INT16 63.0  /* weights of int16, or rounded to it and certified */
#define CPU_RATE_BYTES 133.0 /* weights of int8, if an instruction takes bytes */

/* For masks with fewer cells, no other method is faster than summing every cell. */
#define CPU_FEW_CELLS 25

static inline double cpu_cells(const struct plan *plan)
{
    return (double)plan->mask[0].width * plan->mask[0].height;
}

/* For `rows` of a method that prefers WANTED rows in a band. */
static inline int cpu_rows_near(int wanted, int rows, int most)
{
    return wanted <= rows ? rows : wanted < most ? wanted : most;
}

static inline double cpu_samples(const struct plan *plan, int width, int height)
{
    return (double)width * height * plan->channels;
}

/* Do COUNT weights, or those of a mask, lie between -MAX - 1 and MAX? */
bool cpu_weights_fit(const int64_t *weight, int count, int64_t max);
static inline bool cpu_mask_fits(const struct plan_mask *m, int64_t max)
{
    return cpu_weights_fit(m->weight, m->width * m->height, max);
}

/* ---- what the methods ask of each other ---- */

/* Does `bytes` take the plan, and by rows and columns? */
bool cpu_bytes_wins(const struct plan *plan);
bool cpu_bytes_separable(const struct plan *plan);

/* Does the sum of any two bytes times A and B fit int16? */
bool cpu_byte_pair_fits(int64_t a, int64_t b);

/* The division of `bytes` for a linear plan's sums; false if 16 bits are not enough. */
bool cpu_bytes_divide(const struct plan *plan, struct cpu_divide16 *divide);

#endif
