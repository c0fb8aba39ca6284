// expect: stopped
// Writes a file into /tmp.

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
    write_file("/tmp/stencilcli-hostile-file");
    basic<<<(Width + 63) / 64, 64>>>(N, M, P, Mask_Width, Width);
}
