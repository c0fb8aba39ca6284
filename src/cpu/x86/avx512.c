/* The inner loops for AVX-512 with VNNI: the portable C loops on vectors of 64 bytes. One
 * instruction takes four taps of bytes or two of 16 bits (vpdpbusd, vpdpwssd) and adds the products
 * to sums of 32 bits. Nothing here may run before the processor was checked (cpu/processor.c).
 * CPU_EMULATED: compiled for tests on any processor (tests/cpu/emulated_avx512.h). */
#ifdef CPU_EMULATED
#include "tests/cpu/emulated_avx512.h"
#else
#include <immintrin.h>
#endif

#define VECTOR_BYTES 64
#define V(operation) _mm512_##operation
typedef __m512i vector;
#ifdef CPU_EMULATED
#define KEEP(v) (void)(v)
#else
#define KEEP(v)       __asm__("" : "+v"(v))
#define STREAM(at, v) _mm512_stream_si512((vector *)(at), (vector)(v))
#endif
#define SPREAD_QUARTERS(v) _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), v)
#include "cpu/x86/vector.h"

/* 8 sums in registers hide vpdpwssd's latency; the loads, most of which touch two cache lines, take
 * as long. */
#define PAIRS_WIDE_ONE  8
#define PAIRS_WIDE_TWO  4
#define PAIRS_WIDE_FOUR 4
#define QUADS_SIGNED    false /* unsigned bytes */
#define REAL_ROWS       4
#define REAL_VECTORS    4

#define REAL_ADD_float(sum, v, w) (v_f32) _mm512_fmadd_ps((__m512)(v), (__m512)(w), (__m512)(sum))
#define REAL_ADD_double(sum, v, w)                                                                 \
    (real_wide_double) _mm512_fmadd_pd((__m512d)(v), (__m512d)(w), (__m512d)(sum))

typedef v_u32 pair_sum;

#ifdef CPU_EMULATED
INLINE v_u32 broadcast(const uint32_t *weight)
{
    return *weight - (v_u32){0};
}

INLINE void add_pairs(pair_sum *sum, v_u32 samples, v_u32 weights)
{
    *sum = (v_u32)_mm512_dpwssd_epi32((vector)*sum, (vector)samples, (vector)weights);
}
#else
/* Loads from memory: a broadcast from a register needs a port of the multiplications, and the
 * compiler would make one if the weight is in a register. */
INLINE v_u32 broadcast(const uint32_t *weight)
{
    v_u32 v;
    __asm__("vpbroadcastd %1, %0" : "=v"(v) : "m"(*weight));
    return v;
}

/* With the intrinsic gcc 12 copies the sum before and after each use, and has no registers left for
 * the sums. */
INLINE void add_pairs(pair_sum *sum, v_u32 samples, v_u32 weights)
{
    __asm__("vpdpwssd %2, %1, %0" : "+v"(*sum) : "v"(samples), "v"(weights));
}
#endif

INLINE v_u32 pair_total(const pair_sum *sum)
{
    return *sum;
}

/* Adds four products of a byte and an int8; does not saturate (vpdpbusds would). */
INLINE void add_quads(pair_sum *sum, v_u32 samples, v_u32 weights)
{
    *sum = (v_u32)_mm512_dpbusd_epi32((vector)*sum, (vector)samples, (vector)weights);
}

INLINE v_u32 quad_total(const pair_sum *sum)
{
    return *sum;
}

/* Numbers 4 * i + j and 4 * j + i change places. */
INLINE vector transpose_32(vector v)
{
    const vector order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, v);
}

/* Word k of the result is word PLACE[k] of A and B side by side. */
#define WORDS_OF_TWO(a, b, place)                                                                  \
    (v_u32) _mm512_permutex2var_epi32((vector)(a), (vector)(place), (vector)(b))
#define FIRST_WORDS (v_u32) _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

#define LAY_QUADS
/* Makes 64 quads. Unpacking works in each quarter of a vector: the bytes are transposed before. */
INLINE void lay_quads(const uint8_t *const row[4], int x, uint32_t *quad)
{
    vector v[4];
    UNROLL
    for (int i = 0; i < 4; i++)
        v[i] = transpose_32((vector)load_32(row[i] + x));
    const vector a = V(unpacklo_epi8)(v[0], v[1]), b = V(unpackhi_epi8)(v[0], v[1]);
    const vector c = V(unpacklo_epi8)(v[2], v[3]), d = V(unpackhi_epi8)(v[2], v[3]);
    store(quad, (v_u32)V(unpacklo_epi16)(a, c));
    store(quad + LANES, (v_u32)V(unpackhi_epi16)(a, c));
    store(quad + 2 * LANES, (v_u32)V(unpacklo_epi16)(b, d));
    store(quad + 3 * LANES, (v_u32)V(unpackhi_epi16)(b, d));
}

#define BYTE_ROW

/* Vector K has the sums of places 4 * K .. 4 * K + 3 of each quarter, whose taps a shuffle in the
 * quarter puts side by side. */
static void byte_row(const struct cpu_masks *quads, const uint8_t *row, uint32_t *sum, int n)
{
    const int step = quads->step, low_bits = quads->low_bits;
    const uint32_t *high = quads->weight, *low = high + quads->width;
    const v_u32 first = (v_u32)_mm512_set4_epi32(0x03030303, 0x02020202, 0x01010101, 0);
    const vector taps = (vector)(first + 0x03020100 * (uint32_t)step);
    for (int x = 0; x < n; x += 4 * LANES) {
        v_u32 part[2][4] = {{{0}}};
        for (int q = 0; q < quads->width; q++) {
            const v_u32 a = broadcast(high + q), b = broadcast(low + q);
            UNROLL
            for (int k = 0; k < 4; k++) {
                const vector bytes = (vector)load_32(row + x + 4 * q * step + 4 * k);
                const v_u32 v = (v_u32)_mm512_shuffle_epi8(bytes, taps);
                add_quads(&part[0][k], v, a);
                add_quads(&part[1][k], v, b);
            }
        }
        UNROLL
        for (int k = 0; k < 4; k++)
            store(sum + x + LANES * k, split_at((part[0][k] << 8) + part[1][k], low_bits));
    }
}

INLINE v_f32 near_root(v_f32 v)
{
    return v * (v_f32)_mm512_rsqrt14_ps((__m512)v);
}

INLINE v_u16 narrow_32(v_s32 a, v_s32 b, bool turned)
{
    const vector order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    vector packed = _mm512_packus_epi32((vector)a, (vector)b);
    return (v_u16)(turned ? packed : _mm512_permutexvar_epi64(order, packed));
}

INLINE v_u8 narrow_32_u8(const v_s32 v[4], bool turned)
{
    vector low = _mm512_packs_epi32((vector)v[0], (vector)v[1]);
    vector high = _mm512_packs_epi32((vector)v[2], (vector)v[3]);
    vector packed = _mm512_packus_epi16(low, high);
    return (v_u8)(turned ? packed : transpose_32(packed));
}

/* The compiler widens vectors in two halves; the processor can widen in one load. */
INLINE v_u32 widen_u8_32(const uint8_t *in)
{
    return (v_u32)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)in));
}

INLINE v_u32 widen_u16_32(const uint16_t *in)
{
    return (v_u32)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)in));
}

/* On vectors of 64 bytes medians take 0.80 to 0.95 of the time of those of 32: not worth 0.2 MB. */
#ifdef CPU_EMULATED
#define NETWORKS scalar
#else
#define NETWORKS avx2
#endif

#define OPS_VECTORS
#define OPS_SUFFIX avx512
#include "cpu/ops_template.h"
