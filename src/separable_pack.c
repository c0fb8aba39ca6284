/* The two factors of a mask as the fragments that the separable kernel's matrix
 * products take: host side of kernels/separable.cu, which says what the matrices are. */
#include <string.h>

#include "separable_factor.h"

#include "../kernels/image_job.h"
#include "mask.h"

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

/* A half holds a whole number up to this. And products of halves, in whatever order they are added
 * up, stay below 2^24 while no more than this is the sum of a column, without signs. */
#define HALVES_COLUMN 2048

/* Without the products of what all halves are too large by, the products' sums start from these:
 * see halves_start(). */
#define LOWER_START    12582912 /* 2^23 + 2^22 */
#define UPPER_START_10 11350016 /* 2^23 + 2961408 */
#define UPPER_START_8  13320192 /* 2^23 + 4931584, negative */

/* How many units of the upper half make all sums of the row factor not negative; -1 where they then
 * take more than its 10 bits, or the column factor more than halves hold. Of 8 bits, the products'
 * sums also start further from 0: see halves_start(). */
static int halves_shift(const struct factor *row, const struct factor *column, int lower_bits)
{
    const int64_t unit = 1 << lower_bits, shift = (row->below * 255 + unit - 1) / unit;
    if (row->largest > INT16_MAX || column->above + column->below > HALVES_COLUMN ||
        row->above * 255 + shift * unit >= unit << 10)
        return -1;
    if (lower_bits == 8 &&
        UPPER_START_8 + (1024 + shift) * column->above + 1023 * column->below > 1 << 24)
        return -1;
    return (int)shift;
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
    if (row->below || column->below || down > HALVES_COLUMN || (down & (down - 1)) != 0 ||
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
    int scale;

    if (row.largest > INT16_MAX || column.largest > INT16_MAX ||
        row.above + row.below > INT32_MAX / 256 / 255)
        return SEPARABLE_NONE;
    if (bytes && !row.below && row.above * 255 <= UINT16_MAX)
        return SEPARABLE_1_2_1;
    scale = upper_scale(mask, &row, &column);
    if (scale >= 0)
        return row.largest << scale <= UINT8_MAX ? SEPARABLE_UPPER_1 : SEPARABLE_UPPER_2;
    if (row.largest <= INT8_MAX && halves_shift(&row, &column, 8) >= 0)
        return SEPARABLE_HALVES_1_8;
    if (unsigned_row && halves_shift(&row, &column, 10) >= 0)
        return SEPARABLE_HALVES_1_10;
    if (bytes)
        return SEPARABLE_1_3_1;
    return halves_shift(&row, &column, 10) >= 0 ? SEPARABLE_HALVES_2_10 : SEPARABLE_2_3_2;
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

/* A whole number up to 2048 as a half; 0 where the factor has none. */
static uint32_t half_of(const int64_t *factor, int n, int i)
{
    const int64_t value = i < 0 || i >= n ? 0 : factor[i];
    uint32_t v = (uint32_t)(value < 0 ? -value : value), exponent = 25;
    if (v == 0)
        return 0;
    for (; v < 1024; v *= 2)
        exponent--;
    return (value < 0 ? 1u << 15 : 0) | (v == 2048 ? 26u << 10 : exponent << 10 | (v & 1023));
}

/* A sum T of the row factor goes on as 1024 + L and 1024 + shift + H, T = L + unit * H. The
 * products of those with the column factor start from where they end between 2^23 and 2^24, so that
 * their bits count ones; and where, modulo 2^32, the bits of the lower one and `unit` times those
 * of the upper one are the mask's sum. For 8 bits the upper one is between -2^24 and -2^23, where
 * bits count down: `unit` times them is taken off. UPPER starts from 0, and `shift` brings the half
 * that rounds, and takes away the exponent of the lower one, which is n + 137. */
static struct separable_halves halves_start(const struct separable_shape *s,
                                            const struct factor *row, const struct factor *column)
{
    const int64_t sum = column->above - column->below;
    struct separable_halves start;
    int shift = halves_shift(row, column, s->lower_bits);

    if (s->upper)
        for (shift = 376; sum >> (377 - shift) != 0;)
            shift--;
    for (int i = 0; i < 4; i++) {
        start.low[i] = (float)(LOWER_START - 1024 * sum);
        start.high[i] =
            (float)((s->lower_bits == 8 ? -UPPER_START_8 : UPPER_START_10) - (1024 + shift) * sum);
        start.sums[i] = s->lower_bits == 8 ? 0x64640000u + ((uint32_t)shift << 8)
                                           : 0x64000000u + ((uint32_t)shift << 16);
        start.exponents[i] = 0x64006400u;
    }
    return start;
}

static void pack_halves(const struct separable_shape *s, const int64_t *column, int height,
                        struct separable_halves start, uint32_t *out)
{
    for (int i = 0; i < s->blocks; i++)
        for (int lane = 0; lane < 32; lane++)
            for (int next = 0; next < 2; next++) {
                int row = separable_weight_of_lane((i + next) % s->blocks * 8, lane);
                *out++ = half_of(column, height, row) | half_of(column, height, row + 1) << 16;
            }
    memcpy(out, &start, sizeof start);
}

void separable_pack(const struct separable_shape *s, const struct separable_mask *mask,
                    void *fragments)
{
    const struct factor column = factor_of(mask->column, mask->height);
    struct factor row = factor_of(mask->row, mask->width);
    uint32_t *out = (uint32_t *)fragments + separable_column_words(s);
    int64_t scaled[MASK_MAX_SIDE];
    const int scale = s->upper ? upper_scale(mask, &row, &column) : 0;

    for (int i = 0; i < mask->width; i++)
        scaled[i] = mask->row[i] * (1 << scale);
    pack_row(s, scaled, mask->width, fragments);
    if (s->lower_bits)
        pack_halves(s, mask->column, mask->height, halves_start(s, &row, &column), out);
    else if (separable_is_paired(s->sum_bytes, s->blocks))
        pack_pairs(s, mask->column, mask->height, out);
    else
        pack_bytes(s, mask->column, mask->height, out);
}
