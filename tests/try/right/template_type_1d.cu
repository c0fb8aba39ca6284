// expect: right
// A template of the type, and a launch function that chooses int.

template <typename T> __global__ void any(const T *N, T *P, const T *M, int mask_width, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width) {
        T sum = 0;
        for (int j = 0; j < mask_width; j++) {
            const int at = i - mask_width / 2 + j;
            sum += at < 0 || at >= width ? 0 : N[at] * M[j];
        }
        P[i] = sum;
    }
}

void launch(const int *N, int *P, const int *M, int mask_width, int width)
{
    any<int><<<(width + 99) / 100, 100>>>(N, P, M, mask_width, width);
}
