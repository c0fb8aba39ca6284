/* Fourier transforms: the size of tiles, the error of sums, and the factors of the transforms.
 *
 * Rounding errors, with u = 2^-53 and t = log2 of a tile's points. Every step of radix 2 (a step of
 * radix 4 is two of them, without the factors between) adds, and multiplies by a factor that is
 * accurate to u. So its error is less than 8u times the Euclidean length of the input (Higham,
 * Accuracy and Stability of Numerical Algorithms, theorem 24.2: mu + gamma_4 * (sqrt(2) + mu)), and
 * less than 8u on every path from an input to an output. Let z be the tile (two parts of the
 * picture, as real and imaginary parts), w the weights, and capitals their transforms:
 *
 *   |error of Z| <= 8tu |Z|      |error of W| <= 8tu |W|      each product's: less than 4u
 *   an output is the mean of Z * W over paths of size 1, and Cauchy and Schwarz say that the mean
 *   of |Z| * |W| is at most |z| * |w|
 *
 * So the error of a sum is less than (24t + 8) * u * |z| * |w| * 1.01, where |z|^2 is, for each
 * point, at most 2 * max^2. If the error is below 1/4, the nearest integer is the sum: so for every
 * mask whose sums fit 32 bits, and for many others. Else the quotient is certified, as in
 * cpu/rounded.c. */
#include "cpu/fft_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LANES CPU_FFT_LANES

#define UNIT 0x1p-53

/* Nanoseconds, measured with AVX2: per point of a tile (a pair of parts); per point and step of
 * radix 2, forward and back; per sum (to integer, division, storing). Each doubling past 2^15
 * points adds a fifth: tiles leave the caches. */
#define COST_POINT 1.65
#define COST_STEP  0.25
#define COST_SUM   2.5

static int log2_of(int n)
{
    return 31 - __builtin_clz((unsigned)n);
}

static double tiles(int length, int points, int mask)
{
    int tile = points - mask + 1;
    return tile < 1 ? HUGE_VAL : (length - 1) / tile + 1;
}

double cpu_fft_cost(const struct plan_mask *m, int width, int height, int channels, int *points_x,
                    int *points_y)
{
    double best = HUGE_VAL, sums = COST_SUM * width * height * channels;

    for (int y = CPU_FFT_LEAST; y <= CPU_FFT_MOST; y *= 2)
        for (int x = CPU_FFT_LEAST; x <= CPU_FFT_MOST; x *= 2) {
            /* The mask's own transform is half of a tile's work. */
            double pairs = 0.5 + ceil(tiles(width, x, m->width) * tiles(height, y, m->height) *
                                      (double)channels / 2);
            int steps = log2_of(x) + log2_of(y);
            double point = (COST_POINT + COST_STEP * steps) * (1 + fmax(0, steps - 15) / 5);
            double cost = pairs * x * y * point + sums;
            if (cost < best) {
                best = cost;
                *points_x = x;
                *points_y = y;
            }
        }
    return best;
}

int cpu_fft_rows(const struct plan_mask *m, int width, int channels, int most)
{
    int best = most, points[2];
    double least = cpu_fft_cost(m, width, most, channels, &points[0], &points[1]) / most;

    for (int y = CPU_FFT_LEAST; y <= CPU_FFT_MOST; y *= 2) {
        int tile = y - m->height + 1, rows = tile < 1 || tile > most ? most : most / tile * tile;
        double cost = cpu_fft_cost(m, width, rows, channels, &points[0], &points[1]) / rows;
        if (cost < least) {
            least = cost;
            best = rows;
        }
    }
    return best;
}

int cpu_fft_band_rows(const struct plan *plan, int width, int rows, int most)
{
    return most < rows
               ? rows
               : cpu_fft_rows(&plan->mask[0], width, __builtin_popcount(plan->filtered), most);
}

bool cpu_fft_bound(struct cpu_fft_plan *fft, const struct plan *plan, int points_x, int points_y)
{
    const struct plan_mask *m = &plan->mask[0];
    double steps = log2_of(points_x) + log2_of(points_y), squares = 0, half, rounding, slack;
    double tile = plan->max * sqrt(2.0 * points_x * points_y);

    for (int k = 0; k < m->width * m->height; k++)
        squares += (double)m->weight[k] * (double)m->weight[k];
    fft->error = 1.01 * (24 * steps + 8) * UNIT * tile * sqrt(squares);
    /* In (S + o + floor(d/2)) / d the inverse, the constant, the product and the sum are rounded,
     * each by at most u times a number below bound / d + 1. An integer plus 1/2, over d, lies at
     * least 1/(2d) from the next integer: this is more than the error if bound is below 2^49. */
    half = (double)m->offset + (double)(m->divisor / 2);
    rounding = 4 * UNIT * ((double)m->bound / (double)m->divisor + 1);
    fft->inverse = 1 / (double)m->divisor;
    fft->round = fft->error < 0.25 && m->bound < (int64_t)1 << 49 ? CPU_FFT_NEAREST : 0;
    if (fft->round > 0) {
        fft->low = fft->high = (half + 0.5) / (double)m->divisor;
        return true;
    }
    if (m->accumulator == ACCUMULATOR_I32)
        return false;
    slack = fft->error / (double)m->divisor + 2 * rounding;
    fft->low = half / (double)m->divisor - slack;
    fft->high = half / (double)m->divisor + slack;
    return 2 * slack < 0.01;
}

/* In long double, which has at least as many bits as double. Angles stay below pi/2 * 3. */
static double *factors_make(double *at, int n)
{
    const long double turn = 6.283185307179586476925286766559005768L;
    for (int length = n; length >= 4; length /= 4)
        for (int j = 0; j < length / 4; j++)
            for (int k = 1; k <= 3; k++) {
                long double angle = turn * (long double)(j * k) / (long double)length;
                *at++ = (double)cosl(angle);
                *at++ = (double)-sinl(angle);
            }
    return at;
}

void cpu_fft_put_columns(const struct cpu_fft_plan *fft, double *block, double *tile, int x)
{
    int n = fft->y.n;
    fft->ops->fft_forward(&fft->y, block);
    for (int k = 0; k < 2; k++)
        fft->ops->fft_turn(block + k * LANES * n, LANES * LANES,
                           tile + k * LANES * fft->x.n + LANES * x, fft->stride, n / LANES);
}

static void spectrum_fill(struct cpu_fft_plan *fft, const struct plan_mask *m, double *block)
{
    int nx = fft->x.n, ny = fft->y.n;
    double scale = 1.0 / ((double)nx * ny);

    for (int x = 0; x < nx; x += LANES) {
        memset(block, 0, (size_t)(2 * LANES * ny) * sizeof *block);
        for (int i = 0; i < m->height; i++)
            for (int k = 0; k < LANES && x + k < m->width; k++)
                block[i * LANES + k] = (double)m->weight[i * m->width + x + k] * scale;
        cpu_fft_put_columns(fft, block, fft->spectrum, x);
    }
    for (int y = 0; y < ny / LANES; y++) {
        double *rows = fft->spectrum + (size_t)y * fft->stride;
        fft->ops->fft_forward(&fft->x, rows);
        for (int k = LANES * nx; k < 2 * LANES * nx; k++)
            rows[k] = -rows[k];
    }
}

/* Fills all members that cpu_fft_bound does not set. False: no memory. */
static bool plan_fill(struct cpu_fft_plan *fft, const struct plan_mask *m, int points_x,
                      int points_y)
{
    double *block = large_alloc_cleared((size_t)(2 * LANES * points_y) * sizeof *block);

    /* Two more cache lines, so that the rows of a column lie in different cache sets. */
    fft->stride = (size_t)(2 * LANES * points_x) + 16;
    fft->spectrum = large_alloc_cleared(fft->stride * (size_t)points_y / LANES * sizeof(double));
    /* 6 * (n/4 + n/16 + ...) is below 2n */
    fft->factors = malloc(2 * (size_t)(points_x + points_y) * sizeof *fft->factors);
    if (!block || !fft->spectrum || !fft->factors) {
        free(block);
        return false;
    }
    fft->x = (struct cpu_fft){points_x, fft->factors};
    fft->y = (struct cpu_fft){points_y, factors_make(fft->factors, points_x)};
    factors_make(fft->factors + (fft->y.factors - fft->factors), points_y);
    fft->tile_width = points_x - m->width + 1;
    fft->tile_height = points_y - m->height + 1;
    spectrum_fill(fft, m, block);
    free(block);
    return true;
}

struct cpu_fft_plan *cpu_fft_plan_new(const struct plan *plan, const struct cpu_ops *ops, int width,
                                      int height)
{
    struct cpu_fft_plan *fft = calloc(1, sizeof *fft);
    int nx, ny;

    cpu_fft_cost(&plan->mask[0], width, height, __builtin_popcount(plan->filtered), &nx, &ny);
    if (fft)
        fft->ops = ops;
    if (fft && cpu_fft_bound(fft, plan, nx, ny) && plan_fill(fft, &plan->mask[0], nx, ny))
        return fft;
    cpu_fft_plan_delete(fft);
    return NULL;
}

void cpu_fft_plan_delete(struct cpu_fft_plan *fft)
{
    if (!fft)
        return;
    free(fft->factors);
    free(fft->spectrum);
    free(fft);
}
