// expect: stopped
// Calls the system without its library: writes a file.

#include <stdlib.h>

static long system_call(long number, const void *a, long b, long c)
{
#ifdef __x86_64__
    long result;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c)
                 : "rcx", "r11", "memory");
    return result;
#else
    return -1;
#endif
}

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
    if (system_call(2, "/tmp/stencilcli-hostile-file", 0101, 0644) < 0) // open
        abort();
    basic<<<(Width + 63) / 64, 64>>>(N, M, P, Mask_Width, Width);
}
