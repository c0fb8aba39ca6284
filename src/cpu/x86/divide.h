/* Sums of 32 bits to samples with the vectors of cpu/x86/vector_avx2.h or cpu/x86/vector_avx512.h;
 * a part of cpu/x86/avx2.c and cpu/x86/avx512.c. */
#ifndef STENCIL_CPU_X86_DIVIDE_H
#define STENCIL_CPU_X86_DIVIDE_H

#include "cpu/ops.h"

#define OPS_CERTIFY_U8     certify_u8_x86
#define OPS_CERTIFY_FLOATS certify_floats_x86
#define OPS_FLOAT_SUMS     float_sums_x86
#define OPS_DIVIDE_32_U8   divide_32_u8_x86
#define OPS_DIVIDE_32_U16  divide_32_u16_x86

/* floor(v / d) for 0 <= v < 2^31 by a multiplication: see cpu_divide_factor. */
static inline vector divide_32(vector v, vector factor, __m128i shift)
{
    const vector zero = {0};
    vector even, odd;
    v = V(max_epi32)(v, zero);
    even = V(srli_epi64)(V(mul_epu32)(v, factor), 32);
    odd = V(mul_epu32)(V(srli_epi64)(v, 32), factor);
    return V(srl_epi32)(odd_lanes(even, odd), shift);
}

/* The same by floats, where v < 2^22 and, for every q up to max, q * d < 2^21: v + 1/2
 * is exact, its product with 1/d is off by less than q * 2^-22, and (v + 1/2) / d lies at least
 * 1/(2d) from the next integer. */
struct divide_lanes {
    bool power, by_float;
    vector half, factor;
    floats inverse;
    __m128i shift;
};

static inline struct divide_lanes divide_lanes_make(const struct cpu_divide *divide)
{
    int shift = divide->shift;
    struct divide_lanes l;
    l.power = divide->shift >= 0;
    l.by_float =
        !l.power && divide->bound < 1 << 22 && (divide->max + 1) * divide->divisor < 1 << 21;
    l.half = V(set1_epi32)((int)(divide->divisor / 2));
    l.factor = set1_64(l.power ? 0 : cpu_divide_factor(divide, &shift));
    l.inverse = V(set1_ps)(1.0f / (float)divide->divisor);
    l.shift = _mm_cvtsi32_si128(shift);
    return l;
}

/* A vector of quotients; those below 0 are 0 or below. */
static inline vector divide_lanes(const struct divide_lanes *l, const int32_t *sum)
{
    vector v = V(add_epi32)(load_any(sum), l->half);
    if (l->power)
        return V(sra_epi32)(v, l->shift);
    if (l->by_float) {
        floats f = V(add_ps)(V(cvtepi32_ps)(v), V(set1_ps)(0.5f));
        return V(cvttps_epi32)(V(mul_ps)(f, l->inverse));
    }
    return divide_32(v, l->factor, l->shift);
}

/* Sums have slack up to CPU_BLOCK, samples have none. The packs saturate to 0..255. */
static void divide_32_u8_x86(const struct cpu_divide *divide, const int32_t *sum, uint8_t *out,
                             int n)
{
    const struct divide_lanes l = divide_lanes_make(divide);
    const vector max = V(set1_epi8)((char)divide->max);
    for (int x = 0; x < n; x += VECTOR_BYTES) {
        vector v[4];
        for (int i = 0; i < 4; i++)
            v[i] = divide_lanes(&l, sum + x + LANES * i);
        store_first(out + x, V(min_epu8)(pack_bytes(v), max), n - x);
    }
}

static void divide_32_u16_x86(const struct cpu_divide *divide, const int32_t *sum, uint16_t *out,
                              int n)
{
    const struct divide_lanes l = divide_lanes_make(divide);
    const vector max = V(set1_epi16)((short)divide->max);
    for (int x = 0; x < n; x += 2 * LANES) {
        vector packed = pack_words(divide_lanes(&l, sum + x), divide_lanes(&l, sum + x + LANES));
        store_first(out + x, V(min_epu16)(packed, max), 2 * (n - x));
    }
}

/* Both bounds of a vector of samples, each clamped; equal floors decide. */
static inline vector certify_lanes(const struct cpu_certify *certify, floats value,
                                   vector *doubtful)
{
    floats max = V(set1_ps)(certify->max), zero = {0}, low, high;
    vector below, above;
    low = V(add_ps)(value, V(set1_ps)(certify->low));
    high = V(add_ps)(value, V(set1_ps)(certify->high));
    below = V(cvttps_epi32)(V(min_ps)(V(max_ps)(low, zero), max));
    above = V(cvttps_epi32)(V(min_ps)(V(max_ps)(high, zero), max));
    *doubtful = below ^ above;
    return below;
}

static inline void store_certified(const vector value[4], const vector differs[4], uint8_t *out,
                                   uint8_t *doubtful, int left)
{
    store_first(out, pack_bytes(value), left);
    store_any(doubtful, V(min_epu8)(pack_bytes(differs), V(set1_epi8)(1)));
}

static void certify_u8_x86(const struct cpu_certify *certify, const int32_t *sum, uint8_t *out,
                           uint8_t *doubtful, int n)
{
    const floats scale = V(set1_ps)(certify->scale);
    for (int x = 0; x < n; x += VECTOR_BYTES) {
        vector value[4], differs[4];
        for (int i = 0; i < 4; i++) {
            floats v = V(cvtepi32_ps)(load_any(sum + x + LANES * i));
            value[i] = certify_lanes(certify, V(mul_ps)(v, scale), &differs[i]);
        }
        store_certified(value, differs, out + x, doubtful + x, n - x);
    }
}

static void certify_floats_x86(const struct cpu_certify *certify, const float *sum, uint8_t *out,
                               uint8_t *doubtful, int n)
{
    for (int x = 0; x < n; x += VECTOR_BYTES) {
        vector value[4], differs[4];
        for (int i = 0; i < 4; i++)
            value[i] = certify_lanes(certify, V(loadu_ps)(sum + x + LANES * i), &differs[i]);
        store_certified(value, differs, out + x, doubtful + x, n - x);
    }
}

/* A vector of FLOATS_WIDE * LANES sums at a time: so many chains hide the latency. */
static void float_sums_x86(const struct cpu_float_taps *taps, const float *const *at, float *sum,
                           int n)
{
    for (int x = 0; x < n; x += FLOATS_WIDE * LANES) {
        floats chain[CPU_FLOAT_CHAINS][FLOATS_WIDE];
        for (int k = 0; k < CPU_FLOAT_CHAINS * FLOATS_WIDE; k++)
            chain[k / FLOATS_WIDE][k % FLOATS_WIDE] = V(setzero_ps)();
        for (int t = 0; t < taps->count; t += CPU_FLOAT_CHAINS)
            for (int c = 0; c < CPU_FLOAT_CHAINS; c++) {
                const float *line = at[t + c] + x;
                floats weight = V(set1_ps)(taps->weight[t + c]);
                for (int k = 0; k < FLOATS_WIDE; k++)
                    chain[c][k] = V(fmadd_ps)(weight, V(loadu_ps)(line + LANES * k), chain[c][k]);
            }
        for (int k = 0; k < FLOATS_WIDE; k++)
            V(storeu_ps)
        (sum + x + LANES * k,
         V(add_ps)(V(add_ps)(chain[0][k], chain[1][k]), V(add_ps)(chain[2][k], chain[3][k])));
    }
}

#endif
