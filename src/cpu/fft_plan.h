/* Large masks on the CPU by Fourier transforms: the sizes of the tiles, the factors of the
 * transforms, and the largest error of their sums (proved in cpu/fft_plan.c). */
#ifndef STENCIL_CPU_FFT_PLAN_H
#define STENCIL_CPU_FFT_PLAN_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

#define CPU_FFT_LEAST 32
#define CPU_FFT_MOST  512
/* 1.5 * 2^52: adding this number to a double leaves no bits for fractions. */
#define CPU_FFT_NEAREST 6755399441055744.0

struct cpu_fft_plan {
    const struct cpu_ops *ops;
    struct cpu_fft x, y;         /* along rows, along columns: a tile is x.n * y.n points */
    int tile_width, tile_height; /* outputs of a tile */
    double error;                /* the error of a sum is less */
    /* sum + round - round is the sum's nearest integer, or the sum itself (round 0). The sample
     * lies between this value times inverse + low, and the value times inverse + high. */
    double round, inverse, low, high;
    double *factors; /* owned */
    size_t stride;   /* doubles from four rows of a tile to the next four */
    /* Owned: the weights' transform, conjugated, over the number of points; a transposed tile. */
    double *spectrum;
};

/* Estimates the nanoseconds of one thread for WIDTH * HEIGHT * CHANNELS samples, with the best size
 * of tiles, which is stored in *points_x and *points_y. */
double cpu_fft_cost(const struct plan_mask *mask, int width, int height, int channels,
                    int *points_x, int *points_y);

/* The height of a band, at most MOST, with the least cost per row; mostly whole tiles. */
int cpu_fft_rows(const struct plan_mask *mask, int width, int channels, int most);

/* The function `rows` of the method. */
int cpu_fft_band_rows(const struct plan *plan, int width, int rows, int most);

/* Are the sums right with tiles of this many points, or can they be certified? Sets error and the
 * four numbers after it. Sums of 32 bits must round to the exact integers. */
bool cpu_fft_bound(struct cpu_fft_plan *fft, const struct plan *plan, int points_x, int points_y);

/* Makes a plan for outputs of WIDTH x HEIGHT, with the fastest size of tiles. NULL: no memory. The
 * plan never changes, so that threads may share it. */
struct cpu_fft_plan *cpu_fft_plan_new(const struct plan *plan, const struct cpu_ops *ops, int width,
                                      int height);
void cpu_fft_plan_delete(struct cpu_fft_plan *fft); /* may be NULL */

/* Transforms columns x to x + 3 of a tile, which are in BLOCK, and stores them in TILE. */
void cpu_fft_put_columns(const struct cpu_fft_plan *fft, double *block, double *tile, int x);

#endif
