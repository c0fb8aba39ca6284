// expect: right
// stencil: block=32x4 tile=32x16
// A thread makes four outputs below each other and keeps their sums in registers.

#define ROWS 4

__global__ void register_rows(const float *N, float *P, int height, int width, const float *M,
                              int mask_width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, n = mask_width / 2;
    const int first = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    float sums[ROWS] = {0, 0, 0, 0};
    if (col >= width)
        return;
    for (int y = first - n; y < first + ROWS - n + mask_width - 1; y++) {
        if (y < 0 || y >= height)
            continue;
        for (int j = 0; j < mask_width; j++) {
            const int x = col - n + j;
            const float cell = x >= 0 && x < width ? N[y * width + x] : 0;
            for (int r = 0; r < ROWS; r++) {
                const int i = y - (first + r) + n; // the row of the mask that meets row y
                if (i >= 0 && i < mask_width)
                    sums[r] += cell * M[i * mask_width + j];
            }
        }
    }
    for (int r = 0; r < ROWS; r++)
        if (first + r < height)
            P[(first + r) * width + col] = sums[r];
}
