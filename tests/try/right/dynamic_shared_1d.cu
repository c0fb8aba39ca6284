// expect: right
// The launch says how much shared memory a block needs, so that any mask fits.

__global__ void dynamic(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    extern __shared__ float cells[];
    const int first = blockIdx.x * blockDim.x - Mask_Width / 2;
    for (int k = threadIdx.x; k < (int)blockDim.x + Mask_Width - 1; k += blockDim.x)
        cells[k] = first + k >= 0 && first + k < Width ? N[first + k] : 0;
    __syncthreads();

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++)
        sum += cells[threadIdx.x + j] * M[j];
    if (i < Width)
        P[i] = sum;
}

void launch(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    const int block = 64;
    const size_t shared = (block + Mask_Width - 1) * sizeof(float);
    dynamic<<<(Width + block - 1) / block, block, shared>>>(N, M, P, Mask_Width, Width);
}
