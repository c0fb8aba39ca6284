/* From sums to samples on the CPU: division, gradient magnitude, weighted alpha. */
#ifndef STENCIL_CPU_FINISH_H
#define STENCIL_CPU_FINISH_H

#include "cpu/tiles.h"

/* n samples (whole pixels) of a PLAN_LINEAR without weighted alpha, from sums S of 32 or of 64
 * bits; S includes the offset. */
void cpu_finish_32(const struct cpu_ops *ops, const struct plan *plan, const int32_t *sums,
                   void *out, int n);
void cpu_finish_64(const struct cpu_ops *ops, const struct plan *plan, const int64_t *sums,
                   void *out, int n);

void cpu_finish_gradient(const struct cpu_ops *ops, const struct plan *plan, const int32_t *gx,
                         const int32_t *gy, void *out, int n);

/* ALPHA_WEIGHTED: PLAIN the sums of w*c with offset, PRODUCT those of w*c*a; in alpha's places both
 * are of w*a, without offset in PRODUCT. */
void cpu_finish_weighted(const struct plan *plan, const int64_t *plain, const int64_t *product,
                         void *out, int n);

/* The same of sums that are to be multiplied with COMMON, without offset: how they are divided;
 * false where the numbers are too large. */
bool cpu_weighted_make(struct cpu_weighted *w, const struct plan *plan, int64_t common);
void cpu_finish_boxes(const struct cpu_ops *ops, const struct plan *plan,
                      const struct cpu_weighted *weighted, const uint32_t *plain,
                      const uint32_t *product, void *out, int n);

/* Sample (x, y) of the output, summed exactly over the picture's own cells. Of any linear plan. */
uint32_t cpu_exact_sample(const struct kernel_job *job, int x, int y, int channel);

/* The same for the samples of the tile's row y whose mark is 1, to OUT, where that row begins. */
void cpu_exact_samples(const struct kernel_job *job, const struct cpu_tile *tile, int y,
                       const uint8_t *marks, void *out);

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
