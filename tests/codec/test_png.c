/* PNG reading and writing through the codec interface: every colour type, depth, filter and
 * interlacing, made by the tests' own encoder (tests/codec/png_maker.c); pictures written and read
 * back; and messages about metadata. tests/codec/test_hostile.c tests files that are refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/png/png.h"
#include "tests/codec/codec_memory.h"
#include "tests/codec/png_maker.h"
#include "tests/codec/png_pixels.h"
#include "tests/test.h"

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static void read_made(const struct maker *maker, struct image *image, char *warning,
                      struct error *err)
{
    size_t bytes;
    uint8_t *file = maker_make(maker, &bytes);

    memory_read(file, bytes, image, warning, err);
    free(file);
}

/* ---- reading ---- */

static void check_pixels(const struct maker *maker)
{
    struct image image;
    struct error err;
    char warning[256], where[160];

    if (test_failures)
        return;
    read_made(maker, &image, warning, &err);
    CHECKF(image.data, "%s", err.text);
    CHECK(!*warning);
    if (image.data)
        CHECKF(png_pixels_agree(maker, &image, where), "%s", where);
    image_free(&image);
}

static void every_kind_reads_exactly(void)
{
    png_pixels_each(false, check_pixels);
}

static void transparency_becomes_alpha(void)
{
    png_pixels_each(true, check_pixels);
}

/* Sizes for which some of the seven passes are empty, or have one row or column. */
static void interlaced_pictures_of_small_sizes(void)
{
    static const int kinds[][2] = {{0, 1}, {2, 8}, {3, 2}, {6, 16}};
    int k = 0;

    for (int width = 1; width <= 9; width++)
        for (int height = 1; height <= 9; height++, k = (k + 1) % COUNT(kinds))
            png_pixels_kind(kinds[k][0], kinds[k][1], width, height, k == 1 || k == 2,
                            check_pixels);
}

/* Passes that are inflated in several parts. */
static void interlaced_pictures_of_many_rows(void)
{
    png_pixels_kind(0, 4, 1501, 340, false, check_pixels);
    png_pixels_kind(2, 8, 411, 300, false, check_pixels);
    png_pixels_kind(3, 8, 3, 41000, true, check_pixels);
    png_pixels_kind(6, 16, 12000, 3, false, check_pixels);
}

/* A file that lacks the end of its picture data is refused, and the error tells the rows. */
static void cut_interlaced_pictures_are_refused(void)
{
    static const uint16_t samples[9 * 9];
    /* 9 x 9 gray pixels of 8 bits: rows of each pass, and bytes of a row with its filter type. */
    static const int passes[7][2] = {{2, 3}, {2, 2}, {1, 4}, {3, 3}, {2, 6}, {5, 5}, {4, 10}};
    const struct maker maker = {
        .width = 9, .height = 9, .depth = 8, .interlaced = 1, .samples = samples};
    size_t bytes, start, data = 0, ends[20] = {0};
    uint8_t *file = maker_make(&maker, &bytes);
    int rows = 0, pass, y, complete = 0;
    char sentence[64], warning[256];
    struct image image;
    struct error err;

    for (pass = 0; pass < 7; pass++)
        for (y = 0; y < passes[pass][0]; y++)
            ends[rows++] = data += (size_t)passes[pass][1];
    CHECK(rows == 19 && data == 100);
    /* Behind signature, header, the head of IDAT, and those of zlib and a stored block. */
    start = 8 + 25 + 8 + 2 + 5;
    for (data = 1; data < 100; data++) {
        while (ends[complete] <= data)
            complete++;
        memory_read(file, start + data, &image, warning, &err);
        snprintf(sentence, sizeof sentence, "truncated PNG: %d of 19 rows", complete);
        CHECKF(!image.data && strstr(err.text, sentence), "%zu bytes: %s", data, err.text);
        image_free(&image);
    }
    free(file);
}

static void unfilter_agrees_with_its_definition(void)
{
    static const size_t pixels[] = {1, 2, 3, 4, 6, 8};
    uint8_t raw[200], row[200], plain[200], apart[200], up[200];
    int round, filter, p;
    size_t i, bytes;

    for (round = 0; round < 400; round++)
        for (filter = 0; filter <= 4; filter++)
            for (p = 0; p < COUNT(pixels); p++) {
                bytes = pixels[p] * (1 + png_pixels_random(20));
                for (i = 0; i < sizeof row; i++) { /* Paeth could go wrong with extreme values */
                    raw[i] = (uint8_t)png_pixels_random(256);
                    up[i] = (uint8_t)(png_pixels_random(3) ? png_pixels_random(256)
                                                           : 255 * png_pixels_random(2));
                    if (round % 2 == 0) { /* flat areas */
                        up[i] = (uint8_t)(7 + png_pixels_random(2));
                        raw[i] = (uint8_t)(png_pixels_random(12) ? 0 : raw[i] | 254);
                    }
                    row[i] = plain[i] = apart[i] = raw[i];
                }
                png_unfilter_plain(filter, raw, up, bytes, pixels[p], plain);
                png_unfilter(filter, row, up, bytes, pixels[p], row);
                png_unfilter(filter, raw, up, bytes, pixels[p], apart);
                CHECKF(memcmp(row, plain, sizeof row) == 0 &&
                           memcmp(apart, plain, sizeof apart) == 0,
                       "filter %d, %zu bytes a pixel", filter, pixels[p]);
            }
}

static void metadata_is_named(void)
{
    static const uint16_t samples[3] = {1, 2, 3};
    static const struct {
        const char *type, *content;
        size_t bytes;
        const char *warning; /* without the file's name; NULL: none */
    } cases[] = {
        {"iCCP", "x\0\0", 3, "ICC profile is not kept"},
        {"eXIf", "II*\0", 4, "EXIF data are not kept"},
        {"acTL", "\0\0\0\2\0\0\0\0", 8, "animation frames are not kept"},
        {"gAMA", "\0\0\xb1\x8f", 4, NULL},
        {"gAMA", "\0\1\x86\xa0", 4, "gamma is not kept"},
        {"cICP", "\1\15\0\1", 4, NULL},
        {"cICP", "\11\20\0\1", 4, "colour space is not kept"},
        {"tEXt", "Title\0x", 7, "texts are not kept"},
        {"pHYs", "\0\0\0\1\0\0\0\2\0", 9, NULL},
    };
    struct maker maker = {.width = 1, .height = 1, .depth = 8, .colour = 2, .samples = samples};
    struct image image;
    struct error err;
    char warning[256];
    int i;

    for (i = 0; i < COUNT(cases); i++) {
        const char *wanted = cases[i].warning ? cases[i].warning : "";
        maker.extra_type = cases[i].type;
        maker.extra = cases[i].content;
        maker.extra_bytes = cases[i].bytes;
        read_made(&maker, &image, warning, &err);
        CHECK(image.data);
        CHECKF(strcmp(warning, wanted) == 0, "%s: '%s'", cases[i].type, warning);
        image_free(&image);
    }
}

/* ---- writing ---- */

static uint8_t *write_png(const struct image *image, enum png_level level, int threads, int band,
                          size_t *bytes)
{
    struct sink_options options = {
        .format = FORMAT_PNG, .quality = 90, .threads = threads, .png_level = level};
    return memory_write(image, &options, band, bytes);
}

static const int sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 3}, {5, 5}, {8, 8}, {13, 7}, {33, 17}};

static void check_same(const struct image *image, const uint8_t *file, size_t bytes)
{
    struct image back;
    struct error err;
    char warning[256];
    int y;

    memory_read(file, bytes, &back, warning, &err);
    CHECKF(back.data, "%s", err.text);
    CHECK(back.channels == image->channels && back.width == image->width);
    CHECK(back.type == image->type && back.height == image->height);
    for (y = 0; y < image->height && back.data; y++)
        CHECKF(memcmp(image_row(&back, y), image_row(image, y), image_row_bytes(image)) == 0,
               "%d x %d x %d: row %d", image->width, image->height, image->channels, y);
    image_free(&back);
}

static void check_round_trip(int width, int height, int channels, enum sample_type type, bool flat)
{
    static const int threads[] = {1, 2, 3, 3}, bands[] = {7, 10000, 10000, 1};
    struct image image;
    struct error err;
    size_t bytes, again_bytes;
    uint8_t *file, *again;
    int i;

    CHECK(image_alloc(&image, width, height, channels, type, "test", &err));
    png_pixels_fill(&image, flat);
    file = write_png(&image, PNG_LEVEL_DEFAULT, 1, height, &bytes);
    for (i = 0; i < COUNT(threads); i++) {
        again = write_png(&image, PNG_LEVEL_DEFAULT, threads[i], bands[i], &again_bytes);
        CHECKF(bytes == again_bytes && memcmp(file, again, bytes) == 0,
               "%d x %d x %d: %d threads write other bytes", width, height, channels, threads[i]);
        free(again);
    }
    check_same(&image, file, bytes);
    free(file);
    file = write_png(&image, PNG_LEVEL_SMALL, 2, height, &again_bytes);
    CHECKF(again_bytes <= bytes, "%d x %d x %d: small is %zu, default %zu", width, height, channels,
           again_bytes, bytes);
    check_same(&image, file, again_bytes);
    free(file);
    file = write_png(&image, PNG_LEVEL_FAST, 2, height, &again_bytes);
    check_same(&image, file, again_bytes);
    free(file);
    image_free(&image);
}

/* 700 x 500 pixels make up to eleven strips of the compressor; a row of 70000 pixels is longer than
 * a strip. */
static void what_is_written_comes_back(void)
{
    int channels, s, flat, type;

    for (channels = 1; channels <= 4; channels++)
        for (type = 1; type <= 2; type++)
            for (flat = 0; flat <= 1; flat++) {
                for (s = 0; s < COUNT(sizes); s++)
                    check_round_trip(sizes[s][0], sizes[s][1], channels, (enum sample_type)type,
                                     flat);
                check_round_trip(700, 500, channels, (enum sample_type)type, flat);
            }
    check_round_trip(70000, 3, 4, SAMPLE_U8, false);
    check_round_trip(3, 90000, 1, SAMPLE_U8, true);
}

static void filter_agrees_with_its_definition(void)
{
    static const int filters[] = {0, 1, 2, 4};
    static const size_t pixels[] = {1, 2, 3, 4, 6, 8};
    uint8_t row[200], up[200], plain[200] = {0}, out[200] = {0};
    int round, f, p;
    size_t i, bytes;

    for (round = 0; round < 2000; round++)
        for (f = 0; f < COUNT(filters); f++)
            for (p = 0; p < COUNT(pixels); p++) {
                bytes = pixels[p] * (1 + png_pixels_random(20));
                for (i = 0; i < sizeof row; i++) {
                    row[i] = (uint8_t)(png_pixels_random(3) ? png_pixels_random(256)
                                                            : 255 * png_pixels_random(2));
                    up[i] = (uint8_t)(png_pixels_random(3) ? png_pixels_random(256)
                                                           : 255 * png_pixels_random(2));
                }
                png_filter_plain(filters[f], row, up, bytes, pixels[p], plain);
                png_filter(filters[f], row, up, bytes, pixels[p], out);
                CHECKF(memcmp(out, plain, sizeof out) == 0, "filter %d, %zu bytes a pixel",
                       filters[f], pixels[p]);
                png_unfilter_plain(filters[f], plain, up, bytes, pixels[p], plain);
                CHECK(memcmp(plain, row, bytes) == 0);
                memcpy(plain, out, sizeof plain);
            }
}

/* Several rows at once; rows of one pixel have loops of their own. */
static void rows_agree_with_single_rows(void)
{
    static const int filters[] = {0, 1, 2, 4};
    static const size_t pixels[] = {1, 2, 3, 4, 6, 8};
    enum { ROWS = 9, MOST = 40 };
    uint8_t rows[(ROWS + 1) * MOST], out[ROWS * (MOST + 1)], one[MOST], back[ROWS * MOST];

    for (int round = 0; round < 400; round++) {
        const int filter = filters[round % COUNT(filters)];
        const size_t pixel = pixels[png_pixels_random(COUNT(pixels))];
        const size_t bytes = pixel * (round % 3 ? 1 : 1 + png_pixels_random(4));
        for (size_t i = 0; i < sizeof rows; i++)
            rows[i] = (uint8_t)png_pixels_random(256);
        png_filter_rows(filter, rows + bytes, ROWS, bytes, pixel, out);
        for (size_t y = 0; y < ROWS; y++) {
            const uint8_t *up = rows + y * bytes;
            png_filter_plain(filter, up + bytes, up, bytes, pixel, one);
            CHECKF(out[y * (bytes + 1)] == filter &&
                       memcmp(out + y * (bytes + 1) + 1, one, bytes) == 0,
                   "filter %d, %zu of %zu bytes, row %zu", filter, pixel, bytes, y);
        }
        if (bytes > pixel)
            continue;
        CHECK(png_unfilter_column(out, rows, ROWS, pixel, back) == ROWS);
        CHECKF(memcmp(back, rows + pixel, ROWS * pixel) == 0, "filter %d, %zu bytes", filter,
               pixel);
        out[5 * (pixel + 1)] = 3; /* average is read, but not written */
        png_unfilter_plain(3, out + 5 * (pixel + 1) + 1, rows + 5 * pixel, pixel, pixel, one);
        CHECK(png_unfilter_column(out, rows, 6, pixel, back) == 6);
        CHECK(memcmp(back + 5 * pixel, one, pixel) == 0);
        out[5 * (pixel + 1)] = 5;
        CHECK(png_unfilter_column(out, rows, ROWS, pixel, back) == 5);
    }
}

int main(void)
{
    TEST(every_kind_reads_exactly);
    TEST(transparency_becomes_alpha);
    TEST(interlaced_pictures_of_small_sizes);
    TEST(interlaced_pictures_of_many_rows);
    TEST(cut_interlaced_pictures_are_refused);
    TEST(unfilter_agrees_with_its_definition);
    TEST(filter_agrees_with_its_definition);
    TEST(rows_agree_with_single_rows);
    TEST(metadata_is_named);
    TEST(what_is_written_comes_back);
    return test_finish();
}
