/* Makes samples from sums, by the instruction set's loops if doubles divide exactly. Larger sums of
 * 64 bits are divided here one by one. */
#include "cpu/finish.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/taps.h"

__extension__ typedef __int128 int128;

static int log2_exact(int64_t d)
{
    return (d & (d - 1)) == 0 ? __builtin_ctzll((unsigned long long)d) : -1;
}

/* Doubles divide sums below this exactly (cpu/ops_divide.h). */
#define DOUBLE_BOUND ((int64_t)1 << 49)
#define CHUNK        256 /* samples, whole pixels */

/* floor((n + floor(d/2)) / d), clamped; see kernel/reference.c for why it fits. */
static int64_t divide_128(int128 n, int128 d, int64_t max)
{
    int128 q = n + d / 2 < 0 ? 0 : (n + d / 2) / d;
    return q > max ? max : (int64_t)q;
}

/* A sample with colour weighted by alpha. An alpha needs only COVERAGE, the sum of w*a. A colour is
 * round(W*A / (d*B) + o/d) in one fraction, A = product, B = coverage; the plain sum if B is 0. */
static int32_t quotient_of(const struct plan_mask *m, int128 plain, int128 product, int128 coverage,
                           bool is_alpha, int64_t max)
{
    if (is_alpha)
        return (int32_t)divide_128(coverage, m->sum, max);
    if (coverage == 0)
        return (int32_t)divide_128(plain, m->divisor, max);
    return (int32_t)divide_128(m->sum * product + m->offset * coverage, m->divisor * coverage, max);
}

static void narrow(enum sample_type type, const int32_t *quotient, void *out, int first, int n)
{
    if (type == SAMPLE_U8)
        for (int i = 0; i < n; i++)
            ((uint8_t *)out)[first + i] = (uint8_t)quotient[i];
    else
        for (int i = 0; i < n; i++)
            ((uint16_t *)out)[first + i] = (uint16_t)quotient[i];
}

static struct cpu_divide divide_of(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return (struct cpu_divide){
        m->divisor, log2_exact(m->divisor), (int32_t)plan->max, m->bound + 1, false, false};
}

void cpu_finish_32(const struct cpu_ops *ops, const struct plan *plan, const int32_t *sums,
                   void *out, int n, bool streams, bool turned)
{
    struct cpu_divide divide = divide_of(plan);

    divide.streams = streams;
    divide.turned = turned;
    ops->divide_32(&divide, sums, plan->type == SAMPLE_U8, out, n);
}

/* SUMS has slack up to CPU_BLOCK. */
void cpu_finish_64(const struct cpu_ops *ops, const struct plan *plan, const int64_t *sums,
                   void *out, int n)
{
    const struct plan_mask *m = &plan->mask[0];
    struct cpu_divide divide = divide_of(plan);
    int32_t quotient[CHUNK];

    for (int x = 0; x < n; x += CHUNK) {
        int count = n - x < CHUNK ? n - x : CHUNK;
        if (m->bound < DOUBLE_BOUND)
            ops->divide_64(&divide, sums + x, quotient, count);
        for (int i = 0; m->bound >= DOUBLE_BOUND && i < count; i++)
            quotient[i] = (int32_t)divide_128(sums[x + i], m->divisor, plan->max);
        narrow(plan->type, quotient, out, x, count);
    }
}

void cpu_finish_gradient(const struct cpu_ops *ops, const struct plan *plan, const int32_t *gx,
                         const int32_t *gy, void *out, int n)
{
    int32_t size[CHUNK];

    for (int x = 0; x < n; x += CHUNK) {
        int count = n - x < CHUNK ? n - x : CHUNK;
        ops->gradient_32(gx + x, gy + x, (int)plan->mask[0].divisor, (int32_t)plan->max, size,
                         count);
        narrow(plan->type, size, out, x, count);
    }
}

/* ---- exact samples ---- */

/* Sums of the cells under the mask. */
struct exact {
    int128 plain, product, coverage; /* of w*c, w*c*a, w*a; the last two if weighted */
};

static struct exact exact_sums(const struct kernel_job *job, int x, int y, int channel,
                               bool weighted)
{
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int left = x - m->anchor_x;
    size_t step = (size_t)plan->channels, to_alpha = step - 1 - (size_t)channel;
    bool inside = left >= 0 && left + m->width <= job->in->width;
    uint16_t padded[4 * CPU_MAX_SIDE];
    uint64_t plain = 0, coverage = 0; /* they fit, because S fits */
    struct exact sums = {0};

    for (int i = 0; i < m->height; i++) {
        int v = border_fold(plan->border, y - m->anchor_y + i, job->picture_height);
        const void *row = v == BORDER_OUTSIDE ? NULL : image_row(job->in, v - job->in_first_row);
        const uint64_t *weight = (const uint64_t *)m->weight + i * m->width;
        size_t at = row && inside ? (size_t)left * step + (size_t)channel : (size_t)channel;
        if (!row || !inside) {
            cpu_tiles_copy(job, row, left, left + m->width, padded);
            row = padded;
        }
        for (int j = 0; j < m->width; j++, at += step) {
            uint64_t part = weight[j] * image_sample(row, plan->type, at), alpha;
            plain += part;
            if (!weighted)
                continue;
            alpha = image_sample(row, plan->type, at + to_alpha);
            coverage += weight[j] * alpha;
            sums.product += (int128)(int64_t)part * (int64_t)alpha;
        }
    }
    sums.plain = (int64_t)plain + (int128)m->offset;
    sums.coverage = (int64_t)coverage;
    return sums;
}

uint32_t cpu_exact_sample(const struct kernel_job *job, int x, int y, int channel)
{
    const struct plan *plan = job->plan;
    bool weighted = plan->alpha == ALPHA_WEIGHTED;
    struct exact sums = exact_sums(job, x, y, channel, weighted);

    return (uint32_t)quotient_of(&plan->mask[0], sums.plain, sums.product, sums.coverage,
                                 weighted && channel == plan->channels - 1, plan->max);
}

uint32_t cpu_exact_quotient(const struct plan *plan, int64_t product, int64_t coverage, int channel)
{
    return (uint32_t)quotient_of(&plan->mask[0], 0, product, coverage,
                                 channel == plan->channels - 1, plan->max);
}

void cpu_exact_samples(const struct kernel_job *job, const struct cpu_tile *tile, int y,
                       const uint8_t *marks, void *out)
{
    int channels = job->plan->channels, n = tile->pixels * channels;
    const uint8_t *next;

    for (int i = 0; i < n && (next = memchr(marks + i, 1, (size_t)(n - i))); i++) {
        i = (int)(next - marks);
        image_put_sample(out, job->plan->type, (size_t)i,
                         cpu_exact_sample(job, tile->first_pixel + i / channels, y, i % channels));
    }
}

/* ---- colour weighted by alpha ---- */

bool cpu_weighted_make(struct cpu_weighted *w, const struct plan *plan, int64_t common)
{
    const struct plan_mask *m = &plan->mask[0];
    int64_t gcd = cpu_taps_common((const int64_t[]){m->sum, m->divisor, m->offset}, 3);
    int128 coverage = (int128)(m->sum / common) * plan->max;

    *w = (struct cpu_weighted){.channels = plan->channels,
                               .gain = m->sum / gcd,
                               .offset = m->offset / gcd,
                               .divisor = m->divisor / gcd,
                               .weight_sum = m->sum / common,
                               .max = plan->max};
    return coverage * plan->max * w->gain + coverage * llabs(w->offset) +
               coverage * w->divisor / 2 + w->weight_sum <
           DOUBLE_BOUND;
}

void cpu_finish_boxes(const struct cpu_ops *ops, const struct plan *plan,
                      const struct cpu_weighted *weighted, const uint32_t *plain,
                      const uint32_t *product, void *out, int n)
{
    const struct plan_mask *m = &plan->mask[0];
    int64_t common = m->sum / weighted->weight_sum;
    int32_t quotient[CHUNK];

    for (int x = 0; x < n; x += CHUNK) {
        int count = n - x < CHUNK ? n - x : CHUNK;
        int32_t any = 0;
        ops->weighted(weighted, plain + x, product + x, quotient, count);
        for (int i = 0; i < count; i++)
            any |= quotient[i];
        for (int i = 0; any < 0 && i < count; i++)
            if (quotient[i] < 0) /* only transparent cells under the mask */
                quotient[i] = (int32_t)divide_128(common * plain[x + i] + (int128)m->offset,
                                                  m->divisor, plan->max);
        narrow(plan->type, quotient, out, x, count);
    }
}

void cpu_finish_weighted(const struct plan *plan, const int64_t *plain, const int64_t *high,
                         const int64_t *low, void *out, int n)
{
    int channels = plan->channels, alpha = channels - 1;

    for (int x = 0; x < n; x += channels)
        for (int c = 0; c < channels; c++) {
            int128 product = low[x + c];
            if (high)
                product += (int128)high[x + c] * ((int64_t)plan->max + 1);
            int32_t value = quotient_of(&plan->mask[0], plain[x + c], product, low[x + alpha],
                                        c == alpha, plan->max);
            narrow(plan->type, &value, out, x + c, 1);
        }
}

/* Mostly an early pixel already decides, or all pixels are opaque. */
bool cpu_finish_is_opaque(const struct image *in, uint32_t max)
{
    size_t n = (size_t)in->width * (size_t)in->channels, alpha = (size_t)in->channels - 1;
    for (int y = 0; y < in->height; y++) {
        uint32_t other = 0; /* bits in which an alpha differs from max */
        for (size_t x = alpha; x < n; x += (size_t)in->channels)
            other |= image_sample(image_row(in, y), in->type, x) ^ max;
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
