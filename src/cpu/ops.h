/* The inner loops of the CPU kernels, one set per instruction set. Each set is a file of its own
 * (cpu/scalar.c, cpu/x86/avx2.c, ...) that includes cpu/ops_template.h and exports one table; the
 * methods (cpu/method.h) do everything else.
 *
 * All of them work on prepared rows: one line of interleaved samples that already includes the
 * ghost cells left and right, so that there is no edge test inside. Tap (i, j) of output sample x
 * is element x + j*channels of row i. */
#ifndef STENCIL_CPU_OPS_H
#define STENCIL_CPU_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* gradient_u8 takes gx and gy up to this. The length of such a gradient is at most sqrt(2) times
 * as much: its estimate fits int16. */
#define CPU_MOST_GRADIENT 23000

/* gradient_32 divides by this at most. */
#define CPU_MOST_GRADIENT_DIVISOR 128

/* Sums are made in blocks of this many samples; rows have as much slack at their end. */
#define CPU_BLOCK       64
#define CPU_COLUMN_ROWS 4   /* of column_16_u8, at most */
#define CPU_MAX_SIDE    255 /* rows of a mask */

struct cpu_divide {
    int64_t divisor; /* d */
    int shift;       /* log2(d) if d is a power of two, else -1 */
    int32_t max;
    int64_t bound; /* |sum| + d stays below this; 2^31 or more: the sums have no sign, see
                      cpu/ops_divide.h */
    bool streams;  /* as in struct cpu_tiles */
    bool turned;   /* the sums are in the order of byte_row and word_row */
};

/* The weights of one factor of a rank-1 mask, modulo 2^32. */
struct cpu_taps {
    int count, step; /* elements from one tap to the next, for row sums */
    int twins;       /* symmetric weights: pairs of equal ones (count/2); else 0 */
    uint32_t *weight;
};

/* How sums S in two halves are divided; cpu/ops_divide.h has the bounds. JOINED: as any sums of 32
 * bits; SHIFTED: by shifts of 32 bits; ONCE: by a multiplication of doubles; TWICE: by 2^n and
 * then by the odd number, for d = odd * 2^n. */
enum cpu_halves_way { HALVES_JOINED, HALVES_SHIFTED, HALVES_ONCE, HALVES_TWICE };

/* The constants of sums that come in two halves. */
struct cpu_halves {
    enum cpu_halves_way way;
    int64_t common, start, divisor;
    int64_t cell; /* extra weight of the sample at the output's place */
    int32_t max;
    bool streams; /* as in struct cpu_tiles, if SHIFTED */
};

/* Colour weighted by alpha: (gain * A + offset * B) / (divisor * B) with A the sum of w*c*a and B
 * the sum of w*a; alpha: B / weight_sum. */
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

/* The weights of a gradient's masks for the same pairs of taps: pairs 0 and 1 belong to both masks,
 * pair 2 to the first one only, pair 3 to the second one only. |gx|, |gy| <= CPU_MOST_GRADIENT. */
#define CPU_GRADIENT_PAIRS 4
struct cpu_gradient {
    uint32_t weight[2][CPU_GRADIENT_PAIRS];
    int divisor; /* 1, 2 or 4 */
    uint16_t max;
    bool streams; /* as in struct cpu_tiles */
};

/* Division of 16-bit sums v that already hold d/2: v >> shift, or v * factor >> 16 >> shift. */
struct cpu_divide16 {
    bool is_signed;  /* v is int16_t */
    uint16_t factor; /* 0: a power of two */
    int shift;
    uint16_t max;
    bool streams; /* as in struct cpu_tiles */
};

/* Masks over the same lines of pairs, or of quads: of neighbouring rows of output, or planes of one
 * mask. The weights are pairs * width entries for each mask, two int16 or four int8, row-major. */
struct cpu_masks {
    int pairs, width; /* lines, taps of a line */
    int step;         /* elements from one tap to the next: the channels */
    const uint32_t *weight;
    int low_bits; /* for sum_row and byte_row: where sums are split in halves; 16: they are not */
};

/* sum[r][x] = start + the sum over taps of mask r, modulo 2^32, n rounded up to CPU_BLOCK. */
typedef void cpu_sum_rows(const struct cpu_masks *masks, const void *const *lines, uint32_t start,
                          void *const *sum, int n);

/* ROWS rows of the least or the greatest cells of windows: row i is the best of first[i] and the
 * lines behind it in `first`, of the COUNT lines `between`, and of last[0] .. last[i]. */
#define CPU_TALL_ROWS 8
struct cpu_tall {
    int rows; /* CPU_TALL_ROWS or 4 */
    const void *first[CPU_TALL_ROWS], *last[CPU_TALL_ROWS];
    int count;
    const void *const *between;
    void *block; /* the best of all of `last`; may be one of `between` */
    void *out[CPU_TALL_ROWS];
};
typedef void cpu_tall_rows(const struct cpu_tall *tall, int n); /* rounded up to CPU_BLOCK */

/* OUT[x] = the best of 4 << DOUBLINGS elements: IN[x], IN[x + PART], IN[x + 2 * PART] ... Four are
 * loaded; their best is doubled in registers. For this each half begins in the same vector or the
 * next one, at a multiple of 4 bytes. OUT[x] is right if it needs elements before N only. */
#define CPU_DOUBLINGS 3 /* at most */
typedef void cpu_doubled_row(const void *in, int part, int doublings, void *out, int n,
                             const void *next);

/* Bounds of a sample whose sum is known approximately: sum * scale + low, sum * scale + high. */
struct cpu_certify {
    float scale, low, high, max;
};

/* The changes of a mask's weights along its rows: with running sums R of each row, with R[0] = 0,
 *
 *   sum of w[k] * in[x + k] = sum of (w[k - 1] - w[k]) * R[x + k],  k = 0 .. length, w outside: 0
 *
 * Changes of one size are a group, so that a group needs one multiplication. */
struct cpu_steps {
    int groups;
    struct cpu_step_group {
        uint64_t size;
        int added, taken; /* places whose running sum is added; then those where it is subtracted */
    } * group;
    struct cpu_step {
        int row, at; /* element x + at of row `row` */
    } * step;        /* group after group */
};

/* Fourier transforms of n points (a power of 2, 8 or more), CPU_FFT_LANES side by side: a block is
 * n * CPU_FFT_LANES real parts, then as many imaginary parts, aligned to 64 bytes. */
#define CPU_FFT_LANES 4
struct cpu_fft {
    int n;
    /* For the steps of length n, n/4, ... down to at least 4: exp(-2 pi i * j * k / length) for all
     * j < length/4, k = 1, 2, 3. */
    const double *factors;
};

/* A mask over lines of floating point numbers (reals: float or double). */
struct cpu_real_mask {
    int width, height, step; /* elements from one tap to the next: the channels */
    const void *weight;      /* row-major */
};

/* The bounds of a sample before it is rounded down: value + low and value + high. The value is the
 * sum; if `scaled`, the sum times scale, and if `divided`, over its pixel's last sum. The index is
 * the channel; fewer than 4 channels are repeated. */
struct cpu_real_bounds {
    int channels;
    bool scaled; /* channels is 2 or 4 */
    double max, scale[4], low[4], high[4];
    bool divided[4];
};

/* The loops for float or double. Lines, sums and marks have slack; samples have none. */
#define CPU_REAL_SLACK (4 * CPU_BLOCK)
struct cpu_real_ops {
    int rows; /* of output, whose sums are made together */
    /* line[x] = samples[x] - centre */
    void (*prepare)(const void *samples, int sample_bytes, int centre, void *line, int n);
    /* Each number times its pixel's last number; the last number itself is copied. */
    void (*products)(const void *line, int channels, void *product, int n);
    /* The sums over the mask, for 1 row of output or for `rows` rows, each of which begins one line
     * below the row before. MORE: they are added to the sums that are there. One product is added
     * after the other, row by row of the mask. */
    void (*sums)(const struct cpu_real_mask *mask, const void *const *lines, int rows, bool more,
                 void *const *sums, int n);
    /* out = floor of the lower bound, clamped; doubtful = 1 if the upper bound gives another
     * sample, or if a divisor is 0, else 0. */
    void (*certify)(const struct cpu_real_bounds *bounds, const void *sums, int sample_bytes,
                    void *out, uint8_t *doubtful, int n);
};

/* Histograms of columns of 8-bit samples (cpu/columns.c), one for each sample of a line. A
 * histogram has 16 groups of 16 levels, and its counts are cumulative. Of sample x,
 * group[16 * x + g] counts the cells of the groups 0 .. g, and level[16 * (g * plane + x) + l]
 * those of the levels 0 .. l of group g. Aligned to 16 bytes. */
#define CPU_GROUPS 16
struct cpu_columns {
    int width, channels; /* columns of the window */
    size_t plane;        /* samples from one group's levels to the next group's */
    uint8_t *group, *level;
};

/* The cells of a block, for windows of width x height (cpu/ranks.c). Cells with the ranks 256 * l
 * .. 256 * l + 255 are level l. */
struct cpu_ranks {
    int width, height;
    uint8_t *x, *y;  /* of the cell of a rank */
    uint16_t *value; /* of the cell at 256 * y + x */
};

/* The loops of medians of side x side cells (cpu/network.c): see scripts/make_networks. The inputs
 * are lists of lines, one after the other; n is rounded up to CPU_BLOCK. STREAMS, for medians only:
 * as in struct cpu_tiles. */
typedef void cpu_network_loop(const void *const *in, void *const *out, int n, bool streams);
#define CPU_NETWORKS 7
struct cpu_network {
    int side;
    cpu_network_loop *rows;  /* from a line and its neighbours to `side` lines; or NULL */
    cpu_network_loop *pairs; /* from two rows below each other */
    cpu_network_loop *fours; /* from two pairs */
    /* To four rows of output: from the lists of their common rows, the pair above them, the pair
     * below them, and the row of each output; without `rows` from side + 3 lines and their
     * neighbours. */
    cpu_network_loop *median;
    int pair_lines, four_lines; /* of a list */
};

/* For 8 and for 16 bits: from the smallest side to the largest; those that a set lacks have the
 * side 0. */
struct cpu_networks {
    const struct cpu_network *of[2];
};

/* Each weight of a short table in two bytes, for instructions that look up 16 bytes at once: for
 * the differences 16 * b to 16 * b + 15, the lower bytes and the upper ones, xor those of the next
 * 16 differences. All are repeated, up to the longest vector. */
#define CPU_RANGE_PARTS 8
struct cpu_range_part {
    uint8_t low[64], high[64];
};

/* Bilateral filters, of bytes by float, of 16 bits by double ("reals"). All loops work in whole
 * blocks of CPU_BLOCK. */
#define CPU_BILATERAL_PLANES 4
struct cpu_range {
    int channels;           /* whose absolute differences are summed */
    const uint16_t *weight; /* of each difference up to `most`, whose weight is 0 */
    int most;               /* <= UINT16_MAX */
    int parts;              /* 0: the table is too long */
    int high_parts;         /* the first ones, whose weights have upper bytes */
    const struct cpu_range_part *part;
};
struct cpu_bilateral_taps {
    int count, planes;
    const void *const *weight; /* of tap i for output x: weight[i][x] */
    const void *const *cell;   /* the cell under tap i of output x: cell[i][plane_at[p] + x] */
    size_t plane_at[CPU_BILATERAL_PLANES];
    bool more; /* the taps' sums are added to the sums that are there */
};
/* The error of a quotient, relative to it and absolute. */
struct cpu_bilateral_bounds {
    double relative, absolute;
};
struct cpu_bilateral_ops {
    /* weights[x] = factor * the table's weight of the difference of middle[..][x] and cell[..][x]
     */
    void (*weights)(const struct cpu_range *range, const void *const *middle,
                    const void *const *cell, double factor, void *weights, int n);
    /* sums[p] (+)= the sum of weight * cell; sums[planes]: of the weights alone */
    void (*sums)(const struct cpu_bilateral_taps *taps, void *const *sums, int n);
    /* Makes the means of one block: mean[p] = floor(sums[p] / weights + 1/2). Sets doubtful[x] if
     * the bounds allow another mean in any plane, or if the weight is 0. Returns whether it has set
     * any. */
    bool (*means)(const struct cpu_bilateral_bounds *bounds, int planes, const void *const *sums,
                  const void *weights, int32_t *const *mean, int32_t *doubtful);
};

struct cpu_ops {
    const char *name;
    int vector_bytes; /* of a register */
    /* Runs ROUNDS rounds of the set's fastest multiply-adds; returns the number of operations. */
    double (*multiply_adds)(int rounds);

    /* As row_32, with equal weights; makes exactly n sums. Here and below all arithmetic wraps, and
     * wrapping is exact because the plan's bound says that the final value fits. */
    void (*row_slide_32)(const struct cpu_taps *taps, const uint32_t *column, uint32_t start,
                         uint32_t *sum, int n);
    /* pair[x] = upper[x] | lower[x] << 16 for x in 0..n-1, no element more */
    void (*pairs_u8)(const uint8_t *upper, const uint8_t *lower, uint32_t *pair, int n);
    /* As pairs_u8 for 16 bits, each sample minus 32768. */
    void (*pairs_u16)(const uint16_t *upper, const uint16_t *lower, uint32_t *pair, int n);
    /* Over lines of pairs_u8 or pairs_u16, for 1, 2 or 4 rows of output. sum_row: n is rounded up
     * to twice CPU_BLOCK; a sum is split into halves of 16 bits: sum >> low_bits, and its low_bits
     * lowest bits. */
    cpu_sum_rows *sum_row, *sum_two_rows, *sum_four_rows;
    /* Over lines of four rows of bytes, or NULL: quad[x] = row[0][x] in the lowest byte, row[3][x]
     * in the highest one, or in the form that the sums need; weights are any int8. */
    void (*byte_quads)(const uint8_t *const row[4], uint32_t *quad, int n);
    cpu_sum_rows *quad_four_rows;
    /* Two rows, with weights of 16 bits, 256 * a + b: first come both masks with a, then both with
     * b. */
    cpu_sum_rows *quad_two_planes;
    /* Over lines of pair[x] = upper[x] | lower[x] << 8, or NULL. A tap's entry is two int8, stored
     * twice; the sum of their products fits int16. After both masks comes one flag per tap: are
     * int16 sums full after this tap? */
    void (*byte_pairs)(const uint8_t *upper, const uint8_t *lower, uint16_t *pair, int n);
    cpu_sum_rows *byte_two_rows;
    cpu_sum_rows *byte_two_rows_16; /* sums of 16 bits, for divide_16_u8 */
    /* out = floor of the lower bound, clamped; doubtful = 1 if the upper bound's differs, else 0 */
    void (*certify_u8)(const struct cpu_certify *certify, const int32_t *sum, uint8_t *out,
                       uint8_t *doubtful, int n);
    /* upper = the upper halves of first[x] and second[x] side by side; lower = the lower halves,
     * each minus 32768. */
    void (*split_halves)(const uint32_t *first, const uint32_t *second, uint32_t *upper,
                         uint32_t *lower, int n);
    /* As sum_row, over samples, in an order of the sums that is private to the set. NULL: there is
     * none. As many samples as n is rounded up by are read behind the last tap, too. QUADS has 4 *
     * width taps, 256 * the first mask + the second one. Of words, 32768 is subtracted. */
    void (*byte_row)(const struct cpu_masks *quads, const uint8_t *row, uint32_t *sum, int n);
    void (*word_row)(const struct cpu_masks *mask, const uint16_t *row, uint32_t *sum, int n);
    /* out = clamp(floor((S + d/2) / d)), S = common * (upper * 65536 + lower) + start + cell * in,
     * for divisions that are not SHIFTED; and for those that are. */
    void (*divide_halves)(const struct cpu_halves *halves, const int32_t *upper,
                          const int32_t *lower, const uint16_t *in, uint16_t *out, int n);
    void (*shift_halves)(const struct cpu_halves *halves, const int32_t *upper,
                         const int32_t *lower, uint16_t *out, int n);

    /* sum[x] = start + sum over pairs of weight * at[2p][x] + weight * at[2p + 1][x], modulo 2^16,
     * n rounded up to CPU_BLOCK. The order within a block is private to the instruction set: the
     * functions below know it. A line of sums may be added to another line. NEXT: bytes that will
     * be read soon, as many as sums are made; they are fetched into the L2 cache meanwhile. NULL:
     * none. */
    void (*byte_sums)(const struct cpu_byte_pairs *pairs, const uint8_t *const *at, uint16_t start,
                      uint16_t *sum, int n, const uint8_t *next);
    void (*divide_16_u8)(const struct cpu_divide16 *divide, const uint16_t *sum, uint8_t *out,
                         int n);
    /* out = clamp(round(sqrt(gx^2 + gy^2) / divisor)), where gx and gy are sums as those of
     * byte_sums; reads n rounded up to CPU_BLOCK */
    void (*gradient_u8)(const struct cpu_gradient *gradient, const uint8_t *const *at, uint8_t *out,
                        int n, const uint8_t *next);
    /* out[r] = divide_16_u8 of start + sum over taps of weight[i] * row[r + i][x], for up to
     * CPU_COLUMN_ROWS rows at once, which share the loads of taps + rows - 1 lines */
    void (*column_16_u8)(const struct cpu_taps *taps, const uint16_t *const *row, uint16_t start,
                         const struct cpu_divide16 *divide, uint8_t *const *out, int rows, int n);

    /* sum[x] = sum over taps of weight[i] * row[i][first + x], for x in 0..n-1, no element more,
     * because the rows are the picture's own, of BYTES bytes a sample. Modulo 2^32. */
    void (*column_32)(const struct cpu_taps *taps, const void *const *row, size_t first, int bytes,
                      uint32_t *sum, int n);
    /* sum[x] += weight * (enters[first + x] - leaves[first + x]) */
    void (*column_slide)(uint32_t weight, const void *enters, const void *leaves, size_t first,
                         int bytes, uint32_t *sum, int n);
    /* sum[x] = start + sum over taps of weight[j] * column[x + j*step], n rounded up to
     * CPU_BLOCK. */
    void (*row_32)(const struct cpu_taps *taps, const uint32_t *column, uint32_t start,
                   uint32_t *sum, int n);

    /* out = clamp(floor((sum + d/2) / d)); BYTES: of 1 byte a sample, not 2 */
    void (*divide_32)(const struct cpu_divide *divide, const int32_t *sum, bool bytes, void *out,
                      int n);
    /* quotient = clamp(floor((sum + d/2) / d)), |sum| + d < 2^49 */
    void (*divide_64)(const struct cpu_divide *divide, const int64_t *sum, int32_t *quotient,
                      int n);
    /* quotient = clamp(round(...)) of cpu_weighted if B > 0, else -1 (alpha: 0). PRODUCT has A,
     * PLAIN has B in alpha's places. Numerator + denominator/2 stays below 2^49. */
    void (*weighted)(const struct cpu_weighted *weighted, const uint32_t *plain,
                     const uint32_t *product, int32_t *quotient, int n);
    /* size = clamp(round(sqrt(gx^2 + gy^2) / divisor)), |gx|, |gy| < 2^30 */
    void (*gradient_32)(const int32_t *gx, const int32_t *gy, int divisor, int32_t max,
                        int32_t *size, int n);

    /* out[x] = start + the sum over the steps, modulo 2^32 or 2^64, over running sums of as many
     * bits; n is rounded up to CPU_BLOCK. Of 64 bits there is one row. */
    void (*sum_steps_32)(const struct cpu_steps *steps, const void *const *rows, uint64_t start,
                         void *out, int n);
    void (*sum_steps_64)(const struct cpu_steps *steps, const void *const *rows, uint64_t start,
                         void *out, int n);

    /* Transforms a block. Only fft_back knows the order of the frequencies. fft_back: the inverse
     * times n. */
    void (*fft_forward)(const struct cpu_fft *fft, double *block);
    void (*fft_back)(const struct cpu_fft *fft, double *block);
    /* block *= spectrum, which is a block too */
    void (*fft_multiply)(const double *spectrum, double *block, int n);
    /* Transposes matrices of CPU_FFT_LANES vectors; the k-th one is at from + k * from_step. */
    void (*fft_turn)(const double *from, size_t from_step, double *to, size_t to_step, int count);
    /* floor((value + round - round) * inverse + add), clamped to 0 .. max */
    void (*fft_floor)(const double *value, double round, double inverse, double add, double max,
                      int32_t *out, int n);

    struct cpu_real_ops real[2]; /* of float, of double */
    struct cpu_bilateral_ops bilateral[2];
    /* Pixels of bytes to planes, one for each channel; and planes of int32 to pixels of bytes. */
    void (*planes_u8)(const uint8_t *pixels, int channels, uint8_t *const *planes, int n);
    /* floats = samples, times alpha if that is not NULL */
    void (*floats_u8)(const uint8_t *samples, const uint8_t *alpha, float *floats, int n);
    void (*pixels_u8)(const int32_t *const *planes, int channels, uint8_t *pixels, int n);

    /* out[x] = the least or the greatest of at[0][x] .. at[count - 1][x], n rounded up to
     * CPU_BLOCK; [0] of 8 bits, [1] of 16. Lines are read from the left to the right, so OUT may
     * be one of them, or begin before it. STREAMS: as in struct cpu_tiles. */
    void (*least[2])(const void *const *at, int count, void *out, int n, const void *next,
                     bool streams);
    void (*greatest[2])(const void *const *at, int count, void *out, int n, const void *next,
                        bool streams);
    cpu_tall_rows *tall[2][2];      /* [0] of the least, [1] of the greatest; then as `least` */
    cpu_doubled_row *doubled[2][2]; /* NULL: the set does not have it */
    /* Adds a sample of ENTERS to each of N columns and takes one of LEAVES, if that is not NULL. */
    void (*columns_change)(const struct cpu_columns *columns, const uint8_t *leaves,
                           const uint8_t *enters, int n);
    /* Makes every channels-th sample of OUT, PIXELS in all, from that column on: the sample at
     * PLACE among the sorted samples of the window's columns. REST, if that is not NULL: its
     * place among those of its level. */
    void (*columns_row)(const struct cpu_columns *columns, int channel, int place, uint8_t *out,
                        uint16_t *rest, int pixels);
    /* Makes every step-th sample of OUT, PIXELS in all: of the cells of LEVEL[x] in the window
     * whose upper left cell is (x, ROW), the one at place REST[x]. */
    void (*ranks_row)(const struct cpu_ranks *ranks, const uint8_t *level, const uint16_t *rest,
                      int row, uint16_t *out, int step, int pixels);
    const struct cpu_networks *networks;
};

/* The networks of the sets that other sets share. */
extern const struct cpu_networks cpu_networks_scalar, cpu_networks_avx2, cpu_networks_neon;

/* Plain C, for every processor; all sets: cpu/processor.h. */
extern const struct cpu_ops cpu_ops_scalar;

#endif
