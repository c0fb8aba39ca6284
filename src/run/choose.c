/* Chooses the device and the kernel for a picture. `auto` uses the cost model below. CUDA's start
 * dominates the model: it takes longer than filtering a photograph with a small mask on two cores.
 * So a single picture goes to the GPU only if its arithmetic is worth the start. Only then does the
 * program look for the device. */
#include "run/picture.h"

#include <math.h>
#include <stdio.h>

#include "base/machine.h"
#include "kernel/backend.h"
#include "kernel/rates.h"

/* ---- the cost model ----
 *
 * The model uses the rates of kernel/rates.h and the backends' estimates for their kernels:
 *
 *   decode  = bytes / rate of the format            on one thread, in both cases
 *   work    = passes * the CPU's pass_ms            all CPU threads added up
 *   kernel  = passes * CUDA's pass_ms
 *   bus     = bytes / rate                          up and down at the same time
 *
 *   CPU     = max(decode, (decode + work) / threads)
 *   CUDA    = max(start, ahead * decode) + load + max((1 - ahead) * decode, bus, kernel) + end
 *
 * `ahead` is the part of the picture that is decoded while CUDA starts. `load` is the time for
 * loading the kernel's code. `end` is the time for destroying the context when the process ends.
 * Encoding takes equally long in both cases and is left out. */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The milliseconds that a device takes for all passes of all steps. */
static double steps_ms(enum device device, const struct plan *plan, const struct image_info *info)
{
    double ms = 0;

    for (; plan; plan = plan->next)
        ms += plan->repeat * backend_find(device)->pass_ms(plan, info->width, info->height);
    return ms;
}

static double cpu_ms(const struct picture_cost *cost, int threads)
{
    return larger(cost->decode_ms, (cost->decode_ms + cost->work_ms) / (double)threads);
}

struct picture_cost picture_cost_of(const struct plan *plan, const struct image_info *info,
                                    int threads)
{
    double samples = (double)info->width * (double)info->height * (double)info->channels;
    double bytes = samples * (double)info->type;
    double ahead = bytes > DEVICE_BANDS_PINNED_BYTES  ? 0
                   : bytes > DEVICE_BANDS_AHEAD_BYTES ? DEVICE_BANDS_AHEAD_BYTES / bytes
                                                      : 1;
    struct picture_cost cost = {
        .decode_ms = bytes / format_decode_rate(info->format),
        .work_ms = steps_ms(DEVICE_CPU, plan, info),
        .start_ms = CUDA_START_MS,
        .load_ms = CUDA_LOAD_MS,
        .end_ms = CUDA_END_MS,
        .bus_ms =
            bytes / (bytes > DEVICE_BANDS_PINNED_BYTES ? CUDA_BYTES_PINNED : CUDA_BYTES_PAGEABLE),
        .kernel_ms = steps_ms(DEVICE_CUDA, plan, info),
    };

    if (backend_find(DEVICE_CUDA)->software)
        cost.start_ms = cost.load_ms = cost.end_ms = cost.bus_ms = 0;
    cost.cpu_ms = cpu_ms(&cost, threads);
    cost.cuda_ms = larger(cost.start_ms, ahead * cost.decode_ms) + cost.load_ms +
                   larger((1 - ahead) * cost.decode_ms, larger(cost.bus_ms, cost.kernel_ms)) +
                   cost.end_ms;
    return cost;
}

/* ---- the choice ---- */

/* Starting and ending a thread takes about 30 us. Less filtering than this needs no threads. */
#define THREADS_WORTH_MS 0.2

/* Coding fewer bytes needs no threads. */
#define THREADS_WORTH_BYTES ((uint64_t)64 << 10)

/* Threads for a request that names no number. Reading the limits of CPUs and memory takes longer
 * than filtering a small picture, which has work for one thread and needs little memory. */
static int threads_for(const struct picture_cost *cost, const struct image_info *info)
{
    uint64_t row = (uint64_t)info->width * (uint64_t)info->channels * (uint64_t)info->type;

    if (cost->work_ms < THREADS_WORTH_MS && row * (uint64_t)info->height < THREADS_WORTH_BYTES)
        return 1;
    return machine_fit_memory(machine_cpus());
}

void picture_estimate(const struct picture_request *request, const struct plan *plan,
                      const struct image_info *info, struct picture_choice *choice)
{
    choice->tile = request->tile;
    choice->cost = picture_cost_of(plan, info, 1);
    choice->threads = request->threads ? request->threads : threads_for(&choice->cost, info);
    choice->cost.cpu_ms = cpu_ms(&choice->cost, choice->threads);
}

int picture_threads_worth(const struct picture_choice *choice)
{
    return choice->cost.work_ms < THREADS_WORTH_MS ? 1 : choice->threads;
}

bool picture_asks_for_cuda(const struct picture_request *request)
{
    return request->kernel ? request->kernel->device == DEVICE_CUDA
                           : !request->device_auto && request->device == DEVICE_CUDA;
}

static void choose_auto(const struct picture_request *request, struct picture_choice *choice)
{
    char why[128] = "";
    choice->device = DEVICE_CPU;
    if (request->kernel)
        choice->device = request->kernel->device;
    if (request->kernel || request->method || !backend_find(DEVICE_CUDA)->in_build)
        return;
    if (!isfinite(choice->cost.cuda_ms)) {
        snprintf(choice->note, sizeof choice->note, "no CUDA kernel runs this: using the CPU");
    } else if (choice->cost.cpu_ms <= choice->cost.cuda_ms) {
        snprintf(choice->note, sizeof choice->note,
                 "the CPU is expected to be faster here (%.0f ms; with CUDA %.0f ms)",
                 choice->cost.cpu_ms, choice->cost.cuda_ms);
    } else if (backend_find(DEVICE_CUDA)->devices(why, sizeof why) > 0) {
        choice->device = DEVICE_CUDA;
    } else {
        snprintf(choice->note, sizeof choice->note, "no CUDA device (%s): using the CPU", why);
    }
}

const struct kernel *picture_kernel(const struct picture_request *request,
                                    const struct picture_choice *choice, const struct plan *step)
{
    return request->kernel ? request->kernel : kernel_choose(choice->device, step);
}

bool picture_choose(const struct picture_request *request, const struct plan *plan,
                    struct picture_choice *choice, struct error *err)
{
    char why[256] = "";

    choice->note[0] = '\0';
    choice->device = request->device;
    if (request->device_auto)
        choose_auto(request, choice);
    if (choice->device == DEVICE_CUDA &&
        !backend_check_cuda(request->device_index, request->kernel, err))
        return false;
    if (choice->device == DEVICE_CUDA && !request->kernel && backend_find(DEVICE_CUDA)->note)
        backend_find(DEVICE_CUDA)->note(choice->note, sizeof choice->note);
    choice->kernel = picture_kernel(request, choice, plan);
    for (; plan; plan = plan->next) {
        const struct kernel *kernel = picture_kernel(request, choice, plan);
        if (!kernel)
            error_set(err, EXIT_DEVICE, "no CUDA kernel runs this%s; --device cpu runs it",
                      plan->kind == PLAN_LONG ? ": the mask has more than 255 cells along an axis"
                      : plan_is_wide(plan)    ? ": --nodata and 16-bit --light run on the CPU"
                                              : "");
        else if (!request->kernel || kernel_supports(kernel, plan, why, sizeof why))
            continue;
        else
            error_set(err, EXIT_USAGE, "kernel %s cannot run this: %s", kernel->name, why);
        return error_in_step(err, plan->step);
    }
    return true;
}
