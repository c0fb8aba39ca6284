/* Sums to samples: see cpu/finish.h. 32-bit sums go through the instruction
 * set's loops; 64-bit sums and weighted alpha are divided here one by one. */
#include "cpu/finish.h"

#include <string.h>

__extension__ typedef __int128 int128;

static int log2_exact(int64_t d)
{
    return (d & (d - 1)) == 0 ? __builtin_ctzll((unsigned long long)d) : -1;
}

static void put(enum sample_type type, void *out, int i, int64_t value)
{
    if (type == SAMPLE_U8)
        ((uint8_t *)out)[i] = (uint8_t)value;
    else
        ((uint16_t *)out)[i] = (uint16_t)value;
}

/* clamp(floor((s + floor(d/2)) / d), 0, max); |s| + d < 2^62 */
static int64_t divide_64(int64_t s, int64_t d, int64_t max)
{
    int64_t v = s + d / 2, q;
    if (v < 0)
        return 0;
    q = v / d;
    return q > max ? max : q;
}

/* Below this doubles divide exactly (cpu/ops_divide.h). */
#define DOUBLE_BOUND ((int64_t)1 << 49)
#define CHUNK        256 /* samples, whole pixels */

void cpu_finish_narrow(enum sample_type type, const int32_t *quotient, void *out, int n)
{
    if (type == SAMPLE_U8)
        for (int i = 0; i < n; i++)
            ((uint8_t *)out)[i] = (uint8_t)quotient[i];
    else
        for (int i = 0; i < n; i++)
            ((uint16_t *)out)[i] = (uint16_t)quotient[i];
}

static void narrow(enum sample_type type, const int32_t *quotient, void *out, int first, int n)
{
    cpu_finish_narrow(type, quotient, (char *)out + (size_t)first * (size_t)type, n);
}

/* Sums have slack up to CPU_BLOCK. */
static void finish_wide(const struct cpu_ops *ops, enum sample_type type,
                        const struct cpu_divide *divide, const int64_t *sum, void *out, int n)
{
    int32_t quotient[CHUNK];
    for (int x = 0; x < n; x += CHUNK) {
        int count = n - x < CHUNK ? n - x : CHUNK;
        ops->divide_64(divide, sum + x, quotient, count);
        narrow(type, quotient, out, x, count);
    }
}

void cpu_finish_linear(const struct cpu_ops *ops, const struct plan *plan, bool wide,
                       union cpu_sums sums, void *out, int n)
{
    const struct plan_mask *m = &plan->mask[0];
    struct cpu_divide divide = {m->divisor, log2_exact(m->divisor), (int32_t)plan->max,
                                m->bound + 1};

    if (wide && m->bound < DOUBLE_BOUND)
        finish_wide(ops, plan->type, &divide, sums.wide, out, n);
    else if (wide)
        for (int i = 0; i < n; i++)
            put(plan->type, out, i, divide_64(sums.wide[i], m->divisor, plan->max));
    else if (plan->type == SAMPLE_U8)
        ops->divide_32_u8(&divide, sums.narrow, out, n);
    else
        ops->divide_32_u16(&divide, sums.narrow, out, n);
}

uint32_t cpu_finish_sample(const struct plan *plan, int64_t sum)
{
    return (uint32_t)divide_64(sum, plan->mask[0].divisor, plan->max);
}

void cpu_finish_gradient(const struct cpu_ops *ops, const struct plan *plan, union cpu_sums gx,
                         union cpu_sums gy, void *out, int n)
{
    int32_t size[CHUNK];
    for (int x = 0; x < n; x += CHUNK) {
        int count = n - x < CHUNK ? n - x : CHUNK;
        ops->gradient_32(gx.narrow + x, gy.narrow + x, (int32_t)plan->max, size, count);
        narrow(plan->type, size, out, x, count);
    }
}

static int64_t sum_at(bool wide, union cpu_sums sums, int i)
{
    return wide ? sums.wide[i] : sums.narrow[i];
}

/* round( W*A / (d*B) + o/d ) in one fraction, A = product, B = coverage > 0. Most plans fit 64
 * bits; the bound that decides is worked out once by the caller. */
static int64_t weighted_sample(const struct plan_mask *m, int64_t product, int64_t coverage,
                               int64_t max, bool fits_64)
{
    int128 n, d, q;
    if (fits_64)
        return divide_64(m->sum * product + m->offset * coverage, m->divisor * coverage, max);
    n = (int128)m->sum * product + (int128)m->offset * coverage;
    d = (int128)m->divisor * coverage;
    n += d / 2;
    if (n < 0)
        return 0;
    q = n / d;
    return q > max ? max : (int64_t)q;
}

static int64_t gcd64(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* The fraction in lowest terms; *largest: of numerator and half the denominator together. */
static struct cpu_weighted weighted_make(const struct plan *plan, int128 *largest)
{
    const struct plan_mask *m = &plan->mask[0];
    int64_t gcd = gcd64(gcd64(m->sum, m->divisor), m->offset), max = plan->max;
    struct cpu_weighted w = {plan->channels, m->sum / gcd, m->offset / gcd, m->divisor / gcd,
                             m->sum,         max,          m->offset};
    int128 coverage = (int128)m->sum * max; /* and alpha's fraction is smaller than the colours' */
    *largest = coverage * max * w.gain + coverage * (w.offset < 0 ? -w.offset : w.offset) +
               coverage * w.divisor / 2 + m->sum / 2;
    return w;
}

static void weighted_pixel(const struct plan *plan, bool plain_wide, union cpu_sums plain,
                           bool product_wide, union cpu_sums product, void *out, int x,
                           bool fits_64)
{
    const struct plan_mask *m = &plan->mask[0];
    int alpha = plan->channels - 1;
    int64_t max = plan->max, coverage = sum_at(plain_wide, plain, x + alpha) - m->offset;
    for (int c = 0; c < alpha; c++) {
        int64_t value = coverage == 0 ? divide_64(sum_at(plain_wide, plain, x + c), m->divisor, max)
                                      : weighted_sample(m, sum_at(product_wide, product, x + c),
                                                        coverage, max, fits_64);
        put(plan->type, out, x + c, value);
    }
    put(plan->type, out, x + alpha, divide_64(coverage, m->sum, max));
}

/* COUNT sums from sum x on as 64 bits: where they lie, or in COPY. */
static const int64_t *widened(bool wide, union cpu_sums sums, int x, int64_t copy[CHUNK], int count)
{
    for (int i = 0; !wide && i < count; i++)
        copy[i] = sums.narrow[x + i];
    return wide ? sums.wide + x : copy;
}

static void divide_weighted(const struct cpu_ops *ops, const struct cpu_weighted *w,
                            bool plain_wide, union cpu_sums plain, bool product_wide,
                            union cpu_sums product, int x, int32_t *quotient, int count)
{
    int64_t copy[2][CHUNK];
    ops->weighted_64(w, widened(plain_wide, plain, x, copy[0], count),
                     widened(product_wide, product, x, copy[1], count), quotient, count);
}

void cpu_finish_weighted(const struct cpu_ops *ops, const struct plan *plan, bool plain_wide,
                         union cpu_sums plain, bool product_wide, union cpu_sums product, void *out,
                         int n)
{
    const struct plan_mask *m = &plan->mask[0];
    int128 offset = m->offset < 0 ? -m->offset : m->offset, largest;
    struct cpu_weighted w = weighted_make(plan, &largest);
    /* |N| + D <= W*(W*max^2) + (|o| + d)*(W*max) */
    bool fits_64 = (int128)m->sum * plan->max * ((int128)m->sum * plan->max + offset + m->divisor) <
                   (int128)1 << 62;
    bool by_doubles = largest < DOUBLE_BOUND;
    int32_t quotient[CHUNK];

    for (int x = 0; x < n; x += CHUNK) {
        int count = n - x < CHUNK ? n - x : CHUNK;
        if (by_doubles) {
            divide_weighted(ops, &w, plain_wide, plain, product_wide, product, x, quotient, count);
            narrow(plan->type, quotient, out, x, count);
        }
        for (int i = 0; i < count; i += plan->channels)
            if (!by_doubles || quotient[i] < 0) /* nothing there but what is transparent */
                weighted_pixel(plan, plain_wide, plain, product_wide, product, out, x + i, fits_64);
    }
}

/* Mostly the first pixels tell, or all do. */
bool cpu_finish_is_opaque(const struct image *in, uint32_t max)
{
    size_t n = (size_t)in->width * (size_t)in->channels, alpha = (size_t)in->channels - 1;
    for (int y = 0; y < in->height; y++) {
        uint32_t other = 0; /* bits in which any alpha differs */
        if (in->type == SAMPLE_U8)
            for (size_t x = alpha; x < n; x += (size_t)in->channels)
                other |= ((const uint8_t *)image_row(in, y))[x] ^ max;
        else
            for (size_t x = alpha; x < n; x += (size_t)in->channels)
                other |= ((const uint16_t *)image_row(in, y))[x] ^ max;
        if (other != 0)
            return false;
    }
    return true;
}

/* Every pixel has 1, 2, 3, 4, 6 or 8 bytes: 96 bytes are whole pixels, and whole vectors. */
#define BLEND_BYTES 96

static void blend_block(const uint8_t *mask, const uint8_t *in, uint8_t *out)
{
    for (int i = 0; i < BLEND_BYTES; i++)
        out[i] = (uint8_t)((out[i] & ~mask[i]) | (in[i] & mask[i]));
}

void cpu_finish_copied(const struct kernel_job *job, int y, int first_pixel, int pixels, void *out)
{
    const struct plan *plan = job->plan;
    size_t size = plan->type, pixel = size * (size_t)plan->channels;
    size_t bytes = pixel * (size_t)pixels, at = 0;
    const uint8_t *in =
        (const uint8_t *)image_row(job->in, y - job->in_first_row) + (size_t)first_pixel * pixel;
    uint8_t mask[BLEND_BYTES], *to = out;

    for (size_t i = 0; i < pixel; i++)
        mask[i] = plan->filtered >> (i / size) & 1 ? 0 : 0xff;
    for (size_t i = pixel; i < BLEND_BYTES; i++)
        mask[i] = mask[i - pixel];
    for (; at + BLEND_BYTES <= bytes; at += BLEND_BYTES)
        blend_block(mask, in + at, to + at);
    for (size_t i = 0; at < bytes; i++, at++)
        to[at] = mask[i] ? in[at] : to[at];
}
