// expect: right
// A block makes one output: each thread has one product, and the block adds them up as a tree.

#define BLOCK_SIZE     32
#define MAX_MASK_WIDTH 31

__global__ void block_an_output(const int *N, const int *M, int *P, int mask_width, int width)
{
    __shared__ int products[BLOCK_SIZE];
    const int j = threadIdx.x, at = (int)blockIdx.x - mask_width / 2 + j;
    products[j] = j < mask_width && at >= 0 && at < width ? N[at] * M[j] : 0;
    for (int half = BLOCK_SIZE / 2; half > 0; half /= 2) {
        __syncthreads();
        if (j < half)
            products[j] += products[j + half];
    }
    if (j == 0)
        P[blockIdx.x] = products[0];
}

void launch(const int *N, const int *M, int *P, int mask_width, int width)
{
    block_an_output<<<width, BLOCK_SIZE>>>(N, M, P, mask_width, width);
}
