// 2D convolution with rows that have a pitch, and pointers that promise not to overlap (Figs. 7.15
// and 7.16; module 8.3 of the teaching kit).
//
//     row 0   N N N N N . . .      width = 5, pitch = 8: a row begins where memory likes it,
//     row 1   N N N N N . . .      and the cells past its width are padding, no pixels
//
// `const float *__restrict__ M` says: nobody writes M while the kernel runs. So the compiler may
// read M through the cache for read-only data. The word stands behind the star.
// Fill the gaps one by one, and run after each:  stencilcli try readonly.cu

__global__ void readonly(const float *__restrict__ N, float *__restrict__ P, int height, int width,
                         int pitch, const float *__restrict__ M, int Mask_Width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;

    float sum = 0;
    for (int i = 0; i < Mask_Width; i++) {
        for (int j = 0; j < Mask_Width; j++) {
            const int y = row - Mask_Width / 2 + i, x = col - Mask_Width / 2 + j;
            if (y >= 0 && y < height && x >= 0 && x < width) {
                // TODO 1: A row takes pitch cells of memory. Where does row y begin?
                const float cell = N[y * width + x];
                sum += cell * M[i * Mask_Width + j];
            }
        }
    }
    // TODO 2: P has the same pitch. Where does this output lie? (Fig. 7.21 has it wrong.)
    P[row * width + col] = sum;
}
