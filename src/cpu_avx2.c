/* The inner loops for AVX2, compiled with -mavx2: the template's vectors become
 * ymm registers, and the sum of pairs is vpmaddwd, two exact 16-bit products and
 * their sum a lane. (vpmaddubsw would be twice as wide, but it saturates:
 * 255*127*2 > 32767.) Nothing here may run before available() said yes. */
#include <immintrin.h>

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

#define OPS_SUM_PAIRS sum_pairs_avx2
#define OPS_SUFFIX    avx2
#include "cpu_ops_template.h"
