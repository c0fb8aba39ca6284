// 2D convolution, tiled: the block is as large as the input tile (Figs. 7.18 to 7.21).
//
//     .-------------------.
//     | halo  halo  halo  |    Each thread loads one cell of the input tile. Then the first
//     | halo  tile  halo  |    O_TILE_WIDTH threads along each axis make an output each.
//     | halo  halo  halo  |    The others only load.
//     '-------------------'
//
// Fill the gaps one by one, and run after each:  stencilcli try tiled.cu

#define O_TILE_WIDTH   12 // outputs of a block along an axis
#define MAX_MASK_WIDTH 5
#define BLOCK_WIDTH    (O_TILE_WIDTH + MAX_MASK_WIDTH - 1) // threads, one a cell of the input tile

__global__ void tiled(float *P, const float *N, int height, int width, int pitch, int Mask_Width,
                      const float *__restrict__ M)
{
    __shared__ float N_ds[BLOCK_WIDTH][BLOCK_WIDTH];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row_o = blockIdx.y * O_TILE_WIDTH + ty;
    const int col_o = blockIdx.x * O_TILE_WIDTH + tx;

    // TODO 1: Where does the input tile begin? row_o and col_o are the place of the output.
    const int row_i = row_o;
    const int col_i = col_o;

    if (row_i >= 0 && row_i < height && col_i >= 0 && col_i < width)
        N_ds[ty][tx] = N[row_i * pitch + col_i];
    else
        N_ds[ty][tx] = 0; // a ghost cell

    // TODO 2: A thread reads cells that other threads load. What must stand between?

    if (ty < O_TILE_WIDTH && tx < O_TILE_WIDTH) {
        float sum = 0;
        for (int i = 0; i < Mask_Width; i++)
            for (int j = 0; j < Mask_Width; j++)
                sum += M[i * Mask_Width + j] * N_ds[ty + i][tx + j];

        // TODO 3: The last tiles reach past the picture. Which threads store, and where?
        P[row_o * width + col_o] = sum;
    }
}
