/* The row pass of the method `outer16` over pairs of pixels: a pair holds the column sums of an
 * even pixel and of the odd pixel after it, so that one load serves the sums of both. A part of
 * cpu/ops_template.h, included once per instruction set.
 *
 *   column sums  p0 p1 p2 p3 ...  of C channels each
 *   pairs        p0|p1 p2|p3 ...  the upper and the lower halves of the sums apart
 *   sums         of the even pixels, and of the odd ones; joined again when they are divided */
#ifndef STENCIL_CPU_OPS_PIXEL_PAIRS_H
#define STENCIL_CPU_OPS_PIXEL_PAIRS_H

#include "cpu/ops.h"
#include "cpu/ops_vector.h"

/* The place among column sums of the even pixel's sum for element E of the pairs. */
static inline int pair_place(int e, int channels)
{
    return 2 * e - e % channels;
}

/* Elements behind element PHASE of the pairs lie in two vectors of column sums: at the place of the
 * first one, and where the second vector ends with the last one. */
static void pair_permutation(struct cpu_permutation *p, int phase, int channels)
{
    const int from = pair_place(phase, channels);
    p->first = 0;
    p->second = pair_place(phase + LANES - 1, channels) - from - (LANES - 1);
    for (int i = 0; i < LANES; i++) {
        int at = pair_place(phase + i, channels) - from;
        p->lane[i] = (uint32_t)(at < LANES ? at : LANES + at - p->second);
    }
}

/* Samples behind sample PHASE of an even pixel and the next one: those of even pixels lie one after
 * the other among the even sums, from `first` on, the others among the odd ones from `second` on.
 */
static void join_permutation(struct cpu_permutation *p, int phase, int channels)
{
    p->first = p->second = -1;
    for (int i = 0; i < LANES; i++) {
        int sample = phase + i, odd = sample / channels % 2;
        int at = sample / (2 * channels) * channels + sample % channels;
        int *from = odd ? &p->second : &p->first;
        *from = *from < 0 ? at : *from;
        p->lane[i] = (uint32_t)(odd * LANES + at - *from);
    }
    p->first = p->first < 0 ? 0 : p->first;
    p->second = p->second < 0 ? 0 : p->second;
}

static void pixel_pairs_make(struct cpu_pixel_pairs *pairs, int channels)
{
    pairs->channels = channels;
    for (int phase = 0; phase < channels; phase++)
        pair_permutation(&pairs->part[phase], phase, channels);
    for (int phase = 0; phase < 2 * channels; phase++)
        join_permutation(&pairs->join[phase], phase, channels);
}

INLINE v_u32 permuted(const struct cpu_permutation *p, const uint32_t *first,
                      const uint32_t *second)
{
    return permute_two(load_32(first + p->first), load_32(second + p->second), load_32(p->lane));
}

static void split_pixel_pairs(const struct cpu_pixel_pairs *pairs, const uint32_t *column,
                              uint32_t *upper, uint32_t *lower, int n)
{
    const int channels = pairs->channels;
    for (int x = 0, phase = 0; x < n; x += LANES) {
        const struct cpu_permutation *p = &pairs->part[phase];
        const uint32_t *even = column + 2 * x - phase, *odd = even + channels;
        v_u32 a = permuted(p, even, even), b = permuted(p, odd, odd);
        store(upper + x, a >> 16 | (b & 0xffff0000));
        store(lower + x, ((a & 0xffff) | b << 16) ^ 0x80008000);
        for (phase += LANES; phase >= channels;)
            phase -= channels;
    }
}

/* S = common * (65536 * (upper + a) + lower + b) - d/2, with 0 <= b < 65536 and d = common * 2^n, n
 * from 17 on. S / common + 2^(n-1) is from 0 to 2^48 - 1, and a lower sum at most 2^31 - 65536: no
 * sum overflows, and `upper`, with what is carried to it, is of 32 bits without a sign. */
static void shift_pixel_pairs(const struct cpu_pixel_pairs *pairs, const struct cpu_halves *halves,
                              const uint32_t *const upper[2], const uint32_t *const lower[2],
                              uint16_t *out, int n)
{
    const int64_t power = halves->divisor / halves->common;
    const int64_t start = halves->start / halves->common + power / 2;
    const uint32_t a = (uint32_t)(start >> 16), b = start & 0xffff;
    const int shift = __builtin_ctzll((uint64_t)power) - 16, period = 2 * pairs->channels;
    const v_u16 max = (uint16_t)halves->max - (v_u16){0};
    int phase = 0;
    for (int x = 0; x < n; x += WORDS) {
        v_s32 q[2];
        UNROLL
        for (int k = 0; k < 2; k++) {
            const struct cpu_permutation *p = &pairs->join[phase];
            const int at = (x + LANES * k - phase) / 2;
            v_u32 high = permuted(p, upper[0] + at, upper[1] + at);
            v_u32 low = permuted(p, lower[0] + at, lower[1] + at);
            q[k] = (v_s32)((high + a + (v_u32)((v_s32)(low + b) >> 16)) >> shift);
            for (phase += LANES; phase >= period;)
                phase -= period;
        }
        store_first((uint16_t *)out + x, (v_u8)min_u16(narrow_32(q[0], q[1]), max), 2 * (n - x));
    }
}

#endif
