/* From sums to samples in portable C: division by the mask's divisor, rounded and clamped, of sums
 * of 32 and 64 bits, of two halves and of colour weighted by alpha; the length of gradients; the
 * bounds of approximate sums. A part of cpu/ops_template.h, included once per instruction set.
 * (Sums of 16 bits: cpu/ops_sums16.h.)
 *
 * Why quotients by doubles are exact: v and D are exact, r = 1/D and (v + 1/2) * r are each
 * rounded, so that the error is less than q * 2^-51, where q = v/D; (v + 1/2) / D lies at least
 * 1/(2D) from the next integer; and q * D < 2^50. */
#ifndef STENCIL_CPU_OPS_DIVIDE_H
#define STENCIL_CPU_OPS_DIVIDE_H

#include <math.h>
#include <string.h>

#include "cpu/ops.h"
#include "cpu/ops_vector.h"

/* ---- 32 bits ---- */

/* BY_FLOAT: if v < 2^22 and q * d < 2^21 for every q up to max, then v is exact, and v/d + 1/(2d)
 * has an error below q * 2^-22 (three roundings) and lies at least 1/(2d) from the next integer.
 * BY_FACTOR: floor(v / d) for 0 <= v < 2^31 is v * factor >> 32 + shift. With k such that
 * 2^k < d <= 2^(k+1) the factor m = ceil(2^(32+k) / d) is below 2^32 and e = m*d - 2^(32+k) below
 * d, so that the excess v*e / 2^(32+k) stays below 1, and v*m >> 32+k is right. BY_UNSIGNED: the
 * sums are never negative and v < 2^32 - 1 (if bound is 2^31 or more). This holds as before if
 * e <= 2^k. Else m - 1 is too small by less than 2^k / d, and (v + 1) * (m - 1) >> 32+k is right.
 */
enum divide_32_way { BY_SHIFT, BY_FLOAT, BY_FACTOR, BY_UNSIGNED };

static inline enum divide_32_way divide_32_way(const struct cpu_divide *divide)
{
    if (divide->bound > (int64_t)1 << 31)
        return BY_UNSIGNED;
    if (divide->shift >= 0)
        return BY_SHIFT;
    return divide->bound < 1 << 22 && (divide->max + 1) * divide->divisor < 1 << 21 ? BY_FLOAT
                                                                                    : BY_FACTOR;
}

struct divisor_32 {
    enum divide_32_way way;
    int shift;
    uint32_t half, factor;
    float inverse;
};

INLINE struct divisor_32 divide_32_make(const struct cpu_divide *divide, enum divide_32_way way)
{
    const uint64_t d = (uint64_t)divide->divisor;
    const int k = way >= BY_FACTOR ? 63 - __builtin_clzll(d - 1) : divide->shift;
    const uint64_t power = (uint64_t)1 << (32 + k), factor = (power + d - 1) / d;
    const bool less = way == BY_UNSIGNED && factor * d - power > (uint64_t)1 << k;
    return (struct divisor_32){way, k, (uint32_t)(d / 2 + less), (uint32_t)(factor - less),
                               1.0F / (float)d};
}

/* A vector of quotients; negative ones become 0 or stay negative. */
INLINE v_s32 divide_lanes(const struct divisor_32 *d, const int32_t *sum)
{
    v_s32 v = (v_s32)(load_32(sum) + d->half);
    if (d->way == BY_SHIFT)
        return v >> d->shift;
    if (d->way == BY_FLOAT) {
        const v_f32 inverse = d->inverse - (v_f32){0};
        return __builtin_convertvector(
            (v_f32)REAL_ADD_float(inverse / 2, __builtin_convertvector(v, v_f32), inverse), v_s32);
    }
    if (d->way == BY_FACTOR)
        v &= v > 0;
    return (v_s32)(multiply_high_32((v_u32)v, d->factor) >> d->shift);
}

/* WAY and BYTES are constants where this is inlined. Sums have slack up to CPU_BLOCK, samples have
 * none. */
INLINE void divide_32_body(const struct cpu_divide *divide, enum divide_32_way way,
                           const int32_t *sum, bool bytes, void *out, int n)
{
    const struct divisor_32 d = divide_32_make(divide, way);
    const bool streams = divide->streams, turned = divide->turned;
    const v_u8 max_u8 = (uint8_t)divide->max - (v_u8){0};
    const v_u16 max_u16 = (uint16_t)divide->max - (v_u16){0};
    for (int x = 0; bytes && x < n; x += VECTOR_BYTES) {
        v_s32 v[4];
        UNROLL
        for (int k = 0; k < 4; k++)
            v[k] = divide_lanes(&d, sum + x + LANES * k);
        store_first((uint8_t *)out + x, min_u8(narrow_32_u8(v, turned), max_u8), n - x, streams);
    }
    for (int x = 0; !bytes && x < n; x += WORDS) {
        v_u16 v = narrow_32(divide_lanes(&d, sum + x), divide_lanes(&d, sum + x + LANES), turned);
        store_first((uint16_t *)out + x, (v_u8)min_u16(v, max_u16), 2 * (n - x), streams);
    }
}

INLINE void divide_32_any(const struct cpu_divide *divide, const int32_t *sum, bool bytes,
                          void *out, int n)
{
    enum divide_32_way way = divide_32_way(divide);
    if (way == BY_SHIFT)
        divide_32_body(divide, BY_SHIFT, sum, bytes, out, n);
    else if (way == BY_FLOAT)
        divide_32_body(divide, BY_FLOAT, sum, bytes, out, n);
    else if (way == BY_UNSIGNED)
        divide_32_body(divide, BY_UNSIGNED, sum, bytes, out, n);
    else
        divide_32_body(divide, BY_FACTOR, sum, bytes, out, n);
}

static void divide_32(const struct cpu_divide *divide, const int32_t *sum, bool bytes, void *out,
                      int n)
{
    if (bytes)
        divide_32_any(divide, sum, true, out, n);
    else
        divide_32_any(divide, sum, false, out, n);
}

/* V rounded down and clamped. */
INLINE v_s32 floor_lanes(v_f32 v, float max)
{
    const v_f32 most = max - (v_f32){0};
    const v_s32 below = v < most;
    v = (v_f32)(((v_s32)v & below) | ((v_s32)most & ~below));
    return __builtin_convertvector((v_f32)((v_s32)v & (v > 0)), v_s32);
}

/* Stores the samples of four vectors of values, and marks: 1 if the bounds differ. */
INLINE void certify_lanes(const struct cpu_certify *certify, const v_f32 value[4], uint8_t *out,
                          uint8_t *doubtful, int left)
{
    v_s32 below[4], above[4];
    UNROLL
    for (int k = 0; k < 4; k++) {
        below[k] = floor_lanes(value[k] + certify->low, certify->max);
        above[k] = floor_lanes(value[k] + certify->high, certify->max);
    }
    v_u8 sample = narrow_32_u8(below, false), other = narrow_32_u8(above, false);
    store_first(out, sample, left, false);
    store_first(doubtful, (v_u8)(sample != other) & 1, left, false);
}

static void certify_u8(const struct cpu_certify *certify, const int32_t *sum, uint8_t *out,
                       uint8_t *doubtful, int n)
{
    const struct cpu_certify c = *certify;
    for (int x = 0; x < n; x += VECTOR_BYTES) {
        v_f32 value[4];
        UNROLL
        for (int k = 0; k < 4; k++) {
            v_s32 v = (v_s32)load_32(sum + x + LANES * k);
            value[k] = __builtin_convertvector(v, v_f32) * c.scale;
        }
        certify_lanes(&c, value, out + x, doubtful + x, n - x);
    }
}

/* As certify_u8, for floats that are not scaled. */
static void certify_floats(const struct cpu_certify *certify, const float *values, uint8_t *out,
                           uint8_t *doubtful, int n)
{
    const struct cpu_certify c = *certify;
    for (int x = 0; x < n; x += VECTOR_BYTES) {
        v_f32 value[4];
        UNROLL
        for (int k = 0; k < 4; k++)
            value[k] = (v_f32)load_32(values + x + LANES * k);
        certify_lanes(&c, value, out + x, doubtful + x, n - x);
    }
}

/* Let v = S + floor(d/2) and d = odd * 2^n. All steps to v are integers below 2^53, which are exact
 * as doubles.
 * ONCE: either d is 2^n, then the quotient is exact; or v and d are below 2^49: see the top.
 * TWICE: v / 2^n is exact, and an int32 without its fraction. A negative one may become 0 instead
 * of -1: both make a sample of 0. Then as ONCE. */
static void divide_halves(const struct cpu_halves *halves, const int32_t *restrict upper,
                          const int32_t *restrict lower, const uint16_t *restrict in,
                          uint16_t *restrict out, int n)
{
    const bool twice = halves->way == HALVES_TWICE;
    const int64_t d = halves->divisor, power = d & -d, odd = d / power;
    const double common = (double)halves->common, cell = (double)halves->cell, max = halves->max;
    const double start = (double)(halves->start + d / 2) + (twice || odd == 1 ? 0 : 0.5);
    const double inverse = 1.0 / (double)(twice ? power : d), inverse_odd = 1.0 / (double)odd;
    for (int x = 0; x < n; x++) {
        double sum = (upper[x] * 65536.0 + lower[x]) * common + start;
        double q = (sum + cell * in[x]) * inverse;
        if (twice)
            q = ((int32_t)q + 0.5) * inverse_odd;
        q = q < max ? q : max;
        out[x] = (uint16_t)(int32_t)(q > 0 ? q : 0);
    }
}

/* S = common * (65536 * (upper + a) + lower + b) - d/2, with 0 <= b < 65536 and d = common * 2^n, n
 * from 17 on. S / common + 2^(n-1) is from 0 to 2^48 - 1, and a lower sum at most 2^31 - 65536: no
 * sum overflows, and `upper`, with what is carried to it, is of 32 bits without a sign. */
static void shift_halves(const struct cpu_halves *halves, const int32_t *upper,
                         const int32_t *lower, uint16_t *out, int n)
{
    const int64_t power = halves->divisor / halves->common;
    const int64_t start = halves->start / halves->common + power / 2;
    const uint32_t a = (uint32_t)(start >> 16), b = start & 0xffff;
    const int shift = __builtin_ctzll((uint64_t)power) - 16;
    const v_u16 max = (uint16_t)halves->max - (v_u16){0};
    for (int x = 0; x < n; x += WORDS) {
        v_s32 q[2];
        UNROLL
        for (int k = 0; k < 2; k++) {
            v_u32 high = load_32(upper + x + LANES * k), low = load_32(lower + x + LANES * k);
            q[k] = (v_s32)((high + a + (v_u32)((v_s32)(low + b) >> 16)) >> shift);
        }
        store_first((uint16_t *)out + x, (v_u8)min_u16(narrow_32(q[0], q[1], false), max),
                    2 * (n - x), halves->streams);
    }
}

/* ---- 64 bits ---- */

/* Converts numbers of 0..2^52-1, as the low bits of a double that is 2^52 or more. */
static inline void to_doubles(const v4s64 *v, v4f64 *out)
{
    *out = (v4f64)(*v | 0x4330000000000000) - 0x1p52;
}

/* SECOND becomes FIRST in lanes where CHOICE is -1, and stays where CHOICE is 0. */
static inline void choose_doubles(const v4s64 *choice, const v4f64 *first, v4f64 *second)
{
    *second = (v4f64)(((v4s64)*first & *choice) | ((v4s64)*second & ~*choice));
}

/* Stores VALUE, clamped and rounded down; stores -1 in lanes where NONE is -1. */
static inline void store_quotients(const v4f64 *value, double max, const v4s64 *none, int32_t *out)
{
    const v4f64 most = max - (v4f64){0}, minus_one = (v4f64){0} - 1;
    v4f64 q = (v4f64)((v4s64)*value & (*value > 0));
    v4s64 above = q > most;
    v4s32 whole;
    choose_doubles(&above, &most, &q);
    choose_doubles(none, &minus_one, &q);
    whole = __builtin_convertvector(q, v4s32);
    memcpy(out, &whole, sizeof whole);
}

static void divide_64(const struct cpu_divide *divide, const int64_t *sum, int32_t *quotient, int n)
{
    const double inverse = 1.0 / (double)divide->divisor;
    const v4s64 none = {0};
    for (int x = 0; x < n; x += 4) {
        v4s64 v;
        v4f64 q;
        memcpy(&v, sum + x, sizeof v);
        v += divide->divisor / 2;
        v &= v > 0;
        to_doubles(&v, &q);
        q = (q + 0.5) * inverse;
        store_quotients(&q, divide->max, &none, quotient + x);
    }
}

/* Takes four places at a time: one pixel or two. N/D rounded is (2N + D) / 2D rounded down. Both
 * are integers below 2^51, so that a quotient that is no integer lies further below the next
 * integer than the rounding error. */
static void weighted(const struct cpu_weighted *w, const uint32_t *plain, const uint32_t *product,
                     int32_t *quotient, int n)
{
    const v4s64 last_of_4 = {0, 0, 0, -1}, last_of_2 = {0, -1, 0, -1};
    const v4s64 is_alpha = w->channels == 4 ? last_of_4 : last_of_2;
    const v4f64 all = (double)w->weight_sum - (v4f64){0};
    const double gain = (double)w->gain, offset = (double)w->offset, d = (double)w->divisor;
    for (int x = 0; x < n; x += 4) {
        v4u32 alpha_sums, colour_sums;
        memcpy(&alpha_sums, plain + x, sizeof alpha_sums);
        memcpy(&colour_sums, product + x, sizeof colour_sums);
        alpha_sums = w->channels == 4 ? __builtin_shufflevector(alpha_sums, alpha_sums, 3, 3, 3, 3)
                                      : __builtin_shufflevector(alpha_sums, alpha_sums, 1, 1, 3, 3);
        v4s64 alpha = __builtin_convertvector(alpha_sums, v4s64), none;
        v4s64 product_sums = __builtin_convertvector(colour_sums, v4s64);
        v4f64 a, b, up, down;
        to_doubles(&alpha, &b);
        to_doubles(&product_sums, &a);
        up = gain * a + offset * b;
        down = d * b;
        choose_doubles(&is_alpha, &b, &up);
        choose_doubles(&is_alpha, &all, &down);
        up = (2 * up + down) / (2 * down);
        none = (alpha == 0) & ~is_alpha;
        store_quotients(&up, (double)w->max, &none, quotient + x);
    }
}

/* The rounding of sqrt(G) / d, G = gx^2 + gy^2, is right: let sqrt(G) < 2^16 * d, because larger G
 * are clamped. Then G < 2^46 is exact.
 *   - If sqrt(G) / d is k - 1/2, the root of a square, it is exact, and so is the sum k.
 *   - Else G differs from the square of (k - 1/2) * d by at least 1/4, so that sqrt(G) / d differs
 *     from k - 1/2 by at least 2^-19 / d^2 >= 2^-33. Doubles there are 2^-37 apart. */
static void gradient_32(const int32_t *restrict gx, const int32_t *restrict gy, int divisor,
                        int32_t max, int32_t *restrict size, int n)
{
    const double d = divisor;
    for (int x = 0; x < n; x++) {
        double root = sqrt((double)gx[x] * gx[x] + (double)gy[x] * gy[x]) / d;
        size[x] = (int32_t)((root > max ? max : root) + 0.5);
    }
}

#endif
