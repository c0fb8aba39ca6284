/* Fragments of factors: see kernels/separable_factor.h. */
#include "separable_factor.h"

#include "image_job.h"

/* Byte `byte` of entry i, 0 where the factor has none. */
static uint32_t byte_of(const int64_t *factor, int n, int i, int byte)
{
    return i < 0 || i >= n ? 0 : (uint32_t)((uint64_t)factor[i] >> 8 * byte & 255);
}

/* What output byte m of 16 takes of window byte k. */
static uint32_t band_value(const struct banded_shape *stage, const int64_t *row, int width, int m,
                           int k, int byte)
{
    int place = k - stage->pad - m;
    return place < 0 || place % stage->pixel_bytes != 0
               ? 0
               : byte_of(row, width, place / stage->pixel_bytes, byte);
}

/* Rows g and g + 8 of a product's matrix are output bytes 2g and 2g + 1. */
static int output_of(int m)
{
    return m < 8 ? 2 * m : 2 * (m - 8) + 1;
}

void separable_pack_matrix(const struct banded_shape *stage, int sparse, const int64_t *row,
                           int width, int from, int byte, void *fragments, uint32_t *places)
{
    uint8_t *out = fragments, matrix[16][64] = {{0}};

    for (int m = 0; m < 16; m++)
        for (int k = 0; k < (sparse ? 64 : 32); k++)
            matrix[m][k] = (uint8_t)band_value(stage, row, width, output_of(m), from + k, byte);
    if (sparse) {
        banded_pack_sparse(matrix, out, places);
        return;
    }
    /* lane (g, t) holds for rows g and g + 8 bytes 4t..4t+3 and those 16 further on */
    for (int b = 0; b < 512; b++) {
        int lane = b / 16, word = b / 4 % 4;
        out[b] = matrix[lane / 4 + word % 2 * 8][lane % 4 * 4 + word / 2 * 16 + b % 4];
    }
}

int separable_weight_of_lane(int first, int lane)
{
    return first + lane % 4 * 2 - lane / 4;
}

uint32_t separable_column_word(const int64_t *column, int height, int first, int lane, int byte)
{
    int row = separable_weight_of_lane(first, lane);
    return byte_of(column, height, row, byte) | byte_of(column, height, row + 1, byte) << 8;
}
