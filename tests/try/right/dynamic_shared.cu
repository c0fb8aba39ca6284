// expect: right
// stencil: block=16x16 tile=16x16 shared=3600
// Dynamic shared memory for masks of at most 15 x 15 cells: 30 x 30 floats.

#define MAX_MASK_WIDTH 15

__global__ void dynamic(const float *N, float *P, int height, int width, const float *M,
                        int mask_width)
{
    extern __shared__ float tile[];
    const int n = mask_width / 2, across = blockDim.x + mask_width - 1;
    const int top = blockIdx.y * blockDim.y - n, left = blockIdx.x * blockDim.x - n;
    for (int i = threadIdx.y; i < across; i += blockDim.y)
        for (int j = threadIdx.x; j < across; j += blockDim.x) {
            const int y = top + i, x = left + j;
            const bool inside = y >= 0 && y < height && x >= 0 && x < width;
            tile[i * across + j] = inside ? N[y * width + x] : 0;
        }
    __syncthreads();

    const int row = top + n + threadIdx.y, col = left + n + threadIdx.x;
    if (row < height && col < width) {
        float sum = 0;
        for (int i = 0; i < mask_width; i++)
            for (int j = 0; j < mask_width; j++)
                sum += tile[(threadIdx.y + i) * across + threadIdx.x + j] * M[i * mask_width + j];
        P[row * width + col] = sum;
    }
}
