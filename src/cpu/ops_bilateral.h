/* The loops of bilateral filters in portable C, for one type of floating point; a part of
 * cpu/ops_template.h, which includes it for float and for double. REAL is the type, REAL_BITS an
 * integer as wide, REAL_SAMPLE the type of samples and REAL_WORDS loads them as words. What the
 * loops do: struct cpu_bilateral_ops; why they are right: cpu/bilateral.c. Only the loops for bytes
 * have a guard: the rest is included twice. */
#ifndef STENCIL_CPU_OPS_BILATERAL_H
#define STENCIL_CPU_OPS_BILATERAL_H

/* CHANNELS is a constant where this is inlined, so that compilers make vectors. */
INLINE void split_pixels(const uint8_t *restrict pixels, int channels, uint8_t *const *planes,
                         int n)
{
    uint8_t *restrict a = planes[0], *restrict b = planes[channels > 1 ? 1 : 0];
    uint8_t *restrict c = planes[channels > 2 ? 2 : 0], *restrict d = planes[channels - 1];

    for (int x = 0; x < n; x++) {
        a[x] = pixels[x * channels];
        if (channels > 1)
            b[x] = pixels[x * channels + 1];
        if (channels > 2)
            c[x] = pixels[x * channels + 2];
        if (channels > 3)
            d[x] = pixels[x * channels + 3];
    }
}

static void planes_u8(const uint8_t *pixels, int channels, uint8_t *const *planes, int n)
{
    if (channels == 1)
        split_pixels(pixels, 1, planes, n);
    else if (channels == 2)
        split_pixels(pixels, 2, planes, n);
    else if (channels == 3)
        split_pixels(pixels, 3, planes, n);
    else
        split_pixels(pixels, 4, planes, n);
}

static void floats_u8(const uint8_t *restrict samples, const uint8_t *restrict alpha,
                      float *restrict floats, int n)
{
    if (alpha)
        for (int x = 0; x < n; x++)
            floats[x] = (float)(samples[x] * alpha[x]);
    else
        for (int x = 0; x < n; x++)
            floats[x] = samples[x];
}

INLINE void join_pixels(const int32_t *const *planes, int channels, uint8_t *restrict pixels, int n)
{
    const int32_t *restrict a = planes[0], *restrict b = planes[channels > 1 ? 1 : 0];
    const int32_t *restrict c = planes[channels > 2 ? 2 : 0], *restrict d = planes[channels - 1];

    for (int x = 0; x < n; x++) {
        pixels[x * channels] = (uint8_t)a[x];
        if (channels > 1)
            pixels[x * channels + 1] = (uint8_t)b[x];
        if (channels > 2)
            pixels[x * channels + 2] = (uint8_t)c[x];
        if (channels > 3)
            pixels[x * channels + 3] = (uint8_t)d[x];
    }
}

static void pixels_u8(const int32_t *const *planes, int channels, uint8_t *pixels, int n)
{
    if (channels == 1)
        join_pixels(planes, 1, pixels, n);
    else if (channels == 2)
        join_pixels(planes, 2, pixels, n);
    else if (channels == 3)
        join_pixels(planes, 3, pixels, n);
    else
        join_pixels(planes, 4, pixels, n);
}

INLINE v_u16 words_of_u8(const uint8_t *at)
{
    typedef uint8_t half __attribute__((vector_size(VECTOR_BYTES / 2)));
    half v;
    memcpy(&v, at, sizeof v);
    return __builtin_convertvector(v, v_u16);
}

INLINE v_u16 words_of_u16(const uint16_t *at)
{
    return load_16(at);
}

#ifdef LOOK_UP_PARTS
/* Some vectors of differences of bytes at a time, which share the loads of tables. CHANNELS is a
 * constant where this is inlined. Sums saturate: differences of 128 or more have the weight 0. */
INLINE void weights_of_bytes(const struct cpu_range *range, const void *const *middle,
                             const void *const *cell, int channels, float by,
                             float *restrict weights, int n)
{
    const uint8_t *a[CPU_BILATERAL_PLANES], *b[CPU_BILATERAL_PLANES];

    for (int c = 0; c < channels; c++) {
        a[c] = middle[c];
        b[c] = cell[c];
    }
    for (int x = 0; x < n; x += LOOK_UP_PARTS * VECTOR_BYTES) {
        uint16_t found[LOOK_UP_PARTS * VECTOR_BYTES];
        v_u8 d[LOOK_UP_PARTS];
        UNROLL
        for (int k = 0; k < LOOK_UP_PARTS; k++) {
            d[k] = (v_u8){0};
            for (int c = 0; c < channels; c++) {
                v_u8 one = (v_u8)load_32(a[c] + x + k * VECTOR_BYTES);
                v_u8 other = (v_u8)load_32(b[c] + x + k * VECTOR_BYTES);
                d[k] = add_saturated_u8(d[k], max_u8(one, other) - min_u8(one, other));
            }
        }
        look_up_parts(range, d, found);
        UNROLL
        for (int k = 0; k < LOOK_UP_PARTS * VECTOR_BYTES; k += LANES) {
            v_f32 v = __builtin_convertvector((v_s32)widen_u16_32(found + k), v_f32);
            store(weights + x + k, (v_u32)(v * by));
        }
    }
}

static void weights_by_parts(const struct cpu_range *range, const void *const *middle,
                             const void *const *cell, float by, float *weights, int n)
{
    if (range->channels == 1)
        weights_of_bytes(range, middle, cell, 1, by, weights, n);
    else if (range->channels == 3)
        weights_of_bytes(range, middle, cell, 3, by, weights, n);
    else
        weights_of_bytes(range, middle, cell, range->channels, by, weights, n);
}
#endif

#endif

#define REAL_PASTE2(a, b) a##_##b
#define REAL_PASTE(a, b)  REAL_PASTE2(a, b)
#define REAL_NAME(a)      REAL_PASTE(a, REAL)
#define REAL_WIDE         REAL_NAME(real_wide)
#define REAL_ADD          REAL_NAME(REAL_ADD)
#define WIDE_LANES        (VECTOR_BYTES / (int)sizeof(REAL))
#define REAL_INTS         REAL_NAME(bilateral_ints)
#define REAL_BOOLS        REAL_NAME(bilateral_bools)

typedef int32_t REAL_INTS __attribute__((vector_size(4 * WIDE_LANES)));
typedef REAL_BITS REAL_BOOLS __attribute__((vector_size(VECTOR_BYTES)));

/* D = the sums of absolute differences of CHANNELS planes, at most MOST. CHANNELS is a constant
 * where this is inlined. Sums of bytes need not saturate. */
INLINE void REAL_NAME(bilateral_differences)(const void *const *middle, const void *const *cell,
                                             int channels, int most, uint16_t *d, int n)
{
    const v_u16 limit = (uint16_t)most - (v_u16){0};

    for (int x = 0; x < n; x += WORDS) {
        v_u16 sum = {0};
        UNROLL
        for (int c = 0; c < channels; c++) {
            v_u16 a = REAL_WORDS((const REAL_SAMPLE *)middle[c] + x);
            v_u16 b = REAL_WORDS((const REAL_SAMPLE *)cell[c] + x);
            v_u16 away = max_u16(a, b) - min_u16(a, b);
            sum += sizeof(REAL_SAMPLE) == 1 ? away : min_u16(away, ~sum);
        }
        store(d + x, (v_u32)min_u16(sum, limit));
    }
}

/* In three loops over some blocks, so that no vector is loaded while its numbers are on their way
 * to memory. */
static void REAL_NAME(bilateral_weights)(const struct cpu_range *range, const void *const *middle,
                                         const void *const *cell, double factor, void *weights,
                                         int n)
{
    enum { CHUNK = 8 * CPU_BLOCK };
    const REAL by = (REAL)factor;

#ifdef LOOK_UP_PARTS
    if (sizeof(REAL_SAMPLE) == 1 && range->parts > 0) {
        weights_by_parts(range, middle, cell, (float)factor, weights, n);
        return;
    }
#endif
    for (int x = 0; x < n; x += CHUNK) {
        const int count = n - x < CHUNK ? (n - x + CPU_BLOCK - 1) / CPU_BLOCK * CPU_BLOCK : CHUNK;
        const void *a[CPU_BILATERAL_PLANES], *b[CPU_BILATERAL_PLANES];
        REAL *restrict to = (REAL *)weights + x;
        uint16_t d[CHUNK];
        for (int c = 0; c < range->channels; c++) {
            a[c] = (const REAL_SAMPLE *)middle[c] + x;
            b[c] = (const REAL_SAMPLE *)cell[c] + x;
        }
        if (range->channels == 1)
            REAL_NAME(bilateral_differences)(a, b, 1, range->most, d, count);
        else if (range->channels == 3)
            REAL_NAME(bilateral_differences)(a, b, 3, range->most, d, count);
        else
            REAL_NAME(bilateral_differences)(a, b, range->channels, range->most, d, count);
        look_up(range->weight, d, count);
        for (int k = 0; k < count; k++)
            to[k] = (REAL)(int32_t)d[k] * by;
    }
}

/* A block of sums. PLANES is a constant where this is inlined. */
INLINE void REAL_NAME(bilateral_block)(const struct cpu_bilateral_taps *taps, int planes,
                                       void *const *sums, int x)
{
    enum { VECTORS = 2 };
    REAL_WIDE acc[CPU_BILATERAL_PLANES + 1][VECTORS];
    size_t at[CPU_BILATERAL_PLANES];

    for (int p = 0; p <= planes; p++)
        for (int k = 0; k < VECTORS; k++)
            acc[p][k] = (REAL_WIDE){0};
    for (int p = 0; p < planes; p++)
        at[p] = taps->plane_at[p];
    for (int i = 0; i < taps->count; i++) {
        const REAL *weight = (const REAL *)taps->weight[i] + x;
        const REAL *cell = (const REAL *)taps->cell[i] + x;
        UNROLL
        for (int k = 0; k < VECTORS; k++) {
            REAL_WIDE w = (REAL_WIDE)load_32(weight + k * WIDE_LANES);
            UNROLL
            for (int p = 0; p < planes; p++)
                acc[p][k] =
                    REAL_ADD(acc[p][k], (REAL_WIDE)load_32(cell + at[p] + k * WIDE_LANES), w);
            acc[planes][k] += w;
        }
    }
    for (int p = 0; p <= planes; p++)
        for (int k = 0; k < VECTORS; k++) {
            REAL *to = (REAL *)sums[p] + x + k * WIDE_LANES;
            if (taps->more)
                acc[p][k] += (REAL_WIDE)load_32(to);
            store(to, (v_u32)acc[p][k]);
        }
}

static void REAL_NAME(bilateral_sums)(const struct cpu_bilateral_taps *taps, void *const *sums,
                                      int n)
{
    for (int x = 0; x < n; x += 2 * WIDE_LANES)
        if (taps->planes == 1)
            REAL_NAME(bilateral_block)(taps, 1, sums, x);
        else if (taps->planes == 2)
            REAL_NAME(bilateral_block)(taps, 2, sums, x);
        else if (taps->planes == 3)
            REAL_NAME(bilateral_block)(taps, 3, sums, x);
        else
            REAL_NAME(bilateral_block)(taps, 4, sums, x);
}

static bool REAL_NAME(bilateral_means)(const struct cpu_bilateral_bounds *bounds, int planes,
                                       const void *const *sums, const void *weights,
                                       int32_t *const *mean, int32_t *doubtful)
{
    const REAL_WIDE zero = {0};
    const REAL_WIDE below = (REAL)(1 - bounds->relative) - zero;
    const REAL_WIDE above = (REAL)(1 + bounds->relative) - zero;
    const REAL_WIDE low = (REAL)(0.5 - bounds->absolute) - zero;
    const REAL_WIDE high = (REAL)(0.5 + bounds->absolute) - zero;
    REAL_INTS any = {0};

    for (int x = 0; x < CPU_BLOCK; x += WIDE_LANES) {
        REAL_WIDE weight = (REAL_WIDE)load_32((const REAL *)weights + x);
        const REAL_BOOLS none = weight <= 0;
        REAL_INTS doubt = __builtin_convertvector(none, REAL_INTS);
        weight -= __builtin_convertvector(none, REAL_WIDE); /* 1 in place of 0 */
        const REAL_WIDE over = 1 / weight;
        for (int p = 0; p < planes; p++) {
            const REAL_WIDE q = (REAL_WIDE)load_32((const REAL *)sums[p] + x) * over;
            const REAL_INTS at_least = __builtin_convertvector(REAL_ADD(low, q, below), REAL_INTS);
            const REAL_INTS at_most = __builtin_convertvector(REAL_ADD(high, q, above), REAL_INTS);
            doubt |= at_least != at_most;
            memcpy(mean[p] + x, &at_least, sizeof at_least);
        }
        memcpy(doubtful + x, &doubt, sizeof doubt);
        any |= doubt;
    }
    for (int k = 1; k < WIDE_LANES; k++)
        any[0] |= any[k];
    return any[0] != 0;
}

#undef REAL_BOOLS
#undef REAL_INTS
#undef REAL_ADD
#undef WIDE_LANES
#undef REAL_WIDE
#undef REAL_NAME
#undef REAL_PASTE
#undef REAL_PASTE2
#undef REAL
#undef REAL_BITS
#undef REAL_SAMPLE
#undef REAL_WORDS
