/* The operations on vectors in portable C, for instruction sets without operations of their own.
 * The comments define them for all sets. A part of cpu/ops_template.h. */
#ifndef STENCIL_CPU_OPS_PLAIN_H
#define STENCIL_CPU_OPS_PLAIN_H

#include "cpu/ops_vector.h"

/* Vectors of sums in registers, with pairs: for one row of output, for two rows. */
#define PAIRS_WIDE_ONE  4
#define PAIRS_WIDE_TWO  4
#define PAIRS_WIDE_FOUR 1
/* For the method `real`: rows of output, vectors per row. */
#define REAL_ROWS    2
#define REAL_VECTORS 4

/* Keeps V in a register, so that it is not loaded again. */
#define KEEP(v) (void)(v)

#define REAL_ADD_float(sum, v, w)  ((sum) + (v) * (w))
#define REAL_ADD_double(sum, v, w) ((sum) + (v) * (w))

/* A weight in all lanes. */
INLINE v_u32 broadcast(const uint32_t *weight)
{
    return *weight - (v_u32){0};
}

/* Sums of two products of int16 per lane, modulo 2^32. */
typedef v_u32 pair_sum;

INLINE void add_pairs(pair_sum *sum, v_u32 samples, v_u32 weights)
{
    v_s32 low = (v_s32)(samples << 16) >> 16, high = (v_s32)samples >> 16;
    *sum += (v_u32)(low * ((v_s32)(weights << 16) >> 16)) + (v_u32)(high * ((v_s32)weights >> 16));
}

INLINE v_u32 pair_total(const pair_sum *sum)
{
    return *sum;
}

INLINE byte_pair load_byte_pair(const uint8_t *first, const uint8_t *second)
{
    return (byte_pair){{(v_u8)load_32(first), (v_u8)load_32(second)}};
}

/* Adds the bytes of both lines, times the two int8 weights of an entry of cpu_byte_pairs, modulo
 * 2^16. */
INLINE void add_byte_pair(v_u16 sum[2], byte_pair pair, uint32_t weight)
{
    uint16_t a = (uint16_t)(int8_t)(weight & 0xff), b = (uint16_t)(int8_t)(weight >> 8 & 0xff);
    for (int k = 0; k < VECTOR_BYTES; k++)
        sum[k / WORDS][k % WORDS] +=
            (uint16_t)((uint32_t)a * pair.part[0][k] + (uint32_t)b * pair.part[1][k]);
}

/* The upper halves of products. */
INLINE v_u16 multiply_high_16(v_u16 v, uint16_t factor)
{
    for (int k = 0; k < WORDS; k++)
        v[k] = (uint16_t)((uint32_t)v[k] * factor >> 16);
    return v;
}

INLINE v_u32 multiply_high_32(v_u32 v, uint32_t factor)
{
    for (int k = 0; k < LANES; k++)
        v[k] = (uint32_t)((uint64_t)v[k] * factor >> 32);
    return v;
}

INLINE v_u8 min_u8(v_u8 a, v_u8 b)
{
    v_u8 less = (v_u8)(a < b);
    return (a & less) | (b & ~less);
}

INLINE v_u16 min_u16(v_u16 a, v_u16 b)
{
    v_u16 less = (v_u16)(a < b);
    return (a & less) | (b & ~less);
}

INLINE v_u8 max_u8(v_u8 a, v_u8 b)
{
    v_u8 less = (v_u8)(a < b);
    return (b & less) | (a & ~less);
}

INLINE v_u16 max_u16(v_u16 a, v_u16 b)
{
    v_u16 less = (v_u16)(a < b);
    return (b & less) | (a & ~less);
}

/* Widens samples to 32 bits. */
INLINE v_u32 widen_u8_32(const uint8_t *in)
{
    typedef uint8_t quarter __attribute__((vector_size(VECTOR_BYTES / 4)));
    quarter v;
    memcpy(&v, in, sizeof v);
    return __builtin_convertvector(v, v_u32);
}

INLINE v_u32 widen_u16_32(const uint16_t *in)
{
    typedef uint16_t half __attribute__((vector_size(VECTOR_BYTES / 2)));
    half v;
    memcpy(&v, in, sizeof v);
    return __builtin_convertvector(v, v_u32);
}

/* Narrows two vectors of int16 to bytes, clamped to 0..255. */
INLINE v_u8 narrow_16(v_u16 a, v_u16 b)
{
    v_u8 bytes;
    for (int k = 0; k < WORDS; k++) {
        int16_t low = (int16_t)a[k], high = (int16_t)b[k];
        bytes[k] = (uint8_t)(low < 0 ? 0 : low > UINT8_MAX ? UINT8_MAX : low);
        bytes[WORDS + k] = (uint8_t)(high < 0 ? 0 : high > UINT8_MAX ? UINT8_MAX : high);
    }
    return bytes;
}

/* Narrows two vectors of int32 to 16 bits, clamped. */
INLINE v_u16 narrow_32(v_s32 a, v_s32 b, bool turned)
{
    (void)turned;
    v_u16 words;
    for (int k = 0; k < LANES; k++) {
        words[k] = (uint16_t)(a[k] < 0 ? 0 : a[k] > UINT16_MAX ? UINT16_MAX : a[k]);
        words[LANES + k] = (uint16_t)(b[k] < 0 ? 0 : b[k] > UINT16_MAX ? UINT16_MAX : b[k]);
    }
    return words;
}

/* Narrows four vectors of int32 to bytes, clamped. */
INLINE v_u8 narrow_32_u8(const v_s32 v[4], bool turned)
{
    (void)turned;
    v_u8 bytes;
    for (int k = 0; k < VECTOR_BYTES; k++) {
        int32_t one = v[k / LANES][k % LANES];
        bytes[k] = (uint8_t)(one < 0 ? 0 : one > UINT8_MAX ? UINT8_MAX : one);
    }
    return bytes;
}

#endif
