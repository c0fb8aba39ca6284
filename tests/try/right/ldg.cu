// expect: right
// Both inputs are read through the cache for read-only data.

__global__ void read_only(const float *__restrict__ N, float *__restrict__ P, int height, int width,
                          int pitch, const float *__restrict__ M, int mask_width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const int n = mask_width / 2;
    float sum = 0;
    for (int i = 0; i < mask_width; i++) {
        const int from = y - n + i;
        if (from < 0 || from >= height)
            continue;
        for (int j = max(0, n - x); j < min(mask_width, width - x + n); j++)
            sum += __ldg(N + from * pitch + x - n + j) * __ldg(M + i * mask_width + j);
    }
    P[y * pitch + x] = sum;
}
