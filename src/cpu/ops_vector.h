/* The vectors of one instruction set: their types, and basic operations in portable C; a part of
 * cpu/ops_template.h, included once per instruction set. A set with operations of its own
 * (x86/avx2.c, x86/avx512.c, arm/vector_neon.h) defines VECTOR_BYTES before it includes this file;
 * after it, it defines OPS_VECTORS and all operations of cpu/ops_plain.h.
 *
 * The order of 16-bit sums is private to the set: add_byte_pair makes it, narrow_16 expects it. */
#ifndef STENCIL_CPU_OPS_VECTOR_H
#define STENCIL_CPU_OPS_VECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef VECTOR_BYTES
#define VECTOR_BYTES 16
#endif
#define LANES  (VECTOR_BYTES / 4) /* of 32 bits */
#define WORDS  (VECTOR_BYTES / 2)
#define INLINE static inline __attribute__((always_inline))

/* For loops over vectors: clang did not unroll some of them and left the vectors in memory. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL
#endif

typedef uint8_t v_u8 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t v_u16 __attribute__((vector_size(VECTOR_BYTES)));
typedef int16_t v_s16 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t v_u32 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t v_u64 __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t v_s32 __attribute__((vector_size(VECTOR_BYTES)));
typedef float v_f32 __attribute__((vector_size(VECTOR_BYTES)));

/* VECTOR_BYTES bytes of each of two lines, as add_byte_pair takes them. */
typedef struct {
    v_u8 part[2];
} byte_pair;

/* Vectors of a fixed size, which is two registers without AVX: passed by address only. */
typedef double v4f64 __attribute__((vector_size(32)));
typedef int64_t v4s64 __attribute__((vector_size(32)));
typedef int32_t v4s32 __attribute__((vector_size(16)));
typedef uint32_t v4u32 __attribute__((vector_size(16)));

/* A vector at any address. (A memcpy to or from an array of vectors keeps gcc 12 from holding the
 * array in registers.) */
typedef uint32_t any_vector __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));

INLINE v_u32 load_32(const void *at)
{
    return *(const any_vector *)at;
}

INLINE v_u16 load_16(const void *at)
{
    return (v_u16)load_32(at);
}

INLINE void store(void *at, v_u32 v)
{
    *(any_vector *)at = v;
}

/* Stores a vector of the output. STREAMS: AT is aligned, and the bytes shall not go through the
 * caches, if the set can do so. */
INLINE void store_out(void *at, v_u32 v, bool streams)
{
#ifdef STREAM
    if (streams)
        STREAM(at, v);
    else
#endif
        store(at, v);
    (void)streams;
}

/* Stores the first BYTES bytes of a vector of the output, or the whole vector as store_out. */
INLINE void store_first(void *at, v_u8 v, int bytes, bool streams)
{
    if (!__builtin_constant_p(streams))
        __asm__("" : "+r"(streams)); /* else compilers make each loop twice */
    if (bytes >= VECTOR_BYTES) {
        store_out(at, (v_u32)v, streams);
    } else {
        uint8_t last[VECTOR_BYTES]; /* V itself would always be in memory */
        store(last, (v_u32)v);
        memcpy(at, last, (size_t)bytes);
    }
}

/* Makes each of N numbers the table's. N is a multiple of CPU_BLOCK. Without the barriers gcc made
 * vectors, which it had to take apart and put together: twice the time. */
#ifndef LOOK_UP
INLINE void look_up(const uint16_t *table, uint16_t *d, int n)
{
    for (int k = 0; k < n; k++) {
        d[k] = table[d[k]];
        __asm__ volatile("" ::: "memory");
    }
}
#endif

/* Roots of whole numbers, off by less than 2^-11 of themselves; of 0 perhaps the NaN of 0 times
 * infinity, which becomes INT32_MIN as a whole number, and 0 by narrow_32. */
#ifndef NEAR_ROOT
INLINE v_f32 near_root(v_f32 v)
{
    for (int k = 0; k < LANES; k++)
        v[k] = sqrtf(v[k]);
    return v;
}
#endif

/* The words of A and B side by side, of one half of the vectors (any half on x86). narrow_32 of
 * both halves, turned, puts the words in their order again. */
#ifndef PAIRS_16
INLINE v_u32 pairs_16(v_u16 a, v_u16 b, int half)
{
    return (v_u32)(half == 0 ? __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
                             : __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
}
#endif

/* high << 16 | low of SUM = 2^BITS * high + low; 16 bits change nothing. */
INLINE v_u32 split_at(v_u32 sum, int bits)
{
    return (sum << (16 - bits) & 0xffff0000) | (sum & ((1U << bits) - 1));
}

/* Sets COUNT vectors to NUMBER in all lanes; stores COUNT vectors. COUNT is a constant. */
INLINE void fill_32(v_u32 *v, int count, uint32_t number)
{
    UNROLL
    for (int k = 0; k < count; k++)
        v[k] = number - (v_u32){0};
}

INLINE void store_32(void *at, const v_u32 *v, int count)
{
    UNROLL
    for (int k = 0; k < count; k++)
        store((uint32_t *)at + k * LANES, v[k]);
}

#endif
