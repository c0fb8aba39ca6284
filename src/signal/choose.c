/* Which device and kernel run a signal. `auto` weighs two estimates, as for pictures:
 *
 *   CPU   samples * weights / (rate * threads)
 *   GPU   start-up and end + bytes up and down / bus + samples * weights / rate
 *
 * Past 62 bits `auto` leaves the kernels: one loop over rationals is faster than
 * dozens of runs over split numbers. Who names a kernel or a GPU gets those runs. */
#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "kernel/backend.h"
#include "kernel/rates.h"
#include "signal/filter.h"

/* Taps (one weight times one sample) per millisecond, one thread: kernel scalar with 255 weights.
 */
#define SIGNAL_CPU_TAPS_FLOAT 7e6
#define SIGNAL_CPU_TAPS_64    1.6e6

static void estimate(const struct signal_load *load, struct signal_choice *choice)
{
    bool floats = load->sums == SIGNAL_SUM_F32;
    double cells = (double)load->samples * (double)load->channels * (double)load->passes;
    double taps = cells * (double)load->mask_width;
    double bytes = 2 * cells * (double)signal_cell_bytes(floats ? SIGNAL_F32 : SIGNAL_I64);

    choice->cpu_ms =
        taps / ((floats ? SIGNAL_CPU_TAPS_FLOAT : SIGNAL_CPU_TAPS_64) * (double)choice->threads);
    choice->cuda_ms = CUDA_START_MS + CUDA_LOAD_MS + CUDA_END_MS + bytes / CUDA_BYTES_PAGEABLE +
                      taps / (floats ? CUDA_TAPS_FLOAT : CUDA_TAPS_64);
}

static enum device choose_auto(const struct signal_load *load, struct signal_choice *choice)
{
    char why[128] = "";

    if (load->sums == SIGNAL_SUM_RATIONAL)
        return DEVICE_CPU;
    if (choice->cpu_ms <= choice->cuda_ms)
        snprintf(choice->note, sizeof choice->note,
                 "the CPU is expected to be faster here (%.0f ms; with CUDA %.0f ms)",
                 choice->cpu_ms, choice->cuda_ms);
    else if (backend_find(DEVICE_CUDA)->devices(why, sizeof why) > 0)
        return DEVICE_CUDA;
    else
        snprintf(choice->note, sizeof choice->note, "no CUDA device (%s): using the CPU", why);
    return DEVICE_CPU;
}

static void shape(const struct signal_load *load, struct signal_report *report)
{
    struct signal_job job = {.type = load->sums == SIGNAL_SUM_F32 ? SIGNAL_F32 : SIGNAL_I64,
                             .n = load->samples,
                             .mask_width = load->mask_width,
                             .anchor = load->anchor,
                             .tile = report->choice.tile};

    report->has_shape = report->choice.kernel->shape_signal != NULL;
    if (report->has_shape)
        report->choice.kernel->shape_signal(&job, &report->shape);
}

bool signal_choose(const struct signal_request *request, const struct signal_load *load,
                   struct signal_report *report, struct error *err)
{
    struct signal_choice *choice = &report->choice;
    const struct kernel *reference = kernel_find_signal("reference");
    enum device device = request->device;

    memset(choice, 0, sizeof *choice);
    choice->tile = request->tile;
    choice->threads = request->threads ? request->threads : machine_cpus();
    estimate(load, choice);
    if (request->kernel)
        device = request->kernel->device;
    else if (request->device_auto)
        device = choose_auto(load, choice);
    if (!backend_find(device)->start(device == DEVICE_CUDA ? request->device_index : 0, err))
        return false;
    choice->split = request->kernel ? request->kernel != reference
                                    : !request->device_auto && device == DEVICE_CUDA;
    choice->kernel = request->kernel ? request->kernel : kernel_choose_signal(device);
    choice->sums = load->sums;
    if (load->sums == SIGNAL_SUM_RATIONAL && choice->split)
        choice->sums = SIGNAL_SUM_SPLIT;
    else if (load->sums == SIGNAL_SUM_RATIONAL)
        choice->kernel = reference;
    if (!choice->kernel)
        return error_set(err, EXIT_DEVICE, "no kernel for signals on this device");
    report->samples = load->samples;
    report->channels = load->channels;
    report->mask_width = load->mask_width;
    report->anchor = load->anchor;
    shape(load, report);
    return true;
}
