/* A mask's weights as the fragments that the banded kernel's matrix products take:
 * host side of kernels/banded.cu, which says what the matrices are. */
#include <stdbool.h>

#include "../kernels/banded_window.h"
#include "../kernels/image_job.h"

struct band {
    const struct banded_shape *shape;
    const int64_t *weight;
    int width, height;
};

/* Which output (of 16) row m of the matrix makes. 8 bits: rows g and g + 8 are neighbours, so that
 * a lane packs them; 16 bits: as they come. */
static int output_of(const struct banded_shape *s, int m)
{
    return s->sample_bytes == 2 ? m : m < 8 ? 2 * m : 2 * (m - 8) + 1;
}

/* One product's weights: of mask rows from `row` on, over a piece of the window's. */
struct product {
    int row, piece, plane;
};

/* The mask's cell that byte k of a product (16 of each row) is for matrix row m, or -1 where it is
 * none of its plane's: samples of 16 bits have their low bytes in plane 0, the high in plane 1. */
static int cell_of(const struct band *band, const struct product *p, int m, int k)
{
    const struct banded_shape *s = band->shape;
    int row = p->row + k / BANDED_PIECE;
    int place =
        p->piece * BANDED_PIECE + k % BANDED_PIECE - s->pad - output_of(s, m) * s->sample_bytes;
    int cell = place / s->pixel_bytes;

    if (row >= band->height || place < 0 || cell >= band->width ||
        place % s->pixel_bytes != (s->sample_bytes == 2 ? p->plane : 0))
        return -1;
    return row * band->width + cell;
}

static uint8_t band_value(const struct band *band, const struct product *p, int m, int k)
{
    int cell = cell_of(band, p, m, k);
    int64_t w = cell < 0 ? 0 : band->weight[cell];
    /* two planes of weights: the low byte, then the rest, w = 256 * high + low */
    return (uint8_t)(band->shape->sample_bytes == 1 && p->plane == 1 ? w >> 8 : w & 255);
}

/* A dense product: lane (g, t) holds for rows g and g + 8 bytes 4t..4t+3 and those 16 further on,
 * which a product of one row leaves out. */
static void pack_dense(const struct band *band, const struct product *p, uint8_t *out)
{
    for (int lane = 0; lane < 32; lane++)
        for (int byte = 0; byte < 16; byte++) {
            int word = byte / 4, m = lane / 4 + word % 2 * 8;
            int k = lane % 4 * 4 + word / 2 * 16 + byte % 4;
            *out++ = band_value(band, p, m, k);
        }
}

/* Which two of four bytes a sparse product keeps, ascending: those that are not 0 and any others
 * beside them. */
static void kept_two(const uint8_t *four, int at[2])
{
    int n = 0;
    for (int i = 0; i < 4 && n < 2; i++)
        if (four[i] != 0)
            at[n++] = i;
    if (n == 0 || (n == 1 && at[0] == 0)) {
        at[0] = 0;
        at[1] = 1;
    } else if (n == 1) {
        at[1] = at[0];
        at[0] = at[1] - 1;
    }
}

void banded_pack_sparse(uint8_t matrix[16][64], uint8_t *out, uint32_t *places)
{
    int at[2];
    for (int lane = 0; lane < 32; lane++) {
        places[lane] = 0;
        for (int i = 0; i < 8; i++) {
            kept_two(&matrix[lane / 4 + lane % 2 * 8][(lane % 4 / 2 * 8 + i) * 4], at);
            places[lane] |= (uint32_t)(at[0] | at[1] << 2) << 4 * i;
        }
        for (int byte = 0; byte < 16; byte++) {
            int word = byte / 4, column = lane % 4 * 4 + word / 2 * 16 + byte % 4;
            const uint8_t *four = &matrix[lane / 4 + word % 2 * 8][column / 2 * 4];
            kept_two(four, at);
            *out++ = four[at[column % 2]];
        }
    }
}

static void pack_sparse(const struct band *band, const struct product *p, uint8_t *out,
                        uint32_t *places)
{
    uint8_t matrix[16][64];
    for (int i = 0; i < 16 * 64; i++)
        matrix[i / 64][i % 64] = band_value(band, p, i / 64, i % 64);
    banded_pack_sparse(matrix, out, places);
}

void banded_pack(const struct banded_shape *shape, const int64_t *weight, int width, int height,
                 void *fragments)
{
    const struct band band = {shape, weight, width, height};
    const int blocks = shape->fours + shape->twos + shape->ones;
    uint8_t *out = fragments;
    uint32_t *places = (uint32_t *)(out + (size_t)banded_fragments(shape) * 512);

    for (int i = 0; i < banded_fragments(shape); i++) {
        /* sweep, block of rows, piece, plane */
        int block = i / shape->planes / shape->pieces % blocks;
        int sweep = i / shape->planes / shape->pieces / blocks;
        bool sparse = block < shape->fours;
        struct product p = {
            .row = sparse ? 4 * block : 4 * shape->fours + 2 * (block - shape->fours),
            .piece = sweep * shape->pieces + i / shape->planes % shape->pieces,
            .plane = i % shape->planes,
        };
        if (sparse)
            pack_sparse(&band, &p, out + (size_t)i * 512, places + (size_t)i * 32);
        else
            pack_dense(&band, &p, out + (size_t)i * 512);
    }
}
