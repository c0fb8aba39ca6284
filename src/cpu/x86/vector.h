/* The operations on vectors that AVX2 and AVX-512 have under the same names; a part of
 * cpu/x86/avx2.c and cpu/x86/avx512.c, which define `vector`, V, KEEP and broadcast(). What the
 * operations mean: cpu/ops_plain.h. */
#ifndef STENCIL_CPU_X86_VECTOR_H
#define STENCIL_CPU_X86_VECTOR_H

#include "cpu/ops.h"
#define LOOK_UP
#define NEAR_ROOT
#define PAIRS_16
#include "cpu/ops_vector.h"

/* Unpacking puts the bytes of two lines side by side; its two results hold the bytes 0-7, 16-23,
 * ... and 8-15, 24-31, ... Sums stay in this order, and packing restores the order of the bytes. */
INLINE byte_pair load_byte_pair(const uint8_t *first, const uint8_t *second)
{
    vector a = (vector)load_32(first), b = (vector)load_32(second);
    KEEP(b); /* else the compiler loads it twice, and loads are the bottleneck */
    return (byte_pair){{(v_u8)V(unpacklo_epi8)(a, b), (v_u8)V(unpackhi_epi8)(a, b)}};
}

/* vpmaddubsw saturates, but not with the weights of a pair. */
INLINE void add_byte_pair(v_u16 sum[2], byte_pair pair, uint32_t weight)
{
    vector weights = V(set1_epi32)((int)weight);
    sum[0] += (v_u16)V(maddubs_epi16)((vector)pair.part[0], weights);
    sum[1] += (v_u16)V(maddubs_epi16)((vector)pair.part[1], weights);
}

INLINE v_u32 pairs_16(v_u16 a, v_u16 b, int half)
{
    return (v_u32)(half == 0 ? V(unpacklo_epi16)((vector)a, (vector)b)
                             : V(unpackhi_epi16)((vector)a, (vector)b));
}

INLINE v_u16 pack_32(v_s32 a, v_s32 b)
{
    return (v_u16)V(packus_epi32)((vector)a, (vector)b);
}

INLINE v_u16 multiply_high_16(v_u16 v, uint16_t factor)
{
    return (v_u16)V(mulhi_epu16)((vector)v, V(set1_epi16)((short)factor));
}

/* Multiplies the even lanes, then the odd lanes. */
INLINE v_u32 multiply_high_32(v_u32 v, uint32_t factor)
{
    const vector by = V(set1_epi32)((int)factor), upper = V(slli_epi64)(V(set1_epi32)(-1), 32);
    vector even = V(srli_epi64)(V(mul_epu32)((vector)v, by), 32);
    vector odd = V(mul_epu32)(V(srli_epi64)((vector)v, 32), by);
    return (v_u32)even | ((v_u32)odd & (v_u32)upper);
}

INLINE v_u8 min_u8(v_u8 a, v_u8 b)
{
    return (v_u8)V(min_epu8)((vector)a, (vector)b);
}

INLINE v_u16 min_u16(v_u16 a, v_u16 b)
{
    return (v_u16)V(min_epu16)((vector)a, (vector)b);
}

INLINE v_u8 max_u8(v_u8 a, v_u8 b)
{
    return (v_u8)V(max_epu8)((vector)a, (vector)b);
}

INLINE v_u16 max_u16(v_u16 a, v_u16 b)
{
    return (v_u16)V(max_epu16)((vector)a, (vector)b);
}

INLINE v_u8 add_saturated_u8(v_u8 a, v_u8 b)
{
    return (v_u8)V(adds_epu8)((vector)a, (vector)b);
}

/* FOUND = the weights of a block of differences, or of half a block. Those of part b and of the
 * parts above look up a number in part b; those below have an index of 128 or more, which makes 0.
 * So xor of all parts leaves the number of the difference's own part. */
#define LOOK_UP_PARTS (2 * VECTOR_BYTES <= CPU_BLOCK ? 2 : 1) /* vectors */
INLINE void look_up_parts(const struct cpu_range *range, const v_u8 *d, uint16_t *found)
{
    vector each[LOOK_UP_PARTS], shift = V(set1_epi8)(112);
    v_u8 low[LOOK_UP_PARTS], high[LOOK_UP_PARTS];
    int b = 0;

    UNROLL
    for (int k = 0; k < LOOK_UP_PARTS; k++) {
        each[k] = SPREAD_QUARTERS((vector)d[k]); /* unpacking puts the quarters in order again */
        low[k] = high[k] = (v_u8){0};
    }
    for (; b < range->high_parts; b++) {
        const vector lower = (vector)load_32(range->part[b].low);
        const vector upper = (vector)load_32(range->part[b].high);
        UNROLL
        for (int k = 0; k < LOOK_UP_PARTS; k++) {
            const vector at = V(adds_epu8)(each[k], shift);
            low[k] ^= (v_u8)V(shuffle_epi8)(lower, at);
            high[k] ^= (v_u8)V(shuffle_epi8)(upper, at);
        }
        shift = V(sub_epi8)(shift, V(set1_epi8)(16));
    }
    for (; b < range->parts; b++) {
        const vector lower = (vector)load_32(range->part[b].low);
        UNROLL
        for (int k = 0; k < LOOK_UP_PARTS; k++)
            low[k] ^= (v_u8)V(shuffle_epi8)(lower, V(adds_epu8)(each[k], shift));
        shift = V(sub_epi8)(shift, V(set1_epi8)(16));
    }
    UNROLL
    for (int k = 0; k < LOOK_UP_PARTS; k++, found += 2 * WORDS) {
        store(found, (v_u32)V(unpacklo_epi8)((vector)low[k], (vector)high[k]));
        store(found + WORDS, (v_u32)V(unpackhi_epi8)((vector)low[k], (vector)high[k]));
    }
}

/* A number goes from memory to its place in a vector, since a processor stores few numbers at a
 * time. */
INLINE void look_up(const uint16_t *table, uint16_t *d, int n)
{
    for (int k = 0; k < n; k += 8) {
        uint64_t at[2];
        __m128i v = _mm_setzero_si128();
        memcpy(at, d + k, sizeof at);
        v = _mm_insert_epi16(v, table[at[0] & 0xffff], 0);
        v = _mm_insert_epi16(v, table[at[0] >> 16 & 0xffff], 1);
        v = _mm_insert_epi16(v, table[at[0] >> 32 & 0xffff], 2);
        v = _mm_insert_epi16(v, table[at[0] >> 48], 3);
        v = _mm_insert_epi16(v, table[at[1] & 0xffff], 4);
        v = _mm_insert_epi16(v, table[at[1] >> 16 & 0xffff], 5);
        v = _mm_insert_epi16(v, table[at[1] >> 32 & 0xffff], 6);
        v = _mm_insert_epi16(v, table[at[1] >> 48], 7);
        _mm_storeu_si128((__m128i *)(d + k), v);
    }
}

#define TURNED_ROWS

/* Pairs of 16-bit samples, each minus 32768. Unpacking and packing work in parts of 16 bytes: the
 * order that unpacking makes is undone by packing. */
INLINE void pair_words(const uint16_t *first, const uint16_t *second, v_u32 pair[2])
{
    for (int k = 0; k < 2; k++)
        pair[k] = pairs_16((v_u16)(load_32(first) ^ 0x80008000),
                           (v_u16)(load_32(second) ^ 0x80008000), k);
}

INLINE v_u8 narrow_16(v_u16 a, v_u16 b)
{
    return (v_u8)V(packus_epi16)((vector)a, (vector)b);
}

#endif
