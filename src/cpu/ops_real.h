/* The inner loops of the method `real` in portable C, for one type of floating point; a part of
 * cpu/ops_template.h, which includes it for float and for double. REAL is the type, REAL_BITS an
 * integer as wide, REAL_LANES the lanes of REAL_VECTOR, REAL_SPREAD_4 and _2 the last lane of each
 * lane's pixel. Why the loops are right: cpu/real_bounds.c. No guard: it is included twice.
 *
 * Sums of REAL_ROWS rows of output are made together, so that each loaded vector of samples serves
 * all of them. The bottleneck are loads, most of which touch two cache lines. */
#define REAL_PASTE2(a, b) a##_##b
#define REAL_PASTE(a, b)  REAL_PASTE2(a, b)
#define REAL_NAME(a)      REAL_PASTE(a, REAL)
#define REAL_VECTOR       REAL_NAME(reals)
#define REAL_MASK         REAL_NAME(real_bits)
#define REAL_WIDE         REAL_NAME(real_wide)
#define REAL_ADD          REAL_NAME(REAL_ADD)
#define WIDE_LANES        (VECTOR_BYTES / (int)sizeof(REAL))

typedef REAL REAL_VECTOR __attribute__((vector_size(REAL_LANES * sizeof(REAL))));
typedef REAL_BITS REAL_MASK __attribute__((vector_size(REAL_LANES * sizeof(REAL))));
typedef REAL REAL_WIDE __attribute__((vector_size(VECTOR_BYTES)));

static void REAL_NAME(real_prepare)(const void *samples, int sample_bytes, int centre, void *line,
                                    int n)
{
    const uint8_t *bytes = samples;
    const uint16_t *words = samples;
    REAL *restrict to = line;
    if (sample_bytes == 1)
        for (int x = 0; x < n; x++)
            to[x] = (REAL)(bytes[x] - centre);
    else
        for (int x = 0; x < n; x++)
            to[x] = (REAL)(words[x] - centre);
}

static void REAL_NAME(real_products)(const void *line, int channels, void *product, int n)
{
    REAL_VECTOR one;
    REAL_MASK last;
    for (int k = 0; k < REAL_LANES; k++) {
        one[k] = 1;
        last[k] = k % channels == channels - 1 ? -1 : 0;
    }
    for (int x = 0; x < n; x += REAL_LANES) {
        REAL_VECTOR v, alpha;
        memcpy(&v, (const REAL *)line + x, sizeof v);
        alpha = channels == 4 ? __builtin_shufflevector(v, v, REAL_SPREAD_4)
                              : __builtin_shufflevector(v, v, REAL_SPREAD_2);
        v *= (REAL_VECTOR)(((REAL_MASK)alpha & ~last) | ((REAL_MASK)one & last));
        memcpy((REAL *)product + x, &v, sizeof v);
    }
}

/* ---- sums ---- */

/* Adds one line to the sums of output rows FIRST to LAST, of ROWS rows. For output row 0 WEIGHT is
 * the mask row; each further output row uses the mask row above. ROWS and VECTORS are constants
 * where this is inlined. */
static inline __attribute__((always_inline)) void REAL_NAME(real_line)(
    REAL_WIDE acc[][REAL_VECTORS * 2], int rows, int vectors, const REAL *line,
    const struct cpu_real_mask *mask, const REAL *weight, int first, int last)
{
    for (int j = 0; j < mask->width; j++, line += mask->step, weight++) {
        REAL_WIDE w[REAL_ROWS];
        for (int r = 0; r < rows; r++)
            if (r >= first && r <= last) /* compilers know that - 0 changes nothing */
                w[r] = weight[-r * mask->width] - (REAL_WIDE){0};
        for (int k = 0; k < vectors; k++) {
            REAL_WIDE v;
            memcpy(&v, line + k * WIDE_LANES, sizeof v);
            KEEP(v);
            for (int r = 0; r < rows; r++)
                if (r >= first && r <= last)
                    acc[r][k] = REAL_ADD(acc[r][k], v, w[r]);
        }
    }
}

static inline __attribute__((always_inline)) void REAL_NAME(real_block)(
    const struct cpu_real_mask *mask, int rows, int vectors, const void *const *lines, bool more,
    void *const *sums, int x)
{
    REAL_WIDE acc[REAL_ROWS][REAL_VECTORS * 2];
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < vectors; k++) {
            REAL_WIDE v = {0};
            if (more)
                memcpy(&v, (REAL *)sums[r] + x + k * WIDE_LANES, sizeof v);
            acc[r][k] = v;
        }
    for (int i = 0; i < mask->height + rows - 1; i++) {
        const REAL *line = (const REAL *)lines[i] + x;
        const REAL *weight = (const REAL *)mask->weight + i * mask->width;
        int first = i < mask->height ? 0 : i - mask->height + 1, last = i < rows ? i : rows - 1;
#define REAL_LINE(first, last)                                                                     \
    case 4 * (first) + (last):                                                                     \
        if ((last) < rows)                                                                         \
            REAL_NAME(real_line)(acc, rows, vectors, line, mask, weight, first, last);             \
        break;
        switch (4 * first + last) { /* first and last become constants */
            REAL_LINE(0, 0)
            REAL_LINE(0, 1)
            REAL_LINE(0, 2)
            REAL_LINE(0, 3)
            REAL_LINE(1, 1)
            REAL_LINE(1, 2)
            REAL_LINE(1, 3)
            REAL_LINE(2, 2)
            REAL_LINE(2, 3)
            REAL_LINE(3, 3)
        }
#undef REAL_LINE
    }
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < vectors; k++) {
            REAL_WIDE v = acc[r][k];
            memcpy((REAL *)sums[r] + x + k * WIDE_LANES, &v, sizeof v);
        }
}

static void REAL_NAME(real_sums)(const struct cpu_real_mask *mask, const void *const *lines,
                                 int rows, bool more, void *const *sums, int n)
{
    if (rows == 1)
        for (int x = 0; x < n; x += 2 * REAL_VECTORS * WIDE_LANES)
            REAL_NAME(real_block)(mask, 1, 2 * REAL_VECTORS, lines, more, sums, x);
    else
        for (int x = 0; x < n; x += REAL_VECTORS * WIDE_LANES)
            REAL_NAME(real_block)(mask, REAL_ROWS, REAL_VECTORS, lines, more, sums, x);
}

/* ---- samples ---- */

/* VALUE: a block of sums, each over its pixel's last sum where DIVIDED is -1, times SCALE. FAR: a
 * large number that separates the bounds if that last sum is 0, else 0. */
static void REAL_NAME(real_divide)(int channels, const REAL *scales, const REAL_BITS *divisions,
                                   const REAL *sums, REAL *value, REAL *far)
{
    const REAL_VECTOR zero = {0}, one = 1 - zero, much = (REAL)0x1p70 - zero;
    REAL_VECTOR scale;
    REAL_MASK divided;
    memcpy(&scale, scales, sizeof scale);
    memcpy(&divided, divisions, sizeof divided);
    for (int x = 0; x < CPU_BLOCK; x += REAL_LANES) {
        REAL_VECTOR s, by;
        REAL_MASK none;
        memcpy(&s, sums + x, sizeof s);
        by = channels == 4 ? __builtin_shufflevector(s, s, REAL_SPREAD_4)
                           : __builtin_shufflevector(s, s, REAL_SPREAD_2);
        by = (REAL_VECTOR)(((REAL_MASK)by & divided) | ((REAL_MASK)one & ~divided));
        none = (REAL_MASK)(by <= zero);
        by = (REAL_VECTOR)((REAL_MASK)by | ((REAL_MASK)one & none));
        s = (REAL_VECTOR)((REAL_MASK)(s / by * scale) & ~none);
        memcpy(value + x, &s, sizeof s);
        s = (REAL_VECTOR)((REAL_MASK)much & none);
        memcpy(far + x, &s, sizeof s);
    }
}

/* Makes samples of TYPE, and marks, from both clamped bounds of COUNT values. FAR may be NULL. The
 * caller's constants are constants here, too. */
#define REAL_CERTIFY(type)                                                                         \
    for (int k = 0; k < count; k++) {                                                              \
        REAL below = value[k] + (far ? low[k % CPU_BLOCK] : *low);                                 \
        REAL above = value[k] + (far ? high[k % CPU_BLOCK] : *high);                               \
        int32_t floor_below, floor_above;                                                          \
        above += far ? far[k] : 0;                                                                 \
        below = below < max ? below : max;                                                         \
        above = above < max ? above : max;                                                         \
        floor_below = (int32_t)(below > 0 ? below : 0);                                            \
        floor_above = (int32_t)(above > 0 ? above : 0);                                            \
        ((type *)out)[k] = (type)floor_below;                                                      \
        doubtful[k] = floor_below != floor_above;                                                  \
    }

static inline __attribute__((always_inline)) void REAL_NAME(real_bounds)(
    const REAL *low, const REAL *high, REAL max, const REAL *restrict value,
    const REAL *restrict far, int sample_bytes, void *restrict out, uint8_t *restrict doubtful,
    int count)
{
    if (sample_bytes == 1)
        REAL_CERTIFY(uint8_t)
    else
        REAL_CERTIFY(uint16_t)
}

static void REAL_NAME(real_certify)(const struct cpu_real_bounds *b, const void *sums,
                                    int sample_bytes, void *out, uint8_t *doubtful, int n)
{
    REAL value[CPU_BLOCK], far[CPU_BLOCK], low[CPU_BLOCK], high[CPU_BLOCK], max = (REAL)b->max;
    REAL scale[CPU_BLOCK]; /* of B the compiler would make vectors again for each block */
    REAL_BITS divided[CPU_BLOCK];
    for (int k = 0; k < CPU_BLOCK; k++) {
        low[k] = (REAL)b->low[k % 4];
        high[k] = (REAL)b->high[k % 4];
        scale[k] = (REAL)b->scale[k % 4];
        divided[k] = b->divided[k % 4] ? -1 : 0;
    }
    if (!b->scaled && sample_bytes == 1 && sizeof(REAL) == sizeof(float)) {
        const struct cpu_certify certify = {1, (float)b->low[0], (float)b->high[0], (float)b->max};
        certify_floats(&certify, sums, out, doubtful, n);
        return;
    }
    if (!b->scaled) {
        REAL_NAME(real_bounds)(low, high, max, sums, NULL, sample_bytes, out, doubtful, n);
        return;
    }
    for (int x = 0; x < n; x += CPU_BLOCK) {
        char *to = (char *)out + x * sample_bytes;
        REAL_NAME(real_divide)(b->channels, scale, divided, (const REAL *)sums + x, value, far);
        if (n - x >= CPU_BLOCK)
            REAL_NAME(real_bounds)
        (low, high, max, value, far, sample_bytes, to, doubtful + x, CPU_BLOCK);
        else REAL_NAME(real_bounds)(low, high, max, value, far, sample_bytes, to, doubtful + x,
                                    n - x);
    }
}

#undef REAL_CERTIFY
#undef REAL_ADD
#undef WIDE_LANES
#undef REAL_WIDE
#undef REAL_MASK
#undef REAL_VECTOR
#undef REAL_NAME
#undef REAL_PASTE
#undef REAL_PASTE2
#undef REAL
#undef REAL_BITS
#undef REAL_LANES
#undef REAL_SPREAD_4
#undef REAL_SPREAD_2
