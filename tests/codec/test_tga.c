/* TGA through the codec interface, sample by sample: every kind, depth, order and compression, made
 * from the format's description; written files are read back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/codec/codec_memory.h"
#include "tests/test.h"

#define ENTRIES 40

/* One kind of file. */
struct kind {
    const char *name;
    int kind, bits, entry_bits, alpha_bits;
    int channels; /* required result */
};

static const struct kind kinds[] = {
    {"gray", 3, 8, 0, 0, 1},
    {"gray, alpha", 3, 16, 0, 8, 2},
    {"15 bits", 2, 15, 0, 0, 3},
    {"16 bits", 2, 16, 0, 1, 3},
    {"24 bits", 2, 24, 0, 0, 3},
    {"32 bits", 2, 32, 0, 8, 4},
    {"32 bits, alpha by habit", 2, 32, 0, 0, 4},
    {"palette of 15 bits", 1, 8, 15, 0, 3},
    {"palette of 24 bits", 1, 8, 24, 0, 3},
    {"palette of 32 bits", 1, 8, 32, 8, 4},
    {"palette of 24 bits, wide indices", 1, 16, 24, 0, 3},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static uint32_t random_state;

static uint8_t random8(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint8_t)(random_state >> 24);
}

static uint8_t *put16(uint8_t *to, int value)
{
    *to++ = (uint8_t)value;
    *to++ = (uint8_t)(value >> 8);
    return to;
}

/* The sample that a stored colour of BITS bits must give. */
static int sample_of(const uint8_t *colour, int bits, int c)
{
    if (bits < 24)
        return (int)((double)((colour[0] | colour[1] << 8) >> (10 - 5 * c) & 31) * 255 / 31 + 0.5);
    return colour[c < 3 ? 2 - c : 3];
}

/* Writes packets; runs where pixels repeat, which may cross rows. */
static uint8_t *compress(uint8_t *to, const uint8_t *pixels, int count, size_t bytes)
{
    for (int i = 0; i < count;) {
        int run = 1, n = 1;
        while (run < 128 && i + run < count &&
               memcmp(pixels + (size_t)(i + run) * bytes, pixels + (size_t)i * bytes, bytes) == 0)
            run++;
        n = run > 1 ? 1 : 1 + random8() % 5;
        n = n < count - i ? n : count - i;
        *to++ = (uint8_t)(run > 1 ? 127 + run : n - 1);
        memcpy(to, pixels + (size_t)i * bytes, (size_t)n * bytes);
        to += (size_t)n * bytes;
        i += run > 1 ? run : n;
    }
    return to;
}

static void check_pixels(const struct kind *kind, int flags, const uint8_t *palette,
                         const uint8_t *pixels, const struct image *image)
{
    const size_t pixel = (size_t)(kind->bits + 7) / 8, entry = (size_t)(kind->entry_bits + 7) / 8;
    const int bits = kind->kind == 1 ? kind->entry_bits : kind->bits;

    for (int y = 0; y < image->height && !test_failures; y++)
        for (int x = 0; x < image->width; x++) {
            int row = flags & 32 ? y : image->height - 1 - y;
            const uint8_t *at = pixels + (size_t)(row * image->width + x) * pixel;
            int index = pixel == 1 ? at[0] : at[0] | at[1] << 8;
            const uint8_t *colour = kind->kind == 1 ? palette + (size_t)index * entry : at;
            for (int c = 0; c < image->channels; c++)
                CHECKF(memory_pixel(image, x, y)[c] ==
                           (kind->kind == 3 ? at[c] : sample_of(colour, bits, c)),
                       "%s: x %d, y %d, channel %d", kind->name, x, y, c);
        }
}

static void check_kind(const struct kind *kind, int width, int height, int flags, bool compressed)
{
    uint8_t *file = malloc(5000 + 10 * (size_t)(width * height)), *p = file, *palette;
    uint8_t *pixels = malloc((size_t)(width * height) * 4);
    size_t pixel = (size_t)(kind->bits + 7) / 8, entry = (size_t)(kind->entry_bits + 7) / 8;
    char warning[256];
    struct image image;
    struct error err;

    for (int i = 0; i < width * height; i++) /* every other pixel is like the last one */
        for (size_t k = 0; k < pixel; k++) {
            uint8_t *to = pixels + (size_t)i * pixel;
            to[k] = i > 0 && random8() % 2 ? to[k - pixel] : random8();
            if (kind->kind == 1 && k == 0)
                put16(to, to[0] % ENTRIES);
            if (kind->kind == 1 && pixel > 1)
                k++;
        }
    memset(file, 0, 18);
    file[0] = 3;
    file[1] = kind->entry_bits > 0;
    file[2] = (uint8_t)(kind->kind + (compressed ? 8 : 0));
    put16(file + 5, kind->entry_bits > 0 ? ENTRIES : 0);
    file[7] = (uint8_t)kind->entry_bits;
    put16(file + 12, width);
    put16(file + 14, height);
    file[16] = (uint8_t)kind->bits;
    file[17] = (uint8_t)(kind->alpha_bits | flags);
    memcpy(file + 18, "abc", 3);
    palette = file + 21;
    for (p = palette; p < palette + ENTRIES * entry; p++)
        *p = random8();
    if (compressed)
        p = compress(p, pixels, width * height, pixel);
    else
        p = (uint8_t *)memcpy(p, pixels, (size_t)(width * height) * pixel) +
            (size_t)(width * height) * pixel;
    memory_read(file, (size_t)(p - file), &image, warning, &err);
    CHECKF(image.data && image.channels == kind->channels && !*warning, "%s: %s", kind->name,
           image.data ? warning : err.text);
    if (image.data)
        check_pixels(kind, flags, palette, pixels, &image);
    image_free(&image);
    /* No part of the pixels may be missing. */
    memory_read(file, (size_t)(p - file) - 1, &image, warning, &err);
    CHECKF(!image.data && strstr(err.text, "truncated TGA"), "%s", kind->name);
    image_free(&image);
    free(pixels);
    free(file);
}

static void every_kind_reads_exactly(void)
{
    static const int sizes[][2] = {{1, 1}, {1, 9}, {13, 1}, {7, 5}, {300, 3}};

    for (size_t k = 0; k < KINDS; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int flags = 0; flags <= 32; flags += 32)
                for (int compressed = 0; compressed <= 1; compressed++)
                    if (!test_failures)
                        check_kind(&kinds[k], sizes[s][0], sizes[s][1], flags, compressed);
}

static void alpha_of_0_everywhere_is_none(void)
{
    uint8_t file[18 + 8] = {[2] = 2, [12] = 2, [14] = 1, [16] = 32, [18] = 1, [20] = 3, [22] = 9};
    char warning[256];
    struct image image;
    struct error err;

    memory_read(file, sizeof file, &image, warning, &err);
    CHECK(image.data && image.channels == 3);
    image_free(&image);
    file[17] = 8; /* the header says that there is alpha */
    memory_read(file, sizeof file, &image, warning, &err);
    CHECK(image.data && image.channels == 4);
    image_free(&image);
}

/* stb_image does not turn them, and reads another palette. */
static void unusual_files_are_refused(void)
{
    static const struct {
        int place, value;
        const char *sentence;
    } changes[] = {{17, 16, "a TGA with columns from right to left is not read; try: convert "},
                   {3, 1, "a TGA with an unusual palette is not read; try: convert "},
                   {2, 2, "a TGA with an unusual palette is not read; try: convert "}};

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        uint8_t file[18 + 3 + 1] = {[1] = 1, [2] = 1, [5] = 1, [7] = 24, [12] = 1, [14] = 1};
        char warning[256];
        struct image image;
        struct error err;

        file[16] = changes[i].value == 2 ? 24 : 8;
        file[changes[i].place] = (uint8_t)changes[i].value;
        memory_read(file, sizeof file, &image, warning, &err);
        CHECKF(!image.data && strstr(err.text, changes[i].sentence), "%s", err.text);
        image_free(&image);
    }
}

static void what_is_written_comes_back(void)
{
    for (int channels = 1; channels <= 4; channels++) {
        struct sink_options options = {.format = FORMAT_TGA, .threads = 1};
        struct image image, back;
        char warning[256];
        struct error err;
        size_t bytes;
        uint8_t *file;

        memory_picture(&image, 33, 17, channels);
        file = memory_write(&image, &options, 5, &bytes);
        memory_read(file, bytes, &back, warning, &err);
        CHECK(back.data && back.channels == channels && back.width == 33 && back.height == 17);
        for (int y = 0; y < 17 && back.data; y++)
            CHECKF(memcmp(image_row(&image, y), image_row(&back, y), image_row_bytes(&image)) == 0,
                   "%d channels, row %d", channels, y);
        image_free(&back);
        image_free(&image);
        free(file);
    }
}

/* TGA has no magic number, so the name decides. */
static void other_names_are_not_tga(void)
{
    static const uint8_t file[18 + 3] = {[2] = 2, [12] = 1, [14] = 1, [16] = 24};
    struct source *source = NULL;
    FILE *out = fopen("test_tga.dat", "wb");
    struct error err;

    CHECK(out && fwrite(file, 1, sizeof file, out) == sizeof file && fclose(out) == 0);
    CHECK(!source_open(&source, "test_tga.dat", &err));
    CHECKF(strstr(err.text, "is perhaps TGA, which is only read from a file named .tga"), "%s",
           err.text);
    remove("test_tga.dat");
}

int main(void)
{
    TEST(every_kind_reads_exactly);
    TEST(alpha_of_0_everywhere_is_none);
    TEST(unusual_files_are_refused);
    TEST(what_is_written_comes_back);
    TEST(other_names_are_not_tga);
    return test_finish();
}
