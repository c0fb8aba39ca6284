// expect: wide-mask or shared-past-end
// A block of 16 threads and a tile of 12 leave room for masks of 5 cells only.
// stencil: block=16x16 tile=12x12

__global__ void wide(const float *N, float *P, int height, int width, const float *M,
                     int Mask_Width)
{
    __shared__ float N_ds[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, n = Mask_Width / 2;
    const int row_o = blockIdx.y * 12 + ty, col_o = blockIdx.x * 12 + tx;
    const int row_i = row_o - n, col_i = col_o - n;
    const bool inside = row_i >= 0 && row_i < height && col_i >= 0 && col_i < width;
    N_ds[ty][tx] = inside ? N[row_i * width + col_i] : 0;
    __syncthreads();

    if (ty < 12 && tx < 12 && row_o < height && col_o < width) {
        float sum = 0;
        for (int i = 0; i < Mask_Width; i++)
            for (int j = 0; j < Mask_Width; j++)
                sum += M[i * Mask_Width + j] * N_ds[ty + i][tx + j];
        P[row_o * width + col_o] = sum;
    }
}
