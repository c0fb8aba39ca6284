/* Large masks on the CPU by Fourier transforms: the sizes of the tiles, what the
 * transforms multiply with, and how far their sums can be from the exact ones.
 *
 * Rounding errors, with u = 2^-53 and t = log2 of a tile's points. Every step of radix 2 (one of
 * radix 4 is two of them, without the factors between) adds and multiplies by a factor that is
 * itself right to u, so that it adds less than 8u of the input's length (Euclid's; Higham,
 * Accuracy and Stability of Numerical Algorithms, theorem 24.2: mu + gamma_4 * (sqrt(2) + mu)),
 * and less than 8u on every path from an input to an output. With z the tile (two parts of the
 * picture, as real and imaginary parts), w the weights, capitals their transforms:
 *
 *   |error of Z| <= 8tu |Z|      |error of W| <= 8tu |W|      each product's: less than 4u
 *   an output is the mean of Z * W over paths of size 1, and Cauchy and Schwarz say that the mean
 *   of |Z| * |W| is at most |z| * |w|
 *
 * so that a sum is off by less than (24t + 8) * u * |z| * |w| * 1.01, where |z|^2 is at most
 * 2 * max^2 for each point. Below 1/4 the nearest integer is the sum: so it is for every mask
 * whose sums fit 32 bits, and for many others. Else the quotient is certified, as in
 * cpu/rounded.c. */
#ifndef STENCIL_CPU_FFT_PLAN_H
#define STENCIL_CPU_FFT_PLAN_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

#define CPU_FFT_LEAST 32
#define CPU_FFT_MOST  512
/* Nanoseconds more for a sum of 64 bits, which is certified. */
#define CPU_FFT_CERTIFY 5.0
/* Beside it a double has no bits for fractions: 1.5 * 2^52. */
#define CPU_FFT_NEAREST 6755399441055744.0

struct cpu_fft_plan {
    const struct cpu_ops *ops;
    struct cpu_fft x, y;         /* along rows, along columns: a tile is x.n * y.n points */
    int tile_width, tile_height; /* outputs of a tile */
    double error;                /* a sum is off by less */
    /* sum + round - round is the sum's nearest integer, or the sum itself (0); times inverse, + low
     * and + high have the sample between them. */
    double round, inverse, low, high;
    double *factors; /* owned */
    size_t stride;   /* doubles from four rows of a tile to the next four */
    /* Owned: the weights' transform, conjugated, over the number of points; as a tile, turned. */
    double *spectrum;
};

/* The nanoseconds of a thread that a job of so many samples takes this way, about: the smallest
 * over all sizes of tiles, which are stored. */
double cpu_fft_cost(const struct plan_mask *mask, int width, int height, int channels,
                    int *points_x, int *points_y);

/* The height of a band, at most MOST, whose rows cost the least each: of whole tiles, mostly. */
int cpu_fft_rows(const struct plan_mask *mask, int width, int channels, int most);

/* The methods' `rows`. */
int cpu_fft_band_rows(const struct plan *plan, int width, int rows, int most);

/* Are the sums of tiles of so many points right, or can they be certified? Sets error and
 * the four numbers behind it. Sums of 32 bits have to be the nearest integers. */
bool cpu_fft_bound(struct cpu_fft_plan *fft, const struct plan *plan, int points_x, int points_y);

/* For outputs of WIDTH x HEIGHT, with tiles of the size that costs them the least; NULL: no memory.
 * Nothing changes it later: any threads may share it. */
struct cpu_fft_plan *cpu_fft_plan_new(const struct plan *plan, const struct cpu_ops *ops, int width,
                                      int height);
void cpu_fft_plan_delete(struct cpu_fft_plan *fft); /* may be NULL */

/* Columns x to x + 3 of a tile, which stand in the block: transformed, to the tile. */
void cpu_fft_put_columns(const struct cpu_fft_plan *fft, double *block, double *tile, int x);

#endif
