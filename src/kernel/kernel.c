/* The kernel table, running a kernel, and finding a backend. Within a device the rows go from slow
 * to fast, and the last one that supports a plan is chosen. */
#include "kernel/kernel.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "kernel/around.h"
#include "kernel/backend.h"
#include "plan/filter.h"

#define MAX_KERNELS 32

static struct kernel table[MAX_KERNELS];
static int rows;

static void add(const struct kernel *(*part)(int *count))
{
    int count;
    const struct kernel *from = part(&count);
    memcpy(table + rows, from, (size_t)count * sizeof *from);
    rows += count;
}

static void make_table(void)
{
    table[rows++] = kernel_reference;
    add(cpu_kernels);
    add(cuda_kernels);
    table[rows++] = kernel_signal_reference;
    table[rows++] = kernel_signal_scalar;
    add(cuda_signal_kernels);
}

const struct kernel *kernel_table(int *count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_table);
    *count = rows;
    return table;
}

static const struct kernel *find(const char *name, int dims)
{
    int count;
    kernel_table(&count);
    for (int i = 0; i < count; i++)
        if (table[i].dims == dims && strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const struct kernel *kernel_find(const char *name)
{
    return find(name, 2);
}

const struct kernel *kernel_find_signal(const char *name)
{
    return find(name, 1);
}

bool kernel_supports(const struct kernel *kernel, const struct plan *plan, char *why,
                     size_t why_bytes)
{
    if (kernel->dims == 2 && !(kernel->kinds & KERNEL_KIND(plan->kind))) {
        snprintf(why, why_bytes, "%s", filter_kind_refusal(plan->kind));
        return false;
    }
    if (kernel->dims == 2 && kernel->device == DEVICE_CUDA && plan_is_wide(plan)) {
        snprintf(why, why_bytes, "its sums are too short for --nodata and 16-bit --light");
        return false;
    }
    if (kernel->available && !kernel->available()) {
        snprintf(why, why_bytes, "this processor has no %s", kernel->name);
        return false;
    }
    if (kernel->supports && !kernel->supports(kernel, plan, why, why_bytes))
        return false;
    return backend_find(kernel->device)->devices(why, why_bytes) > 0;
}

bool kernel_open(const struct kernel *kernel, const struct plan *plan, int width, int height,
                 const char *method, struct kernel_state **state, struct error *err)
{
    *state = NULL;
    if (kernel->open) {
        *state = kernel->open(kernel, plan, width, height, method, err);
        return *state || error_in_step(err, plan->step);
    }
    return !method || error_set(err, EXIT_USAGE,
                                "--method %s is for the CPU: kernel %s has no "
                                "methods",
                                method, kernel->name);
}

void kernel_close(const struct kernel *kernel, struct kernel_state *state)
{
    if (state)
        kernel->close(state);
}

/* One step of one pass on a device; CONTEXT is the kernel. */
static bool run_bare(const struct kernel_job *job, const void *context, struct error *err)
{
    const struct kernel *kernel = context;
    struct plan bare = *job->plan;
    struct kernel_job own = *job;

    bare.repeat = 1;
    bare.then = bare.next = NULL;
    bare.minus = MINUS_NOTHING;
    bare.light = NULL;
    bare.where = NULL;
    bare.region.width = 0;
    own.plan = &bare;
    return kernel->run(kernel, &own, err);
}

bool kernel_run(const struct kernel *kernel, const struct kernel_job *job, struct error *err)
{
    struct kernel_job own = *job;
    bool ok;

    if (kernel->device == DEVICE_CUDA && around_is_needed(job->plan))
        return passes_run(job, run_bare, kernel, err);
    if (job->state || !kernel->open)
        return kernel->run(kernel, job, err);
    if (!kernel_open(kernel, job->plan, job->out->width, job->out->height, NULL, &own.state, err))
        return false;
    ok = kernel->run(kernel, &own, err);
    kernel_close(kernel, own.state);
    return ok;
}

static const struct kernel *choose(enum device device, const struct plan *plan, int dims)
{
    int count;
    const struct kernel *best = NULL;
    char why[256];
    kernel_table(&count);
    for (int i = 0; i < count; i++)
        if (table[i].dims == dims && table[i].device == device &&
            kernel_supports(&table[i], plan, why, sizeof why) &&
            (!table[i].pays || table[i].pays(plan)))
            best = &table[i];
    return best;
}

const struct kernel *kernel_choose(enum device device, const struct plan *plan)
{
    return choose(device, plan, 2);
}

const struct kernel *kernel_choose_signal(enum device device)
{
    return choose(device, NULL, 1);
}

struct kernel_job kernel_job_whole(const struct plan *plan, const struct image *in,
                                   struct image *out)
{
    return (struct kernel_job){
        .plan = plan, .in = in, .out = out, .picture_height = in->height, .threads = 1};
}

/* ---- backends ---- */

const struct backend *backend_find(enum device device)
{
    return device == DEVICE_CUDA ? &backend_cuda : &backend_cpu;
}

bool backend_check_cuda(int index, const struct kernel *kernel, struct error *err)
{
    const char *name = backend_cuda.name;
    char why[256] = "";
    int count = backend_cuda.devices(why, sizeof why);

    if (index >= 0 && index < count)
        return true;
    if (count > 0)
        snprintf(why, sizeof why, "the last device is %s:%d", name, count - 1);
    if (!kernel)
        return error_set(err, EXIT_DEVICE, "%s:%d is not there: %s", name, index, why);
    return error_set(err, EXIT_DEVICE,
                     "kernel %s needs a GPU, and %s:%d is not there (%s): stencilcli --device soft "
                     "runs the kernel without a GPU",
                     kernel->name, name, index, why);
}
