/* The loops of order filters: the least and the greatest of several lines, and sorting networks,
 * which scripts/make_networks makes. A part of cpu/ops_template.h, included once per instruction
 * set. */
#ifndef STENCIL_CPU_OPS_ORDER_H
#define STENCIL_CPU_OPS_ORDER_H

#include "cpu/ops.h"
#include "cpu/ops_vector.h"

/* A block stays in registers while all lines are read. */
#define EXTREME(name, best, vector, sample)                                                        \
    static void name(const void *const *at, int count, void *out, int n)                           \
    {                                                                                              \
        enum { LANES_EACH = sizeof(vector) / sizeof(sample), EACH = CPU_BLOCK / LANES_EACH };      \
        for (int x = 0; x < n; x += CPU_BLOCK) {                                                   \
            vector v[EACH];                                                                        \
            UNROLL                                                                                 \
            for (int k = 0; k < EACH; k++)                                                         \
                v[k] = (vector)load_32((const sample *)at[0] + x + k * LANES_EACH);                \
            for (int i = 1; i < count; i++) {                                                      \
                UNROLL                                                                             \
                for (int k = 0; k < EACH; k++)                                                     \
                    v[k] =                                                                         \
                        best(v[k], (vector)load_32((const sample *)at[i] + x + k * LANES_EACH));   \
            }                                                                                      \
            UNROLL                                                                                 \
            for (int k = 0; k < EACH; k++)                                                         \
                store((sample *)out + x + k * LANES_EACH, (v_u32)v[k]);                            \
        }                                                                                          \
    }
EXTREME(least_u8, min_u8, v_u8, uint8_t)
EXTREME(least_u16, min_u16, v_u16, uint16_t)
EXTREME(greatest_u8, max_u8, v_u8, uint8_t)
EXTREME(greatest_u16, max_u16, v_u16, uint16_t)

/* ---- sorting networks ---- */

#define STORE(line, x, v) store((VECTOR_SAMPLE *)(line) + (x), (v_u32)(v))
#define LOAD(line, x)     ((VECTOR)load_32((const VECTOR_SAMPLE *)(line) + (x)))
#define VECTOR_SAMPLES    ((int)(VECTOR_BYTES / sizeof(VECTOR_SAMPLE)))

#define NETWORK(name) network_u8_##name
#define VECTOR        v_u8
#define VECTOR_SAMPLE uint8_t
#define LEAST         min_u8
#define GREATEST      max_u8
#include "cpu/networks.h"
#undef NETWORK
#undef VECTOR
#undef VECTOR_SAMPLE
#undef LEAST
#undef GREATEST

#define NETWORK(name) network_u16_##name
#define VECTOR        v_u16
#define VECTOR_SAMPLE uint16_t
#define LEAST         min_u16
#define GREATEST      max_u16
#include "cpu/networks.h"

#endif
