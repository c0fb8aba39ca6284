/* Host side of kernels/weighted.cu: which masks it takes, and how much shared memory it needs.
 * kernels/dp4a_pack.c packs its weights. */
#include "dp4a_window.h"
#include "image_job.h"

int weighted_planes(const int64_t *weight, int cells)
{
    int planes = 1;

    for (int i = 0; i < cells; i++) {
        if (weight[i] < 0 || weight[i] >> 24 != 0)
            return 0;
        while (weight[i] >> 8 * planes != 0)
            planes++;
    }
    return planes;
}

/* The sums begin at half of those of alpha. */
bool weighted_is_wide(uint32_t max, int64_t divisor)
{
    return ((int64_t)max * max + max / 2 + 1) * divisor > UINT32_MAX;
}

size_t weighted_shared_bytes(int width, int height, int anchor_x, int channels, int planes)
{
    size_t pitch = DP4A_PITCH((size_t)int8_window_of(width, height, anchor_x).groups);
    return dp4a_fragment_bytes(width, height, anchor_x, planes) +
           (size_t)(DP4A_TILE_X * WEIGHTED_TILE_Y * channels) +
           (8 * (size_t)channels - 4) * (WEIGHTED_TILE_Y + (size_t)height - 1) * pitch;
}
