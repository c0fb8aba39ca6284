// 2D convolution, tiled, but the halo cells come from the caches (Figs. 7.13 and 7.14 in two
// dimensions).
//
//     h h h h h h h
//     h .-------. h    A block loads its own cells into shared memory, one a thread.
//     h | tile  | h    h: halo cells, the neighbours' own cells. They are read from global
//     h '-------' h    memory at each use, and probably lie in the L2 cache already.
//     h h h h h h h
//
// Fill the gaps one by one, and run after each:  stencilcli try cached.cu

#define TILE_SIZE      16 // outputs of a block along an axis, one a thread
#define MAX_MASK_WIDTH 15
__constant__ float M[MAX_MASK_WIDTH * MAX_MASK_WIDTH];

__global__ void cached(const float *N, float *P, int height, int width, int pitch, int Mask_Width)
{
    __shared__ float N_ds[TILE_SIZE][TILE_SIZE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int top = blockIdx.y * TILE_SIZE, left = blockIdx.x * TILE_SIZE; // the tile's first cell
    const int row = top + ty, col = left + tx;

    // TODO 1: The last tiles reach past the picture. Which threads have a cell to load?
    if (true)
        N_ds[ty][tx] = N[row * pitch + col];

    // TODO 2: A thread reads cells that other threads load. What must stand between?

    float sum = 0;
    for (int i = 0; i < Mask_Width; i++) {
        for (int j = 0; j < Mask_Width; j++) {
            const int y = row - Mask_Width / 2 + i, x = col - Mask_Width / 2 + j;
            if (y < 0 || y >= height || x < 0 || x >= width)
                continue; // a ghost cell
            // TODO 3: This test looks at rows only. Which cells lie in the tile?
            const bool in_tile = y >= top && y < top + TILE_SIZE;
            sum += (in_tile ? N_ds[y - top][x - left] : N[y * pitch + x]) * M[i * Mask_Width + j];
        }
    }
    if (row < height && col < width)
        P[row * pitch + col] = sum;
}
