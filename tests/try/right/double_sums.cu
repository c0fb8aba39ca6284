// expect: right
// Sums of floats kept as double.

__global__ void sums(const float *in, float *out, int width, int height, const float *mask,
                     int mask_width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        double sum = 0.0;
        for (int dy = 0; dy < mask_width; ++dy)
            for (int dx = 0; dx < mask_width; ++dx) {
                int sx = x + dx - mask_width / 2;
                int sy = y + dy - mask_width / 2;
                if (sx < 0 || sy < 0 || sx >= width || sy >= height)
                    continue;
                sum += (double)in[sy * width + sx] * mask[dy * mask_width + dx];
            }
        out[y * width + x] = (float)sum;
    }
}
