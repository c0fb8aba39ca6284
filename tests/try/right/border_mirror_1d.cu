// expect: right
// stencil: border=mirror
// Ghost cells mirror N. The cell at the end is not repeated.

__global__ void mirror(const float *N, const float *M, float *P, int mask_width, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;
    const int period = width > 1 ? 2 * (width - 1) : 1;
    float sum = 0;
    for (int j = 0; j < mask_width; j++) {
        int at = (i + j - mask_width / 2) % period;
        at = at < 0 ? at + period : at;
        sum += N[at < width ? at : period - at] * M[j];
    }
    P[i] = sum;
}
