/* The loops of bilateral filters in portable C, for one type of floating point; a part of
 * cpu/ops_template.h, which includes it for float and for double. REAL is the type. What the loops
 * do: struct cpu_bilateral_ops; why they are right: cpu/bilateral.c. No guard: it is included
 * twice. */
#define REAL_PASTE2(a, b) a##_##b
#define REAL_PASTE(a, b)  REAL_PASTE2(a, b)
#define REAL_NAME(a)      REAL_PASTE(a, REAL)
#define REAL_WIDE         REAL_NAME(real_wide)
#define REAL_ADD          REAL_NAME(REAL_ADD)
#define WIDE_LANES        (VECTOR_BYTES / (int)sizeof(REAL))

static void REAL_NAME(bilateral_weights)(const struct cpu_range *range,
                                         const uint16_t *const *middle, const uint16_t *const *cell,
                                         double factor, void *weights, int n)
{
    const REAL *table = range->table, by = (REAL)factor;
    const v_u16 most = (uint16_t)range->most - (v_u16){0};
    REAL *restrict to = weights;

    for (int x = 0; x < n; x += CPU_BLOCK) {
        uint16_t d[CPU_BLOCK];
        for (int k = 0; k < CPU_BLOCK; k += WORDS) {
            v_u16 sum = {0};
            for (int c = 0; c < range->channels; c++) {
                v_u16 a = load_16(middle[c] + x + k), b = load_16(cell[c] + x + k);
                v_u16 away = max_u16(a, b) - min_u16(a, b);
                sum += min_u16(away, ~sum); /* saturates */
            }
            store(d + k, (v_u32)min_u16(sum, most));
        }
        for (int k = 0; k < CPU_BLOCK; k++)
            to[x + k] = table[d[k]] * by;
    }
}

/* A block of sums over one row of the window. PLANES is a constant where this is inlined. */
INLINE void REAL_NAME(bilateral_block)(const struct cpu_bilateral_row *row, int planes,
                                       void *const *sums, int x)
{
    enum { VECTORS = 2 };
    REAL_WIDE acc[CPU_BILATERAL_PLANES + 1][VECTORS], factor;

    for (int p = 0; p <= planes; p++)
        for (int k = 0; k < VECTORS; k++)
            acc[p][k] = (REAL_WIDE){0};
    for (int j = 0; j < row->taps; j++) {
        UNROLL
        for (int k = 0; k < VECTORS; k++) {
            const int at = x + k * WIDE_LANES;
            REAL_WIDE w = (REAL_WIDE)load_32((const REAL *)row->weight[j] + at);
            UNROLL
            for (int p = 0; p < planes; p++)
                acc[p][k] = REAL_ADD(acc[p][k],
                                     (REAL_WIDE)load_32((const REAL *)row->plane[p] + at + j), w);
            acc[planes][k] += w;
        }
    }
    factor = (REAL)row->factor - (REAL_WIDE){0};
    for (int p = 0; p <= planes; p++)
        for (int k = 0; k < VECTORS; k++) {
            REAL *at = (REAL *)sums[p] + x + k * WIDE_LANES;
            REAL_WIDE sum = row->more ? (REAL_WIDE)load_32(at) : (REAL_WIDE){0};
            store(at, (v_u32)REAL_ADD(sum, acc[p][k], factor));
        }
}

static void REAL_NAME(bilateral_sums)(const struct cpu_bilateral_row *row, void *const *sums, int n)
{
    for (int x = 0; x < n; x += 2 * WIDE_LANES)
        if (row->planes == 1)
            REAL_NAME(bilateral_block)(row, 1, sums, x);
        else if (row->planes == 2)
            REAL_NAME(bilateral_block)(row, 2, sums, x);
        else if (row->planes == 3)
            REAL_NAME(bilateral_block)(row, 3, sums, x);
        else
            REAL_NAME(bilateral_block)(row, 4, sums, x);
}

static void REAL_NAME(bilateral_means)(const struct cpu_bilateral_bounds *bounds, const void *sums,
                                       const void *weights, int32_t *mean, uint8_t *doubtful, int n)
{
    const REAL *sum = sums, *weight = weights;
    const REAL below = (REAL)(1 - bounds->relative), above = (REAL)(1 + bounds->relative);
    const REAL low = (REAL)(0.5 - bounds->absolute), high = (REAL)(0.5 + bounds->absolute);

    for (int x = 0; x < n; x += CPU_BLOCK)
        for (int k = x; k < x + CPU_BLOCK; k++) {
            const bool none = weight[k] <= 0;
            const REAL q = sum[k] / (none ? 1 : weight[k]);
            const int32_t at_least = (int32_t)(q * below + low);
            const int32_t at_most = (int32_t)(q * above + high);
            mean[k] = at_least;
            doubtful[k] = none | (at_least != at_most);
        }
}

#undef REAL_ADD
#undef WIDE_LANES
#undef REAL_WIDE
#undef REAL_NAME
#undef REAL_PASTE
#undef REAL_PASTE2
#undef REAL
