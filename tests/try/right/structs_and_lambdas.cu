// expect: right
// C++: a struct that knows the picture, a lambda for the sum, references, static functions.

#include <stdint.h>

struct picture {
    const int16_t *cells;
    int height, width, pitch;
    __device__ int at(int y, int x) const
    {
        return y < 0 || x < 0 || y >= height || x >= width ? 0 : cells[y * pitch + x];
    }
};

static __device__ __forceinline__ int2 place()
{
    int2 it;
    it.x = blockIdx.x * blockDim.x + threadIdx.x;
    it.y = blockIdx.y * blockDim.y + threadIdx.y;
    return it;
}

extern "C" __global__ void with_structs(const int16_t *N, int32_t *P, int height, int width,
                                        int pitch, const int16_t *M, int mask_width)
{
    const picture input = {N, height, width, pitch};
    const int2 here = place();
    auto sum = [&](int n) {
        int total = 0;
        for (int i = 0; i < mask_width; i++)
            for (int j = 0; j < mask_width; j++)
                total += input.at(here.y - n + i, here.x - n + j) * M[i * mask_width + j];
        return total;
    };
    if (here.y < height && here.x < width)
        P[here.y * pitch + here.x] = sum(mask_width / 2);
}
