/* The inner loops for AVX-512 with VNNI: those of AVX2 in vectors of 64 bytes, and four taps of
 * bytes or two of 16 bits in one instruction (vpdpbusd, vpdpwssd), which adds the products to
 * sums of 32 bits. Row ends are stored by masks. Nothing here may run before available() said
 * yes. CPU_EMULATED: compiled for tests on any processor (tests/cpu/emulated_avx512.h). */
#include "cpu/x86/direct8_avx512.h"
#include "cpu/x86/vector_avx512.h"
#include "cpu/ops.h"
#include "cpu/x86/bytes.h"
#include "cpu/x86/sums.h"

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

typedef uint32_t widened __attribute__((vector_size(VECTOR_BYTES)));

/* The compiler widens vectors by halves; the processor does it in one load. */
static inline void widen_u8_32(const uint8_t *in, widened *out)
{
    *out = (widened)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)in));
}

static inline void widen_u16_32(const uint16_t *in, widened *out)
{
    *out = (widened)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)in));
}

#define OPS_WIDEN
#define OPS_VECTOR_BYTES VECTOR_BYTES
#define OPS_SUFFIX       avx512
#include "cpu/ops_template.h"
