/* Byte permutations that take interleaved pixels apart in registers and put them together
 * again. For the kernels on whole pixels. */
#ifndef STENCIL_GATHER_CUH
#define STENCIL_GATHER_CUH

#include <stdint.h>

/* Four bytes of an array of words gathered into one word; which ones is known at compile time.
 * Bytes of up to three different words take two byte permutations, of four three. */
template <int A, int B, int C, int D> __device__ inline uint32_t gather(const uint32_t *word)
{
    constexpr int wa = A / 4, wb = B / 4, wc = C / 4, wd = D / 4;
    constexpr int w1 = wb != wa ? wb : wc != wa ? wc : wd; /* the second word that occurs */
    constexpr bool in_b = wb == wa || wb == w1, in_c = wc == wa || wc == w1,
                   in_d = wd == wa || wd == w1;
    constexpr int pick_b = B % 4 + (wb == wa ? 0 : 4), pick_c = C % 4 + (wc == wa ? 0 : 4),
                  pick_d = D % 4 + (wd == wa ? 0 : 4);
    uint32_t two = __byte_perm(word[wa], word[w1],
                               A % 4 | (in_b ? pick_b : 0) << 4 | (in_c ? pick_c : 0) << 8 |
                                   (in_d ? pick_d : 0) << 12);
    constexpr int w2 = !in_b ? wb : !in_c ? wc : wd;
    if constexpr (in_b && in_c && in_d)
        return two;
    constexpr bool in3_c = in_c || wc == w2, in3_d = in_d || wd == w2;
    uint32_t three = __byte_perm(two, word[w2],
                                 (in_b ? 1 : B % 4 + 4) << 4 |
                                     (in_c       ? 2
                                      : wc == w2 ? C % 4 + 4
                                                 : 0)
                                         << 8 |
                                     (in_d       ? 3
                                      : wd == w2 ? D % 4 + 4
                                                 : 0)
                                         << 12);
    if constexpr (in3_c && in3_d)
        return three;
    return __byte_perm(three, word[wd], 0x0210 | (D % 4 + 4) << 12);
}

/* The bytes of four words, taken as 4 x 4, in columns: 8 permutations, where gather() of each word
 * takes 12. */
__device__ inline void transpose_bytes(const uint32_t *in, uint32_t *out)
{
    const uint32_t low01 = __byte_perm(in[0], in[1], 0x5140),
                   low23 = __byte_perm(in[2], in[3], 0x5140),
                   high01 = __byte_perm(in[0], in[1], 0x7362),
                   high23 = __byte_perm(in[2], in[3], 0x7362);
    out[0] = __byte_perm(low01, low23, 0x5410);
    out[1] = __byte_perm(low01, low23, 0x7632);
    out[2] = __byte_perm(high01, high23, 0x5410);
    out[3] = __byte_perm(high01, high23, 0x7632);
}

#endif
