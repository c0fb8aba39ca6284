// 2D convolution with the mask in constant memory (Fig. 7.8 in two dimensions: exercise 9).
//
// M has two dimensions here: M[i][j] is the weight in row i, column j. A row of M takes
// MAX_MASK_WIDTH cells, of which the mask uses the first Mask_Width.
// Fill the gaps one by one, and run after each:  stencilcli try constant.cu

#define MAX_MASK_WIDTH 15
__constant__ float M[MAX_MASK_WIDTH][MAX_MASK_WIDTH];

__global__ void constant(const float *N, float *P, int height, int width, int Mask_Width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    // TODO 1: This line stops threads that have no output. It mixes something up. What?
    if (row >= width || col >= height)
        return;

    float sum = 0;
    for (int i = 0; i < Mask_Width; i++) {
        for (int j = 0; j < Mask_Width; j++) {
            const int y = row - Mask_Width / 2 + i, x = col - Mask_Width / 2 + j;
            if (y >= 0 && y < height && x >= 0 && x < width) {
                // TODO 2: Which weight belongs to the cell in row y, column x?
                const float weight = M[j][i];
                sum += N[y * width + x] * weight;
            }
        }
    }
    P[row * width + col] = sum;
}
