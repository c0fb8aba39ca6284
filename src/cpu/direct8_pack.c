/* Packed weights: see cpu/direct8_pack.h. */
#include "cpu/direct8_pack.h"

struct cpu_two_masks cpu_direct8_masks(int pairs, const struct plan *plan, const uint32_t *weights)
{
    int width = plan->mask[0].width, taps = pairs * width;
    return (struct cpu_two_masks){pairs, width, plan->channels, {weights, weights + taps}};
}

void cpu_direct8_pack(const struct cpu_two_masks *masks, int rows, const int64_t *weight,
                      int stride, int height, uint32_t *packed)
{
    int bits = 32 / rows, taps = masks->width * masks->pairs;

    for (int lower = 0; lower < 2; lower++)
        for (int i = 0; i < height; i++)
            for (int j = 0; j < masks->width; j++) {
                uint32_t w = (uint32_t)weight[i * stride + j] & ((1U << bits) - 1);
                int at = lower * taps + (i + lower) / rows * masks->width + j;
                packed[at] |= w << (i + lower) % rows * bits;
            }
}
