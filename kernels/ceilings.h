/* The device's limits that the bench measures beside the kernels (multiply-adds, matrix products,
 * a copy), and two helpers that keep measurements honest. Shared by CUDA C and C17. Every function
 * only launches. */
#ifndef STENCIL_CEILINGS_H
#define STENCIL_CEILINGS_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Multiply-adds on chains that do not wait for each other, on every multiprocessor; *operations is
 * set: two each. int8: on the matrix units, from compute capability 8.0 on. SINK: device memory of
 * four bytes. */
cudaError_t ceiling_fma(int multiprocessors, void *sink, double *operations, cudaStream_t stream);
cudaError_t ceiling_int8(int multiprocessors, void *sink, double *operations, cudaStream_t stream);

/* Copies BYTES, a multiple of 16 like both addresses. */
cudaError_t ceiling_copy(const void *from, void *to, size_t bytes, cudaStream_t stream);

/* Keeps the stream busy for a while, so that what is launched meanwhile runs without gaps. */
cudaError_t ceiling_delay(double microseconds, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
