// expect: right
// Samples of 8 bits in and out; a sum below 0 or above 255 becomes 0 or 255.

__global__ void bytes(const unsigned char *N, unsigned char *P, const int *M, int mask_width,
                      int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;
    int sum = 0;
    for (int j = 0; j < mask_width; j++) {
        const int at = i + j - mask_width / 2;
        if (at >= 0 && at < width)
            sum += N[at] * M[j];
    }
    P[i] = sum < 0 ? 0 : sum > 255 ? 255 : sum;
}
