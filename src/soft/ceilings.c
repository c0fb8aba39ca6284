/* The limits that the bench measures: the functions of ceilings.h for the fake runtime, see
 * fake_cuda.h. */
#include "kernels/ceilings.h"
#include "fake_cuda.h"

static void run_nothing(const void *arguments, int device)
{
    (void)arguments, (void)device;
}

static cudaError_t nothing(cudaStream_t stream)
{
    return fake_launch(stream, run_nothing, "", 1);
}

cudaError_t ceiling_fma(int multiprocessors, void *sink, double *operations, cudaStream_t stream)
{
    (void)sink;
    *operations = 1e6 * multiprocessors;
    return nothing(stream);
}

cudaError_t ceiling_int8(int multiprocessors, void *sink, double *operations, cudaStream_t stream)
{
    (void)sink;
    *operations = 1e6 * multiprocessors;
    return nothing(stream);
}

cudaError_t ceiling_copy(const void *from, void *to, size_t bytes, cudaStream_t stream)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t ceiling_delay(double microseconds, cudaStream_t stream)
{
    (void)microseconds;
    return nothing(stream);
}
