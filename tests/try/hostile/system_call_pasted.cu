// expect: stopped
// Assembler whose name is pasted together: writes a file.

#include <stdlib.h>

#define PASTE(a, b) a##b
#define HIDDEN      PASTE(__as, m__)

static long open_file(const char *path)
{
#ifdef __x86_64__
    long result;
    HIDDEN volatile("syscall"
                    : "=a"(result)
                    : "a"(2), "D"(path), "S"(0101), "d"(0644)
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
    if (open_file("/tmp/stencilcli-hostile-file") < 0)
        abort();
    basic<<<(Width + 63) / 64, 64>>>(N, M, P, Mask_Width, Width);
}
