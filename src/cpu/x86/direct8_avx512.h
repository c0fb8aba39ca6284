/* Two rows of output from lines of four rows of bytes with AVX-512; a part of cpu/x86/avx512.c.
 * One vpdpbusd is four taps of 16 samples: four products of a byte and an int8, added to a
 * sum of 32 bits. It does not saturate on the way (vpdpbusds would), so that every int8 will
 * do. */
#ifndef STENCIL_CPU_X86_DIRECT8_AVX512_H
#define STENCIL_CPU_X86_DIRECT8_AVX512_H

#include "cpu/x86/vector_avx512.h"
#include "cpu/ops.h"

#define OPS_BYTE_QUADS       byte_quads_avx512
#define OPS_QUAD_TWO_ROWS    quad_two_rows_avx512

/* The 16-byte parts of four vectors as a matrix: rows become columns. */
static inline void transpose_parts(vector v[4])
{
    vector a = _mm512_shuffle_i32x4(v[0], v[1], 0x44), b = _mm512_shuffle_i32x4(v[0], v[1], 0xEE);
    vector c = _mm512_shuffle_i32x4(v[2], v[3], 0x44), d = _mm512_shuffle_i32x4(v[2], v[3], 0xEE);
    v[0] = _mm512_shuffle_i32x4(a, c, 0x88);
    v[1] = _mm512_shuffle_i32x4(a, c, 0xDD);
    v[2] = _mm512_shuffle_i32x4(b, d, 0x88);
    v[3] = _mm512_shuffle_i32x4(b, d, 0xDD);
}

static void byte_quads_avx512(const uint8_t *const row[4], uint32_t *quad, int n)
{
    int x = 0;
    for (; x + 64 <= n; x += 64) {
        vector r0 = load_any(row[0] + x), r1 = load_any(row[1] + x);
        vector r2 = load_any(row[2] + x), r3 = load_any(row[3] + x);
        vector low01 = _mm512_unpacklo_epi8(r0, r1), high01 = _mm512_unpackhi_epi8(r0, r1);
        vector low23 = _mm512_unpacklo_epi8(r2, r3), high23 = _mm512_unpackhi_epi8(r2, r3);
        vector q[4]; /* part p of q[k] are elements 16p + 4k.. */
        q[0] = _mm512_unpacklo_epi16(low01, low23);
        q[1] = _mm512_unpackhi_epi16(low01, low23);
        q[2] = _mm512_unpacklo_epi16(high01, high23);
        q[3] = _mm512_unpackhi_epi16(high01, high23);
        transpose_parts(q);
        for (int k = 0; k < 4; k++)
            store_any(quad + x + 16 * k, q[k]);
    }
    for (; x < n; x++)
        quad[x] = row[0][x] | (uint32_t)row[1][x] << 8 | (uint32_t)row[2][x] << 16 |
                  (uint32_t)row[3][x] << 24;
}

/* Both rows' sums of 64 samples. */
static inline __attribute__((always_inline)) void quad_sums(const struct cpu_two_masks *masks,
                                                            const uint32_t *const *rows, int x,
                                                            vector from, vector a[4], vector b[4])
{
    for (int k = 0; k < 4; k++)
        a[k] = b[k] = from;
    for (int p = 0; p < masks->pairs; p++) {
        const uint32_t *upper_weight = masks->weight[0] + p * masks->width;
        const uint32_t *lower_weight = masks->weight[1] + p * masks->width;
        const uint32_t *row = rows[p] + x;
        for (int j = 0; j < masks->width; j++, row += masks->step) {
            vector u = broadcast(upper_weight + j), l = broadcast(lower_weight + j);
            for (int k = 0; k < 4; k++) {
                vector samples = load_any(row + 16 * k);
                KEEP(samples);
                a[k] = _mm512_dpbusd_epi32(a[k], samples, u);
                b[k] = _mm512_dpbusd_epi32(b[k], samples, l);
            }
        }
    }
}

static void quad_two_rows_avx512(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                                 uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    const vector from = _mm512_set1_epi32((int)start);
    for (int x = 0; x < n; x += CPU_BLOCK) {
        vector a[4], b[4];
        quad_sums(masks, rows, x, from, a, b);
        for (int k = 0; k < 4; k++) {
            store_any(upper + x + 16 * k, a[k]);
            store_any(lower + x + 16 * k, b[k]);
        }
    }
}

#endif
