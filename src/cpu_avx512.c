/* The inner loops for AVX-512 with VNNI, compiled for AVX-512 F, BW, VL, DQ and VNNI: vectors
 * of 64 bytes, and the sum of pairs in one instruction, vpdpwssd: two 16-bit products and
 * their sum are added to a lane, modulo 2^32. Nothing here may run before available() said
 * yes. CPU_EMULATED: compiled for tests on any processor (tests/emulated_avx512.h). */
#ifdef CPU_EMULATED
#include "emulated_avx512.h"
#else
#include <immintrin.h>
#endif
#include <string.h>

#include "cpu_ops.h"

static bool available(void)
{
#ifdef CPU_EMULATED
    return true;
#else
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
#endif
}

static inline __m512i load_any(const void *at)
{
    return _mm512_loadu_si512(at);
}

/* Four accumulators of sixteen samples. */
static void sum_pairs_avx512(const struct cpu_mask *mask, const uint32_t *const *rows,
                             uint32_t start, int32_t *sum, int n)
{
    int pairs = (mask->height + 1) / 2;
    for (int x = 0; x < n; x += CPU_BLOCK) {
        __m512i acc[4];
        for (int k = 0; k < 4; k++)
            acc[k] = _mm512_set1_epi32((int)start);
        for (int p = 0; p < pairs; p++) {
            const uint32_t *weight = mask->pair + p * mask->width;
            const uint32_t *row = rows[p] + x;
            for (int j = 0; j < mask->width; j++, row += mask->step) {
                __m512i w = _mm512_set1_epi32((int)weight[j]);
                for (int k = 0; k < 4; k++)
                    acc[k] = _mm512_dpwssd_epi32(acc[k], load_any(row + 16 * k), w);
            }
        }
        for (int k = 0; k < 4; k++)
            _mm512_storeu_si512(sum + x + 16 * k, acc[k]);
    }
}

static void sum_two_rows_avx512(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                                uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    uint32_t *sum[2] = {upper, lower};
    for (int k = 0; k < 2; k++) {
        struct cpu_mask mask = {.width = masks->width,
                                .height = 2 * masks->pairs,
                                .step = masks->step,
                                .pair = masks->weight[k]};
        sum_pairs_avx512(&mask, rows, start, (int32_t *)sum[k], n);
    }
}

#define OPS_VECTOR_BYTES 64
#define OPS_SUM_TWO_ROWS sum_two_rows_avx512
#define OPS_SUM_PAIRS    sum_pairs_avx512
#define OPS_SUFFIX       avx512
#include "cpu_ops_template.h"
