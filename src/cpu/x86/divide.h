/* Sums of 32 bits to samples with the vectors of cpu/x86/vector_avx2.h or cpu/x86/vector_avx512.h;
 * a part of cpu/x86/avx2.c and cpu/x86/avx512.c. */
#ifndef STENCIL_CPU_X86_DIVIDE_H
#define STENCIL_CPU_X86_DIVIDE_H

#include "cpu/ops.h"

#define OPS_DIVIDE_32_U8  divide_32_u8_x86
#define OPS_DIVIDE_32_U16 divide_32_u16_x86

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

#endif
