/* The table of CPU methods: every way of the CPU to a mask's sums is a row. All methods give the
 * same bytes, with any instruction set; which one is the fastest follows from the plan and from the
 * size of the work. The kernels (cpu/kernels.c) choose by the table, --method and `list methods`
 * read it, and the checker walks it.
 *
 * A method is a file that exports its row; methods.c lists the rows. */
#ifndef STENCIL_CPU_METHOD_H
#define STENCIL_CPU_METHOD_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

struct cpu_method {
    const char *name;
    const char *idea; /* one line */
    unsigned kinds;   /* of plan, as KERNEL_KIND; others are refused before refusal is asked */
    /* It looks at every cell of the mask, or at its columns and rows: the rates that are measured
     * per cell (kernel/rates.h) hold. */
    bool per_cell;
    /* NULL where the method can run the plan, else why not: "it takes 8-bit samples only". */
    const char *(*refusal)(const struct plan *plan, const struct cpu_ops *ops);
    /* About the nanoseconds of one thread for a pass over WIDTH x HEIGHT pixels; HUGE_VAL where the
     * method cannot run the plan, or is not to be chosen for it. */
    double (*cost)(const struct plan *plan, const struct cpu_ops *ops, int width, int height);
    /* What all jobs share: made once a picture, for outputs of about WIDTH x HEIGHT. NULL: no
     * memory, or it turns out that the plan is none for the method. PLAN and OPS stay. */
    void *(*make)(const struct plan *plan, const struct cpu_ops *ops, int width, int height);
    /* One pass; any threads at once. */
    bool (*run)(const void *state, const struct kernel_job *job, struct error *err);
    void (*free)(void *state);
    /* As the kernel row's; NULL: any number of rows will do. */
    int (*rows)(const struct plan *plan, int width, int rows, int most);
};

/* From the most special to the most general one. Of equal costs the first is taken. */
const struct cpu_method *const *cpu_methods(int *count);

/* NULL: there is none of that name. */
const struct cpu_method *cpu_method_find(const char *name);

/* See the row; with the kind of the plan. */
const char *cpu_method_refusal(const struct cpu_method *method, const struct plan *plan,
                               const struct cpu_ops *ops);
double cpu_method_cost(const struct cpu_method *method, const struct plan *plan,
                       const struct cpu_ops *ops, int width, int height);

/* The method of the least cost that is not in LEFT_OUT (a bit of each row's number). NULL: none. */
const struct cpu_method *cpu_method_fastest(const struct plan *plan, const struct cpu_ops *ops,
                                            int width, int height, unsigned left_out);

/* The rows, each in its own file. */
extern const struct cpu_method cpu_method_bytes, cpu_method_direct8, cpu_method_certified8,
    cpu_method_outer16, cpu_method_real, cpu_method_separable, cpu_method_terms, cpu_method_runs,
    cpu_method_direct, cpu_method_fft;

/* ---- for the costs: cells of a mask that a thread sums in a nanosecond (AVX2, Zen 3; the other
 * instruction sets have about the same ratios) ---- */

#define CPU_RATE_16_BITS 90.0 /* 8 bits whose sums fit 16 */
#define CPU_RATE_INT16   45.0 /* weights of int16, or rounded to it and certified */
#define CPU_RATE_64      2.5
#define CPU_RATE_TERMS   30.0 /* of columns and rows */
#define CPU_RATE_ENDS    8.0  /* ends of runs; those with a weight of their own count twice */

/* Of masks with fewer cells no other method is faster than every cell. */
#define CPU_FEW_CELLS 25

static inline double cpu_cells(const struct plan *plan)
{
    return (double)plan->mask[0].width * plan->mask[0].height;
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

/* Fits the sum of any two bytes times A and B int16? */
bool cpu_byte_pair_fits(int64_t a, int64_t b);

/* Its division of a linear plan's sums; false where 16 bits cannot do it. */
bool cpu_bytes_divide(const struct plan *plan, struct cpu_divide16 *divide);

/* Does `separable` take the plan, and is that cheaper than every cell? */
bool cpu_separable_wins(const struct plan *plan);

/* Taps that a sample takes by columns and rows, of a mask of rank 1 or of terms. */
int cpu_terms_taps(const struct plan_mask *mask);

/* A part of `direct` (cpu/pairs.c): plans whose weights fit int16 and whose sums fit 32 bits,
 * gradients too. As the functions of a row. */
bool cpu_pairs_fit(const struct plan *plan);
void *cpu_pairs_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height);
bool cpu_pairs_run(const void *state, const struct kernel_job *job, struct error *err);
void cpu_pairs_free(void *state);

#endif
