/* The inner loops for AVX2, compiled with -mavx2 -mfma: the portable C loops on vectors of 32
 * bytes, with vpmaddwd (per lane two exact products of 16 bits and their sum) and vpmaddubsw (the
 * same for bytes). Nothing here may run before the processor was checked (cpu/processor.c). */
#include <immintrin.h>

#include "cpu/ops.h"

#define VECTOR_BYTES 32
#define V(operation) _mm256_##operation
typedef __m256i vector;
#define KEEP(v)            __asm__("" : "+x"(v))
#define STREAM(at, v)      _mm256_stream_si256((vector *)(at), (vector)(v))
#define SPREAD_QUARTERS(v) _mm256_permute4x64_epi64(v, _MM_SHUFFLE(3, 1, 2, 0))
#include "cpu/x86/vector.h"

/* Sums of two rows of output take 12 of the 16 registers. */
#define PAIRS_WIDE_ONE  8
#define PAIRS_WIDE_TWO  6
#define PAIRS_WIDE_FOUR 2
/* 3 rows in 12 registers; 2 in 8 took 1.1 times as long. */
#define REAL_ROWS    3
#define REAL_VECTORS 4

#define REAL_ADD_float(sum, v, w) (v_f32) _mm256_fmadd_ps((__m256)(v), (__m256)(w), (__m256)(sum))
#define REAL_ADD_double(sum, v, w)                                                                 \
    (real_wide_double) _mm256_fmadd_pd((__m256d)(v), (__m256d)(w), (__m256d)(sum))

/* Loads from memory: a broadcast from a register needs the multiplications' ports. */
INLINE v_u32 broadcast(const uint32_t *weight)
{
    return (v_u32)_mm256_broadcast_ss((const float *)weight);
}

typedef v_u32 pair_sum;

INLINE void add_pairs(pair_sum *sum, v_u32 samples, v_u32 weights)
{
    *sum += (v_u32)_mm256_madd_epi16((vector)samples, (vector)weights);
}

INLINE v_u32 pair_total(const pair_sum *sum)
{
    return *sum;
}

INLINE v_f32 near_root(v_f32 v)
{
    return v * (v_f32)_mm256_rsqrt_ps((__m256)v);
}

INLINE v_u16 narrow_32(v_s32 a, v_s32 b, bool turned)
{
    vector packed = _mm256_packus_epi32((vector)a, (vector)b);
    return (v_u16)(turned ? packed : _mm256_permute4x64_epi64(packed, _MM_SHUFFLE(3, 1, 2, 0)));
}

INLINE v_u8 narrow_32_u8(const v_s32 v[4], bool turned)
{
    const vector order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    vector low = _mm256_packs_epi32((vector)v[0], (vector)v[1]);
    vector high = _mm256_packs_epi32((vector)v[2], (vector)v[3]);
    vector packed = _mm256_packus_epi16(low, high);
    return (v_u8)(turned ? packed : _mm256_permutevar8x32_epi32(packed, order));
}

/* The compiler widens vectors in two halves; the processor can widen in one load. */
INLINE v_u32 widen_u8_32(const uint8_t *in)
{
    return (v_u32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)in));
}

INLINE v_u32 widen_u16_32(const uint16_t *in)
{
    return (v_u32)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)in));
}

/* ---- lines of pairs of bytes ---- */

#define BYTE_PAIR_OPS

static void byte_pairs(const uint8_t *restrict upper, const uint8_t *restrict lower,
                       uint16_t *restrict pair, int n)
{
    for (int x = 0; x < n; x++)
        pair[x] = (uint16_t)(upper[x] | lower[x] << 8);
}

/* Adds 16-bit sums to the 32-bit sums of even and odd samples, and sets them to 0. */
INLINE void empty_sums(v_u16 sum[2][4], v_s32 total[2][2][4])
{
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < 4; k++) {
            total[0][r][k] += ((v_s32)sum[r][k] << 16) >> 16;
            total[1][r][k] += (v_s32)sum[r][k] >> 16;
            sum[r][k] = (v_u16){0};
        }
}

/* Sums 64 samples of two rows of output. TOTAL is in memory, which costs little as long as many
 * taps lie between two additions to it. NULL: all sums fit 16 bits. */
INLINE void add_byte_rows(const struct cpu_masks *masks, const void *const *lines, int x,
                          v_u16 sum[2][4], v_s32 total[2][2][4])
{
    const int width = masks->width, taps = masks->pairs * width;
    for (int p = 0; p < masks->pairs; p++) {
        const uint16_t *line = (const uint16_t *)lines[p] + x;
        for (int t = p * width; t < (p + 1) * width; t++, line += masks->step) {
            const vector upper = (vector)broadcast(masks->weight + t);
            const vector lower = (vector)broadcast(masks->weight + taps + t);
            for (int k = 0; k < 4; k++) {
                v_u32 samples = load_32(line + WORDS * k);
                KEEP(samples); /* as in cpu/ops_pairs.h */
                sum[0][k] += (v_u16)_mm256_maddubs_epi16((vector)samples, upper);
                sum[1][k] += (v_u16)_mm256_maddubs_epi16((vector)samples, lower);
            }
            if (total && masks->weight[2 * taps + t])
                empty_sums(sum, total);
        }
    }
}

/* Stores 2 vectors: the lower halves of both, then the upper ones. */
INLINE void store_halves(void *at, vector a, vector b)
{
    store(at, (v_u32)_mm256_permute2x128_si256(a, b, 0x20));
    store((vector *)at + 1, (v_u32)_mm256_permute2x128_si256(a, b, 0x31));
}

static void byte_two_rows(const struct cpu_masks *masks, const void *const *lines, uint32_t start,
                          void *const *out, int n)
{
    for (int x = 0; x < n; x += 4 * WORDS) {
        v_u16 sum[2][4] = {{{0}}};
        v_s32 total[2][2][4];
        fill_32((v_u32 *)total, 16, start);
        add_byte_rows(masks, lines, x, sum, total);
        empty_sums(sum, total);
        for (int r = 0; r < 2; r++)
            for (int k = 0; k < 4; k++) {
                vector even = (vector)total[0][r][k], odd = (vector)total[1][r][k];
                store_halves((uint32_t *)out[r] + x + WORDS * k, _mm256_unpacklo_epi32(even, odd),
                             _mm256_unpackhi_epi32(even, odd));
            }
    }
}

static void byte_two_rows_16(const struct cpu_masks *masks, const void *const *lines,
                             uint32_t start, void *const *out, int n)
{
    for (int x = 0; x < n; x += 4 * WORDS) {
        v_u16 sum[2][4];
        for (int k = 0; k < 8; k++)
            sum[k / 4][k % 4] = (uint16_t)start - (v_u16){0};
        add_byte_rows(masks, lines, x, sum, NULL);
        for (int r = 0; r < 2; r++) /* in the order of cpu/x86/vector.h */
            for (int k = 0; k < 4; k += 2)
                store_halves((uint16_t *)out[r] + x + WORDS * k, (vector)sum[r][k],
                             (vector)sum[r][k + 1]);
    }
}

#define OPS_VECTORS
#define OPS_SUFFIX avx2
#include "cpu/ops_template.h"
