// expect: stopped
// Writes into every file that it can open, without end.

#include <stdlib.h>

extern "C" int open(const char *, int, ...);
extern "C" long write(int, const void *, unsigned long);

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
    static char block[1 << 20];
    const int file = open("/tmp/stencilcli-hostile-file", 0101, 0600);
    if (file < 0)
        abort();
    for (;;)
        if (write(file, block, sizeof block) < 0)
            abort();
    basic<<<(Width + 63) / 64, 64>>>(N, M, P, Mask_Width, Width);
}
