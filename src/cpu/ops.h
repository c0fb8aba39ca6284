/* The inner loops of the CPU kernels, one set per instruction set. Each set is a
 * file of its own (cpu/scalar.c, cpu/x86/avx2.c, ...) that includes
 * cpu/ops_template.h and exports one table; the methods (cpu/method.h) do everything else.
 *
 * All of them work on prepared rows: one line of interleaved samples in which
 * the ghost cells left and right already stand, so that there is no edge test
 * inside. Tap (i, j) of output sample x is element x + j*channels of row i. */
#ifndef STENCIL_CPU_OPS_H
#define STENCIL_CPU_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums are made in blocks of so many samples: rows carry as much slack at their end. */
#define CPU_BLOCK       64
#define CPU_COLUMN_ROWS 2   /* of column_16_u8; 4 were slower */
#define CPU_MAX_SIDE    255 /* rows of a mask */

struct cpu_mask {
    int width, height;
    int step; /* elements from one tap to the next: the channels */
    /* Row-major weights in the form the sum wants. Pairs: (height+1)/2 rows of width entries, each
     * the two int16 weights of rows 2p and 2p+1 in the low and the high half. */
    const uint32_t *pair;
    const uint64_t *weight64; /* modulo 2^64 */
};

struct cpu_divide {
    int64_t divisor; /* d */
    int shift;       /* log2(d) where d is a power of two, else -1 */
    int32_t max;
    int64_t bound; /* |sum| + d stays below it */
};

/* The weights of one factor of a rank-1 mask, modulo 2^32. */
struct cpu_taps {
    int count, step; /* elements from one tap to the next, for row sums */
    int twins;       /* of symmetric weights the pairs (count/2), else 0 */
    uint32_t *weight;
};

/* What is the same of all sums that come in two halves; they, and d, stay below 2^49. */
struct cpu_halves {
    int64_t common, start, divisor;
    int64_t cell; /* the weight of the sample in the output's place */
    int32_t max;
};

/* Colour weighted by alpha: (gain * A + offset * B) / (divisor * B) with A the sum of w*c*a and B
 * the one of w*a; alpha: B / weight_sum. */
struct cpu_weighted {
    int channels; /* 2 or 4, the last one alpha */
    int64_t gain, offset, divisor, weight_sum, max;
};

/* Pairs of taps over bytes: two int8 weights, the first one in the bytes 0 and 2, the second one
 * in 1 and 3. The sum of a pair's two products fits int16, whatever the bytes are. */
struct cpu_byte_pairs {
    int count;
    const uint32_t *weight;
};

/* Bytes that are wanted soon, as many as there are sums to make: they are fetched on the way, so
 * that memory works while sums are made. NULL: none. */
struct cpu_ahead {
    const uint8_t *read, *write;
};

/* Division of 16-bit sums v that already hold d/2: v >> shift, or v * factor >> 16 >> shift. */
struct cpu_divide16 {
    bool is_signed;  /* v is int16_t */
    uint16_t factor; /* 0: a power of two */
    int shift;
    uint16_t max;
};

/* Two masks over the same lines of pairs, or of quads: those of two neighbouring rows of output, or
 * two planes of one mask. */
struct cpu_two_masks {
    int pairs, width;          /* lines, taps of a line */
    int step;                  /* elements from one tap to the next: the channels */
    const uint32_t *weight[2]; /* pairs * width entries, two int16 or four int8, row-major */
};

/* As sum_pairs, for two masks at once. */
typedef void cpu_sum_two_rows(const struct cpu_two_masks *masks, const void *const *lines,
                              uint32_t start, void *upper, void *lower, int n);

/* The bounds of a sample whose sum is known approximately: sum * scale + low, + high. */
struct cpu_certify {
    float scale, low, high, max;
};

/* Ends of runs over lines of running sums: element x + at of row `row` is added (the first ones),
 * taken away, or times a weight of its own. */
struct cpu_run_end {
    int row, at;
};
struct cpu_runs {
    int added, taken, others;
    uint32_t weight; /* of what is added and taken */
    const struct cpu_run_end *end;
    const uint32_t *other;
};

/* Fourier transforms of n points (a power of 2, 8 or more), CPU_FFT_LANES side by side: a block is
 * n * CPU_FFT_LANES real parts, then as many imaginary parts, aligned to 64 bytes. */
#define CPU_FFT_LANES 4
struct cpu_fft {
    int n;
    /* Of the steps from length n down by 4, while there are 4: exp(-2 pi i * j * k / length) for
     * j < length/4, k = 1, 2, 3. */
    const double *factors;
};

/* A mask over lines of floating point numbers (reals: float or double). */
struct cpu_real_mask {
    int width, height, step; /* elements from one tap to the next: the channels */
    const void *weight;      /* row-major */
};

/* The bounds of a sample before it is rounded down: value + low and value + high. The value is the
 * sum; or, if it is SCALED, the sum, over its pixel's last one where `divided`, times scale. Of
 * channel 0..3; of fewer channels all are there twice or more. */
struct cpu_real_bounds {
    int channels;
    bool scaled; /* channels is 2 or 4 */
    double max, scale[4], low[4], high[4];
    bool divided[4];
};

/* Of float or double. Lines, sums and marks have slack; samples have none. */
#define CPU_REAL_SLACK (4 * CPU_BLOCK)
struct cpu_real_ops {
    int rows; /* of output, whose sums are made together */
    /* line[x] = samples[x] - centre */
    void (*prepare)(const void *samples, int sample_bytes, int centre, void *line, int n);
    /* Each number times its pixel's last one, which stands there itself. */
    void (*products)(const void *line, int channels, void *product, int n);
    /* Of 1 row of output or of `rows`, the next one of which begins one line further down: the sums
     * over the mask, added to what is there (MORE) or not. Row by row of the mask, one product
     * after the other. */
    void (*sums)(const struct cpu_real_mask *mask, const void *const *lines, int rows, bool more,
                 void *const *sums, int n);
    /* Samples, which are the floors of the lower bounds, clamped; doubtful: 1 where those of the
     * upper ones differ, and where a divisor is 0, else 0. */
    void (*certify)(const struct cpu_real_bounds *bounds, const void *sums, int sample_bytes,
                    void *out, uint8_t *doubtful, int n);
};

struct cpu_ops {
    const char *name;
    /* So many rounds of the set's fastest multiply-adds; how many operations they were. */
    double (*multiply_adds)(int rounds);

    /* sum[x] = start + sum over taps, modulo 2^32 or 2^64, for x in 0..n-1 rounded up to
     * CPU_BLOCK. All arithmetic wraps, and wrapping is exact because the plan's bound says
     * that the final value fits. */
    /* rows[p] are pair rows: element x holds samples (2p, x) and (2p+1, x) as two int16. */
    void (*sum_pairs)(const struct cpu_mask *mask, const uint32_t *const *rows, uint32_t start,
                      int32_t *sum, int n);
    void (*sum_64)(const struct cpu_mask *mask, const uint32_t *const *rows, uint64_t start,
                   int64_t *sum, int n);
    /* The same where all weights are alike; exactly n of them. */
    void (*row_slide_32)(const struct cpu_taps *taps, const uint32_t *column, uint32_t start,
                         uint32_t *sum, int n);
    /* pair[x] = upper[x] | lower[x] << 16 for x in 0..n-1, no element more */
    void (*pairs_u8)(const uint8_t *upper, const uint8_t *lower, uint32_t *pair, int n);
    /* The same of 16 bits, each minus 32768. */
    void (*pairs_u16)(const uint16_t *upper, const uint16_t *lower, uint32_t *pair, int n);
    /* Over lines of pairs, of either width. */
    cpu_sum_two_rows *sum_two_rows;
    /* Over lines of four rows of bytes, or NULL: quad[x] = row[0][x] in the lowest byte, row[3][x]
     * in the highest one, or as the sums want it; weights are any int8. */
    void (*byte_quads)(const uint8_t *const row[4], uint32_t *quad, int n);
    cpu_sum_two_rows *quad_two_rows;
    /* With weights of 16 bits, 256 * a + b: behind both masks with a lie those with b. */
    cpu_sum_two_rows *quad_two_planes;
    /* Over lines of pair[x] = upper[x] | lower[x] << 8, or NULL. A tap's entry is two int8, twice,
     * whose products' sum fits int16; behind both masks lies for each tap whether int16 sums are
     * full after it. */
    void (*byte_pairs)(const uint8_t *upper, const uint8_t *lower, uint16_t *pair, int n);
    cpu_sum_two_rows *byte_two_rows;
    cpu_sum_two_rows *byte_two_rows_16; /* sums of 16 bits, for divide_16_u8 */
    /* out = floor of the lower bound, clamped; doubtful = 1 where the upper one's differs, else 0
     */
    void (*certify_u8)(const struct cpu_certify *certify, const int32_t *sum, uint8_t *out,
                       uint8_t *doubtful, int n);
    /* Of the columns c[x] and c[x + step] the upper halves side by side, and the lower ones, each
     * minus 32768. */
    void (*split_taps)(const uint32_t *column, int step, uint32_t *upper, uint32_t *lower, int n);
    /* out = clamp(floor((S + d/2) / d)), S = common * (upper * 65536 + lower) + start + cell * in
     */
    void (*divide_halves)(const struct cpu_halves *halves, const int32_t *upper,
                          const int32_t *lower, const uint16_t *in, uint16_t *out, int n);

    /* sum[x] = start + sum over pairs of weight * at[2p][x] + weight * at[2p + 1][x], modulo 2^16,
     * n rounded up to CPU_BLOCK. The order within a block is the instruction set's own; the two
     * below it know it, and a line of sums may be added to another one. */
    void (*byte_sums)(const struct cpu_byte_pairs *pairs, const uint8_t *const *at, uint16_t start,
                      uint16_t *sum, int n, struct cpu_ahead ahead);
    void (*divide_16_u8)(const struct cpu_divide16 *divide, const uint16_t *sum, uint8_t *out,
                         int n);
    /* out = clamp(round(sqrt(gx^2 + gy^2))), |gx|, |gy| <= INT16_MAX */
    void (*gradient_16_u8)(const int16_t *gx, const int16_t *gy, uint32_t max, uint8_t *out, int n);
    /* out[r] = divide_16_u8 of start + sum over taps of weight[i] * row[r + i][x], for up to
     * CPU_COLUMN_ROWS rows at once, which share what is loaded: taps + rows - 1 lines */
    void (*column_16_u8)(const struct cpu_taps *taps, const uint16_t *const *row, uint16_t start,
                         const struct cpu_divide16 *divide, uint8_t *const *out, int rows, int n);

    /* sum[x] = sum over taps of weight[i] * row[i][first + x], for x in 0..n-1, no element more:
     * the rows are the picture's own. Modulo 2^32. */
    void (*column_32_u8)(const struct cpu_taps *taps, const void *const *row, size_t first,
                         uint32_t *sum, int n);
    void (*column_32_u16)(const struct cpu_taps *taps, const void *const *row, size_t first,
                          uint32_t *sum, int n);
    /* sum[x] += weight * (enters[first + x] - leaves[first + x]) */
    void (*column_slide_u8)(uint32_t weight, const void *enters, const void *leaves, size_t first,
                            uint32_t *sum, int n);
    void (*column_slide_u16)(uint32_t weight, const void *enters, const void *leaves, size_t first,
                             uint32_t *sum, int n);
    /* sum[x] = start + sum over taps of weight[j] * column[x + j*step], n rounded up to
     * CPU_BLOCK. */
    void (*row_32)(const struct cpu_taps *taps, const uint32_t *column, uint32_t start,
                   uint32_t *sum, int n);

    /* out = clamp(floor((sum + d/2) / d)); out has 1 or 2 bytes a sample */
    void (*divide_32_u8)(const struct cpu_divide *divide, const int32_t *sum, uint8_t *out, int n);
    void (*divide_32_u16)(const struct cpu_divide *divide, const int32_t *sum, uint16_t *out,
                          int n);
    /* quotient = clamp(floor((sum + d/2) / d)), |sum| + d < 2^49 */
    void (*divide_64)(const struct cpu_divide *divide, const int64_t *sum, int32_t *quotient,
                      int n);
    /* quotient = clamp(round(...)) of cpu_weighted where B > 0, else -1 (alpha: 0); PRODUCT has A,
     * PLAIN has B in alpha's places. Numerators and half the denominators stay below 2^49 together.
     */
    void (*weighted)(const struct cpu_weighted *weighted, const uint32_t *plain,
                     const uint32_t *product, int32_t *quotient, int n);
    /* size = clamp(round(sqrt(gx^2 + gy^2))), |gx|, |gy| < 2^30 */
    void (*gradient_32)(const int32_t *gx, const int32_t *gy, int32_t max, int32_t *size, int n);

    /* sum[x] = start + the ends' sum, modulo 2^32, n rounded up to CPU_BLOCK */
    void (*sum_runs)(const struct cpu_runs *runs, const uint32_t *const *rows, uint32_t start,
                     int32_t *sum, int n);

    /* A block's transforms, to an order of frequencies that only fft_back knows; back: the inverse
     * times n. */
    void (*fft_forward)(const struct cpu_fft *fft, double *block);
    void (*fft_back)(const struct cpu_fft *fft, double *block);
    /* block *= spectrum, which is a block too */
    void (*fft_multiply)(const double *spectrum, double *block, int n);
    /* Matrices of CPU_FFT_LANES vectors, turned: the k-th lies at from + k * from_step. */
    void (*fft_turn)(const double *from, size_t from_step, double *to, size_t to_step, int count);
    /* floor((value + round - round) * inverse + add), clamped to 0 .. max */
    void (*fft_floor)(const double *value, double round, double inverse, double add, double max,
                      int32_t *out, int n);

    struct cpu_real_ops real[2]; /* of float, of double */
};

/* Plain C, for every processor; all sets: cpu/processor.h. */
extern const struct cpu_ops cpu_ops_scalar;

#endif
