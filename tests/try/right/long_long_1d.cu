// expect: right
// 64-bit integers.

__global__ void long_sums(const long long *N, const long long *M, long long *P, int Mask_Width,
                          int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= Width)
        return;
    const int n = Mask_Width / 2;
    const int from = i < n ? n - i : 0;
    const int to = i - n + Mask_Width > Width ? Width - i + n : Mask_Width;
    long long sum = 0;
    for (int j = from; j < to; j++)
        sum += N[i - n + j] * M[j];
    P[i] = sum;
}
