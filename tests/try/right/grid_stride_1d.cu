// expect: right
// A fixed number of blocks; each thread walks with the stride of the grid.

__global__ void stride(const float *N, const float *M, float *P, int mask_width, int width)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < width; i += gridDim.x * blockDim.x) {
        float sum = 0;
        for (int j = 0; j < mask_width; j++) {
            const int at = i - mask_width / 2 + j;
            if (at >= 0 && at < width)
                sum += N[at] * M[j];
        }
        P[i] = sum;
    }
}

void launch(const float *N, const float *M, float *P, int mask_width, int width)
{
    stride<<<3, 32>>>(N, M, P, mask_width, width);
}
