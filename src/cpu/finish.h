/* From sums to samples on the CPU: division, gradient magnitude, weighted alpha. */
#ifndef STENCIL_CPU_FINISH_H
#define STENCIL_CPU_FINISH_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

/* The sums of n samples (whole pixels), 32 or 64 bits as `wide` says. */
union cpu_sums {
    int32_t *narrow;
    int64_t *wide;
};

/* PLAN_LINEAR without weighted alpha: every channel alike. S includes the offset. */
void cpu_finish_linear(const struct cpu_ops *ops, const struct plan *plan, bool wide,
                       union cpu_sums sums, void *out, int n);

/* One such sample. */
uint32_t cpu_finish_sample(const struct plan *plan, int64_t sum);

void cpu_finish_gradient(const struct cpu_ops *ops, const struct plan *plan, union cpu_sums gx,
                         union cpu_sums gy, void *out, int n);

/* ALPHA_WEIGHTED: `plain` as for cpu_finish_linear, `product` the sums of w*c*a without offset. */
void cpu_finish_weighted(const struct cpu_ops *ops, const struct plan *plan, bool plain_wide,
                         union cpu_sums plain, bool product_wide, union cpu_sums product, void *out,
                         int n);

/* Samples as they are. */
void cpu_finish_narrow(enum sample_type type, const int32_t *quotient, void *out, int n);

/* Is every alpha of the rows max? */
bool cpu_finish_is_opaque(const struct image *in, uint32_t max);

/* Gives the channels that are not filtered the input's samples: row y, from first_pixel on. */
void cpu_finish_copied(const struct kernel_job *job, int y, int first_pixel, int pixels, void *out);

/* The same where there are any: a call a row shows in small pictures. */
static inline void cpu_finish_unfiltered(const struct kernel_job *job, int y, int first_pixel,
                                         int pixels, void *out)
{
    if (job->plan->filtered != (1u << job->plan->channels) - 1)
        cpu_finish_copied(job, y, first_pixel, pixels, out);
}

#endif
