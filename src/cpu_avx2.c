/* The inner loops for AVX2, compiled with -mavx2: the template's vectors become
 * ymm registers, and the sum of pairs is vpmaddwd, two exact 16-bit products and
 * their sum a lane. (vpmaddubsw is twice as wide, but it saturates:
 * 255*127*2 > 32767. Where weights are small enough it is taken: cpu_avx2_rows.h.) Nothing here may
 * run before available() said yes. */
#include <immintrin.h>
#include <string.h>

#include "cpu_avx2_bytes.h"
#include "cpu_avx2_certify.h"
#include "cpu_avx2_rows.h"
#include "cpu_avx2_wide.h"
#include "cpu_ops.h"

static bool available(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

static inline __m256i load(const uint32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* Eight accumulators of eight samples: enough independent chains to hide vpmaddwd's latency. */
static void sum_pairs_avx2(const struct cpu_mask *mask, const uint32_t *const *rows, uint32_t start,
                           int32_t *sum, int n)
{
    int pairs = (mask->height + 1) / 2;
    for (int x = 0; x < n; x += CPU_BLOCK) {
        __m256i acc[8];
        for (int k = 0; k < 8; k++)
            acc[k] = _mm256_set1_epi32((int)start);
        for (int p = 0; p < pairs; p++) {
            const uint32_t *weight = mask->pair + p * mask->width;
            const uint32_t *row = rows[p] + x;
            for (int j = 0; j < mask->width; j++, row += mask->step) {
                __m256i w = _mm256_set1_epi32((int)weight[j]);
                for (int k = 0; k < 8; k++)
                    acc[k] = _mm256_add_epi32(acc[k], _mm256_madd_epi16(load(row + 8 * k), w));
            }
        }
        for (int k = 0; k < 8; k++)
            _mm256_storeu_si256((__m256i *)(sum + x + 8 * k), acc[k]);
    }
}

/* Two rows of output from each load: 2 * WIDE accumulators, the two weights, and what was loaded
 * fill the 16 registers. */
#define WIDE 6
enum two_sums { TWO_ROWS, TWO_PLANES, JOINED };

/* The two sums of eight samples to pairs; the halves of a lane are blended. */
static inline __m256i joined_8(const struct cpu_join *join, __m256i high, __m256i low)
{
    const __m256i half = _mm256_set1_epi32(1 << (join->bits - 1));
    const __m256i mask = _mm256_set1_epi32((1 << join->bits) - 1);
    __m256i sum = _mm256_sra_epi32(high, _mm_cvtsi32_si128(join->high_shift));
    sum = _mm256_add_epi32(sum, _mm256_sra_epi32(low, _mm_cvtsi32_si128(join->low_shift)));
    sum = _mm256_add_epi32(sum, half);
    low = _mm256_sub_epi32(_mm256_and_si256(sum, mask), half);
    high = _mm256_sll_epi32(sum, _mm_cvtsi32_si128(16 - join->bits));
    return _mm256_blend_epi16(low, high, 0xAA);
}

static inline __attribute__((always_inline)) void sum_two_body(
    const struct cpu_two_masks *masks, const uint32_t *const *rows, uint32_t start, uint32_t *upper,
    uint32_t *lower, int n, enum two_sums what, const struct cpu_join *join)
{
    for (int x = 0; x < n; x += 8 * WIDE) {
        __m256i a[WIDE], b[WIDE];
        for (int k = 0; k < WIDE; k++)
            a[k] = b[k] = _mm256_set1_epi32((int)start);
        for (int p = 0; p < masks->pairs; p++) {
            const uint32_t *upper_weight = masks->weight[0] + p * masks->width;
            const uint32_t *lower_weight = masks->weight[1] + p * masks->width;
            const uint32_t *row = rows[p] + x;
            for (int j = 0; j < masks->width; j++, row += masks->step) {
                __m256i u, v;
                if ((upper_weight[j] | lower_weight[j]) == 0)
                    continue;
                /* Broadcast from memory: from a register it takes the multiplications' ports. */
                u = _mm256_castps_si256(_mm256_broadcast_ss((const float *)&upper_weight[j]));
                v = _mm256_castps_si256(_mm256_broadcast_ss((const float *)&lower_weight[j]));
                for (int k = 0; k < WIDE; k++) {
                    __m256i samples = load(row + 8 * k);
                    /* Or the compiler loads it twice, and loads are what runs out first. */
                    __asm__("" : "+x"(samples));
                    a[k] = _mm256_add_epi32(a[k], _mm256_madd_epi16(samples, u));
                    samples = _mm256_madd_epi16(samples, v);
                    if (what == TWO_PLANES)
                        samples = _mm256_srai_epi32(samples, CPU_PART_SHIFT);
                    b[k] = _mm256_add_epi32(b[k], samples);
                }
            }
        }
        for (int k = 0; k < WIDE; k++) {
            __m256i first = what == JOINED ? joined_8(join, a[k], b[k]) : a[k];
            _mm256_storeu_si256((__m256i *)(upper + x + 8 * k), first);
            if (what != JOINED)
                _mm256_storeu_si256((__m256i *)(lower + x + 8 * k), b[k]);
        }
    }
}

static void sum_two_rows_avx2(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                              uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    sum_two_body(masks, rows, start, upper, lower, n, TWO_ROWS, NULL);
}

static void sum_two_planes_avx2(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                                uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    sum_two_body(masks, rows, start, upper, lower, n, TWO_PLANES, NULL);
}

static void join_planes_avx2(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                             const struct cpu_join *join, uint32_t *pair, int n)
{
    sum_two_body(masks, rows, 0, pair, NULL, n, JOINED, join);
}

/* floor(v / d) for 0 <= v < 2^31 by a multiplication: with 2^k < d <= 2^(k+1) the factor
 * m = ceil(2^(32+k) / d) is below 2^32 and e = m*d - 2^(32+k) below d, so that the excess
 * v*e / 2^(32+k) stays below 1, and v*m >> 32+k is right. */
static inline __m256i divide_32(__m256i v, __m256i factor, __m128i shift)
{
    __m256i even, odd;
    v = _mm256_max_epi32(v, _mm256_setzero_si256());
    even = _mm256_srli_epi64(_mm256_mul_epu32(v, factor), 32);
    odd = _mm256_mul_epu32(_mm256_srli_epi64(v, 32), factor);
    return _mm256_srl_epi32(_mm256_blend_epi32(even, odd, 0xAA), shift);
}

/* Four vectors of 32 bits to bytes, saturated to 0..255. */
static inline __m256i pack_bytes(const __m256i v[4])
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i low = _mm256_packs_epi32(v[0], v[1]), high = _mm256_packs_epi32(v[2], v[3]);
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
}

/* The same by floats, where v < 2^22 and, for every q up to max, q * d < 2^21: v + 1/2
 * is exact, its product with 1/d is off by less than q * 2^-22, and (v + 1/2) / d lies at least
 * 1/(2d) from the next integer. */
struct divide_lanes {
    bool power, by_float;
    __m256i half, factor;
    __m256 inverse;
    __m128i shift;
};

static inline struct divide_lanes divide_lanes_make(const struct cpu_divide *divide)
{
    uint64_t d = (uint64_t)divide->divisor;
    int k = d > 1 ? 63 - __builtin_clzll(d - 1) : 0;
    struct divide_lanes l;
    l.power = divide->shift >= 0;
    l.by_float =
        !l.power && divide->bound < 1 << 22 && (divide->max + 1) * divide->divisor < 1 << 21;
    l.half = _mm256_set1_epi32((int)(divide->divisor / 2));
    l.factor = _mm256_set1_epi64x((int64_t)((((uint64_t)1 << (32 + k)) + d - 1) / d));
    l.inverse = _mm256_set1_ps(1.0f / (float)divide->divisor);
    l.shift = _mm_cvtsi32_si128(l.power ? divide->shift : k);
    return l;
}

/* Eight quotients; those below 0 are 0 or below. */
static inline __m256i divide_lanes(const struct divide_lanes *l, const int32_t *sum)
{
    __m256i v = _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)sum), l->half);
    if (l->power)
        return _mm256_sra_epi32(v, l->shift);
    if (l->by_float) {
        __m256 f = _mm256_add_ps(_mm256_cvtepi32_ps(v), _mm256_set1_ps(0.5f));
        return _mm256_cvttps_epi32(_mm256_mul_ps(f, l->inverse));
    }
    return divide_32(v, l->factor, l->shift);
}

/* Sums have slack up to CPU_BLOCK, samples have none. The packs saturate to 0..255. */
static void divide_32_u8_avx2(const struct cpu_divide *divide, const int32_t *sum, uint8_t *out,
                              int n)
{
    const struct divide_lanes l = divide_lanes_make(divide);
    const __m256i max = _mm256_set1_epi8((char)divide->max);
    for (int x = 0; x < n; x += 32) {
        __m256i v[4], packed;
        for (int i = 0; i < 4; i++)
            v[i] = divide_lanes(&l, sum + x + 8 * i);
        packed = _mm256_min_epu8(pack_bytes(v), max);
        if (n - x >= 32) {
            _mm256_storeu_si256((__m256i *)(out + x), packed);
        } else {
            uint8_t last[32];
            _mm256_storeu_si256((__m256i *)last, packed);
            memcpy(out + x, last, (size_t)(n - x));
        }
    }
}

static void divide_32_u16_avx2(const struct cpu_divide *divide, const int32_t *sum, uint16_t *out,
                               int n)
{
    const struct divide_lanes l = divide_lanes_make(divide);
    const __m256i max = _mm256_set1_epi16((short)divide->max);
    for (int x = 0; x < n; x += 16) {
        __m256i packed =
            _mm256_packus_epi32(divide_lanes(&l, sum + x), divide_lanes(&l, sum + x + 8));
        packed = _mm256_permute4x64_epi64(packed, _MM_SHUFFLE(3, 1, 2, 0));
        packed = _mm256_min_epu16(packed, max);
        if (n - x >= 16) {
            _mm256_storeu_si256((__m256i *)(out + x), packed);
        } else {
            uint16_t last[16];
            _mm256_storeu_si256((__m256i *)last, packed);
            memcpy(out + x, last, (size_t)(n - x) * sizeof *out);
        }
    }
}

/* Bytes of both rows side by side, twice: as words, then as words of 16 bits in pairs. */
static void pairs_u8_avx2(const uint8_t *upper, const uint8_t *lower, uint32_t *pair, int n)
{
    const __m256i zero = _mm256_setzero_si256();
    int x = 0;
    for (; x + 32 <= n; x += 32) {
        __m256i u = _mm256_loadu_si256((const __m256i *)(upper + x));
        __m256i l = _mm256_loadu_si256((const __m256i *)(lower + x));
        __m256i part[4], both;
        both = _mm256_unpacklo_epi8(u, l); /* bytes 0-7, 16-23 */
        part[0] = _mm256_unpacklo_epi8(both, zero);
        part[1] = _mm256_unpackhi_epi8(both, zero);
        both = _mm256_unpackhi_epi8(u, l);
        part[2] = _mm256_unpacklo_epi8(both, zero);
        part[3] = _mm256_unpackhi_epi8(both, zero);
        for (int i = 0; i < 4; i++) { /* part[i]: elements 4i.. and 16 + 4i.. */
            _mm_storeu_si128((__m128i *)(pair + x + 4 * i), _mm256_castsi256_si128(part[i]));
            _mm_storeu_si128((__m128i *)(pair + x + 16 + 4 * i),
                             _mm256_extracti128_si256(part[i], 1));
        }
    }
    for (; x < n; x++)
        pair[x] = upper[x] | (uint32_t)lower[x] << 16;
}

/* Both bounds of eight samples, each clamped; equal floors decide. */
static inline __m256i certify_8(const struct cpu_certify *certify, const int32_t *sum,
                                __m256i *doubtful)
{
    __m256 max = _mm256_set1_ps(certify->max), zero = _mm256_setzero_ps(), value, low, high;
    __m256i below, above;
    value = _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)sum));
    value = _mm256_mul_ps(value, _mm256_set1_ps(certify->scale));
    low = _mm256_add_ps(value, _mm256_set1_ps(certify->low));
    high = _mm256_add_ps(value, _mm256_set1_ps(certify->high));
    below = _mm256_cvttps_epi32(_mm256_min_ps(_mm256_max_ps(low, zero), max));
    above = _mm256_cvttps_epi32(_mm256_min_ps(_mm256_max_ps(high, zero), max));
    *doubtful = _mm256_xor_si256(below, above);
    return below;
}

static void certify_u8_avx2(const struct cpu_certify *certify, const int32_t *sum, uint8_t *out,
                            uint8_t *doubtful, int n)
{
    for (int x = 0; x < n; x += 32) {
        __m256i value[4], differs[4];
        uint8_t bytes[32];
        for (int i = 0; i < 4; i++)
            value[i] = certify_8(certify, sum + x + 8 * i, &differs[i]);
        _mm256_storeu_si256((__m256i *)bytes, pack_bytes(value));
        memcpy(out + x, bytes, n - x < 32 ? (size_t)(n - x) : 32);
        _mm256_storeu_si256((__m256i *)(doubtful + x),
                            _mm256_min_epu8(pack_bytes(differs), _mm256_set1_epi8(1)));
    }
}

/* The compiler widens vectors by halves; the processor does it in one load. */
static inline void widen_u8_32(const uint8_t *in, uint32_t __attribute__((vector_size(32))) * out)
{
    __m256i v = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)in));
    *out = (uint32_t __attribute__((vector_size(32))))v;
}

static inline void widen_u16_32(const uint16_t *in, uint32_t __attribute__((vector_size(32))) * out)
{
    __m256i v = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)in));
    *out = (uint32_t __attribute__((vector_size(32))))v;
}

#define OPS_WIDEN
#define OPS_CERTIFY_U8     certify_u8_avx2
#define OPS_DIVIDE_32_U8   divide_32_u8_avx2
#define OPS_DIVIDE_32_U16  divide_32_u16_avx2
#define OPS_PAIRS_U8       pairs_u8_avx2
#define OPS_SUM_TWO_ROWS   sum_two_rows_avx2
#define OPS_SUM_TWO_PLANES sum_two_planes_avx2
#define OPS_JOIN_PLANES    join_planes_avx2
#define OPS_SUM_PAIRS      sum_pairs_avx2
#define OPS_SUFFIX         avx2
#include "cpu_ops_template.h"
