// expect: stopped
// A device function calls itself without end.
// says: a function that calls itself without end

__device__ int deeper(volatile int depth)
{
    volatile char room[256];
    room[depth % 256] = 1;
    return deeper(depth + 1) + room[0];
}

__global__ void basic(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= Width)
        return;
    if (deeper(0) == 7)
        return;
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        const int at = i - Mask_Width / 2 + j;
        if (at >= 0 && at < Width)
            sum += N[at] * M[j];
    }
    P[i] = sum;
}
