// expect: stopped
// Templates that double without end: the compiler would take all memory.

template <int DEPTH, unsigned PATH> struct tree {
    tree<DEPTH - 1, 2 * PATH> left;
    tree<DEPTH - 1, 2 * PATH + 1> right;
};
template <unsigned PATH> struct tree<0, PATH> {
};
static tree<40, 1> grown;

__global__ void basic(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= Width)
        return;
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        const int at = i - Mask_Width / 2 + j;
        if (at >= 0 && at < Width)
            sum += N[at] * M[j];
    }
    P[i] = sum;
}
