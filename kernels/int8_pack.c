/* Host side of kernels/int8_mma.cu, whose opening comment explains the matrices: a mask's weights
 * are packed into the operands that the kernel's matrix products load. */
#include "image_job.h"
#include "int8_window.h"

int int8_mma_planes(const int64_t *weight, int cells)
{
    int planes = 1;
    for (int i = 0; i < cells; i++) {
        if (weight[i] < -128 || weight[i] > 127)
            planes = 2;
        if (weight[i] < INT16_MIN || weight[i] > INT16_MAX)
            return 0;
    }
    return planes;
}

size_t int8_mma_fragment_bytes(const int64_t *weight, int width, int height, int anchor_x,
                               const char **why)
{
    struct int8_window w = int8_window_of(width, height, anchor_x);
    int planes = int8_mma_planes(weight, width * height);
    size_t bytes = (size_t)planes * w.steps * 512 + (size_t)w.steps * 8 * sizeof(int32_t);

    *why = planes == 0 ? "weights past 16 bits" : "the mask is too wide or too high";
    if (planes == 0 || anchor_x > INT8_HALO_X ||
        4 * w.groups > 2 * INT8_HALO_X - 12 + anchor_x + w.pad || bytes > 65536 || height > 63)
        return 0;
    return bytes;
}

size_t int8_mma_shared_bytes(int width, int height, int anchor_x, int channels, int weight_planes)
{
    struct int8_window w = int8_window_of(width, height, anchor_x);
    size_t rows = INT8_TILE_Y + (size_t)height - 1, steps = (size_t)w.steps;
    return steps * 512 * (size_t)weight_planes + steps * 32 +
           (size_t)channels * rows * (INT8_RAW_PITCH + INT8_IN_PITCH) +
           (size_t)INT8_TILE_Y * INT8_OUT_PITCH((size_t)channels);
}

/* Weight of window cell (row, column) for output (r, c) of the block. */
static int64_t window_weight(const int64_t *weight, int width, int height, int pad, int row,
                             int column, int r, int c)
{
    int i = row - r, j = column - pad - c;
    return i >= 0 && i < height && j >= 0 && j < width ? weight[i * width + j] : 0;
}

/* Fragments as mma.sync wants A: lane (g, t) holds for rows g and g + 8 the four cells of groups t
 * and t + 4; a step's four words of all lanes lie together. Row m < 8 of A is output
 * (m / 2, 2 * (m % 2)), row m + 8 the one right of it: so a thread ends up with two neighbours.
 * Behind the planes: for each step the eight groups' places in the window, as byte offsets in a
 * staged plane. */
void int8_mma_pack(const int64_t *weight, int width, int height, int anchor_x, void *fragments)
{
    struct int8_window w = int8_window_of(width, height, anchor_x);
    int planes = int8_mma_planes(weight, width * height);
    uint8_t *out = (uint8_t *)fragments;
    int32_t *offset = (int32_t *)(out + (size_t)planes * w.steps * 512);

    for (int p = 0; p < planes; p++)
        for (int step = 0; step < w.steps; step++)
            for (int lane = 0; lane < 32; lane++)
                for (int byte = 0; byte < 16; byte++) {
                    int word = byte / 4, m = lane / 4;
                    int group = step * 8 + lane % 4 + (word >= 2 ? 4 : 0);
                    int row = group / w.groups, column = group % w.groups * 4 + byte % 4;
                    int64_t v = window_weight(weight, width, height, w.pad, row, column, m / 2,
                                              m % 2 * 2 + word % 2);
                    /* one plane: w; two: the low byte, then the rest, w = 256 * high + low */
                    *out++ = (uint8_t)(p == 0 ? v & 255 : v >> 8);
                }
    for (int group = 0; group < w.steps * 8; group++) {
        int row = group / w.groups < height + 3 ? group / w.groups : 0; /* past the end: weight 0 */
        int pair = group / 8 * 4 + group % 4; /* lane t reads its groups t and t + 4 together */
        offset[2 * pair + group % 8 / 4] = row * INT8_IN_PITCH + group % w.groups * 4;
    }
}
