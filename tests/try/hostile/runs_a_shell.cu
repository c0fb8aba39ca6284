// expect: stopped
// Starts a shell, which writes a file.
// says: starts another program

#include <stdlib.h>

extern "C" int execl(const char *, ...);

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
    execl("/bin/sh", "sh", "-c", "echo written >/tmp/stencilcli-hostile-file; exit 0", (char *)0);
    abort();
    basic<<<(Width + 63) / 64, 64>>>(N, M, P, Mask_Width, Width);
}
