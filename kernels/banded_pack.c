/* Host side of kernels/banded.cu, whose opening comment explains the matrices: a mask's weights are
 * packed into the operands that the kernel's matrix products load. */
#include <stdbool.h>

#include "banded_window.h"
#include "image_job.h"

struct band {
    const struct banded_shape *shape;
    const int64_t *weight;
    int width, height;
};

/* Which byte of the window row m of the matrix begins at. 8 bits: rows g and g + 8 make output
 * neighbours, so that a lane packs them; 16 bits: the two bytes of one sample, so that a lane adds
 * them up. */
static int first_byte_of(int m)
{
    return m < 8 ? 2 * m : 2 * (m - 8) + 1;
}

/* One product's weights: of mask rows from `row` on, over a piece of the window's. */
struct product {
    int row, piece, plane;
    bool line; /* of one row, piece after piece */
};

/* The mask's column that byte k of a product (16 of each row) is for matrix row m, or -1: none. */
static int column_of(const struct band *band, const struct product *p, int m, int k)
{
    const struct banded_shape *s = band->shape;
    int x = p->piece * BANDED_PIECE + (p->line ? k : k % BANDED_PIECE);
    int place = x - s->pad - first_byte_of(m), column = place / s->pixel_bytes;

    return place < 0 || column >= band->width || place % s->pixel_bytes != 0 ? -1 : column;
}

static uint8_t band_value(const struct band *band, const struct product *p, int m, int k)
{
    int column = column_of(band, p, m, k), row = p->row + (p->line ? 0 : k / BANDED_PIECE);
    bool none =
        column < 0 || row >= band->height || (p->line && k >= band->shape->pieces * BANDED_PIECE);
    int64_t w = none ? 0 : band->weight[row * band->width + column];
    /* two planes of weights: the low byte, then the rest, w = 256 * high + low */
    return (uint8_t)(p->plane == 1 ? w >> 8 : w & 255);
}

/* A dense product's 512 bytes: lane (g, t) holds 16 of them, for rows g and g + 8 bytes 4t..4t+3
 * and those 16 further on. */
static int dense_row(int place)
{
    return place / 64 + place / 4 % 2 * 8;
}

static int dense_byte(int place)
{
    return place / 16 % 4 * 4 + place / 8 % 2 * 16 + place % 4;
}

static void pack_dense(const struct band *band, const struct product *p, uint8_t *out)
{
    for (int place = 0; place < 512; place++)
        *out++ = band_value(band, p, dense_row(place), dense_byte(place));
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

/* Of each four of which any stands in `taken`, which two are kept: see banded_pack_sparse. */
static void pack_kept(uint8_t taken[16][64], uint8_t matrix[16][64], uint8_t *out, uint32_t *places)
{
    int at[2];
    for (int lane = 0; lane < 32; lane++) {
        places[lane] = 0;
        for (int i = 0; i < 8; i++) {
            kept_two(&taken[lane / 4 + lane % 2 * 8][(lane % 4 / 2 * 8 + i) * 4], at);
            places[lane] |= (uint32_t)(at[0] | at[1] << 2) << 4 * i;
        }
        for (int byte = 0; byte < 16; byte++) {
            int word = byte / 4, column = lane % 4 * 4 + word / 2 * 16 + byte % 4;
            int m = lane / 4 + word % 2 * 8, four = column / 2 * 4;
            kept_two(&taken[m][four], at);
            *out++ = matrix[m][four + at[column % 2]];
        }
    }
}

void banded_pack_sparse(uint8_t matrix[16][64], uint8_t *out, uint32_t *places)
{
    pack_kept(matrix, matrix, out, places);
}

/* Kept is what any weights would stand at: so the places are those of all rows and planes. */
static void pack_sparse(const struct band *band, const struct product *p, uint8_t *out,
                        uint32_t *places)
{
    uint8_t matrix[16][64], taken[16][64];
    for (int i = 0; i < 16 * 64; i++) {
        matrix[i / 64][i % 64] = band_value(band, p, i / 64, i % 64);
        taken[i / 64][i % 64] = column_of(band, p, i / 64, i % 64) >= 0;
    }
    pack_kept(taken, matrix, out, places);
}

/* Product i of small gray masks, for columns 2 * half and 2 * half + 1 of each four: row m of the
 * matrix is row m % 8 of column m / 8; bytes 4t..4t+3 are a word of the rows t, 4 + t, ... */
static uint8_t gray_value(const struct band *band, int half, int i, int plane, int m, int k)
{
    const struct banded_shape *s = band->shape;
    const int words = s->words[half], at = 2 * i + k / 16;
    int column = banded_gray_word(words, s->down, at) * 4 + k % 4 - (2 * half + m / 8);
    int row = banded_gray_down(words, s->down, at) * 4 + k % 16 / 4 - m % 8;
    bool none = at >= words * s->down || column < 0 || column >= band->width || row < 0 ||
                row >= band->height;
    int64_t w = none ? 0 : band->weight[row * band->width + column];
    return (uint8_t)(plane == 1 ? w >> 8 : w & 255);
}

static void pack_gray(const struct band *band, uint8_t *out)
{
    const struct banded_shape *s = band->shape;
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < banded_gray_products(s->words[half], s->down) * s->planes; i++)
            for (int place = 0; place < 512; place++)
                *out++ = gray_value(band, half, i / s->planes, i % s->planes, dense_row(place),
                                    dense_byte(place));
}

void banded_pack(const struct banded_shape *shape, const int64_t *weight, int width, int height,
                 void *fragments)
{
    const struct band band = {shape, weight, width, height};
    const int blocks = shape->fours + shape->twos;
    const int a_block = shape->pieces * shape->planes;
    const int a_sweep = blocks * a_block + shape->ones * shape->planes;
    uint8_t *out = fragments;
    uint32_t *places = (uint32_t *)(out + (size_t)banded_fragments(shape) * 512);

    if (shape->words[0]) {
        pack_gray(&band, out);
        return;
    }
    for (int i = 0; i < banded_fragments(shape); i++) {
        const int sweep = i / a_sweep, block = i % a_sweep / a_block;
        const bool line = block >= blocks, four = block < shape->fours;
        const struct product p = {
            .row =
                four ? 4 * block : 4 * shape->fours + 2 * ((line ? blocks : block) - shape->fours),
            .piece =
                sweep * shape->pieces + (line ? 0 : i % a_sweep / shape->planes % shape->pieces),
            .plane = i % a_sweep % shape->planes,
            .line = line,
        };
        if (line ? shape->pieces > 2 : four)
            pack_sparse(&band, &p, out + (size_t)i * 512, places + (size_t)i * 32);
        else
            pack_dense(&band, &p, out + (size_t)i * 512);
    }
}
