/* The inner loops for AVX2, compiled with -mavx2 -mfma: the template's vectors become
 * ymm registers, and the sum of pairs is vpmaddwd, two exact 16-bit products and
 * their sum a lane. Nothing
 * here may run before available() said yes. */
#include "cpu/x86/vector_avx2.h"
#include "cpu/ops.h"
#include "cpu/x86/bytes.h"
#include "cpu/x86/sums.h"

static bool available(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
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
#define OPS_SUFFIX avx2
#include "cpu/ops_template.h"
