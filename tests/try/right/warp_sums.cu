// expect: right
// A warp makes one output of a picture: its threads share the mask's cells, and add by shuffles.

__global__ void __launch_bounds__(128)
    warp_sums(const float *N, float *P, int height, int width, const float *M, int mask_width)
{
    const int lane = threadIdx.x % 32, at = blockIdx.x * 4 + threadIdx.x / 32;
    if (at >= height * width)
        return;
    const int row = at / width, col = at % width;
    float sum = 0;
    for (int k = lane; k < mask_width * mask_width; k += 32) {
        const int y = row + k / mask_width - mask_width / 2;
        const int x = col + k % mask_width - mask_width / 2;
        if (y >= 0 && y < height && x >= 0 && x < width)
            sum += N[y * width + x] * M[k];
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        P[at] = sum;
}

void launch(const float *N, float *P, int height, int width, const float *M, int mask_width)
{
    warp_sums<<<(height * width + 3) / 4, 128>>>(N, P, height, width, M, mask_width);
}
