// expect: not-cleared or channels
// The sum is not set to 0 for the next channel.

#define MAX_MASK_WIDTH 9
__constant__ float M[MAX_MASK_WIDTH * MAX_MASK_WIDTH];

__global__ void colours(const float *N, float *P, int height, int width, int pitch, int channels,
                        int mask_width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0;
    for (int c = 0; c < channels; c++) {
        for (int i = 0; i < mask_width; i++)
            for (int j = 0; j < mask_width; j++) {
                const int y = row - mask_width / 2 + i, x = col - mask_width / 2 + j;
                if (y >= 0 && y < height && x >= 0 && x < width)
                    sum += N[y * pitch + x * channels + c] * M[i * mask_width + j];
            }
        P[row * pitch + col * channels + c] = sum;
    }
}
