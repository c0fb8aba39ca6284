/* The inner loops for NEON, which every 64-bit Arm processor has. A sum of pairs is smlal:
 * four exact 16-bit products added to sums of 32 bits. The two products of a pair stand side
 * by side and are added up at the end, so that no multiplication is wasted. Of the 32
 * registers at most 16 hold sums: enough independent chains to hide smlal's latency. */
#include "cpu_neon.h"
#include "cpu_neon_bytes.h"
#include "cpu_neon_rows.h"
#include "cpu_neon_wide.h"
#include "cpu_ops.h"

static bool available(void)
{
    return true;
}

static inline int16x8_t load_pairs(const uint32_t *at)
{
    return vreinterpretq_s16_u32(vld1q_u32(at));
}

/* Two weights, as often as a vector takes them. */
static inline int16x8_t load_weights(const uint32_t *at)
{
    return vreinterpretq_s16_u32(vld1q_dup_u32(at));
}

/* Sums of four pairs, the two products of each side by side. */
struct pair_sums {
    int32x4_t low, high;
};

static inline void add_pairs(struct pair_sums *sum, int16x8_t samples, int16x8_t weights)
{
    sum->low = vmlal_s16(sum->low, vget_low_s16(samples), vget_low_s16(weights));
    sum->high = vmlal_high_s16(sum->high, samples, weights);
}

static inline void store_pairs(void *out, int32x4_t start, const struct pair_sums *sum)
{
    vst1q_s32(out, vaddq_s32(start, vpaddq_s32(sum->low, sum->high)));
}

#define WIDE 8
static void sum_pairs_neon(const struct cpu_mask *mask, const uint32_t *const *rows, uint32_t start,
                           int32_t *sum, int n)
{
    int pairs = (mask->height + 1) / 2;
    for (int x = 0; x < n; x += 4 * WIDE) {
        struct pair_sums acc[WIDE];
        UNROLL
        for (int k = 0; k < WIDE; k++)
            acc[k].low = acc[k].high = vdupq_n_s32(0);
        for (int p = 0; p < pairs; p++) {
            const uint32_t *weight = mask->pair + p * mask->width;
            const uint32_t *row = rows[p] + x;
            for (int j = 0; j < mask->width; j++, row += mask->step) {
                int16x8_t w = load_weights(weight + j);
                UNROLL
                for (int k = 0; k < WIDE; k++)
                    add_pairs(&acc[k], load_pairs(row + 4 * k), w);
            }
        }
        UNROLL
        for (int k = 0; k < WIDE; k++)
            store_pairs(sum + x + 4 * k, vdupq_n_s32((int32_t)start), &acc[k]);
    }
}

/* Two rows of output from each load. */
#define WIDE_TWO 4
static void sum_two_rows_neon(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                              uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    for (int x = 0; x < n; x += 4 * WIDE_TWO) {
        struct pair_sums a[WIDE_TWO], b[WIDE_TWO];
        UNROLL
        for (int k = 0; k < WIDE_TWO; k++)
            a[k].low = a[k].high = b[k].low = b[k].high = vdupq_n_s32(0);
        for (int p = 0; p < masks->pairs; p++) {
            const uint32_t *upper_weight = masks->weight[0] + p * masks->width;
            const uint32_t *lower_weight = masks->weight[1] + p * masks->width;
            const uint32_t *row = rows[p] + x;
            for (int j = 0; j < masks->width; j++, row += masks->step) {
                int16x8_t u = load_weights(upper_weight + j), v = load_weights(lower_weight + j);
                UNROLL
                for (int k = 0; k < WIDE_TWO; k++) {
                    int16x8_t samples = load_pairs(row + 4 * k);
                    add_pairs(&a[k], samples, u);
                    add_pairs(&b[k], samples, v);
                }
            }
        }
        UNROLL
        for (int k = 0; k < WIDE_TWO; k++) {
            store_pairs(upper + x + 4 * k, vdupq_n_s32((int32_t)start), &a[k]);
            store_pairs(lower + x + 4 * k, vdupq_n_s32((int32_t)start), &b[k]);
        }
    }
}

/* floor(v / d) for 0 <= v < 2^31 by a multiplication: cpu_ops.h has the factor. */
struct divide_lanes {
    bool power;
    int32x4_t half, shift; /* to the left */
    uint32x4_t factor;
};

static inline struct divide_lanes divide_lanes_make(const struct cpu_divide *divide)
{
    struct divide_lanes l;
    int shift = divide->shift;
    l.power = shift >= 0;
    l.factor = vdupq_n_u32(l.power ? 0 : cpu_divide_factor(divide, &shift));
    l.half = vdupq_n_s32((int32_t)(divide->divisor / 2));
    l.shift = vdupq_n_s32(-shift);
    return l;
}

/* Four quotients; those below 0 are 0 or below. */
static inline int32x4_t divide_lanes(const struct divide_lanes *l, const int32_t *sum)
{
    int32x4_t v = vaddq_s32(vld1q_s32(sum), l->half);
    uint32x4_t u;
    uint64x2_t low, high;
    if (l->power)
        return vshlq_s32(v, l->shift);
    u = vreinterpretq_u32_s32(vmaxq_s32(v, vdupq_n_s32(0)));
    low = vmull_u32(vget_low_u32(u), vget_low_u32(l->factor));
    high = vmull_high_u32(u, l->factor);
    u = vuzp2q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high));
    return vreinterpretq_s32_u32(vshlq_u32(u, l->shift));
}

/* Eight numbers, saturated to 0..65535. */
static inline uint16x8_t pack_words(int32x4_t low, int32x4_t high)
{
    return vcombine_u16(vqmovun_s32(low), vqmovun_s32(high));
}

/* Sixteen, saturated to 0..255. */
static inline uint8x16_t pack_bytes(const int32x4_t v[4])
{
    return pack_16(pack_words(v[0], v[1]), pack_words(v[2], v[3]));
}

/* Sums have slack up to CPU_BLOCK, samples have none. */
static void divide_32_u8_neon(const struct cpu_divide *divide, const int32_t *sum, uint8_t *out,
                              int n)
{
    const struct divide_lanes l = divide_lanes_make(divide);
    const uint8x16_t max = vdupq_n_u8((uint8_t)divide->max);
    uint8_t last[BLOCK_MOST] = {0};
    for (int x = 0; x < n; x += 16) {
        int32x4_t v[4];
        UNROLL
        for (int i = 0; i < 4; i++)
            v[i] = divide_lanes(&l, sum + x + 4 * i);
        vst1q_u8(block_at(out, x, n, 16, last), vminq_u8(pack_bytes(v), max));
    }
    copy_last(out, n, 16, last);
}

static void divide_32_u16_neon(const struct cpu_divide *divide, const int32_t *sum, uint16_t *out,
                               int n)
{
    const struct divide_lanes l = divide_lanes_make(divide);
    const uint16x8_t max = vdupq_n_u16((uint16_t)divide->max);
    uint16_t last[8] = {0};
    for (int x = 0; x < n; x += 8) {
        uint16x8_t v = pack_words(divide_lanes(&l, sum + x), divide_lanes(&l, sum + x + 4));
        vst1q_u16(n - x < 8 ? last : out + x, vminq_u16(v, max));
    }
    memcpy(out + n / 8 * 8, last, (size_t)(n % 8) * sizeof *out);
}

/* Bytes of both rows side by side, then as words. */
static void pairs_u8_neon(const uint8_t *upper, const uint8_t *lower, uint32_t *pair, int n)
{
    int x = 0;
    for (; x + 16 <= n; x += 16) {
        uint8x16_t u = vld1q_u8(upper + x), l = vld1q_u8(lower + x);
        uint8x16_t both[2] = {vzip1q_u8(u, l), vzip2q_u8(u, l)};
        UNROLL
        for (int i = 0; i < 2; i++) {
            vst1q_u32(pair + x + 8 * i, vreinterpretq_u32_u16(vmovl_u8(vget_low_u8(both[i]))));
            vst1q_u32(pair + x + 8 * i + 4, vreinterpretq_u32_u16(vmovl_high_u8(both[i])));
        }
    }
    for (; x < n; x++)
        pair[x] = upper[x] | (uint32_t)lower[x] << 16;
}

/* Both bounds of four samples, each clamped (conversion makes 0 of what is below); equal floors
 * decide. */
static inline int32x4_t certify_4(const struct cpu_certify *certify, const int32_t *sum,
                                  int32x4_t *doubtful)
{
    float32x4_t max = vdupq_n_f32(certify->max), value, low, high;
    uint32x4_t below, above;
    value = vmulq_f32(vcvtq_f32_s32(vld1q_s32(sum)), vdupq_n_f32(certify->scale));
    low = vaddq_f32(value, vdupq_n_f32(certify->low));
    high = vaddq_f32(value, vdupq_n_f32(certify->high));
    below = vcvtq_u32_f32(vminq_f32(low, max));
    above = vcvtq_u32_f32(vminq_f32(high, max));
    *doubtful = vreinterpretq_s32_u32(veorq_u32(below, above));
    return vreinterpretq_s32_u32(below);
}

static void certify_u8_neon(const struct cpu_certify *certify, const int32_t *sum, uint8_t *out,
                            uint8_t *doubtful, int n)
{
    uint8_t last[BLOCK_MOST] = {0};
    for (int x = 0; x < n; x += 16) {
        int32x4_t value[4], differs[4];
        UNROLL
        for (int i = 0; i < 4; i++)
            value[i] = certify_4(certify, sum + x + 4 * i, &differs[i]);
        vst1q_u8(block_at(out, x, n, 16, last), pack_bytes(value));
        vst1q_u8(doubtful + x, vminq_u8(pack_bytes(differs), vdupq_n_u8(1)));
    }
    copy_last(out, n, 16, last);
}

/* The compilers widen four bytes one by one. */
static inline void widen_u8_32(const uint8_t *in, uint32_t __attribute__((vector_size(16))) * out)
{
    uint32_t four;
    memcpy(&four, in, sizeof four);
    uint16x8_t v = vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(four)));
    *out = (uint32_t __attribute__((vector_size(16))))vmovl_u16(vget_low_u16(v));
}

static inline void widen_u16_32(const uint16_t *in, uint32_t __attribute__((vector_size(16))) * out)
{
    *out = (uint32_t __attribute__((vector_size(16))))vmovl_u16(vld1_u16(in));
}

#define OPS_WIDEN
#define OPS_VECTOR_BYTES  16
#define OPS_CERTIFY_U8    certify_u8_neon
#define OPS_DIVIDE_32_U8  divide_32_u8_neon
#define OPS_DIVIDE_32_U16 divide_32_u16_neon
#define OPS_PAIRS_U8      pairs_u8_neon
#define OPS_SUM_TWO_ROWS  sum_two_rows_neon
#define OPS_SUM_PAIRS     sum_pairs_neon
#define OPS_SUFFIX        neon
#include "cpu_ops_template.h"
