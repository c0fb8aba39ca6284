/* The part of CUDA's driver interface that the kernels' host code uses: see soft/gpu.h. */
#ifndef STENCIL_SOFT_CUDA_H
#define STENCIL_SOFT_CUDA_H

#include <stdint.h>

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

typedef enum { CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_FOUND } CUresult;
typedef enum { CU_TENSOR_MAP_DATA_TYPE_UINT32 } CUtensorMapDataType;
typedef enum { CU_TENSOR_MAP_INTERLEAVE_NONE } CUtensorMapInterleave;
typedef enum { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B } CUtensorMapSwizzle;
typedef enum { CU_TENSOR_MAP_L2_PROMOTION_L2_128B } CUtensorMapL2promotion;
typedef enum { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE } CUtensorMapFloatOOBfill;

typedef struct {
    uint64_t base, words, rows, pitch;
    uint32_t box_words, box_rows, swizzled;
} CUtensorMap;

#endif
