// expect: mask-past-end
// MAX_MASK_WIDTH 10 cannot hold a mask of 11 rows.
// stencil: mask=11

#define MAX_MASK_WIDTH 10
__constant__ float M[MAX_MASK_WIDTH][MAX_MASK_WIDTH];

__global__ void constant(const float *N, float *P, int height, int width, int Mask_Width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;

    const int n = Mask_Width / 2;
    float sum = 0;
    for (int i = 0; i < Mask_Width; i++)
        for (int j = 0; j < Mask_Width; j++) {
            const int y = row - n + i, x = col - n + j;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += N[y * width + x] * M[i][j];
        }
    P[row * width + col] = sum;
}
