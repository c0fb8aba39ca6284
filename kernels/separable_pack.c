/* Host side of kernels/separable.cu, whose opening comment explains the matrices: the two factors
 * of a mask are packed into the operands of its matrix products. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "separable_factor.h"

#include "image_job.h"
#include "plan/mask.h"

/* ---- which form ---- */

/* The sum of a factor's weights above 0, and of those below without their signs; the largest of
 * what both take as signed numbers, as -128 fits a byte and 128 does not. */
struct factor {
    int64_t above, below, largest;
};

static struct factor factor_of(const int64_t *weight, int n)
{
    struct factor f = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        int64_t w = weight[i] < 0 ? -weight[i] - 1 : weight[i];
        f.largest = w > f.largest ? w : f.largest;
        *(weight[i] < 0 ? &f.below : &f.above) += weight[i] < 0 ? -weight[i] : weight[i];
    }
    return f;
}

/* The value, in 2^-24, from which the products of halves and column weights start: see
 * halves_start(). */
#define LOWER_START    12582912 /* 2^23 + 2^22 */
#define UPPER_START_10 11546624 /* 2^23 + 3158016 */
#define UPPER_START_8  12533760 /* 2^23 + 4145152, negative */

/* The addend of the division besides the mask's start: a multiple of the divisor, with which no sum
 * is negative. */
static int64_t added(const struct separable_mask *mask, const struct factor *row,
                     const struct factor *column)
{
    int64_t negative = (row->above * column->below + row->below * column->above) * mask->max;
    negative -= mask->start < 0 ? mask->start : 0;
    return (negative + mask->divisor - 1) / mask->divisor * mask->divisor;
}

/* How many units of the upper half make all sums of the row factor not negative; -1 where the upper
 * half then holds too little, or a weight of the column factor is too large for one, or the
 * products' sums are not always where halves_start() wants them: also when they start from what the
 * division adds, if that is less than 2^29. In whatever order products are added up, their sums
 * stay between what all those above 0 make of them and all those below. */
static int halves_shift(const struct separable_mask *mask, const struct factor *row,
                        const struct factor *column, int lower_bits)
{
    const int64_t unit = 1 << lower_bits, shift = (row->below * 255 + unit - 1) / unit;
    const int64_t most = (row->above * 255 + shift * unit) / unit;
    const int64_t up = (most - shift) * column->above + shift * column->below;
    const int64_t down = (most - shift) * column->below + shift * column->above;
    const int64_t adds = mask->start + added(mask, row, column);
    const int64_t bias = (adds < 1 << 29 ? adds : 1 << 29) / unit + 1;
    const int64_t largest = column->above > column->below ? column->above : column->below;

    if (row->largest > INT16_MAX || column->largest >= HALF_MOST || most >= HALF_MOST ||
        (unit - 1) * (largest + 1) >= 1 << 22)
        return -1;
    if (lower_bits == 8 ? UPPER_START_8 - up - bias < 1 << 23 || UPPER_START_8 + down > 1 << 24
                        : UPPER_START_10 - down < 1 << 23 || UPPER_START_10 + up + bias > 1 << 24)
        return -1;
    return (int)shift;
}

/* Up to so many rows it is faster than sums of two bytes, which take fewer products for more rows.
 */
#define WHOLE_FIRST 9

/* WHOLE: of the sums T of the row factor, made not negative by `shift` units of 256, the products
 * leave F = start + the mask's sum of those, a float's whole number; the quotient of the mask's sum
 * S is floor(F * scale + addend / 256), addend whole too. */
struct whole {
    int64_t start, addend;
    int shift;
    float scale;
};

/* With S + o + floor(d/2) = F + r + K*d the quotient is K + floor((F + r)/d). r is such that
 * (r + 1/2)/d is j/256: F/d + j/256 is then nowhere closer to a whole number than 1/2 * 1/d, and
 * may be wrong by less than that. d = 2^e * odd has such an r up to e = 7, and F is in the middle
 * for the best K; for other powers of two r = 0, as F/d is exact. */
static bool whole_of(const struct separable_mask *mask, const struct factor *row,
                     const struct factor *column, struct whole *whole)
{
    const int64_t d = mask->divisor, shift = (row->below * 255 + 255) / 256;
    const int64_t most = row->above * 255 + shift * 256, spread = column->above + column->below;
    const int64_t shifted = 256 * shift * (column->above - column->below);
    int64_t odd = d, r = 0, j = 0, k, largest, error;
    int e = 0, exponent;

    if (mask->max != 255 || row->largest > INT8_MAX || column->largest > UINT8_MAX ||
        most / 256 >= HALF_MOST || d > 1 << 24 || spread * most > 1 << 25)
        return false;
    for (; odd % 2 == 0; e++)
        odd /= 2;
    if (e < 8) {
        r = (odd - 1) / 2;
        j = 128 >> e;
    } else if (odd > 1) {
        return false;
    }
    /* F from start - below * most to start + above * most */
    k = (mask->start - shifted - r + (column->above - column->below) * most / 2) / d;
    whole->start = mask->start - shifted - r - k * d;
    whole->addend = 256 * k + j;
    whole->shift = (int)shift;
    whole->scale = (float)(1 / (double)d);
    largest = whole->start + column->above * most;
    if (largest < column->below * most - whole->start)
        largest = column->below * most - whole->start;
    /* scale * d is 1 + error * 2^(exponent - 24): F times that error is to be below 1/2 */
    error = (int64_t)ldexp(frexpf(whole->scale, &exponent), 24);
    error = error * d - ((int64_t)1 << (24 - exponent));
    return largest <= 1 << 24 && llabs(whole->addend) < 1 << 24 &&
           2 * largest * llabs(error) < (int64_t)1 << (24 - exponent);
}

/* Where the column's weights add up to 2^n, the products' sums are between 2^(10+n) and 2^(11+n):
 * their bits count 2^(n-13). So do those of the mask's sum, and where the divisor is 2^(n+11), the
 * sample is their upper byte. Returns the power of two that the row factor must be multiplied with
 * for that; -1 where it is no such mask. */
static int upper_scale(const struct separable_mask *mask, const struct factor *row,
                       const struct factor *column)
{
    const int64_t down = column->above, d = mask->divisor;
    int scale = 0;
    if (row->below || column->below || down > HALF_MOST || (down & (down - 1)) != 0 ||
        mask->start != d / 2)
        return -1;
    while (d << scale < down << 11)
        scale++;
    return d << scale == down << 11 && row->above << scale <= 2048 ? scale : -1;
}

enum separable_form separable_form_of(const struct separable_mask *mask)
{
    const struct factor row = factor_of(mask->row, mask->width);
    const struct factor column = factor_of(mask->column, mask->height);
    const bool bytes = row.largest <= INT8_MAX && column.largest <= INT8_MAX;
    const bool unsigned_row = !row.below && row.largest <= UINT8_MAX;
    struct whole whole;
    bool fits;
    int scale;

    if (row.largest > INT16_MAX || column.largest > INT16_MAX ||
        row.above + row.below > INT32_MAX / 256 / 255)
        return SEPARABLE_NONE;
    fits = whole_of(mask, &row, &column, &whole);
    if (mask->height <= WHOLE_FIRST && fits)
        return SEPARABLE_WHOLE;
    if (bytes && !row.below && row.above * 255 <= UINT16_MAX)
        return SEPARABLE_1_2_1;
    scale = upper_scale(mask, &row, &column);
    if (scale >= 0)
        return row.largest << scale <= UINT8_MAX ? SEPARABLE_UPPER_1 : SEPARABLE_UPPER_2;
    if (fits)
        return SEPARABLE_WHOLE;
    if (row.largest <= INT8_MAX && halves_shift(mask, &row, &column, 8) >= 0)
        return SEPARABLE_HALVES_1_8;
    if ((unsigned_row || row.largest <= INT8_MAX) && halves_shift(mask, &row, &column, 10) >= 0)
        return unsigned_row ? SEPARABLE_HALVES_1_10 : SEPARABLE_HALVES_SIGNED_10;
    if (bytes)
        return SEPARABLE_1_3_1;
    return halves_shift(mask, &row, &column, 10) >= 0 ? SEPARABLE_HALVES_2_10 : SEPARABLE_2_3_2;
}

bool separable_takes(const struct separable_shape *shape, const struct separable_mask *mask,
                     int64_t bound)
{
    const struct factor row = factor_of(mask->row, mask->width);
    const struct factor column = factor_of(mask->column, mask->height);
    const int64_t d = mask->divisor, below = added(mask, &row, &column);

    /* as sample_divide_fine() has it, and no more than 2^29 for sums of halves to start from */
    return separable_has_fine(shape->lower_bits, shape->row_bytes, shape->blocks) &&
           !shape->upper && mask->max == 255 && d >= 1 << 8 && d <= 1 << 28 &&
           below / d < 1 << 22 && bound + below <= UINT32_MAX && (bound + below) / d < 1 << 22 &&
           mask->start + below < 1 << 29;
}

/* ---- the row factor ---- */

static void pack_row(const struct separable_shape *s, const int64_t *row, int width,
                     void *fragments)
{
    const int window = s->sparse ? 64 : 32; /* bytes of a product */
    uint32_t *places = (uint32_t *)fragments + separable_place_words(s);

    for (int i = 0; i < s->products * s->row_bytes; i++)
        separable_pack_matrix(&s->stage, s->sparse, row, width, i / s->row_bytes * window,
                              i % s->row_bytes, (uint8_t *)fragments + 512 * i, places + 32 * i);
}

/* ---- the column factor, as a band: rows of sums x 8 output rows ---- */

/* A block's and the next one's weights for the lower two of four bytes, and the same for the upper
 * two. */
static void pack_bytes(const struct separable_shape *s, const int64_t *column, int height,
                       uint32_t *out)
{
    for (int i = 0; i < s->blocks * s->column_bytes; i++)
        for (int lane = 0; lane < 32; lane++)
            for (int b = 0; b < 4; b++)
                *out++ = separable_column_word(column, height,
                                               (i / s->column_bytes + b % 2) % s->blocks * 8, lane,
                                               i % s->column_bytes)
                         << b / 2 * 16;
}

/* Two blocks' weights and those of the next two, for the 8 output rows that begin with them, and
 * all again for the next 8. */
static void pack_pairs(const struct separable_shape *s, const int64_t *column, int height,
                       uint32_t *out)
{
    const int pairs = (s->blocks + 1) / 2;
    for (int i = 0; i < 2 * pairs; i++)
        for (int lane = 0; lane < 32; lane++)
            for (int next = 0; next < 2; next++) {
                int first = (i + next) % pairs * 16 - i / pairs * 8;
                *out++ = separable_column_word(column, height, first, lane, 0) |
                         separable_column_word(column, height, first + 8, lane, 0) << 16;
            }
}

/* 0 where the factor has no weight. */
static uint32_t half_of(const int64_t *factor, int n, int i, int scale)
{
    return i < 0 || i >= n ? 0 : separable_half((int)factor[i], scale);
}

/* Proved: the bits of the products' sums are whole numbers. A sum T of the row factor goes on as L
 * and shift + H, with T = L + unit * H, in 2^-24. The products of L and of H with the column factor
 * start from values with which they end between 2^23 and 2^24, so that their bits count ones; and
 * with which, modulo 2^32, the bits of the lower one and `unit` times the bits of the upper one are
 * the mask's sum. With 8 bits the upper one lies between -2^24 and -2^23, where bits count down:
 * `unit` times them is subtracted. */
static struct separable_halves halves_start(const struct separable_shape *s,
                                            const struct separable_mask *mask,
                                            const struct factor *row, const struct factor *column)
{
    const int shift = halves_shift(mask, row, column, s->lower_bits);
    const int64_t shifted = shift * (column->above - column->below);
    const int64_t high = s->lower_bits == 8 ? -UPPER_START_8 : UPPER_START_10;
    struct separable_halves start = {.exponents = {0}};

    for (int i = 0; i < 4; i++) {
        start.low[i] = ldexpf((float)LOWER_START, -24);
        start.high[i] = ldexpf((float)(high - shifted), -24);
        start.sums[i] = (uint32_t)shift << (s->lower_bits == 8 ? 8 : 16);
    }
    return start;
}

/* UPPER: halves 1024 + L and 1024 + shift + H, whose products start from 0. `shift` brings the half
 * that rounds, and takes away the exponent of the lower one, which is n + 137. */
static struct separable_halves upper_start(const struct factor *column)
{
    struct separable_halves start = {.low = {0}};
    int shift = 376;

    while (column->above >> (377 - shift) != 0)
        shift--;
    for (int i = 0; i < 4; i++) {
        start.sums[i] = 0x64000000u + ((uint32_t)shift << 16);
        start.exponents[i] = 0x64006400u;
    }
    return start;
}

/* WHOLE: halves and weights count 2^-24, so that 2^-149 is 1/256 of a quotient. */
static struct separable_halves whole_start(const struct whole *whole)
{
    struct separable_halves start = {.exponents = {0}};

    for (int i = 0; i < 4; i++) {
        start.low[i] = ldexpf((float)whole->start, -48);
        start.sums[i] = (uint32_t)whole->shift << 8;
    }
    start.high[0] = ldexpf(whole->scale, 48 + 8 - 149);
    start.high[1] = ldexpf((float)whole->addend, -149);
    return start;
}

/* The column factor times 2^scale. */
static uint32_t *pack_halves(const struct separable_shape *s, const int64_t *column, int height,
                             int scale, uint32_t *out)
{
    for (int i = 0; i < s->blocks; i++)
        for (int lane = 0; lane < 32; lane++)
            for (int next = 0; next < 2; next++) {
                int row = separable_weight_of_lane((i + next) % s->blocks * 8, lane);
                *out++ = half_of(column, height, row, scale) |
                         half_of(column, height, row + 1, scale) << 16;
            }
    return out;
}

void separable_pack(const struct separable_shape *s, const struct separable_mask *mask,
                    void *fragments)
{
    const struct factor column = factor_of(mask->column, mask->height);
    struct factor row = factor_of(mask->row, mask->width);
    uint32_t *out = (uint32_t *)fragments + separable_column_words(s);
    int64_t scaled[MASK_MAX_SIDE];
    const int scale = s->upper ? upper_scale(mask, &row, &column) : 0;
    struct separable_halves start;
    struct whole whole;

    for (int i = 0; i < mask->width; i++)
        scaled[i] = mask->row[i] * (1 << scale);
    pack_row(s, scaled, mask->width, fragments);
    if (s->lower_bits) {
        if (s->whole)
            whole_of(mask, &row, &column, &whole);
        start = s->whole   ? whole_start(&whole)
                : s->upper ? upper_start(&column)
                           : halves_start(s, mask, &row, &column);
        out = pack_halves(s, mask->column, mask->height, s->whole ? -24 : 0, out);
        if (s->whole)
            out = pack_halves(s, mask->column, mask->height, -16, out);
        memcpy(out, &start, sizeof start);
    } else if (separable_is_paired(s->sum_bytes, s->blocks)) {
        pack_pairs(s, mask->column, mask->height, out);
    } else {
        pack_bytes(s, mask->column, mask->height, out);
    }
}
