/* Weights as the inner loops want them: see cpu/taps.h. */
#include "cpu/taps.h"

#include <stdlib.h>

bool cpu_mask_make(struct cpu_mask *mask, void **block, const struct plan_mask *m, int channels)
{
    size_t cells = (size_t)m->width * (size_t)m->height;
    size_t pairs = (size_t)m->width * (size_t)((m->height + 1) / 2);
    uint64_t *weight64 =
        calloc(1, cells * (sizeof(uint64_t) + sizeof(uint32_t)) + pairs * sizeof(uint32_t));
    uint32_t *weight32, *pair;
    if (!weight64)
        return false;
    weight32 = (uint32_t *)(weight64 + cells);
    pair = weight32 + cells;
    for (size_t i = 0; i < cells; i++) {
        weight64[i] = (uint64_t)m->weight[i];
        weight32[i] = (uint32_t)m->weight[i];
    }
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++)
            pair[i / 2 * m->width + j] |= (weight32[i * m->width + j] & 0xffff) << (i % 2 ? 16 : 0);
    *mask = (struct cpu_mask){m->width, m->height, channels, pair, weight32, weight64};
    *block = weight64;
    return true;
}

int64_t cpu_taps_common(const int64_t *weight, int count)
{
    int64_t gcd = 0;
    for (int i = 0; i < count; i++)
        for (int64_t b = weight[i]; b != 0;) {
            int64_t rest = gcd % b;
            gcd = b;
            b = rest;
        }
    return gcd == 0 ? 1 : gcd < 0 ? -gcd : gcd;
}

bool cpu_taps_alike(const int64_t *weight, int count)
{
    for (int i = 1; i < count; i++)
        if (weight[i] != weight[0])
            return false;
    return true;
}

bool cpu_taps_make(struct cpu_taps *taps, const int64_t *weight, int count, int step)
{
    *taps = (struct cpu_taps){.count = count, .step = step, .twins = count / 2};
    taps->weight = calloc((size_t)count, sizeof *taps->weight);
    for (int i = 0; taps->weight && i < count; i++) {
        taps->weight[i] = (uint32_t)weight[i];
        if (weight[i] != weight[count - 1 - i])
            taps->twins = 0;
    }
    return taps->weight != NULL;
}

void cpu_taps_free(struct cpu_taps *taps)
{
    free(taps->weight);
    taps->weight = NULL;
}

bool cpu_taps64_make(struct cpu_taps64 *taps, const int64_t *weight, int count, int step,
                     int64_t factor)
{
    *taps = (struct cpu_taps64){.count = count, .step = step};
    taps->weight = calloc((size_t)count, sizeof *taps->weight);
    for (int j = 0; taps->weight && j < count; j++)
        taps->weight[j] = weight[j] * factor;
    return taps->weight != NULL;
}

void cpu_taps64_free(struct cpu_taps64 *taps)
{
    free(taps->weight);
    taps->weight = NULL;
}
