/* Passes and steps: a plan's passes (--repeat) one after the other, and the steps of each pass, as
 * of the filter `open`; and how far the steps of a plan reach beyond a band of rows. A step makes
 * all rows that the next step reads, ghost rows excepted: these are made from the step's own rows.
 */
#include <string.h>

#include "kernel/around.h"
#include "kernel/band_device.h"
#include "kernel/kernel.h"

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* ---- reach ---- */

/* The rows above and below a row that one step reads for it, ghost rows included. */
static void find_reach(const struct plan *step, int *above, int *below)
{
    *above = *below = 0;
    for (int k = 0; k < step->masks; k++) {
        const struct plan_mask *m = &step->mask[k];
        *above = larger(*above, m->anchor_y);
        *below = larger(*below, m->height - 1 - m->anchor_y);
    }
}

static bool reflects(const struct plan *plan)
{
    return plan->border == BORDER_REFLECT || plan->border == BORDER_MIRROR;
}

/* A ghost row N rows beyond the edge reflects or mirrors to a row at most N rows inside the edge.
 * So the larger of `above` and `below` holds for both sides. */
bool bands_find_reach(struct bands *bands, const struct plan *plan, int height)
{
    *bands = (struct bands){.height = height};
    for (const struct plan *step = plan; step; step = step->then) {
        int above, below;
        find_reach(step, &above, &below);
        bands->above += reflects(plan) ? larger(above, below) : above;
        bands->below += reflects(plan) ? larger(above, below) : below;
    }
    if (plan->border == BORDER_WRAP)
        return bands->above == 0 && bands->below == 0;
    return !reflects(plan) || bands->above < height; /* else a ghost row folds more than once */
}

void passes_find_rows(const struct plan *step, int height, int *first, int *end)
{
    const struct plan *then = step->then;
    int above, below, from, to;

    if (!then)
        return;
    passes_find_rows(then, height, first, end);
    if (then->of_picture)
        return;
    find_reach(then, &above, &below);
    from = *first - above;
    to = *end + below;
    *first = larger(from, 0);
    *end = smaller(to, height);
    if (then->border == BORDER_WRAP && (from < 0 || to > height)) {
        *first = 0;
        *end = height;
    }
    if (reflects(then) && from < 0)
        *end = smaller(larger(*end, 1 - from), height);
    if (reflects(then) && to > height)
        *first = larger(smaller(*first, 2 * height - 1 - to), 0);
}

/* ---- differences ---- */

/* out = clamp(a - b), or clamp(b - a). ALL: of all samples; else of the channels in FILTERED. */
#define SUBTRACT(name, sample)                                                                     \
    static void name(const sample *a, const sample *b, sample *out, size_t n,                      \
                     const struct plan *step)                                                      \
    {                                                                                              \
        const size_t channels = (size_t)step->channels;                                            \
        if (step->filtered == (1u << channels) - 1)                                                \
            for (size_t x = 0; x < n; x++)                                                         \
                out[x] = a[x] > b[x] ? (sample)(a[x] - b[x]) : 0;                                  \
        else                                                                                       \
            for (size_t x = 0; x < n; x++)                                                         \
                if (step->filtered >> x % channels & 1)                                            \
                    out[x] = a[x] > b[x] ? (sample)(a[x] - b[x]) : 0;                              \
    }
SUBTRACT(subtract_u8, uint8_t)
SUBTRACT(subtract_u16, uint16_t)

/* Makes the step's output the difference with OTHER, whose first row is FIRST of the picture. */
static void make_difference(const struct kernel_job *step, const struct image *other, int first)
{
    const struct image *out = step->out;
    const size_t n = (size_t)out->width * (size_t)out->channels;

    for (int y = 0; y < out->height; y++) {
        void *row = image_row(out, y), *with = image_row(other, y + step->out_first_row - first);
        const bool from = step->plan->minus == PICTURE_MINUS;
        const void *a = from ? with : row, *b = from ? row : with;
        if (out->type == SAMPLE_U8)
            subtract_u8(a, b, row, n, step->plan);
        else
            subtract_u16(a, b, row, n, step->plan);
    }
}

/* ---- steps and passes ---- */

struct steps {
    passes_function *pass;
    const void *context;
};

/* Runs the steps of one pass from job->in to job->out. */
static bool steps_run(const struct kernel_job *job, const void *context, struct error *err)
{
    const struct steps *steps = context;
    struct kernel_job step = *job;
    struct image last = {0}, made = {0}; /* outputs of two steps */
    int last_first = 0, end;
    bool ok = true;

    for (const struct plan *plan = job->plan; ok && plan; plan = plan->then) {
        const bool of_picture = plan == job->plan || plan->of_picture;
        step.plan = plan;
        step.in = of_picture ? job->in : &last;
        step.in_first_row = of_picture ? job->in_first_row : last_first;
        step.out = plan->then ? &made : job->out;
        step.out_first_row = job->out_first_row;
        end = job->out_first_row + job->out->height;
        passes_find_rows(plan, job->picture_height, &step.out_first_row, &end);
        ok = (!plan->then || image_alloc(&made, job->out->width, end - step.out_first_row,
                                         job->out->channels, job->out->type, "a step", err)) &&
             steps->pass(&step, steps->context, err);
        if (ok && plan->minus == MINUS_LAST)
            make_difference(&step, &last, last_first);
        else if (ok && plan->minus != MINUS_NOTHING)
            make_difference(&step, job->in, job->in_first_row);
        image_free(&last);
        last = made;
        made = (struct image){0};
        last_first = step.out_first_row;
    }
    image_free(&last);
    return ok;
}

/* Passes write job->out and a second picture in turn, so that the last pass writes job->out. */
bool passes_run(const struct kernel_job *job, passes_function *pass, const void *context,
                struct error *err)
{
    const struct steps steps = {pass, context};
    int repeat = job->plan->repeat;
    struct kernel_job step = *job;
    struct image other = {0};
    bool ok = true;

    if (repeat > 1 &&
        (job->in->height != job->picture_height || job->out->height != job->picture_height))
        return error_set(err, EXIT_INPUT, "repeated passes need the whole picture at once");
    if (repeat > 1 && !image_alloc(&other, job->out->width, job->out->height, job->out->channels,
                                   job->out->type, "--repeat", err))
        return false;
    for (int i = 0; ok && i < repeat; i++) {
        step.out = (repeat - 1 - i) % 2 == 0 ? job->out : &other;
        ok = around_run(&step, steps_run, &steps, err);
        step.in = step.out;
        if (job->progress)
            job->progress->done++;
    }
    image_free(&other);
    return ok;
}
