// 1D convolution, basic: a thread makes one output, N and M lie in global memory (Fig. 7.6).
//
//     P[i] = sum of N[i - Mask_Width / 2 + j] * M[j] for j = 0 ... Mask_Width - 1
//
// Cells before the start of N and past its end are ghost cells. They count as 0.
// Fill the gaps one by one, and run after each:  stencilcli try basic_1d.cu

__global__ void basic_1d(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    // TODO 1: The grid has many blocks of blockDim.x threads. Which output is this thread's?
    const int i = 0;

    const int start = i - Mask_Width / 2; // the first cell that P[i] needs
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        // TODO 2: Near the ends of N some of the cells are ghost cells. Which cells lie inside?
        const bool inside = true;
        if (inside)
            sum += N[start + j] * M[j];
    }

    // TODO 3: The last block may have more threads than outputs are left. Which threads store?
    const bool stores = true;
    if (stores)
        P[i] = sum;
}
