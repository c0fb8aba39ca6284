/* Host side of kernels/dp4a.cu: a mask's weights are packed into the words by which the kernels
 * dp4a and weighted multiply. */
#include "dp4a_window.h"
#include "image_job.h"

size_t dp4a_fragment_bytes(int width, int height, int anchor_x, int planes)
{
    return (size_t)planes * (size_t)int8_window_of(width, height, anchor_x).groups *
           (size_t)height * 16;
}

size_t dp4a_shared_bytes(int width, int height, int anchor_x, int channels, int planes)
{
    size_t pitch = DP4A_PITCH((size_t)int8_window_of(width, height, anchor_x).groups);
    return dp4a_fragment_bytes(width, height, anchor_x, planes) +
           (size_t)channels * (DP4A_TILE_Y + (size_t)height - 1) * pitch * 4;
}

/* Plane after plane, group after group, row after row: four words, the mask's row shifted to each
 * of four neighbouring outputs. Of several planes the highest byte comes first, w = 256 * high +
 * low. */
void dp4a_pack(const int64_t *weight, int width, int height, int anchor_x, int planes,
               void *fragments)
{
    struct int8_window window = int8_window_of(width, height, anchor_x);
    uint8_t *out = fragments;

    for (int p = 0; p < planes; p++)
        for (int group = 0; group < window.groups; group++)
            for (int i = 0; i < height; i++)
                for (int byte = 0; byte < 16; byte++) {
                    int j = group * 4 + byte % 4 - window.pad - byte / 4;
                    int64_t w = j >= 0 && j < width ? weight[i * width + j] : 0;
                    *out++ = (uint8_t)(w >> 8 * (planes - 1 - p) & 255);
                }
}
