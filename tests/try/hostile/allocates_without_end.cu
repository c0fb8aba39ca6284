// expect: stopped
// Takes memory until there is none.

#include <stdlib.h>
#include <string.h>

__global__ void basic(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
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

void launch(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    for (;;) {
        void *memory = malloc(64 << 20);
        if (!memory)
            abort();
        memset(memory, 1, 64 << 20);
    }
    basic<<<(Width + 63) / 64, 64>>>(N, M, P, Mask_Width, Width);
}
