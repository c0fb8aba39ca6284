// expect: wrong-ghost
// Ghost cells before N mirror its cells, and so do those past its end.

#define MAX_MASK_WIDTH 31
__constant__ float M[MAX_MASK_WIDTH];

__global__ void constant_1d(const float *N, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        int cell = i - Mask_Width / 2 + j;
        while (cell < 0 || cell >= Width)
            cell = cell < 0 ? -cell - 1 : 2 * Width - 1 - cell;
        if (i < Width)
            sum += N[cell] * M[j];
    }
    if (i < Width)
        P[i] = sum;
}
