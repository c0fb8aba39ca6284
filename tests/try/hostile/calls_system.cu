// expect: stopped
// A constructor that starts a shell.
// says: starts another process or thread

#include <cstdlib>

struct Shell {
    Shell()
    {
        system("echo written >/tmp/stencilcli-hostile-file");
    }
} shell;

__global__ void basic_1d(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    const int start = i - Mask_Width / 2; // the first cell that P[i] needs
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        const bool inside = start + j >= 0 && start + j < Width;
        if (inside)
            sum += N[start + j] * M[j];
    }

    const bool stores = i < Width;
    if (stores)
        P[i] = sum;
}
