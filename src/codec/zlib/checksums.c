/* CRC-32 and Adler-32: see codec/zlib/stream.h. */
#include <string.h>

#include "base/instructions.h"
#include "codec/zlib/stream.h"

#ifdef __x86_64__
#include <immintrin.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* ---- CRC-32 ---- */

/* The remainder of a division of polynomials over {0, 1} by P, the polynomial of degree 32. The
 * first bit, bit 0 of the first byte, is the highest coefficient. ENTRY[v] is the remainder after
 * four more bits v. */
static uint32_t crc_plain(uint32_t crc, const uint8_t *data, size_t bytes)
{
    static const uint32_t entry[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

    /* Eight bytes at a time: FROM[n][v] is the remainder of four bits v, 4 n bits before the last.
     * The 256 numbers are made again for each call, which takes as long as 100 bytes. */
    if (bytes >= 256) {
        uint32_t from[16][16];
        memcpy(from[0], entry, sizeof entry);
        for (int i = 16; i < 256; i++) {
            const uint32_t before = from[i / 16 - 1][i % 16];
            from[i / 16][i % 16] = before >> 4 ^ entry[before & 15];
        }
        for (; bytes >= 8; bytes -= 8, data += 8) {
            uint64_t word = crc;
            for (int i = 0; i < 8; i++)
                word ^= (uint64_t)data[i] << 8 * i;
            crc = 0;
            for (int i = 0; i < 16; i++)
                crc ^= from[15 - i][word >> 4 * i & 15];
        }
    }
    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        crc = crc >> 4 ^ entry[crc & 15];
        crc = crc >> 4 ^ entry[crc & 15];
    }
    return crc;
}

#ifdef __x86_64__
/* Moves the 128 bits of SUM over the bits of NEXT. BY holds x^(n + 32) mod P for the first 64 bits
 * and x^(n - 32) mod P for the last, where n is the distance in bits: SUM keeps its remainder. */
__attribute__((target("pclmul,sse4.1"))) static __m128i fold(__m128i sum, __m128i by, __m128i next)
{
    __m128i first = _mm_clmulepi64_si128(sum, by, 0x00), last = _mm_clmulepi64_si128(sum, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(first, last), next);
}

/* Four sums, each of every fourth 16 bytes, hide the latency of the products. */
__attribute__((target("pclmul,sse4.1"))) static uint32_t crc_pclmul(uint32_t crc,
                                                                    const uint8_t *data,
                                                                    size_t bytes)
{
    const __m128i by_512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by_128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i *in = (const __m128i *)data;
    __m128i sum[4];
    uint8_t rest[16];

    for (int i = 0; i < 4; i++)
        sum[i] = _mm_loadu_si128(in++);
    sum[0] = _mm_xor_si128(sum[0], _mm_cvtsi32_si128((int)crc));
    for (bytes -= 64; bytes >= 64; bytes -= 64)
        for (int i = 0; i < 4; i++)
            sum[i] = fold(sum[i], by_512, _mm_loadu_si128(in++));
    for (int i = 1; i < 4; i++)
        sum[i] = fold(sum[i - 1], by_128, sum[i]);
    for (; bytes >= 16; bytes -= 16)
        sum[3] = fold(sum[3], by_128, _mm_loadu_si128(in++));
    _mm_storeu_si128((__m128i *)rest, sum[3]);
    return crc_plain(crc_plain(0, rest, sizeof rest), (const uint8_t *)in, bytes);
}
#elif defined(__aarch64__)
static uint32_t crc_arm(uint32_t crc, const uint8_t *data, size_t bytes)
{
    for (; bytes >= 8; bytes -= 8, data += 8) {
        uint64_t word;
        memcpy(&word, data, sizeof word);
        __asm__(".arch_extension crc\n\tcrc32x %w0, %w0, %x1" : "+r"(crc) : "r"(word));
    }
    return crc_plain(crc, data, bytes);
}
#endif

uint32_t zlib_crc32(uint32_t crc, const uint8_t *data, size_t bytes)
{
#ifdef __x86_64__
    if (bytes >= 64 && HAS_INSTRUCTIONS(PCLMULQDQ, "pclmul") && HAS_INSTRUCTIONS(SSE4_1, "sse4.1"))
        return ~crc_pclmul(~crc, data, bytes);
#elif defined(__aarch64__)
    const unsigned long crc32 = 1UL << 7; /* HWCAP_CRC32 of Linux */
    if (getauxval(AT_HWCAP) & crc32)
        return ~crc_arm(~crc, data, bytes);
#endif
    return ~crc_plain(~crc, data, bytes);
}

/* ---- Adler-32 ---- */

/* A = 1 + sum of bytes and B = sum of the running As, modulo BASE. */
#define BASE 65521u

/* Bytes of a step. In B a byte counts once more for each byte that follows: STEP for each step that
 * follows, and STEP - j in its own. */
#define STEP 32

/* So many steps fit: the sums of 32 bits are at most 255 STEP (1 + 2 + ... + MOST_STEPS). */
#define MOST_STEPS 512

/* The sums A and B of the steps alone: as if both began at 0. */
struct adler_sums {
    uint64_t a, b;
};

/* One sum for each byte of a step; compilers make vectors of them. */
static struct adler_sums adler_plain(const uint8_t *data, size_t steps)
{
    uint32_t sum[STEP] = {0}, earlier[STEP] = {0};
    struct adler_sums all = {0, 0};

    for (size_t i = 0; i < steps; i++, data += STEP)
        for (int j = 0; j < STEP; j++) {
            earlier[j] += sum[j];
            sum[j] += data[j];
        }
    for (int j = 0; j < STEP; j++) {
        all.a += sum[j];
        all.b += (uint64_t)STEP * earlier[j] + (uint64_t)(STEP - j) * sum[j];
    }
    return all;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static uint64_t total(__m256i sums)
{
    uint32_t sum[8];
    uint64_t all = 0;

    _mm256_storeu_si256((__m256i *)sum, sums);
    for (int i = 0; i < 8; i++)
        all += sum[i];
    return all;
}

__attribute__((target("avx2"))) static struct adler_sums adler_avx2(const uint8_t *data,
                                                                    size_t steps)
{
    const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1);
    const __m256i own = _mm256_setr_epi8(32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
                                         17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
    __m256i sum = zero, earlier = zero, weighted = zero;

    for (size_t i = 0; i < steps; i++, data += STEP) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)data);
        earlier = _mm256_add_epi32(earlier, sum);
        sum = _mm256_add_epi32(sum, _mm256_sad_epu8(bytes, zero));
        bytes = _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, own), ones);
        weighted = _mm256_add_epi32(weighted, bytes);
    }
    return (struct adler_sums){total(sum), STEP * total(earlier) + total(weighted)};
}
#endif

uint32_t zlib_adler32(uint32_t adler, const uint8_t *data, size_t bytes)
{
    struct adler_sums (*add)(const uint8_t *data, size_t steps) = adler_plain;
    uint64_t a = adler & 0xffff, b = adler >> 16;

#ifdef __x86_64__
    if (HAS_INSTRUCTIONS(AVX2, "avx2"))
        add = adler_avx2;
#endif
    while (bytes >= STEP) {
        size_t steps = bytes / STEP < MOST_STEPS ? bytes / STEP : MOST_STEPS;
        struct adler_sums sums = add(data, steps);
        b = (b + a * (steps * STEP) + sums.b) % BASE;
        a = (a + sums.a) % BASE;
        data += steps * STEP;
        bytes -= steps * STEP;
    }
    for (; bytes > 0; bytes--) {
        a += *data++;
        b += a;
    }
    return (uint32_t)(b % BASE << 16 | a % BASE);
}

/* Every A of the second piece starts from A1 instead of 1, and there are LENGTH of them. */
uint32_t zlib_adler32_combine(uint32_t first, uint32_t second, uint64_t length)
{
    uint64_t a1 = first & 0xffff, b1 = first >> 16;
    uint64_t a2 = second & 0xffff, b2 = second >> 16;
    uint64_t a = (a1 + a2 + BASE - 1) % BASE;
    uint64_t b = (b1 + b2 + (length % BASE) * ((a1 + BASE - 1) % BASE)) % BASE;

    return (uint32_t)(b << 16 | a);
}
