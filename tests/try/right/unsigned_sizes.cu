// expect: right
// Unsigned sizes: an index below 0 wraps around to a large number, and one comparison finds it.

__global__ void unsigned_sizes(const float *N, float *P, unsigned height, unsigned width,
                               const float *M, unsigned mask_width)
{
    const unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0;
    for (unsigned i = 0; i < mask_width; i++)
        for (unsigned j = 0; j < mask_width; j++) {
            const unsigned y = row + i - mask_width / 2, x = col + j - mask_width / 2;
            if (y < height && x < width)
                sum += N[y * width + x] * M[i * mask_width + j];
        }
    P[row * width + col] = sum;
}
