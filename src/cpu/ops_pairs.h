/* Lines that hold two or four rows of the picture side by side, and sums over them: one
 * multiply-add takes two taps of 16 bits, or four of bytes. A part of cpu/ops_template.h, included
 * once per instruction set. */
#ifndef STENCIL_CPU_OPS_PAIRS_H
#define STENCIL_CPU_OPS_PAIRS_H

#include "cpu/ops.h"
#include "cpu/ops_vector.h"

/* If the instruction takes only signed bytes, lines of quads hold b - 128, and 128 times the sum of
 * the weights is added to their sums. */
#ifdef QUADS_SIGNED
#define QUAD_FLIP (QUADS_SIGNED ? 0x80808080 : 0)
#define QUAD_BIAS (QUADS_SIGNED ? 128 : 0)
#else
#define QUAD_BIAS  0
#define add_quads  add_pairs
#define quad_total pair_total
#endif

static void pairs_u8(const uint8_t *restrict upper, const uint8_t *restrict lower,
                     uint32_t *restrict pair, int n)
{
    for (int x = 0; x < n; x++)
        pair[x] = upper[x] | (uint32_t)lower[x] << 16;
}

static void pairs_u16(const uint16_t *restrict upper, const uint16_t *restrict lower,
                      uint32_t *restrict pair, int n)
{
    for (int x = 0; x < n; x++)
        pair[x] = (upper[x] | (uint32_t)lower[x] << 16) ^ 0x80008000;
}

#ifdef QUAD_FLIP
static void byte_quads(const uint8_t *const row[4], uint32_t *restrict quad, int n)
{
    const uint8_t *restrict a = row[0], *restrict b = row[1];
    const uint8_t *restrict c = row[2], *restrict d = row[3];
    int x = 0;
#ifdef LAY_QUADS
    for (; x + VECTOR_BYTES <= n; x += VECTOR_BYTES)
        lay_quads(row, x, quad + x);
#endif
    for (; x < n; x++) {
        uint32_t upper = a[x] | (uint32_t)b[x] << 8, lower = c[x] | (uint32_t)d[x] << 8;
        quad[x] = (upper | lower << 16) ^ QUAD_FLIP;
    }
}
#endif

/* The sums of ROWS rows of output and of PLANES planes of weights, which read the same lines, WIDE
 * vectors at a time; ROWS, PLANES, WIDE, SPLIT (at low_bits) and QUADS are constants where this is
 * inlined. All sums, weights and loaded samples are in registers. */
INLINE void sum_rows(const struct cpu_masks *masks, const void *const *lines, int rows, int planes,
                     int wide, bool split, bool quads, uint32_t start, void *const *out, int n)
{
    const int width = masks->width, step = masks->step, taps = masks->pairs * width;
    for (int x = 0; x < n; x += LANES * wide) {
        pair_sum sum[4][8];
        UNROLL
        for (int k = 0; k < rows * planes * wide; k++)
            sum[k / wide][k % wide] = (pair_sum){0};
        for (int p = 0; p < masks->pairs; p++) {
            const uint32_t *line = (const uint32_t *)lines[p] + x;
            const uint32_t *tap = masks->weight + p * width;
            for (const uint32_t *end = tap + width; tap != end; tap++, line += step) {
                if (!quads && rows <= 2 && (*tap | tap[(rows - 1) * taps]) == 0)
                    continue;
                v_u32 weight[4];
                UNROLL
                for (int i = 0; i < rows * planes; i++)
                    weight[i] = broadcast(tap + i * taps);
                UNROLL
                for (int k = 0; k < wide; k++) {
                    v_u32 samples = load_32(line + LANES * k);
                    /* Else the compiler loads it twice, and loads are the bottleneck. */
                    KEEP(samples);
                    UNROLL
                    for (int i = 0; i < rows * planes; i++)
                        if (quads)
                            add_quads(&sum[i][k], samples, weight[i]);
                        else
                            add_pairs(&sum[i][k], samples, weight[i]);
                }
            }
        }
        UNROLL
        for (int k = 0; k < rows * wide; k++) {
            const int r = k / wide, v = k % wide;
            v_u32 total = quads ? quad_total(&sum[r][v]) : pair_total(&sum[r][v]);
            if (planes == 2)
                total = (total << 8) + quad_total(&sum[rows + r][v]);
            if (split)
                total = split_at(total, masks->low_bits);
            store((uint32_t *)out[r] + x + LANES * v, total + start);
        }
    }
}

static void sum_row(const struct cpu_masks *mask, const void *const *lines, uint32_t start,
                    void *const *sum, int n)
{
    sum_rows(mask, lines, 1, 1, PAIRS_WIDE_ONE, true, false, start, sum, n);
}

static void sum_two_rows(const struct cpu_masks *masks, const void *const *lines, uint32_t start,
                         void *const *sum, int n)
{
    sum_rows(masks, lines, 2, 1, PAIRS_WIDE_TWO, false, false, start, sum, n);
}

static void sum_four_rows(const struct cpu_masks *masks, const void *const *lines, uint32_t start,
                          void *const *sum, int n)
{
    sum_rows(masks, lines, 4, 1, PAIRS_WIDE_FOUR, false, false, start, sum, n);
}

#ifdef TURNED_ROWS
static void word_row(const struct cpu_masks *mask, const uint16_t *row, uint32_t *sum, int n)
{
    const int channels = mask->step / 2, low_bits = mask->low_bits;
    for (int x = 0; x < n; x += 4 * WORDS) {
        pair_sum acc[8] = {{0}};
        for (int t = 0; t < mask->pairs * mask->width; t++) {
            const uint16_t *at = row + x + t % mask->width * mask->step;
            const v_u32 weight = broadcast(mask->weight + t);
            UNROLL
            for (int k = 0; k < 4; k++, at += WORDS) {
                v_u32 pair[2];
                pair_words(at, at + channels, pair);
                add_pairs(&acc[2 * k], pair[0], weight);
                add_pairs(&acc[2 * k + 1], pair[1], weight);
            }
        }
        UNROLL
        for (int k = 0; k < 8; k++)
            store(sum + x + LANES * k, split_at(pair_total(&acc[k]), low_bits));
    }
}
#endif

#ifdef QUAD_FLIP
INLINE void sum_quads(const struct cpu_masks *masks, const void *const *lines, int rows, int planes,
                      uint32_t start, void *const *sum, int n)
{
    const int taps = masks->pairs * masks->width;
    uint32_t total = 0; /* of a row's weights; 256 times as much for the first plane of two */
    for (int plane = 0; QUAD_BIAS && plane < planes; plane++) {
        const int8_t *weight = (const int8_t *)(masks->weight + 2 * taps * plane);
        total <<= 8;
        for (int t = 0; t < 4 * taps; t++)
            total += (uint32_t)weight[t];
    }
    sum_rows(masks, lines, rows, planes, 4, false, true, start + QUAD_BIAS * total, sum, n);
}

static void quad_four_rows(const struct cpu_masks *masks, const void *const *lines, uint32_t start,
                           void *const *sum, int n)
{
    sum_quads(masks, lines, 4, 1, start, sum, n);
}

static void quad_two_planes(const struct cpu_masks *masks, const void *const *lines, uint32_t start,
                            void *const *sum, int n)
{
    sum_quads(masks, lines, 2, 2, start, sum, n);
}
#endif

/* ---- the processor's ceiling ---- */

/* Enough chains to hide the latency of an addition, few enough for the registers. */
#define CHAINS (VECTOR_BYTES == 64 ? 12 : 6)

/* Two products and two additions per lane, chain and round. */
static double multiply_adds(int rounds)
{
    v_u32 cells[CHAINS], weights = {0}, total = {0};
    pair_sum sum[CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        cells[i] = (uint32_t)i - (v_u32){0};
        sum[i] = (pair_sum){0};
    }
    for (int r = 0; r < rounds; r++) {
        __asm__ volatile("" : "+m"(weights)); /* keeps the products inside the loop */
        UNROLL
        for (int i = 0; i < CHAINS; i++)
            add_pairs(&sum[i], cells[i], weights);
    }
    for (int i = 0; i < CHAINS; i++)
        total += pair_total(&sum[i]);
    __asm__ volatile("" : : "m"(total)); /* keeps the compiler from removing it all as unused */
    return 4.0 * LANES * CHAINS * rounds;
}

#endif
