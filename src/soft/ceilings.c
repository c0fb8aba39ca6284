/* The functions of kernels/ceilings.h, which the bench measures, for the software GPU. It has no
 * peak rates: only the copy is there. */
#include "kernels/ceilings.h"

cudaError_t ceiling_fma(int multiprocessors, void *sink, double *operations, cudaStream_t stream)
{
    (void)multiprocessors, (void)sink, (void)operations, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t ceiling_int8(int multiprocessors, void *sink, double *operations, cudaStream_t stream)
{
    return ceiling_fma(multiprocessors, sink, operations, stream);
}

cudaError_t ceiling_copy(const void *from, void *to, size_t bytes, cudaStream_t stream)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

/* Nothing is launched faster than it runs, so no delay is needed. */
cudaError_t ceiling_delay(double microseconds, cudaStream_t stream)
{
    (void)microseconds, (void)stream;
    return cudaSuccess;
}
