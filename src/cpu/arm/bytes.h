/* The loops over bytes with NEON; a part of cpu/arm/neon.c. umlal and umlsl take eight bytes times
 * the size of a weight; nothing has to be interleaved, and sums stay in the order of the
 * samples. */
#ifndef STENCIL_CPU_ARM_BYTES_H
#define STENCIL_CPU_ARM_BYTES_H

#include "cpu/arm/neon.h"
#include "cpu/ops.h"

#define OPS_BYTE_SUMS   byte_sums_neon
#define OPS_DIVIDE_16   divide_16_u8_neon
#define OPS_GRADIENT_16 gradient_16_u8_neon

/* 64 bytes of a line times a weight into eight accumulators. */
static inline __attribute__((always_inline)) void add_bytes(uint16x8_t sum[8], const uint8_t *line,
                                                            uint8x16_t size, bool negative)
{
    UNROLL
    for (int k = 0; k < 4; k++) {
        uint8x16_t v = vld1q_u8(line + 16 * k);
        if (negative) {
            sum[2 * k] = vmlsl_u8(sum[2 * k], vget_low_u8(v), vget_low_u8(size));
            sum[2 * k + 1] = vmlsl_high_u8(sum[2 * k + 1], v, size);
        } else {
            sum[2 * k] = vmlal_u8(sum[2 * k], vget_low_u8(v), vget_low_u8(size));
            sum[2 * k + 1] = vmlal_high_u8(sum[2 * k + 1], v, size);
        }
    }
}

/* Weight t of the pairs. */
static inline int byte_weight(const struct cpu_byte_pairs *pairs, int t)
{
    return (int8_t)(pairs->weight[t / 2] >> t % 2 * 8 & 0xff);
}

/* TAPS and POSITIVE are constants where the caller has them: then loops are unrolled, and
 * addresses and weights stay in registers. */
static inline __attribute__((always_inline)) void byte_sums_body(const struct cpu_byte_pairs *pairs,
                                                                 int taps, bool positive,
                                                                 const uint8_t *const *at,
                                                                 uint16_t start, uint16_t *sum,
                                                                 int n, struct cpu_ahead ahead)
{
    /* Where nothing is wanted, what is there. */
    const uint8_t *read = ahead.read ? ahead.read : (const uint8_t *)sum;
    const uint8_t *write = ahead.write ? ahead.write : (const uint8_t *)sum;
    for (int x = 0; x < n; x += 64) {
        uint16x8_t acc[8];
        __builtin_prefetch(read + x);
        __builtin_prefetch(write + x, 1);
        UNROLL
        for (int k = 0; k < 8; k++)
            acc[k] = vdupq_n_u16(start);
        for (int t = 0; t < taps; t++) {
            int weight = byte_weight(pairs, t);
            uint8x16_t size = vdupq_n_u8((uint8_t)(weight < 0 ? -weight : weight));
            if (positive || weight >= 0)
                add_bytes(acc, at[t] + x, size, false);
            else
                add_bytes(acc, at[t] + x, size, true);
        }
        UNROLL
        for (int k = 0; k < 8; k++)
            vst1q_u16(sum + x + 8 * k, acc[k]);
    }
}

static void byte_sums_neon(const struct cpu_byte_pairs *pairs, const uint8_t *const *at,
                           uint16_t start, uint16_t *sum, int n, struct cpu_ahead ahead)
{
    int taps = 2 * pairs->count;
    bool positive = true;
    while (taps > 1 && byte_weight(pairs, taps - 1) == 0) /* of a tap that is alone */
        taps--;
    for (int t = 0; t < taps; t++)
        positive = positive && byte_weight(pairs, t) >= 0;
    if (positive && taps == 3)
        byte_sums_body(pairs, 3, true, at, start, sum, n, ahead);
    else if (positive && taps == 5)
        byte_sums_body(pairs, 5, true, at, start, sum, n, ahead);
    else
        byte_sums_body(pairs, taps, false, at, start, sum, n, ahead);
}

/* A division in registers. (Read from memory it would be read again after every store: bytes may
 * lie anywhere.) */
struct divide_16 {
    int16x8_t floor, shift; /* to the left */
    uint16x8_t factor;
    uint8x16_t max;
};

static inline struct divide_16 divide_16_load(const struct cpu_divide16 *divide)
{
    struct divide_16 d;
    d.floor = vdupq_n_s16(divide->is_signed ? 0 : INT16_MIN);
    d.shift = vdupq_n_s16((int16_t)-divide->shift);
    d.factor = vdupq_n_u16(divide->factor);
    d.max = vdupq_n_u8((uint8_t)divide->max);
    return d;
}

/* SHIFT: unsigned sums over a power of two, the most frequent case by far. */
enum divide_kind { DIVIDE_SHIFT, DIVIDE_POWER, DIVIDE_FACTOR };

static inline enum divide_kind divide_16_kind(const struct cpu_divide16 *divide)
{
    if (divide->factor != 0)
        return DIVIDE_FACTOR;
    return divide->is_signed ? DIVIDE_POWER : DIVIDE_SHIFT;
}

static inline __attribute__((always_inline)) uint16x8_t divide_16(const struct divide_16 *d,
                                                                  enum divide_kind kind,
                                                                  uint16x8_t v)
{
    if (kind != DIVIDE_SHIFT) /* as int16_t, unsigned sums are all above the floor */
        v = vreinterpretq_u16_s16(vmaxq_s16(vreinterpretq_s16_u16(v), d->floor));
    if (kind == DIVIDE_FACTOR) {
        uint32x4_t low = vmull_u16(vget_low_u16(v), vget_low_u16(d->factor));
        uint32x4_t high = vmull_high_u16(v, d->factor);
        v = vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
    }
    return vshlq_u16(v, d->shift);
}

/* 16 sums to bytes. */
static inline __attribute__((always_inline)) uint8x16_t divide_bytes(const struct divide_16 *d,
                                                                     enum divide_kind kind,
                                                                     uint16x8_t a, uint16x8_t b)
{
    return vminq_u8(pack_16(divide_16(d, kind, a), divide_16(d, kind, b)), d->max);
}

static inline __attribute__((always_inline)) void divide_16_body(const struct cpu_divide16 *divide,
                                                                 enum divide_kind kind,
                                                                 const uint16_t *sum, uint8_t *out,
                                                                 int n)
{
    const struct divide_16 d = divide_16_load(divide);
    uint8_t last[BLOCK_MOST] = {0};
    for (int x = 0; x < n; x += 16)
        vst1q_u8(block_at(out, x, n, 16, last),
                 divide_bytes(&d, kind, vld1q_u16(sum + x), vld1q_u16(sum + x + 8)));
    copy_last(out, n, 16, last);
}

static void divide_16_u8_neon(const struct cpu_divide16 *divide, const uint16_t *sum, uint8_t *out,
                              int n)
{
    enum divide_kind kind = divide_16_kind(divide);
    if (kind == DIVIDE_SHIFT)
        divide_16_body(divide, DIVIDE_SHIFT, sum, out, n);
    else if (kind == DIVIDE_POWER)
        divide_16_body(divide, DIVIDE_POWER, sum, out, n);
    else
        divide_16_body(divide, DIVIDE_FACTOR, sum, out, n);
}

/* round(sqrt(gx^2 + gy^2)) of four samples, as in cpu/ops_bytes.h. */
static inline uint32x4_t gradient_4(int32x4_t g)
{
    return vcvtq_u32_f32(vaddq_f32(vsqrtq_f32(vcvtq_f32_s32(g)), vdupq_n_f32(0.5F)));
}

static inline uint16x8_t gradient_8(const int16_t *gx, const int16_t *gy)
{
    int16x8_t a = vld1q_s16(gx), b = vld1q_s16(gy);
    int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(a)), high = vmull_high_s16(a, a);
    low = vmlal_s16(low, vget_low_s16(b), vget_low_s16(b));
    high = vmlal_high_s16(high, b, b);
    return vcombine_u16(vqmovn_u32(gradient_4(low)), vqmovn_u32(gradient_4(high)));
}

static void gradient_16_u8_neon(const int16_t *gx, const int16_t *gy, uint32_t max, uint8_t *out,
                                int n)
{
    const uint8x16_t most = vdupq_n_u8((uint8_t)max);
    uint8_t last[BLOCK_MOST] = {0};
    for (int x = 0; x < n; x += 16) {
        uint8x16_t bytes = pack_16(gradient_8(gx + x, gy + x), gradient_8(gx + x + 8, gy + x + 8));
        vst1q_u8(block_at(out, x, n, 16, last), vminq_u8(bytes, most));
    }
    copy_last(out, n, 16, last);
}

/* 32 samples of a line times a weight into four accumulators. */
static inline __attribute__((always_inline)) void add_column(uint16x8_t sum[4],
                                                             const uint16x8_t line[4],
                                                             uint32_t weight)
{
    UNROLL
    for (int k = 0; k < 4; k++)
        sum[k] = vmlaq_n_u16(sum[k], line[k], (uint16_t)weight);
}

/* ROWS rows of output, a constant: line l has weight l of the first one, l - 1 of the second. */
static inline __attribute__((always_inline)) void column_body(
    const struct cpu_taps *taps, int count, int rows, enum divide_kind kind,
    const uint16_t *const *row, uint16_t start, const struct cpu_divide16 *divide,
    uint8_t *const *out, int n)
{
    const struct divide_16 d = divide_16_load(divide);
    uint8_t last[2][BLOCK_MOST] = {{0}};
    for (int x = 0; x < n; x += 32) {
        uint16x8_t acc[2][4];
        UNROLL
        for (int k = 0; k < 4; k++)
            acc[0][k] = acc[1][k] = vdupq_n_u16(start);
        for (int l = 0; l < count + rows - 1; l++) {
            uint16x8_t line[4];
            UNROLL
            for (int k = 0; k < 4; k++)
                line[k] = vld1q_u16(row[l] + x + 8 * k);
            if (l < count)
                add_column(acc[0], line, taps->weight[l]);
            if (rows > 1 && l > 0)
                add_column(acc[1], line, taps->weight[l - 1]);
        }
        UNROLL
        for (int r = 0; r < rows; r++) {
            uint8_t *to = block_at(out[r], x, n, 32, last[r]);
            vst1q_u8(to, divide_bytes(&d, kind, acc[r][0], acc[r][1]));
            vst1q_u8(to + 16, divide_bytes(&d, kind, acc[r][2], acc[r][3]));
        }
    }
    for (int r = 0; r < rows; r++)
        copy_last(out[r], n, 32, last[r]);
}

static inline __attribute__((always_inline)) void column_rows(const struct cpu_taps *taps, int rows,
                                                              const uint16_t *const *row,
                                                              uint16_t start,
                                                              const struct cpu_divide16 *divide,
                                                              uint8_t *const *out, int n)
{
    enum divide_kind kind = divide_16_kind(divide);
    if (taps->count == 5 && kind == DIVIDE_SHIFT)
        column_body(taps, 5, rows, DIVIDE_SHIFT, row, start, divide, out, n);
    else if (taps->count == 3 && kind == DIVIDE_FACTOR)
        column_body(taps, 3, rows, DIVIDE_FACTOR, row, start, divide, out, n);
    else if (kind == DIVIDE_SHIFT)
        column_body(taps, taps->count, rows, DIVIDE_SHIFT, row, start, divide, out, n);
    else if (kind == DIVIDE_POWER)
        column_body(taps, taps->count, rows, DIVIDE_POWER, row, start, divide, out, n);
    else
        column_body(taps, taps->count, rows, DIVIDE_FACTOR, row, start, divide, out, n);
}

#endif
