// expect: stopped
// 100 GB of shared memory, declared in the kernel.
// says: asks for 107374182400 bytes of shared memory in huge: the arrays of a block may have 49152

__global__ void basic(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= Width)
        return;
    __shared__ char huge[100ull << 30];
    huge[threadIdx.x] = 1;
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        const int at = i - Mask_Width / 2 + j;
        if (at >= 0 && at < Width)
            sum += N[at] * M[j];
    }
    P[i] = sum;
}
