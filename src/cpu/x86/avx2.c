/* The inner loops for AVX2, compiled with -mavx2 -mfma: the template's vectors become
 * ymm registers, and the sum of pairs is vpmaddwd, two exact 16-bit products and
 * their sum a lane. (vpmaddubsw is twice as wide, but it saturates:
 * 255*127*2 > 32767. Where weights are small enough it is taken: cpu/x86/direct8_avx2.h.) Nothing
 * here may run before available() said yes. */
#include "cpu/x86/direct8_avx2.h"
#include "cpu/x86/vector_avx2.h"
#include "cpu/x86/wide_avx2.h"
#include "cpu/ops.h"
#include "cpu/x86/bytes.h"
#include "cpu/x86/divide.h"
#include "cpu/x86/sums.h"

static bool available(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
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

/* The same of 16 bits. Pairs have no slack here. */
static void pairs_u16_avx2(const uint16_t *upper, const uint16_t *lower, uint32_t *pair, int n)
{
    const __m256i centre = _mm256_set1_epi16(INT16_MIN);
    int x = 0;
    for (; x + 16 <= n; x += 16) {
        __m256i u = _mm256_loadu_si256((const __m256i *)(upper + x));
        __m256i l = _mm256_loadu_si256((const __m256i *)(lower + x));
        __m256i low, high, *to = (__m256i *)(pair + x);
        u = _mm256_xor_si256(u, centre);
        l = _mm256_xor_si256(l, centre);
        low = _mm256_unpacklo_epi16(u, l);
        high = _mm256_unpackhi_epi16(u, l);
        _mm256_storeu_si256(to, _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(low, high, 0x31));
    }
    for (; x < n; x++)
        pair[x] = (upper[x] | (uint32_t)lower[x] << 16) ^ 0x80008000;
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
#define OPS_PAIRS_U8  pairs_u8_avx2
#define OPS_PAIRS_U16 pairs_u16_avx2
#define OPS_SUFFIX    avx2
#include "cpu/ops_template.h"
