/* From sums to samples on the CPU: division, gradient magnitude, weighted alpha. */
#ifndef STENCIL_CPU_FINISH_H
#define STENCIL_CPU_FINISH_H

#include "cpu/tiles.h"

/* Makes n samples (whole pixels) of a linear plan without weighted alpha, from sums S of 32 or of
 * 64 bits; S includes the offset. STREAMS: as in struct cpu_tiles. */
void cpu_finish_32(const struct cpu_ops *ops, const struct plan *plan, const int32_t *sums,
                   void *out, int n, bool streams, bool turned);
void cpu_finish_64(const struct cpu_ops *ops, const struct plan *plan, const int64_t *sums,
                   void *out, int n);

/* The divisor is at most CPU_MOST_GRADIENT_DIVISOR. */
void cpu_finish_gradient(const struct cpu_ops *ops, const struct plan *plan, const int32_t *gx,
                         const int32_t *gy, void *out, int n);

/* For ALPHA_WEIGHTED: PLAIN has the sums of w*c with offset. The sums of w*c*a are (max + 1) * HIGH
 * + LOW, or only LOW if HIGH is NULL; in alpha's places LOW has the sums of w*a, and the others are
 * not read. */
void cpu_finish_weighted(const struct plan *plan, const int64_t *plain, const int64_t *high,
                         const int64_t *low, void *out, int n);

/* For sums without offset that must be multiplied by COMMON: cpu_weighted_make prepares the
 * division of cpu_finish_boxes. False if the numbers are too large. */
bool cpu_weighted_make(struct cpu_weighted *w, const struct plan *plan, int64_t common);
void cpu_finish_boxes(const struct cpu_ops *ops, const struct plan *plan,
                      const struct cpu_weighted *weighted, const uint32_t *plain,
                      const uint32_t *product, void *out, int n);

/* Sample (x, y) of the output of any linear plan, summed exactly from the picture's cells. */
uint32_t cpu_exact_sample(const struct kernel_job *job, int x, int y, int channel);

/* A sample weighted by alpha, from the sums of w*c*a and of w*a. The latter is not 0. */
uint32_t cpu_exact_quotient(const struct plan *plan, int64_t product, int64_t coverage,
                            int channel);

/* Recomputes the samples of the tile's row y whose mark is 1. The row begins at OUT. */
void cpu_exact_samples(const struct kernel_job *job, const struct cpu_tile *tile, int y,
                       const uint8_t *marks, void *out);

/* Is every alpha of the rows max? */
bool cpu_finish_is_opaque(const struct image *in, uint32_t max);

/* Gives the channels that are not filtered the input's samples: row y, from first_pixel on. */
void cpu_finish_copied(const struct kernel_job *job, int y, int first_pixel, int pixels, void *out);

/* Calls it only if such channels exist: in small pictures one call per row takes time. */
static inline void cpu_finish_unfiltered(const struct kernel_job *job, int y, int first_pixel,
                                         int pixels, void *out)
{
    if (job->plan->filtered != (1u << job->plan->channels) - 1)
        cpu_finish_copied(job, y, first_pixel, pixels, out);
}

#endif
