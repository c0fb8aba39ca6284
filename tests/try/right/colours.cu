// expect: right
// Interleaved channels, as the course's pictures have them.

#define O_TILE_WIDTH 12
#define BLOCK_WIDTH  (O_TILE_WIDTH + 4)
#define MASK_WIDTH   5

__global__ void colours(const float *inputImageData, float *outputImageData, int height, int width,
                        int channels, const float *__restrict__ M)
{
    __shared__ float Ns[BLOCK_WIDTH][BLOCK_WIDTH];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row_o = blockIdx.y * O_TILE_WIDTH + ty, col_o = blockIdx.x * O_TILE_WIDTH + tx;
    const int row_i = row_o - MASK_WIDTH / 2, col_i = col_o - MASK_WIDTH / 2;
    for (int c = 0; c < channels; c++) {
        if (row_i >= 0 && row_i < height && col_i >= 0 && col_i < width)
            Ns[ty][tx] = inputImageData[(row_i * width + col_i) * channels + c];
        else
            Ns[ty][tx] = 0.0f;
        __syncthreads();
        if (ty < O_TILE_WIDTH && tx < O_TILE_WIDTH && row_o < height && col_o < width) {
            float output = 0.0f;
            for (int i = 0; i < MASK_WIDTH; i++)
                for (int j = 0; j < MASK_WIDTH; j++)
                    output += M[i * MASK_WIDTH + j] * Ns[i + ty][j + tx];
            outputImageData[(row_o * width + col_o) * channels + c] = output;
        }
        __syncthreads();
    }
}
