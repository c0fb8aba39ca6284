// 1D convolution with the mask in constant memory (Fig. 7.8).
//
// All threads of a warp read the same weight at the same time. Constant memory gives that weight to
// the whole warp with one load. The host copies the mask there before the launch, so M is no
// parameter. MAX_MASK_WIDTH is odd, because most masks are: 10 cells could not hold 11.
// Fill the gaps one by one, and run after each:  stencilcli try constant_1d.cu

#define MAX_MASK_WIDTH 31
__constant__ float M[MAX_MASK_WIDTH];

__global__ void constant_1d(const float *N, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= Width)
        return;

    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        // TODO 1: The mask is not turned around here. Which weight belongs to the cell?
        const float weight = M[Mask_Width - 1 - j];
        const int cell = i - Mask_Width / 2 + j;
        // TODO 2: This test loses a cell of N. Which one, and which outputs suffer?
        if (cell > 0 && cell < Width)
            sum += N[cell] * weight;
    }
    P[i] = sum;
}
