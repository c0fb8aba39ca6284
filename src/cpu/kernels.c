/* The CPU kernels: a row of the kernel table for each instruction set. A kernel runs a plan by one
 * method of cpu/method.h: the cheapest, or the one that is named. The method is chosen and prepared
 * once for all jobs of a plan. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/processor.h"
#include "cpu/thin.h"
#include "kernel/kernel.h"

/* A method and its state for a plan. */
struct way {
    const struct cpu_method *method;
    const void *state;
};

struct way_state {
    CPU_STATE;
};

struct cpu_state {
    struct kernel_state kernel;
    const struct cpu_ops *ops;
    const struct plan *plan;
    const char *asked; /* the method that was named, or NULL */
    int width, height;
    struct way way; /* none for narrow pictures */
    /* Opaque bands use another method: see run_opaque. */
    struct plan opaque_plan;
    pthread_mutex_t lock; /* of the members that the first job makes which needs them */
    struct way opaque;
    /* Pieces of thin pictures: see cpu/thin.h. */
    bool narrow, no_row;
    struct plan thin_plan;
    struct cpu_state *thin; /* NULL: not made */
    struct cpu_state *then; /* of the plan's next step, or NULL */
};

/* ---- making ---- */

static bool refuse(const char *name, const char *why, const struct plan *plan,
                   const struct cpu_ops *ops, struct error *err)
{
    char names[256] = "";
    int count, used = 0;
    const struct cpu_method *const *methods = cpu_methods(&count);

    for (int i = 0; i < count; i++)
        if (!cpu_method_refusal(methods[i], plan, ops))
            used += snprintf(names + used, sizeof names - (size_t)used, "%s%s", used ? ", " : "",
                             methods[i]->name);
    return error_set(err, EXIT_USAGE, "method %s cannot run this: %s; these can: %s", name, why,
                     names);
}

static void way_free(struct way *way)
{
    void *state = way->method && way->method->make ? (void *)way->state : NULL;

    if (state && way->method->free)
        way->method->free(state);
    free(state);
    way->state = NULL;
}

/* Makes the state of the way's method; false: there is none. */
static bool way_fill(struct way *way, const struct cpu_state *state, const struct plan *plan)
{
    const struct cpu_method *m = way->method;
    struct way_state *made = m->make ? calloc(1, m->state_bytes) : NULL;

    way->state = m->make ? (const void *)made : state->ops;
    if (made)
        *made = (struct way_state){plan, state->ops, state->width, state->height, NULL};
    if (!m->make || (made && m->make(made)))
        return true;
    way_free(way);
    return false;
}

/* Prepares the method NAMED, else the fastest one. If the fastest one cannot run the plan after
 * all, the next one is tried. */
static bool way_make(struct way *way, const struct cpu_state *state, const struct plan *plan,
                     const char *named, struct error *err)
{
    const struct cpu_ops *ops = state->ops;
    int count, width = state->width, height = state->height;
    const struct cpu_method *const *methods = cpu_methods(&count);
    const char *why = "there is none of that name";
    unsigned left_out = 0;

    way->method =
        named ? cpu_method_find(named) : cpu_method_fastest(plan, ops, width, height, left_out);
    if (named && way->method)
        why = cpu_method_refusal(way->method, plan, ops);
    if (named && why)
        return refuse(named, why, plan, ops, err);
    while (way->method && !way_fill(way, state, plan)) {
        for (int i = 0; i < count; i++)
            left_out |= methods[i] == way->method ? 1U << i : 0;
        way->method = named ? NULL : cpu_method_fastest(plan, ops, width, height, left_out);
    }
    return way->method || error_set(err, EXIT_INPUT, "no memory for the mask's weights");
}

static void cpu_state_close(struct cpu_state *state)
{
    way_free(&state->way);
    way_free(&state->opaque);
    if (state->then)
        cpu_state_close(state->then);
    if (state->thin) {
        cpu_state_close(state->thin);
        plan_free(&state->thin_plan);
    }
    pthread_mutex_destroy(&state->lock);
    free(state);
}

static void state_close(struct kernel_state *kernel)
{
    cpu_state_close((struct cpu_state *)kernel);
}

static struct cpu_state *state_new(const struct cpu_ops *ops, const struct plan *plan, int width,
                                   int height, const char *method, struct error *err)
{
    struct cpu_state *state = calloc(1, sizeof *state);

    if (!state) {
        error_set(err, EXIT_INPUT, "no memory for the mask's weights");
        return NULL;
    }
    state->ops = ops;
    state->plan = plan;
    state->asked = method;
    state->width = width;
    state->height = height;
    state->opaque_plan = *plan;
    state->opaque_plan.alpha = ALPHA_IGNORE;
    state->opaque_plan.filtered &= ~(1U << (plan->channels - 1));
    pthread_mutex_init(&state->lock, NULL);
    return state;
}

/* Makes the state for pieces of thin pictures; false, with no error, if there is none: a named
 * method may be unable to run their plan. */
static bool thin_make(struct cpu_state *state, bool narrow)
{
    const int lines = narrow ? state->width : 1;
    struct cpu_state *thin;
    struct error ignored;

    if (plan_is_wide(state->plan) ||
        !cpu_thin_plan(&state->thin_plan, state->plan, state->width, narrow))
        return false;
    thin = state_new(state->ops, &state->thin_plan, cpu_thin_piece(state->plan, lines), lines,
                     state->asked, &ignored);
    if (thin && way_make(&thin->way, thin, thin->plan, state->asked, &ignored)) {
        thin->no_row = true;
        state->thin = thin;
        return true;
    }
    if (thin)
        cpu_state_close(thin);
    plan_free(&state->thin_plan);
    return false;
}

/* The states of PLAN and of the steps that follow it. */
static struct cpu_state *states_make(const struct cpu_ops *ops, const struct plan *plan, int width,
                                     int height, const char *method, struct error *err)
{
    struct cpu_state *state = state_new(ops, plan, width, height, method, err);

    if (!state)
        return NULL;
    state->narrow = cpu_thin_is_narrow(width, height) && thin_make(state, true);
    if ((state->narrow || way_make(&state->way, state, plan, method, err)) &&
        (!plan->then || (state->then = states_make(ops, plan->then, width, height, method, err))))
        return state;
    cpu_state_close(state);
    return NULL;
}

static struct kernel_state *state_open(const struct kernel *kernel, const struct plan *plan,
                                       int width, int height, const char *method, struct error *err)
{
    struct cpu_state *state = states_make(kernel->ops, plan, width, height, method, err);

    if (!state)
        return NULL;
    state->kernel.method = (state->narrow ? state->thin : state)->way.method->name;
    return &state->kernel;
}

/* ---- running ---- */

/* Weighting by alpha changes nothing in an opaque picture: colours are filtered without alpha, and
 * alpha is copied. Uses the named method if it can run this plan, too. */
static bool run_opaque(struct cpu_state *state, const struct kernel_job *job, struct error *err)
{
    struct kernel_job opaque = *job;
    const char *named = state->asked;
    bool ok = true;

    pthread_mutex_lock(&state->lock);
    if (!state->opaque.state) {
        if (named && cpu_method_refusal(state->way.method, &state->opaque_plan, state->ops))
            named = NULL;
        ok = way_make(&state->opaque, state, &state->opaque_plan, named, err);
    }
    pthread_mutex_unlock(&state->lock);
    opaque.plan = &state->opaque_plan;
    return ok && state->opaque.method->run(state->opaque.state, &opaque, err);
}

static bool run_upright(const struct kernel_job *job, void *context, struct error *err)
{
    struct cpu_state *state = context;

    if (job->plan->alpha == ALPHA_WEIGHTED && !plan_is_wide(job->plan) &&
        cpu_finish_is_opaque(job->in, job->plan->max))
        return run_opaque(state, job, err);
    return state->way.method->run(state->way.state, job, err);
}

/* Whether the picture is a single row that has a state of its own, which the first job makes. */
static bool is_row(struct cpu_state *state, const struct kernel_job *job)
{
    bool made;

    if (!cpu_thin_is_row(job->out->width, job->picture_height))
        return false;
    pthread_mutex_lock(&state->lock);
    if (!state->no_row && !state->thin)
        state->no_row = !thin_make(state, false);
    made = state->thin;
    pthread_mutex_unlock(&state->lock);
    return made;
}

static bool run_pass(const struct kernel_job *job, const void *context, struct error *err)
{
    struct cpu_state *state = (struct cpu_state *)job->state;

    (void)context;
    /* The job's plan may be a copy, which has the same steps behind it. */
    while (state->then && state->plan->then != job->plan->then)
        state = state->then;
    if (state->narrow || is_row(state, job))
        return cpu_thin_run(job, &state->thin_plan, state->narrow, run_upright, state->thin, err);
    return run_upright(job, state, err);
}

static bool run(const struct kernel *kernel, const struct kernel_job *job, struct error *err)
{
    (void)kernel;
    return passes_run(job, run_pass, NULL, err);
}

static int rows_wanted(const struct kernel *kernel, const struct plan *plan, const char *method,
                       int width, int rows, int most)
{
    if (cpu_thin_is_narrow(width, rows))
        return rows;
    const struct cpu_method *chosen =
        method ? cpu_method_find(method) : cpu_method_fastest(plan, kernel->ops, width, rows, 0);
    return chosen && chosen->rows ? chosen->rows(plan, width, rows, most) : rows;
}

/* ---- the rows of the kernel table ---- */

static bool supports(const struct kernel *kernel, const struct plan *plan, char *why,
                     size_t why_bytes)
{
    const struct plan_mask *m = plan->mask;

    (void)kernel;
    if (plan->kind != PLAN_GRADIENT)
        return true;
    if (m[0].width != m[1].width || m[0].height != m[1].height || m[0].anchor_x != m[1].anchor_x ||
        m[0].anchor_y != m[1].anchor_y) {
        snprintf(why, why_bytes, "the two masks of the gradient differ in shape");
        return false;
    }
    /* gx^2 + gy^2 and four times that must fit 64 bits */
    if (m[0].bound >= 1 << 30 || m[1].bound >= 1 << 30) {
        snprintf(why, why_bytes, "the gradient's sums reach 2^30");
        return false;
    }
    return true;
}

const struct kernel *cpu_kernels(int *count)
{
    static struct kernel rows[CPU_MOST_SETS];
    const struct cpu_set *sets = cpu_sets(count);

    for (int i = 0; i < *count; i++)
        rows[i] = (struct kernel){
            .name = sets[i].ops->name,
            .dims = 2,
            .device = DEVICE_CPU,
            .idea = sets[i].idea,
            .kinds = KERNEL_KIND(PLAN_LINEAR) | KERNEL_KIND(PLAN_GRADIENT) |
                     KERNEL_KIND(PLAN_LONG) | KERNEL_KIND(PLAN_ORDER) | KERNEL_KIND(PLAN_BILATERAL),
            .available = sets[i].available,
            .supports = supports,
            .run = run,
            .open = state_open,
            .close = state_close,
            .rows = rows_wanted,
            .ops = sets[i].ops,
        };
    return rows;
}
