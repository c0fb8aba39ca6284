/* Kernels that break a rule of CUDA, and one that does not: for test_rules.c. */
#ifndef STENCIL_SOFT_RULES_H
#define STENCIL_SOFT_RULES_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each launches a kernel of 64 threads a block on COUNT floats of device memory. */
cudaError_t rules_reverse(float *to, const float *from, int count, cudaStream_t stream);
/* As rules_reverse, without its barrier. */
cudaError_t rules_no_barrier(float *to, const float *from, int count, cudaStream_t stream);
/* Writes behind the end of shared memory. */
cudaError_t rules_shared_end(float *to, const float *from, int count, cudaStream_t stream);
/* Writes behind the end of device memory. */
cudaError_t rules_global_end(float *to, const float *from, int count, cudaStream_t stream);
/* One thread waits for a copy that nobody makes, the others wait for that thread. */
cudaError_t rules_endless(float *to, const float *from, int count, cudaStream_t stream);
/* Asks for more shared memory than a block may have. */
cudaError_t rules_much_shared(float *to, const float *from, int count, cudaStream_t stream);
/* Ends before its copy of 16 bytes has arrived. */
cudaError_t rules_no_wait(float *to, const float *from, int count, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
