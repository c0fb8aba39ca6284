// expect: stopped
// Writes a file before the program begins.

#include <stdio.h>
#include <stdlib.h>

static void write_file(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        abort();
    fputs("written", file);
    fclose(file);
}

static struct writer {
    writer()
    {
        write_file("/tmp/stencilcli-hostile-file");
    }
} writer_here;

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
