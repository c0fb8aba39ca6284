/* The inner loops of certified sums by columns and rows of floats, and of samples in doubt, in
 * portable C; a part of cpu/ops_template.h. What they mean: cpu/lowrank8_make.c, cpu/window8.h. */
#ifndef STENCIL_CPU_OPS_FLOATS_H
#define STENCIL_CPU_OPS_FLOATS_H

#include "cpu/ops.h"

/* The sample that lies between both numbers, and whether they leave a choice. */
static inline void certify_one(float below, float above, float max, uint8_t *out, uint8_t *doubtful)
{
    below = below < 0 ? 0 : below;
    above = above < 0 ? 0 : above;
    int32_t floor_below = (int32_t)(below > max ? max : below);
    int32_t floor_above = (int32_t)(above > max ? max : above);
    *out = (uint8_t)floor_below;
    *doubtful = (uint8_t)(floor_below != floor_above);
}

#ifndef OPS_CERTIFY_FLOATS
#define OPS_CERTIFY_FLOATS certify_floats
static void certify_floats(const struct cpu_certify *certify, const float *sum, uint8_t *out,
                           uint8_t *doubtful, int n)
{
    float low = certify->low, high = certify->high, max = certify->max;
    for (int x = 0; x < n; x++)
        certify_one(sum[x] + low, sum[x] + high, max, out + x, doubtful + x);
}
#endif

static void floats_u8(const uint8_t *in, float *out, int n)
{
    for (int x = 0; x < n; x++)
        out[x] = (float)(in[x] - 128);
}

#ifndef OPS_FLOAT_SUMS
#define OPS_FLOAT_SUMS float_sums
static void float_sums(const struct cpu_float_taps *taps, const float *const *at, float *sum, int n)
{
    for (int x = 0; x < n; x += CPU_BLOCK) {
        float chain[CPU_FLOAT_CHAINS][CPU_BLOCK] = {{0}};
        for (int t = 0; t < taps->count; t++)
            for (int k = 0; k < CPU_BLOCK; k++)
                chain[t % CPU_FLOAT_CHAINS][k] += taps->weight[t] * at[t][x + k];
        for (int k = 0; k < CPU_BLOCK; k++)
            sum[x + k] = (chain[0][k] + chain[1][k]) + (chain[2][k] + chain[3][k]);
    }
}
#endif

#ifndef OPS_WINDOW_SUMS
#define OPS_WINDOW_SUMS window_sums
static void window_sums(const struct cpu_window *window, const uint8_t *const *row, int first,
                        int32_t sum[2])
{
    const int16_t *weight = window->weight;
    sum[0] = sum[1] = 0;
    for (int i = 0; i < window->height; i += CPU_WINDOW_ROWS)
        for (int x = 0; x < window->length; x += CPU_WINDOW_BYTES)
            for (int k = 0; k < CPU_WINDOW_ROWS; k++) {
                const uint8_t *samples = row[i + k] + first + x;
                for (int part = 0; part < 2; part++, weight += CPU_WINDOW_BYTES)
                    for (int b = 0; b < CPU_WINDOW_BYTES; b++)
                        sum[part] += weight[b] * samples[b];
            }
}
#endif

#endif
