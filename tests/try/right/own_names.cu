// expect: right
// stencil: N=image P=result M=weights mask_width=taps width=nx height=ny block=32x8
// Names of its own, which the comment explains.

__global__ void filter_rows(float *result, const float *image, int nx, int ny, const float *weights,
                            int taps)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    float total = 0;
    for (int v = 0; v < taps; v++)
        for (int u = 0; u < taps; u++) {
            const int yy = y + v - taps / 2, xx = x + u - taps / 2;
            if (yy >= 0 && yy < ny && xx >= 0 && xx < nx)
                total += image[yy * nx + xx] * weights[v * taps + u];
        }
    result[y * nx + x] = total;
}
