/* Which kernels a bench is about: all that can run here, or those that the user
 * named, and then a name that cannot be meant is an error before any picture is
 * made. */
#include <stdio.h>
#include <string.h>

#include "bench/parts.h"
#include "kernel/reference.h"

bool bench_is_reference(const struct kernel *kernel)
{
    return kernel->run == kernel_reference.run;
}

/* Whether NAME is one of the names in the list, or the list is not there. */
static bool is_named(const char *list, const char *name)
{
    size_t length = strlen(name);
    while (list) {
        size_t word = strcspn(list, ",");
        if (word == length && memcmp(list, name, length) == 0)
            return true;
        list = list[word] == ',' ? list + word + 1 : NULL;
    }
    return false;
}

/* The kernels that the user named, against the other options: what no machine could do. */
static bool check_named(const struct bench_request *request, enum bench_sweep sweep,
                        struct error *err)
{
    int count;
    const struct kernel *table = kernel_table(&count);
    for (int i = 0; i < count; i++) {
        const struct kernel *kernel = &table[i];
        if (kernel->dims != 2 || !is_named(request->kernels, kernel->name))
            continue;
        if (!request->device_auto && kernel->device != request->device)
            return error_set(err, EXIT_USAGE, "kernel %s does not run on --device %s", kernel->name,
                             backend_find(request->device)->name);
        if (request->method && !kernel->open)
            return error_set(err, EXIT_USAGE,
                             "--method %s is for the CPU: kernel %s has no methods",
                             request->method, kernel->name);
        if (sweep == SWEEP_TILE && kernel->tile == TILE_NONE)
            return error_set(err, EXIT_USAGE, "kernel %s has no tile to sweep", kernel->name);
    }
    return true;
}

/* Left out unless it is named: it is slow, and in a sweep it squeezes all others together. */
static bool is_meant(const struct kernel *kernel, const struct bench_request *request,
                     enum bench_sweep sweep, const char *no_cuda)
{
    if ((!request->device_auto && kernel->device != request->device) ||
        (request->method && kernel->device != DEVICE_CPU) ||
        (kernel->device == DEVICE_CUDA && no_cuda[0]))
        return false;
    return sweep == SWEEP_NONE ||
           (!bench_is_reference(kernel) && (sweep == SWEEP_MASK || kernel->tile != TILE_NONE));
}

/* Whether the CUDA device that was asked for is there; with --device auto its absence is a remark.
 */
static bool check_cuda(const struct bench_request *request, char *no_cuda, struct error *err)
{
    char why[160] = "";
    int devices;
    no_cuda[0] = '\0';
    if (!request->device_auto && request->device != DEVICE_CUDA)
        return true;
    devices = backend_find(DEVICE_CUDA)->devices(why, sizeof why);
    if (devices > request->device_index)
        return true;
    if (devices > 0)
        snprintf(why, sizeof why, "this machine has %d", devices);
    if (!request->device_auto)
        return error_set(err, EXIT_DEVICE, "cuda:%d is not there: %s", request->device_index, why);
    snprintf(no_cuda, 256, "%s", why);
    return true;
}

static bool nothing_chosen(const struct bench_request *request, enum bench_sweep sweep,
                           const char *no_cuda, struct error *err)
{
    if (sweep == SWEEP_TILE && no_cuda[0])
        return error_set(err, EXIT_DEVICE, "the kernels with a tile need a CUDA device: %s",
                         no_cuda);
    if (sweep == SWEEP_TILE)
        return error_set(err, EXIT_USAGE, "no kernel of --device %s has a tile to sweep",
                         backend_find(request->device)->name);
    return error_set(err, EXIT_DEVICE, "no kernel of this device can run");
}

bool bench_kernels_choose(struct bench_kernels *kernels, const struct bench_request *request,
                          enum bench_sweep sweep, char *no_cuda, struct error *err)
{
    int count;
    const struct kernel *table = kernel_table(&count);

    kernels->count = 0;
    kernels->named = request->kernels != NULL;
    if (!check_named(request, sweep, err) || !check_cuda(request, no_cuda, err))
        return false;
    for (int i = 0; i < count && kernels->count < BENCH_KERNELS; i++) {
        const struct kernel *kernel = &table[i];
        bool meant = kernels->named ? is_named(request->kernels, kernel->name)
                                    : is_meant(kernel, request, sweep, no_cuda);
        if (kernel->dims != 2 || !meant)
            continue;
        if (kernel->device == DEVICE_CUDA && no_cuda[0])
            return error_set(err, EXIT_DEVICE, "kernel %s needs a CUDA device: %s", kernel->name,
                             no_cuda);
        kernels->kernel[kernels->count++] = kernel;
    }
    if (kernels->named)
        no_cuda[0] = '\0'; /* the kernels are those of the CPU: nobody misses a GPU */
    return kernels->count > 0 || nothing_chosen(request, sweep, no_cuda, err);
}

bool bench_check(const struct bench_request *request, enum bench_sweep sweep, struct error *err)
{
    struct bench_kernels kernels;
    char no_cuda[256];
    return bench_kernels_choose(&kernels, request, sweep, no_cuda, err);
}
