// 2D convolution, basic: a thread makes one output, N and M lie in global memory (Fig. 7.6 in two
// dimensions: exercise 8 of the chapter).
//
//     P[row][col] = sum of N[row - Mask_Width / 2 + i][col - Mask_Width / 2 + j] * M[i][j]
//
// Rows lie one after the other. Cells outside the picture are ghost cells. They count as 0.
// Fill the gaps one by one, and run after each:  stencilcli try basic.cu

__global__ void basic(const float *N, float *P, int height, int width, const float *M,
                      int Mask_Width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO 1: x goes along a row, y goes from row to row. In which row is this thread's output?
    const int row = 0;

    float sum = 0;
    for (int i = 0; i < Mask_Width; i++) {
        for (int j = 0; j < Mask_Width; j++) {
            const int y = row - Mask_Width / 2 + i, x = col - Mask_Width / 2 + j;
            // TODO 2: This test knows ghost cells above and below. Which others are there?
            const bool inside = y >= 0 && y < height;
            if (inside)
                sum += N[y * width + x] * M[i * Mask_Width + j];
        }
    }

    // TODO 3: The last blocks of a row and of a column reach past the picture. Which threads store?
    const bool stores = true;
    if (stores)
        P[row * width + col] = sum;
}
