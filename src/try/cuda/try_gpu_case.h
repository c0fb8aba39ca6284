/* The two files between stencilcli-try (gpu.c) and the program on the GPU (try_gpu_main.h). Both
 * programs run on one machine. The file of cases: a try_gpu_case each, then the bytes of N and of
 * M. The file of results: a try_gpu_device, then for each case a try_gpu_result and the bytes of P.
 */
#ifndef STENCIL_TRY_GPU_CASE_H
#define STENCIL_TRY_GPU_CASE_H

#include <stdint.h>

struct try_gpu_case {
    int32_t mask_width, width, height, pitch, channels;
    uint32_t grid[2], block[2];
    int32_t runs; /* timed runs; 0: none */
    uint64_t shared, n_bytes, m_bytes, p_bytes;
};

struct try_gpu_device {
    int32_t error; /* 0: there is a GPU */
    char name[252];
};

struct try_gpu_result {
    int32_t error;      /* 0: the kernel ran */
    int32_t past_end;   /* 1: bytes before or behind P were written */
    float ms, copy_ms;  /* medians of the timed runs, and of copies of N to P */
    char sentence[112]; /* of the error */
};

#define TRY_GPU_FILL 0x43 /* of P's bytes before a run */

#endif
