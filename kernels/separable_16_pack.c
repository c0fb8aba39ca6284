/* Host side of kernels/separable_16.cu, whose opening comment explains the matrices: the two
 * factors of a mask are packed into the operands of its matrix products, for 16-bit samples. */
#include "separable_factor.h"

#include "image_job.h"

/* Matrix i of the row factor: its byte `byte` over a product's window from byte `from` on. */
static void pack_matrix(const struct separable_16_shape *s, const int64_t *row, int width, int from,
                        int byte, int i, void *fragments)
{
    uint32_t *places = (uint32_t *)fragments + separable_16_matrices(s) * 128;
    separable_pack_matrix(&s->stage, s->sparse, row, width, from, byte,
                          (uint8_t *)fragments + 512 * i, places + 32 * i);
}

/* The least and the largest of a factor's entries, beside 0, and the sums of each sign. */
struct range {
    int64_t least, most, below, above;
};

static struct range range_of(const int64_t *factor, int n)
{
    struct range r = {0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        int64_t w = factor[i];
        r.least = w < r.least ? w : r.least;
        r.most = w > r.most ? w : r.most;
        *(w < 0 ? &r.below : &r.above) += w;
    }
    return r;
}

/* Where the window begins of one more sparse product that adds what weights pass 255 by; -1: it
 * does not hold them. */
static int extra_window(const struct separable_16_shape *s, const int64_t *row, int width)
{
    const int last_window = (s->products - 1) * 64;
    int first = 0, last = width - 1, from;

    while (first < last && row[first] <= UINT8_MAX)
        first++;
    while (last > first && row[last] <= UINT8_MAX)
        last--;
    from = (s->stage.pad + s->stage.pixel_bytes * first) / 16 * 16;
    from = from < last_window ? from : last_window;
    return s->sparse && s->stage.pad + s->stage.pixel_bytes * last + 16 <= from + 64 ? from : -1;
}

/* Weights that are not negative. */
static enum separable_16_form form_of_positive(const struct separable_16_mask *m, int64_t row,
                                               int64_t column)
{
    const struct separable_16_shape shape =
        separable_16_shape_of(m->width, m->height, m->channels, SEPARABLE_16_EXTRA, 0);

    if (row <= UINT8_MAX && column <= UINT8_MAX)
        return SEPARABLE_16_BYTES;
    if (row <= 2 * UINT8_MAX && extra_window(&shape, m->row, m->width) >= 0)
        return SEPARABLE_16_EXTRA;
    return SEPARABLE_16_PAIRS;
}

/* Are sums within 32 bits, except the divisor's last bits? Sums of weights that are not negative
 * may be halved: they and what they start from below bit 17 stay below 2^48, since a sum is at most
 * bound - d. */
static bool sums_fit(const struct separable_16_mask *m, bool positive)
{
    const int bits = separable_16_low_bits(m->divisor);

    if (!separable_16_is_halved(m->bound, bits))
        return true;
    return positive && bits == 16 && m->divisor % ((int64_t)1 << 17) == 0 &&
           m->bound <= (int64_t)1 << 48;
}

enum separable_16_form separable_16_form_of(const struct separable_16_mask *m)
{
    const struct range row = range_of(m->row, m->width), column = range_of(m->column, m->height);
    const int64_t least = row.least < column.least ? row.least : column.least;
    const int64_t most = row.most > column.most ? row.most : column.most;

    /* The row's sums are below 2^32, with a sign below 2^31. */
    if (!sums_fit(m, least >= 0 && most > INT8_MAX) ||
        row.above > (least < 0 ? INT16_MAX : 65536) || row.below < -INT16_MAX)
        return SEPARABLE_16_NONE;
    if (least >= INT8_MIN && most <= INT8_MAX)
        return row.below == 0 && row.above <= 256 ? SEPARABLE_16_SHORT : SEPARABLE_16_SIGNED;
    if (least < 0 || most > UINT16_MAX)
        return SEPARABLE_16_NONE;
    return form_of_positive(m, row.most, column.most);
}

#define MOST_COLUMNS 121 /* of a mask: gray, four products of 64 bytes */

void separable_16_pack(const struct separable_16_shape *s, const struct separable_16_mask *m,
                       void *fragments)
{
    int64_t least[MOST_COLUMNS], rest[MOST_COLUMNS];
    uint32_t *out = (uint32_t *)fragments + separable_16_column_words(s);

    for (int i = 0; i < m->width; i++) {
        least[i] = s->extra && m->row[i] > UINT8_MAX ? UINT8_MAX : m->row[i];
        rest[i] = m->row[i] - least[i];
    }
    for (int i = 0; i < s->products * s->row_bytes; i++)
        pack_matrix(s, least, m->width, i / s->row_bytes * (s->sparse ? 64 : 32), i % s->row_bytes,
                    i, fragments);
    if (s->extra)
        pack_matrix(s, rest, m->width, extra_window(s, m->row, m->width), 0, s->products,
                    fragments);
    /* Of two neighbouring bytes of a sum, the lower one times byte j of the factor and the upper
     * one times the byte before are of the same power of 256: one product adds both. For a block of
     * rows and for the next one, which a product takes together. */
    for (int i = 0; i < (s->column_bytes + 1) * s->blocks; i++)
        for (int lane = 0; lane < 32; lane++)
            for (int next = 0; next < 2; next++) {
                int j = i / s->blocks, first = (i + next) % s->blocks * 8;
                uint32_t lower = 0, upper = 0;
                if (j < s->column_bytes)
                    lower = separable_column_word(m->column, m->height, first, lane, j);
                if (j > 0)
                    upper = separable_column_word(m->column, m->height, first, lane, j - 1);
                *out++ = lower | upper << 16;
            }
    if (s->extra)
        *out = (uint32_t)extra_window(s, m->row, m->width);
}
