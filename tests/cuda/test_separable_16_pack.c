/* The form that the separable kernel chooses for 16-bit samples, and the packed factors of each
 * form: multiplied on the CPU as the kernel does it, the sums of a row pass and of a column pass
 * must equal sums with the factors themselves. */
#include <stdlib.h>
#include <string.h>

#include "kernels/image_job.h"
#include "tests/test.h"

#define MOST 31 /* longest factor */

static uint32_t state = 1;

static uint32_t random_bits(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* ---- forms ---- */

static enum separable_16_form form_of(int64_t row, int64_t column, int64_t bound, int64_t divisor)
{
    const int64_t rows[] = {1, row}, columns[] = {column, 1};
    const struct separable_16_mask mask = {rows, columns, 2, 2, 3, bound, divisor};
    return separable_16_form_of(&mask);
}

static void test_forms(void)
{
    const int64_t in_32 = INT32_MAX - 1, past_32 = (int64_t)1 << 40, d = 1 << 20;
    const int64_t past_47 = (int64_t)1 << 48;

    CHECK(form_of(127, 127, in_32, 3) == SEPARABLE_16_SHORT);
    CHECK(form_of(-128, 127, past_32, d) == SEPARABLE_16_SIGNED);
    CHECK(form_of(128, 127, past_32, d) == SEPARABLE_16_BYTES);
    CHECK(form_of(255, 255, in_32, 3) == SEPARABLE_16_BYTES);
    CHECK(form_of(-1, 128, in_32, 3) == SEPARABLE_16_NONE);
    CHECK(form_of(128, -1, in_32, 3) == SEPARABLE_16_NONE);
    CHECK(form_of(-129, 1, in_32, 3) == SEPARABLE_16_NONE);
    CHECK(form_of(65535, 65535, past_32, d) == SEPARABLE_16_PAIRS);
    CHECK(form_of(65536, 1, past_32, d) == SEPARABLE_16_NONE); /* row sums exceed 32 bits */
    CHECK(form_of(1, 65536, past_32, d) == SEPARABLE_16_NONE);
    /* whole sums within 32 bits, except the divisor's last bits */
    CHECK(form_of(1, 1, past_32, 1 << 9) == SEPARABLE_16_NONE);
    CHECK(form_of(1, 1, past_32, 1 << 10) == SEPARABLE_16_SHORT);
    CHECK(form_of(1, 1, ((int64_t)1 << 47) - 65536, 1 << 16) == SEPARABLE_16_NONE);
    CHECK(form_of(1, 1, ((int64_t)1 << 47) - 65537, 1 << 16) == SEPARABLE_16_SHORT);
    CHECK(form_of(256, 256, past_47, 1 << 16) == SEPARABLE_16_NONE);
    CHECK(form_of(256, 256, past_47, 1 << 17) == SEPARABLE_16_PAIRS); /* halved */
    CHECK(form_of(256, 256, past_47 + 1, 1 << 17) == SEPARABLE_16_NONE);
    CHECK(form_of(-1, 1, past_47, 1 << 17) == SEPARABLE_16_NONE);
}

static void test_extra(void)
{
    int64_t row[15] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const int64_t column[1] = {1};
    const struct separable_16_mask mask = {row, column, 15, 1, 3, 1 << 30, 1};

    row[6] = row[8] = 510;
    CHECK(separable_16_form_of(&mask) == SEPARABLE_16_EXTRA);
    row[13] = 256; /* 8 pixels of 6 bytes and 16 bytes of outputs in a window of 64 */
    CHECK(separable_16_form_of(&mask) == SEPARABLE_16_EXTRA);
    row[14] = 256;
    CHECK(separable_16_form_of(&mask) == SEPARABLE_16_PAIRS);
    row[14] = 15;
    row[6] = 511;
    CHECK(separable_16_form_of(&mask) == SEPARABLE_16_PAIRS);
}

/* ---- factors ---- */

struct factors {
    struct separable_16_mask mask;
    enum separable_16_form form;
    struct separable_16_shape shape;
    int64_t row[MOST], column[MOST];
    uint32_t *packed;
};

/* Entry (m, k) of the row factor's matrix I, as the kernel's products use it. */
static uint8_t matrix_at(const struct factors *f, int i, int m, int k)
{
    const uint8_t *bytes = (const uint8_t *)f->packed + 512 * i;
    const uint32_t *places = f->packed + separable_16_matrices(&f->shape) * 128 + 32 * i;

    if (!f->shape.sparse)
        return bytes[(m % 8 * 4 + k % 16 / 4) * 16 + (m / 8 + k / 16 * 2) * 4 + k % 4];
    for (int kept = k / 4 * 2; kept < k / 4 * 2 + 2; kept++) {
        int lane = m % 8 * 4 + kept / 16 * 2 + m / 8;
        if ((int)(places[lane] >> (kept % 16 * 2) & 3) == k % 4)
            return bytes[(m % 8 * 4 + kept % 16 / 4) * 16 + (m / 8 + kept / 16 * 2) * 4 + kept % 4];
    }
    return 0;
}

/* Byte `plane` of sample G of 8: the sum of all products with the window's bytes. */
static int64_t row_sum(const struct factors *f, const uint8_t *window, int g, int plane)
{
    const struct separable_16_shape *s = &f->shape;
    const int matrices = s->products * s->row_bytes, bytes = s->sparse ? 64 : 32;
    int64_t sum = 0;

    for (int i = 0; i < matrices + s->extra; i++) {
        int from = i / s->row_bytes * bytes;
        if (i == matrices)
            from =
                (int)f
                    ->packed[separable_16_column_words(s) + (s->column_bytes + 1) * s->blocks * 64];
        for (int k = 0; k < bytes; k++) {
            int64_t w = matrix_at(f, i, g + 8 * plane, k);
            w = f->form == SEPARABLE_16_SIGNED ? (int8_t)w : w;
            sum += w * window[from + k] * (i < matrices && i % s->row_bytes ? 256 : 1);
        }
    }
    return sum;
}

static void check_row(const struct factors *f)
{
    const int pixel = 2 * f->mask.channels;
    uint8_t window[64 * 4];

    for (size_t i = 0; i < sizeof window; i++)
        window[i] = (uint8_t)random_bits();
    for (int g = 0; g < 16; g++) {
        int64_t sum = 0;
        for (int i = 0; i < f->mask.width; i++)
            sum += f->row[i] * window[g / 8 + 2 * (g % 8) + pixel * i];
        CHECKF(row_sum(f, window, g % 8, g / 8) == sum, "form %d, %d wide, byte %d of sample %d",
               f->form, f->mask.width, g / 8, g % 8);
    }
}

/* Checks the factors by which lane (g, t) multiplies bytes 0 and 1 of the sums for rows 2t and 2t +
 * 1 of a block. */
static void check_column(const struct factors *f)
{
    const struct separable_16_shape *s = &f->shape;
    const uint32_t *words = f->packed + separable_16_column_words(s);

    for (int at = 0; at < (s->column_bytes + 1) * s->blocks * 64; at++) {
        const int lane = at / 2 % 32, j = at / 64 / s->blocks;
        const int block = (at / 64 + at % 2) % s->blocks;
        for (int b = 0; b < 4; b++) {
            int i = block * 8 + lane % 4 * 2 + b % 2 - lane / 4, byte = j - b / 2;
            int64_t w = i < 0 || i >= f->mask.height || byte < 0 || byte >= s->column_bytes
                            ? 0
                            : f->column[i] >> 8 * byte & 255;
            CHECKF((words[at] >> 8 * b & 255) == (uint32_t)w, "form %d, %d high, word %d, byte %d",
                   f->form, f->mask.height, at, b);
        }
    }
}

static void check_factors(enum separable_16_form form, int width, int height, int channels,
                          int64_t low, int64_t high)
{
    struct factors f = {.form = form};

    for (int i = 0; i < MOST; i++) {
        f.row[i] = low + (int64_t)(random_bits() % (uint32_t)(high - low + 1));
        f.column[i] = low + (int64_t)(random_bits() % (uint32_t)(high - low + 1));
        if (form == SEPARABLE_16_EXTRA) /* few entries: outputs side by side */
            f.row[i] = i - width / 2 < 2 && i >= width / 2 ? 510 - i : i;
    }
    f.mask = (struct separable_16_mask){f.row, f.column, width, height, channels, 1 << 30, 1};
    f.shape = separable_16_shape_of(width, height, channels, form, 0);
    f.packed = calloc(1, (size_t)separable_16_fragment_bytes(&f.shape));
    CHECK(f.packed != NULL && f.shape.products > 0);
    if (f.packed && f.shape.products > 0) {
        separable_16_pack(&f.shape, &f.mask, f.packed);
        check_row(&f);
        check_column(&f);
    }
    free(f.packed);
}

static void test_factors(void)
{
    static const int sides[] = {4, 5, 9, 12, 17, 25, MOST};
    for (int i = 0; i < 7 * 7 * 4; i++) {
        int width = sides[i % 7], height = sides[i / 7 % 7], channels = i / 49 + 1;
        check_factors(SEPARABLE_16_SIGNED, width, height, channels, -128, 127);
        check_factors(SEPARABLE_16_BYTES, width, height, channels, 0, 255);
        check_factors(SEPARABLE_16_PAIRS, width, height, channels, 0, 2047);
        if (channels > 2 || width > 9) /* a single dense product holds no more */
            check_factors(SEPARABLE_16_EXTRA, width, height, channels, 0, 2047);
    }
}

int main(void)
{
    TEST(test_forms);
    TEST(test_extra);
    TEST(test_factors);
    return test_finish();
}
