// expect: right
// stencil: kernel=second
// Two kernels: the comment names the one to try. The other one is not called.

__device__ float cell(const float *N, int i, int width)
{
    return i >= 0 && i < width ? N[i] : 0;
}

__global__ void second(const float *N, const float *M, float *P, int mask_width, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < mask_width; j++)
        sum += cell(N, i - mask_width / 2 + j, width) * M[j];
    if (i < width)
        P[i] = sum;
}

__global__ void first(const float *N, const float *M, float *P, int mask_width, int width)
{
    P[0] = N[0] * M[0];
}
