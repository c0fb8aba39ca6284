// expect: right
// The mask's width is a constant of the file, as in one of the chapter's sources.

#define MASK_WIDTH 5
__constant__ float M[MASK_WIDTH];

__global__ void fixed(const float *N, float *P, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float Pvalue = 0;
    for (int j = 0; j < MASK_WIDTH; j++) {
        const int at = i - MASK_WIDTH / 2 + j;
        if (at >= 0 && at < Width)
            Pvalue += N[at] * M[j];
    }
    if (i < Width)
        P[i] = Pvalue;
}
