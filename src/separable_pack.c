/* The two factors of a mask as the fragments that the separable kernel's matrix
 * products take: host side of kernels/separable.cu, which says what the matrices are. */
#include "../kernels/image_job.h"

enum separable_form separable_form_of(const int64_t *row, int width, const int64_t *column,
                                      int height)
{
    int64_t sum = 0, largest_row = 0, largest_column = 0;
    for (int i = 0; i < width; i++) {
        int64_t w = row[i] < 0 ? -row[i] - 1 : row[i]; /* as -128 fits, 128 does not */
        largest_row = w > largest_row ? w : largest_row;
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
    return sum * 255 > INT16_MAX ? SEPARABLE_1_3_1 : SEPARABLE_1_2_1;
}

/* Byte `byte` of entry i, 0 where the factor has none. */
static uint32_t byte_of(const int64_t *factor, int n, int i, int byte)
{
    return i < 0 || i >= n ? 0 : (uint32_t)((uint64_t)factor[i] >> 8 * byte & 255);
}

void separable_pack(const struct separable_shape *s, const int64_t *row, int width,
                    const int64_t *column, int height, void *fragments)
{
    uint32_t *out = fragments;
    const int n = s->stage.pixel_bytes;

    /* the row factor as a band, 16 outputs x 16 bytes a piece: lane (g, t) holds bytes 4t..4t+3 for
     * matrix rows g and g + 8, which are output bytes 2g and 2g + 1 */
    for (int i = 0; i < s->stage.pieces * s->row_bytes; i++)
        for (int lane = 0; lane < 32; lane++)
            for (int m = 0; m < 2; m++) {
                uint32_t word = 0;
                for (int b = 0; b < 4; b++) {
                    int place = i / s->row_bytes * BANDED_PIECE + lane % 4 * 4 + b - s->stage.pad -
                                (2 * (lane / 4) + m);
                    if (place >= 0 && place % n == 0)
                        word |= byte_of(row, width, place / n, i % s->row_bytes) << 8 * b;
                }
                *out++ = word;
            }
    /* the column factor as a band, 8 rows of sums x 8 output rows a block: lane (g, t) holds for
     * output row g the weights of rows 2t and 2t + 1 */
    for (int i = 0; i < s->blocks * s->column_bytes; i++)
        for (int lane = 0; lane < 32; lane++) {
            int first = i / s->column_bytes * 8 + lane % 4 * 2 - lane / 4;
            *out++ = byte_of(column, height, first, i % s->column_bytes) |
                     byte_of(column, height, first + 1, i % s->column_bytes) << 8;
        }
}
