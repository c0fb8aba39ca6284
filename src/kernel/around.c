/* The steps before and after a pass, on any device. Before it, codes become linear light; after it,
 * light becomes codes again (--light), and the output is mixed with the input (--region, --where).
 */
#include <string.h>

#include "base/parallel.h"
#include "kernel/around.h"

bool around_is_needed(const struct plan *plan)
{
    return plan->light || plan->where || plan->region.width > 0;
}

/* ---- light ---- */

/* N samples; alpha is multiplied, or divided, by the scale. ALPHA: which sample of a pixel it is,
 * of CHANNELS; -1: there is none. */
#define CONVERT(name, from, to, table, alpha_value)                                                \
    static void name(const struct light *l, const void *in, void *out, int n, int channels,        \
                     int alpha)                                                                    \
    {                                                                                              \
        const from *a = in;                                                                        \
        to *b = out;                                                                               \
        for (int i = 0; i < n; i++)                                                                \
            b[i] = (to)l->table[a[i]];                                                             \
        for (int i = alpha; alpha >= 0 && i < n; i += channels)                                    \
            b[i] = (to)(alpha_value);                                                              \
    }
CONVERT(to_light_8, uint8_t, uint16_t, light, a[i] * l->scale)
CONVERT(to_light_16, uint16_t, uint32_t, light, a[i] * l->scale)
CONVERT(to_codes_8, uint16_t, uint8_t, code, (a[i] + l->scale / 2) / l->scale)
CONVERT(to_codes_16, uint32_t, uint16_t, code, (a[i] + l->scale / 2) / l->scale)

typedef void convert_function(const struct light *l, const void *in, void *out, int n, int channels,
                              int alpha);

struct conversion {
    convert_function *convert;
    const struct light *light;
    const struct image *from, *to;
};

static void convert_row(void *context, int y, int worker)
{
    const struct conversion *c = context;
    const int channels = c->from->channels;

    (void)worker;
    c->convert(c->light, image_row(c->from, y), image_row(c->to, y), c->from->width * channels,
               channels, image_has_alpha(channels) ? channels - 1 : -1);
}

static void convert(const struct light *light, const struct image *from, const struct image *to,
                    int threads)
{
    convert_function *const up = from->type == SAMPLE_U8 ? to_light_8 : to_light_16;
    convert_function *const down = to->type == SAMPLE_U8 ? to_codes_8 : to_codes_16;
    struct conversion c = {from->type < to->type ? up : down, light, from, to};

    parallel_for(threads, from->height, convert_row, &c);
}

static bool run_in_light(const struct kernel_job *job, passes_function *run, const void *context,
                         struct error *err)
{
    const struct plan *plan = job->plan;
    struct kernel_job own = *job;
    struct image in = {0}, out = {0};
    const struct image *shape = job->in;
    bool ok;

    ok = image_alloc(&in, shape->width, shape->height, shape->channels, plan->type, "--light",
                     err) &&
         image_alloc(&out, shape->width, job->out->height, shape->channels, plan->type, "--light",
                     err);
    if (ok) {
        convert(plan->light, job->in, &in, job->threads);
        own.in = &in;
        own.out = &out;
        ok = run(&own, context, err);
    }
    if (ok)
        convert(plan->light, &out, job->out, job->threads);
    image_free(&in);
    image_free(&out);
    return ok;
}

/* ---- mixing ---- */

/* Is row Y in the region? */
static bool has_row(const struct plan_region *region, int y)
{
    return region->width == 0 || (y >= region->y && y < region->y + region->height);
}

#define MIX(name, sample)                                                                          \
    static void name(const struct plan *plan, const void *weights, const sample *in, sample *out,  \
                     int width)                                                                    \
    {                                                                                              \
        const int channels = plan->channels;                                                       \
        const uint32_t all = plan->where_max;                                                      \
        for (int x = 0; x < width; x++) {                                                          \
            const uint32_t m = image_sample(weights, plan->where->type, (size_t)x);                \
            for (int i = x * channels; i < (x + 1) * channels; i++)                                \
                out[i] = (sample)((m * out[i] + (all - m) * in[i] + all / 2) / all);               \
        }                                                                                          \
    }
MIX(mix_u8, uint8_t)
MIX(mix_u16, uint16_t)

/* Row Y of the picture; the output's ROW has the filter's samples. */
static void mix_row(const struct kernel_job *job, int y)
{
    const struct plan *plan = job->plan;
    const struct plan_region *region = &plan->region;
    const struct image *out = job->out;
    const size_t pixel = (size_t)out->channels * out->type, bytes = image_row_bytes(out);
    const unsigned char *from = image_row(job->in, y - job->in_first_row);
    unsigned char *to = image_row(out, y - job->out_first_row);

    if (!has_row(region, y)) {
        memcpy(to, from, bytes);
        return;
    }
    if (plan->where && out->type == SAMPLE_U8)
        mix_u8(plan, image_row(plan->where, y), from, to, out->width);
    else if (plan->where)
        mix_u16(plan, image_row(plan->where, y), (const void *)from, (void *)to, out->width);
    if (region->width > 0) {
        const int right = region->x + region->width;
        const size_t left = (size_t)(region->x < out->width ? region->x : out->width) * pixel;
        const size_t behind = (size_t)(right < out->width ? right : out->width) * pixel;
        memcpy(to, from, left);
        memcpy(to + behind, from + behind, bytes - behind);
    }
}

bool around_run(const struct kernel_job *job, passes_function *run, const void *context,
                struct error *err)
{
    const struct plan *plan = job->plan;
    const int first = job->out_first_row, end = first + job->out->height;
    bool any = false, ok = true;

    if (!around_is_needed(plan))
        return run(job, context, err);
    for (int y = first; y < end; y++)
        any |= has_row(&plan->region, y);
    if (any)
        ok = plan->light ? run_in_light(job, run, context, err) : run(job, context, err);
    for (int y = first; ok && y < end; y++)
        mix_row(job, y);
    return ok;
}
