/* The two factors of a mask as the fragments that the separable kernel's matrix
 * products take: host side of kernels/separable.cu, which says what the matrices are. */
#include "../kernels/image_job.h"

enum separable_form separable_form_of(const int64_t *row, int width, const int64_t *column,
                                      int height)
{
    int64_t sum = 0, least = 0, largest_row = 0, largest_column = 0;
    for (int i = 0; i < width; i++) {
        int64_t w = row[i] < 0 ? -row[i] - 1 : row[i]; /* as -128 fits, 128 does not */
        largest_row = w > largest_row ? w : largest_row;
        least = row[i] < least ? row[i] : least;
        sum += row[i] < 0 ? -row[i] : row[i];
    }
    for (int i = 0; i < height; i++) {
        int64_t w = column[i] < 0 ? -column[i] - 1 : column[i];
        largest_column = w > largest_column ? w : largest_column;
    }
    if (largest_row > INT16_MAX || largest_column > INT16_MAX || sum > INT32_MAX / 256 / 255)
        return SEPARABLE_NONE;
    if (largest_row > INT8_MAX || largest_column > INT8_MAX)
        return SEPARABLE_2_3_2;
    return least < 0 || sum * 255 > UINT16_MAX ? SEPARABLE_1_3_1 : SEPARABLE_1_2_1;
}

/* Byte `byte` of entry i, 0 where the factor has none. */
static uint32_t byte_of(const int64_t *factor, int n, int i, int byte)
{
    return i < 0 || i >= n ? 0 : (uint32_t)((uint64_t)factor[i] >> 8 * byte & 255);
}

/* The row factor's byte `byte` as a band: what output byte m of 16 takes of window byte k. */
static uint32_t band_value(const struct separable_shape *s, const int64_t *row, int width, int m,
                           int k, int byte)
{
    int place = k - s->stage.pad - m;
    return place < 0 || place % s->stage.pixel_bytes != 0
               ? 0
               : byte_of(row, width, place / s->stage.pixel_bytes, byte);
}

/* Rows g and g + 8 of a product's matrix are output bytes 2g and 2g + 1. */
static int output_of(int m)
{
    return m < 8 ? 2 * m : 2 * (m - 8) + 1;
}

/* Lane (g, t) holds for output row g the weights of rows 2t and 2t + 1 of a block that begins with
 * row `first` of the sums. */
static uint32_t column_word(const int64_t *column, int height, int first, int lane, int byte)
{
    int row = first + lane % 4 * 2 - lane / 4;
    return byte_of(column, height, row, byte) | byte_of(column, height, row + 1, byte) << 8;
}

void separable_pack(const struct separable_shape *s, const int64_t *row, int width,
                    const int64_t *column, int height, void *fragments)
{
    const int window = s->sparse ? 64 : 32; /* bytes of a product */
    uint8_t *matrices = fragments;
    uint32_t *places = (uint32_t *)fragments + separable_place_words(s);
    uint32_t *out = (uint32_t *)fragments + separable_column_words(s);

    for (int i = 0; i < s->products * s->row_bytes; i++, matrices += 512) {
        uint8_t matrix[16][64] = {{0}};
        for (int m = 0; m < 16; m++)
            for (int k = 0; k < window; k++)
                matrix[m][k] = (uint8_t)band_value(s, row, width, output_of(m),
                                                   i / s->row_bytes * window + k, i % s->row_bytes);
        if (s->sparse) {
            banded_pack_sparse(matrix, matrices, places + i * 32);
            continue;
        }
        /* lane (g, t) holds for rows g and g + 8 bytes 4t..4t+3 and those 16 further on */
        for (int b = 0; b < 512; b++) {
            int lane = b / 16, word = b / 4 % 4;
            matrices[b] = matrix[lane / 4 + word % 2 * 8][lane % 4 * 4 + word / 2 * 16 + b % 4];
        }
    }
    /* the column factor as a band, 8 rows of sums x 8 output rows a block: a block's and the next
     * one's weights for the lower two of four bytes, and the same for the upper two */
    for (int i = 0; i < s->blocks * s->column_bytes; i++)
        for (int lane = 0; lane < 32; lane++)
            for (int b = 0; b < 4; b++)
                *out++ = column_word(column, height, (i / s->column_bytes + b % 2) % s->blocks * 8,
                                     lane, i % s->column_bytes)
                         << b / 2 * 16;
}
