/* Which device and kernel run a picture. `auto` weighs two estimates:
 *
 *   CPU   samples * taps / (rate * threads)
 *   GPU   start-up + bytes up and down / bus + samples * taps / rate
 *
 * The start-up dominates: a CUDA context takes longer than filtering a photograph
 * with a small mask on two cores, so one picture goes to the GPU only when its
 * arithmetic is worth it. The device is asked for only then. */
#include "picture.h"

#include <stdio.h>

#include "backend.h"
#include "parallel.h"

/* Taps (one weight times one sample) per millisecond, one thread: rounded estimates for 16-bit
 * pairs, 32-bit and 64-bit sums, not a calibration. */
#define CPU_TAPS_PAIRS 30e6
#define CPU_TAPS_32    12e6
#define CPU_TAPS_64    2.5e6

#define CUDA_START_MS     200.0 /* driver and context, per process */
#define CUDA_BYTES_MS     8e6   /* pageable memory over PCIe, both ways */
#define CUDA_TAPS_FLOAT   600e6
#define CUDA_TAPS_INTEGER 150e6

static double cpu_rate(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    if (m->accumulator == ACCUMULATOR_I64 || plan->alpha == ALPHA_WEIGHTED)
        return CPU_TAPS_64;
    for (int i = 0; i < m->width * m->height; i++)
        if (m->weight[i] < INT16_MIN || m->weight[i] > INT16_MAX)
            return CPU_TAPS_32;
    return CPU_TAPS_PAIRS;
}

void picture_estimate(const struct picture_request *request, const struct plan *plan,
                      const struct image_info *info, struct picture_choice *choice)
{
    double samples = (double)info->width * (double)info->height * (double)info->channels;
    double taps = samples * (double)plan->mask[0].width * (double)plan->mask[0].height *
                  (double)plan->masks * (double)plan->repeat;
    double cuda_rate = plan->mask[0].float_exact ? CUDA_TAPS_FLOAT : CUDA_TAPS_INTEGER;

    choice->tile = request->tile;
    choice->threads = request->threads ? request->threads : parallel_cpus();
    choice->cpu_ms = taps / (cpu_rate(plan) * (double)choice->threads);
    choice->cuda_ms =
        CUDA_START_MS + 2.0 * samples * (double)plan->type / CUDA_BYTES_MS + taps / cuda_rate;
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
    if (request->kernel) {
        choice->device = request->kernel->device;
        return;
    }
    if (choice->cpu_ms <= choice->cuda_ms) {
        snprintf(choice->note, sizeof choice->note,
                 "the CPU is expected to be faster here (%.0f ms; with CUDA %.0f ms)",
                 choice->cpu_ms, choice->cuda_ms);
    } else if (backend_find(DEVICE_CUDA)->devices(why, sizeof why) > 0) {
        choice->device = DEVICE_CUDA;
    } else {
        snprintf(choice->note, sizeof choice->note, "no CUDA device (%s): using the CPU", why);
    }
}

bool picture_choose(const struct picture_request *request, const struct plan *plan,
                    struct picture_choice *choice, struct error *err)
{
    char why[256] = "";

    choice->note[0] = '\0';
    choice->device = request->device;
    if (request->device_auto)
        choose_auto(request, choice);
    if (choice->device == DEVICE_CUDA) {
        int devices = backend_find(DEVICE_CUDA)->devices(why, sizeof why);
        if (devices == 0)
            return error_set(err, EXIT_DEVICE, "cuda:%d is not there: %s", request->device_index,
                             why);
        if (request->device_index >= devices)
            return error_set(err, EXIT_DEVICE,
                             "cuda:%d is not there: this machine has %d CUDA device%s",
                             request->device_index, devices, devices == 1 ? "" : "s");
    }
    choice->kernel = request->kernel ? request->kernel : kernel_choose(choice->device, plan);
    if (!choice->kernel)
        return error_set(err, EXIT_DEVICE, "no kernel of this device can run this plan");
    if (request->kernel && !request->kernel->supports(plan, why, sizeof why))
        return error_set(err, EXIT_USAGE, "kernel %s cannot run this: %s", request->kernel->name,
                         why);
    return true;
}
