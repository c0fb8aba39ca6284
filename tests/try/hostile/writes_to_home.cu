// expect: stopped
// Writes a file into the home folder.
// says: writes a file

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
    char path[4096];
    snprintf(path, sizeof path, "%s/stencilcli-hostile-file", getenv("HOME"));
    write_file(path);
    basic<<<(Width + 63) / 64, 64>>>(N, M, P, Mask_Width, Width);
}
