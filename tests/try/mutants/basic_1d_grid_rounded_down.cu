// expect: never-written
// The number of blocks is rounded down.

__global__ void basic_1d(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int start = i - Mask_Width / 2;
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++)
        if (start + j >= 0 && start + j < Width)
            sum += N[start + j] * M[j];
    if (i < Width)
        P[i] = sum;
}

void launch(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    basic_1d<<<Width / 128, 128>>>(N, M, P, Mask_Width, Width);
}
