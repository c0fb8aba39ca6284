// expect: right
// Scatters: a thread adds its cell's share to all outputs that need it, in shared memory.

#define TILE_SIZE      64
#define MAX_MASK_WIDTH 15

__global__ void scatter(const int *N, const int *M, int *P, int mask_width, int width)
{
    __shared__ int sums[TILE_SIZE];
    const int first = blockIdx.x * TILE_SIZE, n = mask_width / 2;
    sums[threadIdx.x] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < TILE_SIZE + mask_width - 1; k += TILE_SIZE) {
        const int at = first - n + k;
        if (at < 0 || at >= width)
            continue;
        for (int j = 0; j < mask_width; j++) {
            const int output = k - j;
            if (output >= 0 && output < TILE_SIZE)
                atomicAdd(&sums[output], N[at] * M[j]);
        }
    }
    __syncthreads();
    if (first + threadIdx.x < width)
        P[first + threadIdx.x] = sums[threadIdx.x];
}
