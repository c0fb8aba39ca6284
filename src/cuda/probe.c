/* What the bench says of a CUDA device: its name, the driver's version, its cache, and
 * the ceilings of its arithmetic, measured. */
#include <stdio.h>
#include <string.h>

#include "cuda/bench.h"
#include "kernels/ceilings.h"

/* The clock rises in the first of these; the best of the others is the ceiling. */
#define WARMUP 20
#define TRIES  20

/* "driver 580.65.06, CUDA 13.0". The driver's own number stands in a line that tells the module's
 * build: the first word that is a number with a point in it. */
static void driver_text(char *text, size_t bytes)
{
    char line[256] = "", *save = NULL;
    int cuda = 0;
    FILE *file = fopen("/proc/driver/nvidia/version", "re");
    const char *number = NULL;

    if (file) {
        if (!fgets(line, sizeof line, file))
            line[0] = '\0';
        fclose(file);
    }
    for (char *word = strtok_r(line, " \t\n", &save); word && !number;
         word = strtok_r(NULL, " \t\n", &save))
        if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.'))
            number = word;
    if (cudaDriverGetVersion(&cuda) != cudaSuccess)
        cudaGetLastError();
    snprintf(text, bytes, "%s%.20s%sCUDA %d.%d", number ? "driver " : "", number ? number : "",
             number ? ", " : "", cuda / 1000, cuda % 1000 / 10);
}

typedef cudaError_t ceiling_function(int multiprocessors, void *sink, double *operations,
                                     cudaStream_t stream);

static cudaError_t measure(struct cuda_device *device, int multiprocessors,
                           ceiling_function *ceiling, double *gflops)
{
    double operations = 0, least = 0;
    float ms = 0;
    cudaError_t status = cuda_device_reserve(device, BUFFER_IN, 16);

    for (int i = 0; status == cudaSuccess && i < WARMUP + TRIES; i++) {
        status = cudaEventRecord(device->mark[0], device->stream);
        if (status == cudaSuccess)
            status =
                ceiling(multiprocessors, device->buffer[BUFFER_IN], &operations, device->stream);
        if (status == cudaSuccess)
            status = cudaEventRecord(device->mark[1], device->stream);
        if (status == cudaSuccess)
            status = cudaStreamSynchronize(device->stream);
        if (status == cudaSuccess)
            status = cudaEventElapsedTime(&ms, device->mark[0], device->mark[1]);
        if (i >= WARMUP && (least <= 0 || (double)ms < least))
            least = (double)ms;
    }
    if (status == cudaSuccess && least > 0)
        *gflops = operations / least * 1e-6;
    return status;
}

bool cuda_bench_probe(int index, int threads, struct device_probe *probe, struct error *err)
{
    static const struct {
        const char *name;
        ceiling_function *ceiling;
        int since; /* compute capability's first number */
    } ceilings[DEVICE_CEILINGS] = {{"FFMA", ceiling_fma, 0}, {"int8 mma.sync", ceiling_int8, 8}};
    struct cudaDeviceProp properties;
    struct cuda_device *device = cuda_device_lock(index, CUDA_ALONE, err);
    cudaError_t status;

    (void)threads;
    memset(probe, 0, sizeof *probe);
    if (!device)
        return false;
    status = cudaGetDeviceProperties(&properties, index);
    for (int i = 0; status == cudaSuccess && i < DEVICE_CEILINGS; i++) {
        struct device_ceiling *to = &probe->ceiling[probe->ceilings];
        if (properties.major < ceilings[i].since || CUDA_NEWEST_ARCH < 10 * ceilings[i].since)
            continue;
        to->name = ceilings[i].name;
        status = measure(device, properties.multiProcessorCount, ceilings[i].ceiling, &to->gflops);
        probe->ceilings++;
    }
    cuda_device_unlock(device);
    if (status != cudaSuccess)
        return cuda_device_error(err, device, status, "cannot measure the device");
    snprintf(probe->name, sizeof probe->name, "%.120s", properties.name);
    driver_text(probe->driver, sizeof probe->driver);
    probe->cache_bytes = properties.l2CacheSize > 0 ? (size_t)properties.l2CacheSize : 0;
    return true;
}
