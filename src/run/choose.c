/* Which device and kernel run a picture. `auto` asks the cost model (run/cost.h), in
 * which CUDA's start dominates: it takes longer than filtering a photograph with a
 * small mask on two cores, so one picture goes to the GPU only when its arithmetic is
 * worth it. The device is asked for only then. */
#include "run/picture.h"

#include <stdio.h>

#include "base/machine.h"
#include "kernel/backend.h"

void picture_estimate(const struct picture_request *request, const struct plan *plan,
                      const struct image_info *info, struct picture_choice *choice)
{
    choice->tile = request->tile;
    choice->threads = request->threads ? request->threads : machine_cpus();
    choice->cost = picture_cost_of(plan, info, choice->threads);
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
    if (request->kernel || request->method) {
        choice->device = request->kernel ? request->kernel->device : DEVICE_CPU;
        return;
    }
    if (choice->cost.cpu_ms <= choice->cost.cuda_ms) {
        snprintf(choice->note, sizeof choice->note,
                 "the CPU is expected to be faster here (%.0f ms; with CUDA %.0f ms)",
                 choice->cost.cpu_ms, choice->cost.cuda_ms);
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
    if (choice->device == DEVICE_CUDA && !backend_check_cuda(request->device_index, err))
        return false;
    choice->kernel = request->kernel ? request->kernel : kernel_choose(choice->device, plan);
    if (!choice->kernel)
        return error_set(err, EXIT_DEVICE, "no kernel of this device can run this plan");
    if (request->kernel && !kernel_supports(request->kernel, plan, why, sizeof why))
        return error_set(err, EXIT_USAGE, "kernel %s cannot run this: %s", request->kernel->name,
                         why);
    return true;
}
