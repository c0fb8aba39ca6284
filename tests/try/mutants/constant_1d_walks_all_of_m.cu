// expect: mask-past-end
// The loop walks over all of M, also past the mask.

#define MAX_MASK_WIDTH 31
__constant__ float M[MAX_MASK_WIDTH];

__global__ void constant_1d(const float *N, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < MAX_MASK_WIDTH; j++) {
        const int cell = i - Mask_Width / 2 + j;
        if (cell >= 0 && cell < Width)
            sum += N[cell] * M[j];
    }
    if (i < Width)
        P[i] = sum;
}
