/* Stands for the program that nvcc makes of a student's file (src/try/cuda/try_gpu_main.h): reads
 * the cases, computes what a right kernel of floats computes with ghost cells of zero, and claims a
 * time of FAKE_MS for the kernel and of 1 ms for a copy. The test's nvcc compiles it. */
#include <stdlib.h>
#include <string.h>

#include "try/cuda/try_gpu_case.h"

#include <stdio.h>

#ifndef FAKE_MS
#define FAKE_MS 3
#endif

static void convolve(const struct try_gpu_case *it, const float *n, const float *m, float *p)
{
    const int k = it->mask_width, rows = it->height > 1 || it->m_bytes > 4u * (unsigned)k ? k : 1;

    for (int y = 0; y < it->height; y++)
        for (int x = 0; x < it->width; x++) {
            float sum = 0;
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < k; j++) {
                    const int row = y - rows / 2 + i, col = x - k / 2 + j;
                    if (row >= 0 && row < it->height && col >= 0 && col < it->width)
                        sum += m[i * k + j] * n[(long)row * it->pitch + col];
                }
            p[(long)y * it->pitch + x] = sum;
        }
}

int main(int argc, char **argv)
{
    FILE *in = argc == 4 ? fopen(argv[1], "rb") : NULL, *out = in ? fopen(argv[2], "wb") : NULL;
    struct try_gpu_device device = {0, "a GPU of the test"};
    struct try_gpu_case it;

    if (!out)
        return 1;
    fwrite(&device, sizeof device, 1, out);
    while (fread(&it, sizeof it, 1, in) == 1) {
        float *n = malloc(it.n_bytes), *m = malloc(it.m_bytes), *p = malloc(it.p_bytes);
        struct try_gpu_result result = {0, 0, FAKE_MS, 1, ""};
        if (!n || !m || !p || fread(n, 1, it.n_bytes, in) != it.n_bytes ||
            fread(m, 1, it.m_bytes, in) != it.m_bytes)
            return 1;
        memset(p, TRY_GPU_FILL, it.p_bytes);
        convolve(&it, n, m, p);
        fwrite(&result, sizeof result, 1, out);
        fwrite(p, 1, it.p_bytes, out);
        free(n);
        free(m);
        free(p);
    }
    return fclose(out) == 0 ? 0 : 1;
}
