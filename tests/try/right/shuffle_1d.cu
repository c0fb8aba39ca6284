// expect: right
// stencil: block=32 tile=32
// A warp passes its cells around in registers; halo cells come from global memory.

__global__ void shuffle(const float *N, const float *M, float *P, int mask_width, int width)
{
    const int i = blockIdx.x * 32 + threadIdx.x, n = mask_width / 2;
    const float own = i < width ? N[i] : 0;
    float sum = 0;
    for (int j = 0; j < mask_width; j++) {
        const int lane = (int)threadIdx.x - n + j, at = i - n + j;
        float cell = __shfl_sync(0xffffffff, own, lane & 31);
        if (lane < 0 || lane > 31)
            cell = at >= 0 && at < width ? N[at] : 0;
        sum += cell * M[j];
    }
    if (i < width)
        P[i] = sum;
}
