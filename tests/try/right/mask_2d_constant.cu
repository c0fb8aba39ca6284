// expect: right
// The mask is a constant array of two dimensions with another name.

#define MAX_MASK_WIDTH 9
__constant__ int d_mask[MAX_MASK_WIDTH][MAX_MASK_WIDTH];

__global__ void whole_numbers(const int *d_in, int *d_out, int rows, int cols, int maskwidth)
{
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows || c >= cols)
        return;
    int sum = 0;
    for (int i = 0; i < maskwidth; i++)
        for (int j = 0; j < maskwidth; j++) {
            const int y = r + i - maskwidth / 2, x = c + j - maskwidth / 2;
            if (y >= 0 && y < rows && x >= 0 && x < cols)
                sum += d_in[y * cols + x] * d_mask[i][j];
        }
    d_out[r * cols + c] = sum;
}
