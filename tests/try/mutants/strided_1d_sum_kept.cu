// expect: not-cleared
// A thread makes several outputs, and does not begin each at 0.

__global__ void strided_1d(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < Width; i += gridDim.x * blockDim.x) {
        for (int j = 0; j < Mask_Width; j++) {
            const int cell = i - Mask_Width / 2 + j;
            if (cell >= 0 && cell < Width)
                sum += N[cell] * M[j];
        }
        P[i] = sum;
    }
}

void launch(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    strided_1d<<<2, 32>>>(N, M, P, Mask_Width, Width);
}
