// expect: right
// Floats in, weights as integers in constant memory, doubles out.

#define MAX_MASK_WIDTH 11
__constant__ int kernel[MAX_MASK_WIDTH * MAX_MASK_WIDTH];

__global__ void mixed(const float *in, double *out, int h, int w, int k)
{
    const int *weights = kernel;
    const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (y < h && x < w) {
        double s = 0;
        for (int v = -(k / 2); v < k - k / 2; v++)
            for (int u = -(k / 2); u < k - k / 2; u++, weights++)
                if (y + v >= 0 && y + v < h && x + u >= 0 && x + u < w)
                    s += in[(y + v) * w + x + u] * (double)*weights;
        out[y * w + x] = s;
    }
}
