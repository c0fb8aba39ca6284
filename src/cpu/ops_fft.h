/* The inner loops of Fourier transforms in double precision, in portable C; a part of
 * cpu/ops_template.h, included once per instruction set. A block holds CPU_FFT_LANES transforms
 * side by side: n vectors of real parts, then n of imaginary parts.
 *
 * fft_forward goes from the whole to the parts and leaves the frequencies in an order of its own.
 * fft_back goes the other way, so that no sorting is needed. Radix 4, and one step of radix 2 if n
 * is no power of 4. Rounding errors: cpu/fft_plan.h. */
#ifndef STENCIL_CPU_OPS_FFT_H
#define STENCIL_CPU_OPS_FFT_H

#include <string.h>

#include "cpu/ops.h"
#include "cpu/ops_vector.h"

/* r + i*s times c + i*d */
#define FFT_MULTIPLY(r, s, c, d)                                                                   \
    do {                                                                                           \
        v4f64 fft_t = (r) * (c) - (s) * (d);                                                       \
        (s) = (r) * (d) + (s) * (c);                                                               \
        (r) = fft_t;                                                                               \
    } while (0)

/* One step over parts of LENGTH; w: three factors for each of a part's LENGTH/4 places. */
static inline void fft_split_4(v4f64 *re, v4f64 *im, int n, int length, const double *w)
{
    int q = length / 4;
    for (int part = 0; part < n; part += length)
        for (int j = 0; j < q; j++) {
            v4f64 *r = re + part + j, *s = im + part + j;
            const double *t = w + 6 * j;
            v4f64 ar = r[0] + r[2 * q], as = s[0] + s[2 * q];
            v4f64 br = r[0] - r[2 * q], bs = s[0] - s[2 * q];
            v4f64 cr = r[q] + r[3 * q], cs = s[q] + s[3 * q];
            v4f64 dr = s[q] - s[3 * q], ds = r[3 * q] - r[q]; /* times -i */
            v4f64 xr = br + dr, xs = bs + ds, yr = ar - cr, ys = as - cs, zr = br - dr,
                  zs = bs - ds;
            r[0] = ar + cr;
            s[0] = as + cs;
            if (q > 1) {
                FFT_MULTIPLY(xr, xs, t[0], t[1]);
                FFT_MULTIPLY(yr, ys, t[2], t[3]);
                FFT_MULTIPLY(zr, zs, t[4], t[5]);
            }
            r[q] = xr;
            s[q] = xs;
            r[2 * q] = yr;
            s[2 * q] = ys;
            r[3 * q] = zr;
            s[3 * q] = zs;
        }
}

/* The inverse of fft_split_4, times 4. */
static inline void fft_join_4(v4f64 *re, v4f64 *im, int n, int length, const double *w)
{
    int q = length / 4;
    for (int part = 0; part < n; part += length)
        for (int j = 0; j < q; j++) {
            v4f64 *r = re + part + j, *s = im + part + j;
            const double *t = w + 6 * j;
            v4f64 xr = r[q], xs = s[q], yr = r[2 * q], ys = s[2 * q], zr = r[3 * q], zs = s[3 * q];
            if (q > 1) {
                FFT_MULTIPLY(xr, xs, t[0], -t[1]);
                FFT_MULTIPLY(yr, ys, t[2], -t[3]);
                FFT_MULTIPLY(zr, zs, t[4], -t[5]);
            }
            v4f64 ar = r[0] + yr, as = s[0] + ys, cr = r[0] - yr, cs = s[0] - ys;
            v4f64 br = xr + zr, bs = xs + zs;
            v4f64 dr = zs - xs, ds = xr - zr; /* times i */
            r[0] = ar + br;
            s[0] = as + bs;
            r[q] = cr + dr;
            s[q] = cs + ds;
            r[2 * q] = ar - br;
            s[2 * q] = as - bs;
            r[3 * q] = cr - dr;
            s[3 * q] = cs - ds;
        }
}

static inline void fft_pairs(v4f64 *v, int n)
{
    for (int k = 0; k < n; k += 2) {
        v4f64 a = v[k], b = v[k + 1];
        v[k] = a + b;
        v[k + 1] = a - b;
    }
}

static void fft_forward(const struct cpu_fft *fft, double *block)
{
    int n = fft->n, length = n;
    v4f64 *re = (v4f64 *)(void *)block, *im = re + n;
    const double *w = fft->factors;

    for (; length >= 4; length /= 4) {
        fft_split_4(re, im, n, length, w);
        w += 6 * (length / 4);
    }
    if (length == 2) {
        fft_pairs(re, n);
        fft_pairs(im, n);
    }
}

static void fft_back(const struct cpu_fft *fft, double *block)
{
    int n = fft->n, length = n, used = 0;
    v4f64 *re = (v4f64 *)(void *)block, *im = re + n;

    for (; length >= 4; length /= 4)
        used += 6 * (length / 4);
    if (length == 2) {
        fft_pairs(re, n);
        fft_pairs(im, n);
    }
    for (length = length == 2 ? 8 : 4; length <= n; length *= 4) {
        used -= 6 * (length / 4);
        fft_join_4(re, im, n, length, fft->factors + used);
    }
}

static void fft_multiply(const double *spectrum, double *block, int n)
{
    v4f64 *re = (v4f64 *)(void *)block, *im = re + n;
    const v4f64 *c = (const v4f64 *)(const void *)spectrum, *d = c + n;
    for (int k = 0; k < n; k++)
        FFT_MULTIPLY(re[k], im[k], c[k], d[k]);
}

static void fft_turn(const double *from, size_t from_step, double *to, size_t to_step, int count)
{
    for (int k = 0; k < count; k++, from += from_step, to += to_step) {
        const v4f64 *in = (const v4f64 *)(const void *)from;
        v4f64 *out = (v4f64 *)(void *)to;
        v4f64 a = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6);
        v4f64 b = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
        v4f64 c = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6);
        v4f64 d = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
        out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
        out[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
        out[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
        out[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
    }
}

static void fft_floor(const double *restrict value, double round, double inverse, double add,
                      double max, int32_t *restrict out, int n)
{
    for (int k = 0; k < n; k++) {
        double v = (value[k] + round - round) * inverse + add;
        v = v < max ? v : max;
        out[k] = (int32_t)(v > 0 ? v : 0);
    }
}

#endif
