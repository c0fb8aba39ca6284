/* Whether a device adds products of halves exactly (kernels/halves_probe.cu). The kernel separable
 * asks for plans that it would sum as halves. Devices of a capability on which all kernels have
 * been checked (scripts/gpu_check) are known; any other is probed once, when it is first asked
 * for. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda/planes.h"

/* Compute capabilities on which the sums have been proven, times 10. */
static const int proven[] = {90};

enum answer { UNKNOWN, EXACT, INEXACT };

static enum answer answers[CUDA_MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_proven(int index)
{
    int major = 0, minor = 0;

    if (!cuda_worked(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index)) ||
        !cuda_worked(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index)))
        return false;
    for (size_t i = 0; i < sizeof proven / sizeof *proven; i++)
        if (10 * major + minor == proven[i])
            return true;
    return false;
}

static bool probe(struct cuda_device *device, int *wrong, size_t bytes)
{
    const size_t wanted[CUDA_BUFFERS] = {[BUFFER_SUM] = bytes};
    cudaError_t status = cuda_device_reserve(device, wanted);

    CUDA_NEXT(status, halves_probe_launch(device->buffer[BUFFER_SUM], device->stream));
    CUDA_NEXT(status, cudaMemcpyAsync(wrong, device->buffer[BUFFER_SUM], bytes,
                                      cudaMemcpyDeviceToHost, device->stream));
    CUDA_NEXT(status, cudaStreamSynchronize(device->stream));
    return cuda_worked(status);
}

/* A device that cannot run the probe counts as inexact: it will hardly run the kernel. */
static enum answer ask(int index)
{
    const size_t bytes = HALVES_PROBE_NUMBERS * sizeof(int);
    struct error ignored;
    struct cuda_device *device = cuda_device_lock(index, CUDA_SHARED, &ignored);
    int *wrong = malloc(bytes);
    enum answer answer = device && wrong && probe(device, wrong, bytes) ? EXACT : INEXACT;

    for (size_t i = 0; answer == EXACT && i < HALVES_PROBE_NUMBERS; i++)
        answer = wrong[i] == 0 ? EXACT : INEXACT;
    free(wrong);
    if (device)
        cuda_device_unlock(device);
    return answer;
}

bool cuda_halves_are_exact(int index)
{
    pthread_mutex_lock(&lock);
    if (answers[index] == UNKNOWN)
        answers[index] = is_proven(index) ? EXACT : ask(index);
    enum answer answer = answers[index];
    pthread_mutex_unlock(&lock);
    return answer == EXACT;
}

void cuda_note(char *note, size_t bytes)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < CUDA_MAX_DEVICES; i++)
        if (answers[i] == INEXACT)
            snprintf(note, bytes,
                     CUDA_NAME
                     ":%d does not add products of halves exactly: kernel separable is left out "
                     "where it needs them",
                     i);
    pthread_mutex_unlock(&lock);
}
