/* The loops of order filters: the least and the greatest of several lines, and sorting networks,
 * which scripts/make_networks makes. A part of cpu/ops_template.h, included once per instruction
 * set. */
#ifndef STENCIL_CPU_OPS_ORDER_H
#define STENCIL_CPU_OPS_ORDER_H

#include "cpu/ops.h"
#include "cpu/ops_vector.h"

/* A block stays in registers while all lines are read. In most calls COUNT is a constant, so that
 * the lines' addresses stay in registers too. */
#define EXTREME(name, best, vector, sample)                                                        \
    INLINE void name##_of(const void *const *at, int count, void *out, int n, const void *next,    \
                          bool streams)                                                            \
    {                                                                                              \
        enum { LANES_EACH = sizeof(vector) / sizeof(sample), EACH = CPU_BLOCK / LANES_EACH };      \
        next = next ? next : at[0]; /* fetching an invalid address is slow */                      \
        for (int x = 0; x < n; x += CPU_BLOCK) {                                                   \
            vector v[EACH];                                                                        \
            __builtin_prefetch((const sample *)next + x, 0, 2);                                    \
            if (sizeof(sample) > 1)                                                                \
                __builtin_prefetch((const sample *)next + x + CPU_BLOCK / 2, 0, 2);                \
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
                store_out((sample *)out + x + k * LANES_EACH, (v_u32)v[k], streams);               \
        }                                                                                          \
    }                                                                                              \
    static void name(const void *const *at, int count, void *out, int n, const void *next,         \
                     bool streams)                                                                 \
    {                                                                                              \
        const void *few[5];                                                                        \
        UNROLL                                                                                     \
        for (int i = 0; i < 5; i++)                                                                \
            few[i] = at[i < count ? i : 0];                                                        \
        if (count == 2)                                                                            \
            name##_of(few, 2, out, n, next, streams);                                              \
        else if (count == 3)                                                                       \
            name##_of(few, 3, out, n, next, streams);                                              \
        else if (count == 4)                                                                       \
            name##_of(few, 4, out, n, next, streams);                                              \
        else if (count == 5)                                                                       \
            name##_of(few, 5, out, n, next, streams);                                              \
        else                                                                                       \
            name##_of(at, count, out, n, next, streams);                                           \
    }                                                                                              \
    INLINE void name##_tall_of(const struct cpu_tall *tall, int rows, int n)                       \
    {                                                                                              \
        for (int x = 0; x < n; x += (int)(sizeof(vector) / sizeof(sample))) {                      \
            vector first[CPU_TALL_ROWS];                                                           \
            vector v = (vector)load_32((const sample *)tall->first[rows - 1] + x);                 \
            for (int i = 0; i < tall->count; i++)                                                  \
                v = best(v, (vector)load_32((const sample *)tall->between[i] + x));                \
            first[rows - 1] = v;                                                                   \
            UNROLL                                                                                 \
            for (int i = rows - 2; i >= 0; i--)                                                    \
                first[i] = v = best(v, (vector)load_32((const sample *)tall->first[i] + x));       \
            v = (vector)load_32((const sample *)tall->last[0] + x);                                \
            UNROLL                                                                                 \
            for (int i = 0; i < rows; i++) {                                                       \
                v = best(v, (vector)load_32((const sample *)tall->last[i] + x));                   \
                store((sample *)tall->out[i] + x, (v_u32)best(v, first[i]));                       \
            }                                                                                      \
            if (rows == CPU_TALL_ROWS)                                                             \
                store((sample *)tall->block + x, (v_u32)v);                                        \
        }                                                                                          \
    }                                                                                              \
    static void name##_tall(const struct cpu_tall *tall, int n)                                    \
    {                                                                                              \
        if (tall->rows == 4)                                                                       \
            name##_tall_of(tall, 4, n);                                                            \
        else                                                                                       \
            name##_tall_of(tall, CPU_TALL_ROWS, n);                                                \
    }
EXTREME(least_u8, min_u8, v_u8, uint8_t)
EXTREME(least_u16, min_u16, v_u16, uint16_t)
EXTREME(greatest_u8, max_u8, v_u8, uint8_t)
EXTREME(greatest_u16, max_u16, v_u16, uint16_t)

/* From the right to the left, as a vector needs the one behind it. */
#ifdef WORDS_OF_TWO
#define DOUBLED(name, best, vector, sample)                                                        \
    INLINE void name##_by(const sample *in, int part, int doublings, sample *out, int n,           \
                          const sample *next)                                                      \
    {                                                                                              \
        enum { EACH = sizeof(vector) / sizeof(sample) };                                           \
        v_u32 place[CPU_DOUBLINGS], behind[CPU_DOUBLINGS] = {{0}};                                 \
        for (int i = 0; i < doublings; i++)                                                        \
            place[i] = FIRST_WORDS + (uint32_t)((size_t)part * sizeof(sample) << i);               \
        next = next ? next : in;                                                                   \
        for (int x = (n - 3 * part - 1) / EACH * EACH; x >= 0; x -= EACH) {                        \
            vector v = (vector)load_32(in + x);                                                    \
            __builtin_prefetch(next + x, 0, 2);                                                    \
            UNROLL                                                                                 \
            for (int i = 1; i < 4; i++)                                                            \
                v = best(v, (vector)load_32(in + x + i * part));                                   \
            UNROLL                                                                                 \
            for (int i = 0; i < doublings; i++) {                                                  \
                const v_u32 half = (v_u32)v;                                                       \
                v = best(v, (vector)WORDS_OF_TWO(half, behind[i], place[i]));                      \
                behind[i] = half;                                                                  \
            }                                                                                      \
            store(out + x, (v_u32)v);                                                              \
        }                                                                                          \
    }                                                                                              \
    static void name(const void *in, int part, int doublings, void *out, int n, const void *next)  \
    {                                                                                              \
        if (doublings == 1)                                                                        \
            name##_by(in, part, 1, out, n, next);                                                  \
        else if (doublings == 2)                                                                   \
            name##_by(in, part, 2, out, n, next);                                                  \
        else                                                                                       \
            name##_by(in, part, CPU_DOUBLINGS, out, n, next);                                      \
    }
DOUBLED(doubled_least_u8, min_u8, v_u8, uint8_t)
DOUBLED(doubled_least_u16, min_u16, v_u16, uint16_t)
DOUBLED(doubled_greatest_u8, max_u8, v_u8, uint8_t)
DOUBLED(doubled_greatest_u16, max_u16, v_u16, uint16_t)
#endif

/* ---- histograms of columns ---- */

/* The counts of a group's levels, or of all groups: of a column, and of a window. Passed by address
 * only, as the second is two registers in some sets. */
typedef uint8_t counts8 __attribute__((vector_size(CPU_GROUPS)));
typedef uint16_t counts16 __attribute__((vector_size(2 * CPU_GROUPS)));
#ifdef __AVX2__ /* in one instruction, which gcc 12 does not find */
#define WIDE(counts) ((counts16)_mm256_cvtepu8_epi16((__m128i)(counts)))
#else
#define WIDE(counts) __builtin_convertvector(counts, counts16)
#endif

/* ABOVE[l]: 1 for the counts that a sample of level l is part of. */
#define FROM(l)                                                                                    \
    {                                                                                              \
        (l) < 1, (l) < 2, (l) < 3, (l) < 4, (l) < 5, (l) < 6, (l) < 7, (l) < 8, (l) < 9, (l) < 10, \
            (l) < 11, (l) < 12, (l) < 13, (l) < 14, (l) < 15, 1                                    \
    }
static const counts8 ABOVE[CPU_GROUPS] = {FROM(0),  FROM(1),  FROM(2),  FROM(3), FROM(4),  FROM(5),
                                          FROM(6),  FROM(7),  FROM(8),  FROM(9), FROM(10), FROM(11),
                                          FROM(12), FROM(13), FROM(14), FROM(15)};

static void columns_change(const struct cpu_columns *columns, const uint8_t *leaves,
                           const uint8_t *enters, int n)
{
    counts8 *group = (counts8 *)columns->group, *level = (counts8 *)columns->level;
    const size_t plane = columns->plane;

    for (int x = 0; x < n; x++) {
        const int in = enters[x], out = leaves ? leaves[x] : 0;
        counts8 groups = group[x] + ABOVE[in / CPU_GROUPS];
        level[(size_t)(in / CPU_GROUPS) * plane + (size_t)x] += ABOVE[in % CPU_GROUPS];
        if (leaves) {
            groups -= ABOVE[out / CPU_GROUPS];
            level[(size_t)(out / CPU_GROUPS) * plane + (size_t)x] -= ABOVE[out % CPU_GROUPS];
        }
        group[x] = groups;
    }
}

/* How many of the counts are at most PLACE. */
INLINE int count_up_to(const counts16 *counts, int place)
{
    typedef int16_t flags __attribute__((vector_size(sizeof(counts16))));
    const flags set = (flags)(*counts <= (uint16_t)place);
#ifdef __AVX2__
    return __builtin_popcount((unsigned)_mm256_movemask_epi8((__m256i)set)) / 2;
#else
    typedef int8_t bytes __attribute__((vector_size(CPU_GROUPS)));
    const bytes narrow = __builtin_convertvector(set, bytes);
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t half[2];

    memcpy(half, &narrow, sizeof half);
    return (int)(((half[0] & ones) + (half[1] & ones)) * ones >> 56); /* the sum of all bytes */
#endif
}

static void columns_row(const struct cpu_columns *columns, int channel, int place, uint8_t *out,
                        uint16_t *rest, int pixels)
{
    const int width = columns->width, step = columns->channels;
    const size_t plane = columns->plane;
    const counts8 *group = (const counts8 *)columns->group + channel;
    const counts8 *level = (const counts8 *)columns->level + channel;
    /* The window's counts: of all groups, and of the levels of group `last`. levels[g] belongs to
     * the window at at[g]. */
    counts16 groups = {0}, sum = {0}, levels[CPU_GROUPS + 1];
    int at[CPU_GROUPS + 1], last = CPU_GROUPS; /* at first a group that does not exist */

    for (int g = 0; g < CPU_GROUPS; g++)
        at[g] = -width;
    for (int j = 0; j < width; j++)
        groups += WIDE(group[j * step]);
    for (int x = 0; x < pixels; x++) {
        const int g = count_up_to(&groups, place);
        const counts8 *first = level + (size_t)g * plane, *next;
        if (g == last) {
            next = first + (x - 1) * step;
            sum += WIDE(next[width * step]) - WIDE(*next);
        } else {
            levels[last] = sum;
            at[last] = x - 1;
            last = g;
            if (2 * (x - at[g]) > width) {
                sum = (counts16){0};
                for (int j = x; j < x + width; j++)
                    sum += WIDE(first[j * step]);
            } else {
                sum = levels[g];
                for (int j = at[g]; j < x; j++) {
                    next = first + j * step;
                    sum += WIDE(next[width * step]) - WIDE(*next);
                }
            }
        }
        const int below = g > 0 ? ((const uint16_t *)&groups)[g - 1] : 0;
        const int l = count_up_to(&sum, place - below);
        out[x * step + channel] = (uint8_t)(g * CPU_GROUPS + l);
        if (rest)
            rest[x] = (uint16_t)(place - below - (l > 0 ? ((const uint16_t *)&sum)[l - 1] : 0));
        if (x + 1 < pixels)
            groups += WIDE(group[(x + width) * step]) - WIDE(group[x * step]);
    }
}

/* The rank of the cell at PLACE among the cells of the window whose ranks are FIRST ..
 * FIRST + 255. */
#if defined __AVX2__ && defined __BMI2__
/* All parts are counted, as a loop that ends at the right part is mostly predicted wrongly. */
INLINE int find_rank(const struct cpu_ranks *ranks, int first, int place, int left, int top)
{
    const __m256i lefts = _mm256_set1_epi8((char)left), tops = _mm256_set1_epi8((char)top);
    const __m256i width = _mm256_set1_epi8((char)(ranks->width - 1));
    const __m256i height = _mm256_set1_epi8((char)(ranks->height - 1));
    uint64_t set[4] = {0}; /* one bit for each cell: is it in the window? */
    int before[4], count = 0, part;

    UNROLL
    for (int i = 0; i < 8; i++) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(ranks->x + first + 32 * i));
        __m256i y = _mm256_loadu_si256((const __m256i *)(ranks->y + first + 32 * i));
        x = _mm256_sub_epi8(x, lefts);
        y = _mm256_sub_epi8(y, tops);
        x = _mm256_cmpeq_epi8(_mm256_min_epu8(x, width), x);
        y = _mm256_cmpeq_epi8(_mm256_min_epu8(y, height), y);
        set[i / 2] |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_and_si256(x, y))
                      << i % 2 * 32;
        if (i % 2 == 1) {
            before[i / 2] = count;
            count += __builtin_popcountll(set[i / 2]);
        }
    }
    part = (before[1] <= place) + (before[2] <= place) + (before[3] <= place);
    return first + 64 * part +
           __builtin_ctzll(_pdep_u64(UINT64_C(1) << (place - before[part]), set[part]));
}
#else
/* Is the cell of a rank in the window at (LEFT, TOP)? */
INLINE bool is_in_window(const struct cpu_ranks *ranks, int rank, int left, int top)
{
    return (uint8_t)(ranks->x[rank] - left) < ranks->width &&
           (uint8_t)(ranks->y[rank] - top) < ranks->height;
}

INLINE int find_rank(const struct cpu_ranks *ranks, int first, int place, int left, int top)
{
    int rank = first;

    for (;; rank += 32) {
        uint8_t count = 0;
        for (int i = 0; i < 32; i++)
            count = (uint8_t)(count + is_in_window(ranks, rank + i, left, top));
        if (count > place)
            break;
        place -= count;
    }
    for (;; rank++)
        if (is_in_window(ranks, rank, left, top) && place-- == 0)
            return rank;
}
#endif

static void ranks_row(const struct cpu_ranks *ranks, const uint8_t *level, const uint16_t *rest,
                      int row, uint16_t *out, int step, int pixels)
{
    for (int x = 0; x < pixels; x++) {
        const int rank = find_rank(ranks, 256 * level[x], rest[x], x, row);
        out[x * step] = ranks->value[256 * ranks->y[rank] + ranks->x[rank]];
    }
}

/* ---- sorting networks ---- */

/* A set may share those of another set, which NETWORKS names then. */
#ifndef NETWORKS
#define NETWORKS OPS_SUFFIX

#define STORE(line, x, v)     store((VECTOR_SAMPLE *)(line) + (x), (v_u32)(v))
#define STORE_OUT(line, x, v) store_out((VECTOR_SAMPLE *)(line) + (x), (v_u32)(v), streams)
#define LOAD(line, x)         ((VECTOR)load_32((const VECTOR_SAMPLE *)(line) + (x)))
#define VECTOR_SAMPLES        ((int)(VECTOR_BYTES / sizeof(VECTOR_SAMPLE)))

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

const struct cpu_networks OPS_PASTE(cpu_networks_,
                                    OPS_SUFFIX) = {{network_u8_table, network_u16_table}};
#endif

#endif
