// expect: right
// A thread makes four outputs, a block apart.

#define OUTPUTS 4

__global__ void four_outputs(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    const int first = blockIdx.x * blockDim.x * OUTPUTS + threadIdx.x;
    for (int k = 0; k < OUTPUTS; k++) {
        const int i = first + k * blockDim.x;
        if (i >= Width)
            return;
        float sum = 0;
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
    const int block = 64, outputs = block * OUTPUTS;
    four_outputs<<<(Width + outputs - 1) / outputs, block>>>(N, M, P, Mask_Width, Width);
}
