// expect: stopped
// Lets the assembler include a file of the system, and shows it.

#include <stdio.h>
#include <stdlib.h>

#define PASTE(a, b) a##b
PASTE(__as, m__)("secret: .incbin \"/etc/passwd\"\n.byte 0");
extern "C" const char secret[];

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
    printf("%s", secret);
    abort();
    basic<<<(Width + 63) / 64, 64>>>(N, M, P, Mask_Width, Width);
}
