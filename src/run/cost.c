/* The cost model: see run/cost.h. With the rates of kernel/rates.h, and what the backends say of
 * their kernels:
 *
 *   decode  = bytes / rate of the format            on one thread, in both cases
 *   work    = passes * the CPU's pass_ms            all CPU threads added up
 *   kernel  = passes * CUDA's pass_ms
 *   bus     = bytes / rate                          up and down at the same time
 *
 *   CPU     = max(decode, (decode + work) / threads)
 *   CUDA    = max(start, ahead * decode) + load + max((1 - ahead) * decode, bus, kernel) + end
 *
 * `ahead` is the part that is decoded while CUDA starts; `load` brings the kernel's code to the
 * device, `end` is what the driver takes for the context when the process leaves. Encoding is the
 * same in both cases, and left out. */
#include "run/cost.h"

#include "kernel/backend.h"
#include "kernel/rates.h"
#include "run/pipeline.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double device_pass_ms(enum device device, const struct plan *plan,
                             const struct image_info *info)
{
    return backend_find(device)->pass_ms(plan, info->width, info->height);
}

struct picture_cost picture_cost_of(const struct plan *plan, const struct image_info *info,
                                    int threads)
{
    double samples = (double)info->width * (double)info->height * (double)info->channels;
    double bytes = samples * (double)info->type, passes = (double)plan->repeat;
    double ahead = bytes > DEVICE_BANDS_PINNED_BYTES  ? 0
                   : bytes > DEVICE_BANDS_AHEAD_BYTES ? DEVICE_BANDS_AHEAD_BYTES / bytes
                                                      : 1;
    struct picture_cost cost = {
        .decode_ms = bytes / format_decode_rate(info->format),
        .work_ms = passes * device_pass_ms(DEVICE_CPU, plan, info),
        .start_ms = CUDA_START_MS,
        .load_ms = CUDA_LOAD_MS,
        .end_ms = CUDA_END_MS,
        .bus_ms =
            bytes / (bytes > DEVICE_BANDS_PINNED_BYTES ? CUDA_BYTES_PINNED : CUDA_BYTES_PAGEABLE),
        .kernel_ms = passes * device_pass_ms(DEVICE_CUDA, plan, info),
    };

    cost.cpu_ms = larger(cost.decode_ms, (cost.decode_ms + cost.work_ms) / (double)threads);
    cost.cuda_ms = larger(cost.start_ms, ahead * cost.decode_ms) + cost.load_ms +
                   larger((1 - ahead) * cost.decode_ms, larger(cost.bus_ms, cost.kernel_ms)) +
                   cost.end_ms;
    return cost;
}
