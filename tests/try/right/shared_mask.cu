// expect: right
// The block copies the mask into shared memory, several cells a thread.

#define MAX_MASK_WIDTH 15

__global__ void shared_mask(const float *N, float *P, int height, int width, int pitch,
                            const float *M, int mask_width)
{
    __shared__ float weights[MAX_MASK_WIDTH * MAX_MASK_WIDTH];
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < mask_width * mask_width;
         k += blockDim.x * blockDim.y)
        weights[k] = M[k];
    __syncthreads();

    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0;
    for (int i = 0; i < mask_width; i++)
        for (int j = 0; j < mask_width; j++) {
            const int y = row + i - mask_width / 2, x = col + j - mask_width / 2;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += N[y * pitch + x] * weights[i * mask_width + j];
        }
    P[row * pitch + col] = sum;
}
