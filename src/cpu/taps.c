/* Weights in the form of the inner loops, and their common divisor. */
#include "cpu/taps.h"

#include <stdlib.h>

#include "plan/rational.h"

int64_t cpu_taps_common(const int64_t *weight, int count)
{
    int64_t gcd = 0;
    for (int i = 0; i < count; i++)
        gcd = greatest_common_divisor(gcd, weight[i]);
    return gcd == 0 ? 1 : gcd;
}

bool cpu_taps_alike(const int64_t *weight, int count)
{
    for (int i = 1; i < count; i++)
        if (weight[i] != weight[0])
            return false;
    return true;
}

bool cpu_taps_make(struct cpu_taps *taps, const int64_t *weight, int count, int step,
                   int64_t common)
{
    *taps = (struct cpu_taps){.count = count, .step = step, .twins = count / 2};
    taps->weight = calloc((size_t)count, sizeof *taps->weight);
    for (int i = 0; taps->weight && i < count; i++) {
        taps->weight[i] = (uint32_t)(weight[i] / common);
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
