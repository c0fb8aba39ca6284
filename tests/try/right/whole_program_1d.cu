// expect: right
// A whole program: its main function is not called.

#include <cstdio>
#include <cuda_runtime.h>

#define TILE_SIZE      128
#define MAX_MASK_WIDTH 9
__constant__ float M[MAX_MASK_WIDTH];

__global__ void convolve(const float *N, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * TILE_SIZE + threadIdx.x;
    if (i >= Width)
        return;
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        const int at = i - Mask_Width / 2 + j;
        if (at >= 0 && at < Width)
            sum += N[at] * M[j];
    }
    P[i] = sum;
}

int main()
{
    const float N[7] = {1, 2, 3, 4, 5, 6, 7}, weights[5] = {3, 4, 5, 4, 3};
    float P[7], *d_N, *d_P;
    cudaMalloc((void **)&d_N, sizeof N);
    cudaMalloc((void **)&d_P, sizeof P);
    cudaMemcpy(d_N, N, sizeof N, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(M, weights, sizeof weights);
    convolve<<<1, TILE_SIZE>>>(d_N, d_P, 5, 7);
    cudaMemcpy(P, d_P, sizeof P, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 7; i++)
        printf("%g\n", P[i]);
    cudaFree(d_N);
    cudaFree(d_P);
    return 0;
}
