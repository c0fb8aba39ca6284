/* PNG reading and writing through the codec interface: every colour type, depth, filter
 * and interlacing against an encoder of the tests' own (png_maker.c), what comes back
 * from the writer, and what is said about metadata. What is refused is test_hostile.c's. */
#include <stdlib.h>
#include <string.h>

#include "codec_memory.h"
#include "png_filter.h"
#include "png_maker.h"
#include "png_unfilter.h"
#include "test.h"

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % n;
}

static void read_made(const struct maker *maker, struct image *image, char *warning,
                      struct error *err)
{
    size_t bytes;
    uint8_t *file = maker_make(maker, &bytes);

    memory_read(file, bytes, image, warning, err);
    free(file);
}

/* ---- reading ---- */

/* What channel C of a pixel must be, from the specification; S points at its samples. */
static unsigned expected(const struct maker *maker, const uint16_t *s, int c)
{
    unsigned max = (1U << maker->depth) - 1, full = maker->depth == 16 ? 65535 : 255;
    int samples = maker_samples(maker->colour), i;
    bool is_key = true;

    if (maker->colour == 3 && c < 3)
        return maker->palette[3 * s[0] + c];
    if (maker->colour == 3)
        return s[0] < maker->trns_bytes ? maker->trns[s[0]] : 255;
    if (c < samples)
        return s[c] * full / max;
    for (i = 0; i < samples; i++)
        is_key &= s[i] == ((maker->trns[2 * i] * 256U + maker->trns[2 * i + 1]) & max);
    return is_key ? 0 : full;
}

static void check_pixels(const struct maker *maker)
{
    int samples = maker_samples(maker->colour);
    int channels = (maker->colour == 3 ? 3 : samples) + (maker->trns_bytes > 0);
    struct image image;
    struct error err;
    char warning[256];
    int x, y, c;

    read_made(maker, &image, warning, &err);
    CHECKF(image.data, "%s", err.text);
    if (!image.data)
        return;
    CHECK(!*warning);
    CHECK(image.width == maker->width && image.height == maker->height);
    CHECK(image.channels == channels && image.type == (maker->depth == 16 ? 2 : 1));
    for (y = 0; y < maker->height && !test_failures; y++)
        for (x = 0; x < maker->width; x++)
            for (c = 0; c < channels; c++) {
                size_t place = (size_t)(x * channels + c);
                const uint16_t *s = maker->samples + (y * maker->width + x) * samples;
                unsigned got = image.type == SAMPLE_U8 ? ((uint8_t *)image_row(&image, y))[place]
                                                       : ((uint16_t *)image_row(&image, y))[place];
                CHECKF(got == expected(maker, s, c),
                       "%d x %d colour %d depth %d interlaced %d filter %d trns %zu: "
                       "x %d y %d channel %d: %u, not %u",
                       maker->width, maker->height, maker->colour, maker->depth, maker->interlaced,
                       maker->filter, maker->trns_bytes, x, y, c, got, expected(maker, s, c));
            }
    image_free(&image);
}

static const struct {
    int colour, depth;
} kinds[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
             {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
static const int sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 3}, {5, 5}, {8, 8}, {13, 7}, {33, 17}};
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* A picture of one kind and size in all filters, interlaced or not, with one tRNS or none. */
static void check_kind(int colour, int depth, int width, int height, bool with_trns)
{
    static uint16_t samples[33 * 17 * 4];
    uint8_t palette[3 * 256], trns[256];
    struct maker maker = {.width = width,
                          .height = height,
                          .depth = depth,
                          .colour = colour,
                          .samples = samples,
                          .palette = palette,
                          .trns = trns};
    int count = maker_samples(colour), i;
    unsigned max = (1U << depth) - 1;

    for (i = 0; i < width * height * count; i++)
        samples[i] = (uint16_t)random_below(max + 1);
    for (i = 0; i < 3 * 256; i++)
        palette[i] = (uint8_t)random_below(256);
    for (i = 0; i < 256; i++)
        trns[i] = (uint8_t)random_below(256);
    maker.palette_bytes = colour == 3 ? 3 * ((size_t)max + 1) : 0;
    if (with_trns && colour == 3)
        maker.trns_bytes = 1 + random_below(max + 1);
    for (i = 0; with_trns && colour != 3 && i < count; i++) { /* the key is the last pixel */
        unsigned key = samples[(width * height - 1) * count + i];
        /* Bits above the depth do not count. */
        key |= depth < 16 ? random_below(256) << 8 | (0xffU & ~max & random_below(256)) : 0;
        trns[2 * i] = (uint8_t)(key >> 8);
        trns[2 * i + 1] = (uint8_t)key;
        maker.trns_bytes = 2 * (size_t)count;
    }
    for (maker.interlaced = 0; maker.interlaced < 2; maker.interlaced++)
        for (maker.filter = 0; maker.filter <= MAKER_CYCLE; maker.filter++) {
            maker.piece = random_below(3) ? 1 + random_below(50) : 0;
            maker.compressed = (int)random_below(2);
            check_pixels(&maker);
        }
}

static void every_kind_reads_exactly(void)
{
    int k, s;

    for (k = 0; k < COUNT(kinds) && !test_failures; k++)
        for (s = 0; s < COUNT(sizes); s++)
            check_kind(kinds[k].colour, kinds[k].depth, sizes[s][0], sizes[s][1], false);
}

static void transparency_becomes_alpha(void)
{
    int k, s;

    for (k = 0; k < COUNT(kinds) && !test_failures; k++)
        for (s = 0; s < COUNT(sizes) && kinds[k].colour < 4; s++)
            check_kind(kinds[k].colour, kinds[k].depth, sizes[s][0], sizes[s][1], true);
}

static void unfilter_agrees_with_its_definition(void)
{
    static const size_t pixels[] = {1, 2, 3, 4, 6, 8};
    uint8_t row[200], plain[200], up[200];
    int round, filter, p;
    size_t i, bytes;

    for (round = 0; round < 50; round++)
        for (filter = 0; filter <= 4; filter++)
            for (p = 0; p < COUNT(pixels); p++) {
                bytes = pixels[p] * (1 + random_below(20));
                for (i = 0; i < sizeof row; i++) { /* extremes are where Paeth could go wrong */
                    row[i] = plain[i] = (uint8_t)random_below(256);
                    up[i] = (uint8_t)(random_below(3) ? random_below(256) : 255 * random_below(2));
                }
                png_unfilter_plain(filter, plain, up, bytes, pixels[p]);
                png_unfilter(filter, row, up, bytes, pixels[p]);
                CHECKF(memcmp(row, plain, sizeof row) == 0, "filter %d, %zu bytes a pixel", filter,
                       pixels[p]);
            }
}

static void metadata_is_named(void)
{
    static const uint16_t samples[3] = {1, 2, 3};
    static const struct {
        const char *type, *content;
        size_t bytes;
        const char *warning; /* behind the file's name; NULL: none */
    } cases[] = {
        {"iCCP", "x\0\0", 3, "ICC profile is not kept"},
        {"eXIf", "II*\0", 4, "EXIF data are not kept"},
        {"acTL", "\0\0\0\2\0\0\0\0", 8, "animation frames are not kept"},
        {"gAMA", "\0\0\xb1\x8f", 4, NULL},
        {"gAMA", "\0\1\x86\xa0", 4, "gamma is not kept"},
        {"cICP", "\1\15\0\1", 4, NULL},
        {"cICP", "\11\20\0\1", 4, "colour space is not kept"},
        {"tEXt", "Title\0x", 7, NULL},
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

/* Like a photograph, or flat with few colours: the compressor takes different ways. */
static void fill(struct image *image, bool flat)
{
    int x, y, bytes = (int)image_row_bytes(image);

    for (y = 0; y < image->height; y++)
        for (x = 0; x < bytes; x++)
            ((uint8_t *)image_row(image, y))[x] =
                (uint8_t)(flat ? (x / 40 + y / 9) % 3 * 90 : x / 3 + y + (int)random_below(9));
}

static uint8_t *write_png(const struct image *image, int threads, int band, size_t *bytes)
{
    struct sink_options options = {.format = FORMAT_PNG, .quality = 90, .threads = threads};
    return memory_write(image, &options, band, bytes);
}

static void check_round_trip(int width, int height, int channels, enum sample_type type, bool flat)
{
    static const int threads[] = {1, 2, 3, 3}, bands[] = {7, 10000, 10000, 1};
    struct image image, back;
    struct error err;
    size_t bytes, again_bytes;
    uint8_t *file, *again;
    char warning[256];
    int i, y;

    CHECK(image_alloc(&image, width, height, channels, type, "test", &err));
    fill(&image, flat);
    file = write_png(&image, 1, height, &bytes);
    for (i = 0; i < COUNT(threads); i++) {
        again = write_png(&image, threads[i], bands[i], &again_bytes);
        CHECKF(bytes == again_bytes && memcmp(file, again, bytes) == 0,
               "%d x %d x %d: %d threads write other bytes", width, height, channels, threads[i]);
        free(again);
    }
    memory_read(file, bytes, &back, warning, &err);
    CHECKF(back.data, "%s", err.text);
    CHECK(back.channels == channels && back.width == width && back.height == height);
    CHECK(back.type == type);
    for (y = 0; y < height && back.data; y++)
        CHECKF(memcmp(image_row(&back, y), image_row(&image, y), image_row_bytes(&image)) == 0,
               "%d x %d x %d: row %d", width, height, channels, y);
    free(file);
    image_free(&back);
    image_free(&image);
}

/* 700 x 500 are up to eleven strips of the compressor, 70000 pixels a row longer than one. */
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
                bytes = pixels[p] * (1 + random_below(20));
                for (i = 0; i < sizeof row; i++) {
                    row[i] = (uint8_t)(random_below(3) ? random_below(256) : 255 * random_below(2));
                    up[i] = (uint8_t)(random_below(3) ? random_below(256) : 255 * random_below(2));
                }
                png_filter_plain(filters[f], row, up, bytes, pixels[p], plain);
                png_filter(filters[f], row, up, bytes, pixels[p], out);
                CHECKF(memcmp(out, plain, sizeof out) == 0, "filter %d, %zu bytes a pixel",
                       filters[f], pixels[p]);
                png_unfilter_plain(filters[f], plain, up, bytes, pixels[p]);
                CHECK(memcmp(plain, row, bytes) == 0);
                memcpy(plain, out, sizeof plain);
            }
}

int main(void)
{
    TEST(every_kind_reads_exactly);
    TEST(transparency_becomes_alpha);
    TEST(unfilter_agrees_with_its_definition);
    TEST(filter_agrees_with_its_definition);
    TEST(metadata_is_named);
    TEST(what_is_written_comes_back);
    return test_finish();
}
