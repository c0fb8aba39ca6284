// expect: right
// Constants of C++ in place of #define; headers that CUDA programs include.

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

const int BLOCK_SIZE = 128;
const int MAX_MASK_WIDTH = 33;
__constant__ double M[MAX_MASK_WIDTH];

__global__ void doubles(const double *__restrict__ N, double *__restrict__ P, int Mask_Width, int n)
{
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        const int at = i - Mask_Width / 2 + j;
        if (at >= 0 && at < n)
            sum = fma(N[at], M[j], sum);
    }
    P[i] = sum;
}
