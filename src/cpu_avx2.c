/* The inner loops for AVX2, compiled with -mavx2: the template's vectors become
 * ymm registers, and the sum of pairs is vpmaddwd, two exact 16-bit products and
 * their sum a lane. (vpmaddubsw would be twice as wide, but it saturates:
 * 255*127*2 > 32767.) Nothing here may run before available() said yes. */
#include <immintrin.h>
#include <string.h>

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

/* The compiler widens vectors by halves; the processor does it in one load. */
static inline void widen_u8_16(const uint8_t *in, uint16_t __attribute__((vector_size(32))) * out)
{
    __m256i v = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)in));
    *out = (uint16_t __attribute__((vector_size(32))))v;
}

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

/* v / d of 16 sums; max fits a byte, so packing them with saturation loses nothing. */
static inline __m256i divide_16(const struct cpu_divide16 *divide, const uint16_t *sum)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)sum);
    if (divide->is_signed)
        v = _mm256_max_epi16(v, _mm256_setzero_si256());
    if (divide->factor != 0)
        v = _mm256_mulhi_epu16(v, _mm256_set1_epi16((short)divide->factor));
    v = _mm256_srl_epi16(v, _mm_cvtsi32_si128(divide->shift));
    return _mm256_min_epu16(v, _mm256_set1_epi16((short)divide->max));
}

/* The sums have slack up to CPU_BLOCK, the samples have none. */
static void divide_16_u8_avx2(const struct cpu_divide16 *divide, const uint16_t *sum, uint8_t *out,
                              int n)
{
    for (int x = 0; x < n; x += 32) {
        __m256i packed =
            _mm256_packus_epi16(divide_16(divide, sum + x), divide_16(divide, sum + x + 16));
        packed = _mm256_permute4x64_epi64(packed, _MM_SHUFFLE(3, 1, 2, 0));
        if (n - x >= 32) {
            _mm256_storeu_si256((__m256i *)(out + x), packed);
        } else {
            uint8_t last[32];
            _mm256_storeu_si256((__m256i *)last, packed);
            memcpy(out + x, last, (size_t)(n - x));
        }
    }
}

#define OPS_WIDEN
#define OPS_DIVIDE_16 divide_16_u8_avx2
#define OPS_SUM_PAIRS sum_pairs_avx2
#define OPS_SUFFIX    avx2
#include "cpu_ops_template.h"
