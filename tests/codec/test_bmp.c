/* BMP through the codec interface, sample by sample. The tests make every kind of header, depth and
 * mask from the format's description; written files are read back. */
#include <stdlib.h>
#include <string.h>

#include "tests/codec/codec_memory.h"
#include "tests/test.h"

/* One kind of file. Pixels are numbers of `bits` bits; the palette or the masks give their
 * meaning. */
struct kind {
    const char *name;
    int header, bits, compression;
    uint32_t masks[4]; /* written after or inside the header if compression is 3 or 6 */
    int colours;       /* palette entries written; 0 if bits > 8 */
    int told_colours;  /* the number in the header */
    bool top_down;
    int gap; /* bytes between headers and pixels */
    bool no_last_padding;
    int channels; /* required result */
};

static const struct kind kinds[] = {
    {"1 bit", 40, 1, 0, {0}, 2, 0, false, 0, false, 3},
    {"4 bits", 40, 4, 0, {0}, 16, 0, false, 0, false, 3},
    {"8 bits", 40, 8, 0, {0}, 256, 0, false, 0, false, 3},
    {"8 bits, 5 colours told", 40, 8, 0, {0}, 5, 5, false, 0, false, 3},
    {"8 bits, 5 colours by room", 40, 8, 0, {0}, 5, 0, false, 0, false, 3},
    {"4 bits, 3 colours, top down", 40, 4, 0, {0}, 3, 3, true, 0, false, 3},
    {"8 bits, gap", 40, 8, 0, {0}, 7, 7, false, 9, false, 3},
    {"OS/2 1 bit", 12, 1, 0, {0}, 2, 0, false, 0, false, 3},
    {"OS/2 4 bits", 12, 4, 0, {0}, 16, 0, false, 0, false, 3},
    {"OS/2 8 bits", 12, 8, 0, {0}, 256, 0, false, 0, false, 3},
    {"OS/2 24 bits", 12, 24, 0, {0}, 0, 0, false, 0, false, 3},
    {"OS/2 2 8 bits", 64, 8, 0, {0}, 256, 0, false, 0, false, 3},
    {"16 bits", 40, 16, 0, {0}, 0, 0, false, 0, false, 3},
    {"16 bits 565", 40, 16, 3, {0xf800, 0x7e0, 0x1f, 0}, 0, 0, false, 0, false, 3},
    {"16 bits 4444", 124, 16, 3, {0xf00, 0xf0, 0xf, 0xf000}, 0, 0, false, 0, false, 4},
    {"24 bits", 40, 24, 0, {0}, 0, 0, false, 0, false, 3},
    {"24 bits, top down", 40, 24, 0, {0}, 0, 0, true, 0, false, 3},
    {"24 bits, gap", 40, 24, 0, {0}, 0, 0, false, 100, false, 3},
    {"24 bits, no last padding", 40, 24, 0, {0}, 0, 0, false, 0, true, 3},
    {"24 bits, long header", 124, 24, 0, {0}, 0, 0, false, 0, false, 3},
    {"32 bits, alpha by habit", 40, 32, 0, {0}, 0, 0, false, 0, false, 4},
    {"32 bits bgr", 40, 32, 3, {0xff, 0xff00, 0xff0000, 0}, 0, 0, false, 0, false, 3},
    {"32 bits 4 masks behind",
     40,
     32,
     6,
     {0xff, 0xff00, 0xff0000, 0xff000000},
     0,
     0,
     false,
     0,
     false,
     4},
    {"32 bits 3 masks inside",
     52,
     32,
     3,
     {0xff00, 0xff0000, 0xff000000, 0},
     0,
     0,
     false,
     0,
     false,
     3},
    {"32 bits 4 masks inside",
     56,
     32,
     3,
     {0xff, 0xff00, 0xff0000, 0xff000000},
     0,
     0,
     true,
     0,
     false,
     4},
    {"32 bits version 4",
     108,
     32,
     3,
     {0xff0000, 0xff00, 0xff, 0xff000000},
     0,
     0,
     false,
     0,
     false,
     4},
    {"32 bits 7 6 5", 108, 32, 3, {0x7f, 0x1f80, 0x3e000, 0}, 0, 0, false, 0, false, 3},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static uint32_t random_state;

static uint32_t random32(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state ^ random_state >> 13;
}

static uint8_t *put(uint8_t *to, uint32_t value, int bytes)
{
    for (; bytes > 0; bytes--, value >>= 8)
        *to++ = (uint8_t)value;
    return to;
}

static size_t row_bytes(const struct kind *kind, int width)
{
    return ((size_t)width * (size_t)kind->bits + 31) / 32 * 4;
}

/* Makes the file. PALETTE is blue, green, red of each entry; PIXELS are the numbers, top row
 * first. */
static size_t make_file(const struct kind *kind, int width, int height, const uint8_t *palette,
                        const uint32_t *pixels, uint8_t *file)
{
    bool masked = kind->compression != 0;
    int masks = masked ? (kind->compression == 6 || kind->header >= 56 ? 4 : 3) : 0;
    size_t row = row_bytes(kind, width), headers = 14 + (size_t)kind->header, x;
    uint8_t *p = file + 14;
    int i, y, entry = kind->header == 12 ? 3 : 4;

    memset(file, 0, 2048 + row * (size_t)height);
    p = put(p, (uint32_t)kind->header, 4);
    p = put(p, (uint32_t)width, kind->header == 12 ? 2 : 4);
    p = put(p, (uint32_t)(kind->top_down ? -height : height), kind->header == 12 ? 2 : 4);
    p = put(p, 1, 2);
    p = put(p, (uint32_t)kind->bits, 2);
    if (kind->header > 12) {
        put(p, (uint32_t)kind->compression, 4);
        put(file + 14 + 32, (uint32_t)kind->told_colours, 4);
    }
    for (i = 0; i < masks; i++)
        put(file + 14 + 40 + 4 * i, kind->masks[i], 4);
    if (masked && kind->header == 40)
        headers += 4 * (size_t)masks;
    for (i = 0; i < kind->colours; i++)
        memcpy(file + headers + i * entry, palette + 3 * i, 3);
    headers += (size_t)(kind->colours * entry + kind->gap);
    memcpy(file, "BM", 2);
    put(file + 10, (uint32_t)headers, 4);
    for (y = 0; y < height; y++) {
        uint8_t *to = file + headers + row * (size_t)(kind->top_down ? y : height - 1 - y);
        for (x = 0; x < (size_t)width; x++) {
            uint32_t value = pixels[(size_t)y * (size_t)width + x];
            size_t bit = x * (size_t)kind->bits;
            if (kind->bits >= 8)
                put(to + bit / 8, value, kind->bits / 8);
            else
                to[bit / 8] |= (uint8_t)(value << (8 - kind->bits - (int)(bit % 8)));
        }
    }
    headers += row * (size_t)height;
    return kind->no_last_padding ? headers - (row - (size_t)width * (size_t)kind->bits / 8)
                                 : headers;
}

/* A mask's bits as 0..255, to the nearest level. */
static unsigned by_mask(uint32_t value, uint32_t mask)
{
    if (mask == 0)
        return 255;
    while (!(mask & 1)) {
        mask >>= 1;
        value >>= 1;
    }
    return (unsigned)((value & mask) * 255.0 / mask + 0.5);
}

static unsigned expected(const struct kind *kind, const uint8_t *palette, uint32_t value, int c)
{
    static const uint32_t plain[3][4] = {{0x7c00, 0x3e0, 0x1f, 0},
                                         {0xff0000, 0xff00, 0xff, 0},
                                         {0xff0000, 0xff00, 0xff, 0xff000000}};

    if (kind->bits <= 8)
        return palette[3 * value + (uint32_t)(2 - c)];
    return by_mask(value, kind->compression ? kind->masks[c] : plain[kind->bits / 8 - 2][c]);
}

static void check_kind(const struct kind *kind, int width, int height)
{
    static uint8_t file[1 << 16];
    static uint32_t pixels[64 * 64];
    uint8_t palette[3 * 256];
    struct image image;
    struct error err;
    char warning[256];
    int i, x, y, c;

    for (i = 0; i < 3 * 256; i++)
        palette[i] = (uint8_t)random32();
    for (i = 0; i < width * height; i++)
        pixels[i] = kind->bits <= 8    ? random32() % (uint32_t)kind->colours
                    : kind->bits == 32 ? random32()
                                       : random32() & ((1U << kind->bits) - 1);
    if (kind->bits == 32) /* without masks, alpha needs one byte that is not 0 */
        pixels[width * height - 1] |= 0x01000000;
    memory_read(file, make_file(kind, width, height, palette, pixels, file), &image, warning, &err);
    CHECKF(image.data, "%s: %s", kind->name, err.text);
    if (!image.data)
        return;
    CHECKF(image.channels == kind->channels, "%s: %d channels", kind->name, image.channels);
    CHECK(image.width == width && image.height == height && !*warning);
    for (y = 0; y < height && !test_failures; y++)
        for (x = 0; x < width; x++)
            for (c = 0; c < image.channels; c++) {
                unsigned want = expected(kind, palette, pixels[y * width + x], c);
                CHECKF(memory_pixel(&image, x, y)[c] == want,
                       "%s: x %d y %d channel %d: %u, not %u", kind->name, x, y, c,
                       memory_pixel(&image, x, y)[c], want);
            }
    image_free(&image);
}

static void every_kind_reads_exactly(void)
{
    size_t i;

    for (i = 0; i < KINDS; i++) {
        check_kind(&kinds[i], 1, 1);
        check_kind(&kinds[i], 7, 5);
        check_kind(&kinds[i], 33, 2);
    }
}

/* The fourth byte of 32-bit pixels without masks is ignored if it is 0 in all pixels; with a mask
 * it is always alpha. */
static void zero_alpha(void)
{
    static const struct kind plain = {.header = 40, .bits = 32};
    static const struct kind masked = {
        .header = 108, .bits = 32, .compression = 3, .masks = {0xff0000, 0xff00, 0xff, 0xff000000}};
    static const uint32_t pixels[2] = {0x123456, 0x010203};
    uint8_t file[4096];
    struct image image;
    struct error err;
    char warning[256];

    memory_read(file, make_file(&plain, 2, 1, NULL, pixels, file), &image, warning, &err);
    CHECK(image.data && image.channels == 3);
    CHECK(image.data && memcmp(image.data, "\x12\x34\x56\x01\x02\x03", 6) == 0);
    image_free(&image);
    memory_read(file, make_file(&masked, 2, 1, NULL, pixels, file), &image, warning, &err);
    CHECK(image.data && image.channels == 4);
    CHECK(image.data && memcmp(image.data, "\x12\x34\x56\0\x01\x02\x03\0", 8) == 0);
    image_free(&image);
}

/* ---- run-length compression ---- */

/* Makes a compressed file with a gray palette of 4 entries: 0, 10, 20, 30. */
static size_t make_runs(int bits, int width, int height, const uint8_t *runs, size_t count,
                        uint8_t *file)
{
    static const uint8_t palette[] = {0, 0, 0, 10, 10, 10, 20, 20, 20, 30, 30, 30};
    static const uint32_t none[64];
    const struct kind kind = {.header = 40,
                              .bits = bits,
                              .compression = bits == 8 ? 1 : 2,
                              .colours = 4,
                              .told_colours = 4};
    const size_t headers = 14 + 40 + 16;

    make_file(&kind, width, height, palette, none, file);
    memset(file + 54, 0, 16);
    for (int i = 0; i < 4; i++)
        memset(file + 54 + 4 * i, 10 * i, 3);
    put(file + 10, (uint32_t)headers, 4);
    memcpy(file + headers, runs, count);
    return headers + count;
}

/* ROWS: the samples, top row first, or NULL if SENTENCE is expected instead. */
static void check_runs(int bits, int width, int height, const uint8_t *runs, size_t count,
                       const char *rows, const char *sentence)
{
    uint8_t file[4096];
    struct image image;
    struct error err = {0};
    char warning[256];

    memory_read(file, make_runs(bits, width, height, runs, count, file), &image, warning, &err);
    CHECKF((image.data != NULL) == (rows != NULL), "%s", err.text);
    if (!rows)
        CHECKF(strstr(err.text, sentence), "'%s'", err.text);
    for (int i = 0; image.data && rows && i < width * height; i++)
        CHECKF(memory_pixel(&image, i % width, i / width)[1] == 10 * (rows[i] - '0'), "pixel %d",
               i);
    image_free(&image);
}

static void runs_are_expanded(void)
{
    static const uint8_t eight[] = {3, 1, 2, 2, 0, 0,             /* the bottom row */
                                    0, 3, 1, 2, 3, 0, 2, 0, 0, 0, /* as they are, padded */
                                    0, 2, 2, 0, 3, 3, 0, 1};      /* two pixels skipped */
    static const uint8_t four[] = {5, 0x12, 0, 0, 0, 5, 0x32, 0x10, 0x10, 0, 0, 1};
    static const uint8_t up[] = {1, 1, 0, 2, 1, 1, 1, 2, 0, 1}; /* right and up */
    static const uint8_t leaves[] = {6, 1, 0, 1}, above[] = {0, 2, 0, 4, 1, 1, 0, 1};

    check_runs(8, 5, 3, eight, sizeof eight, "003331230011122", NULL);
    check_runs(8, 5, 3, eight, sizeof eight - 2, "003331230011122", NULL); /* no end */
    check_runs(8, 5, 3, eight, 6, NULL, "truncated BMP: 1 of 3 rows");
    check_runs(8, 5, 3, eight, 9, NULL, "truncated BMP: it ends inside its pixels");
    check_runs(4, 5, 2, four, sizeof four, "3210112121", NULL);
    check_runs(8, 3, 2, up, sizeof up, "002100", NULL);
    check_runs(8, 5, 3, leaves, sizeof leaves, NULL, "leave the picture");
    check_runs(8, 5, 3, above, sizeof above, NULL, "leave the picture");
}

static void profile_is_named(void)
{
    static const struct kind kind = {.header = 124, .bits = 24};
    static const uint32_t pixels[1] = {0};
    uint8_t file[4096];
    size_t bytes = make_file(&kind, 1, 1, NULL, pixels, file);
    struct image image;
    struct error err;
    char warning[256];

    memcpy(file + 14 + 56, "DEBM", 4); /* PROFILE_EMBEDDED */
    memory_read(file, bytes, &image, warning, &err);
    CHECK(image.data && strcmp(warning, "ICC profile is not kept") == 0);
    image_free(&image);
}

/* Gray is read back as equal RGB, gray with alpha as RGBA: BMP has no gray. */
static void what_is_written_comes_back(void)
{
    static const int sizes[][2] = {{1, 1}, {2, 3}, {3, 2}, {5, 1}, {31, 17}};
    struct sink_options options = {.format = FORMAT_BMP, .quality = 90, .threads = 1};
    int i, x, y, c;

    for (i = 0; i < 4 * 5; i++) {
        int width = sizes[i / 4][0], height = sizes[i / 4][1], channels = i % 4 + 1;
        bool gray = channels <= 2;
        struct image image, back;
        struct error err;
        char warning[256];
        size_t bytes;
        uint8_t *file;
        memory_picture(&image, width, height, channels);
        file = memory_write(&image, &options, i % 3 + 1, &bytes);
        memory_read(file, bytes, &back, warning, &err);
        CHECKF(back.data && back.channels == channels + (gray ? 2 : 0), "%s", err.text);
        for (y = 0; y < height && back.data; y++)
            for (x = 0; x < width; x++)
                for (c = 0; c < back.channels; c++)
                    CHECK(memory_pixel(&back, x, y)[c] ==
                          memory_pixel(&image, x, y)[gray ? c / 3 : c]);
        free(file);
        image_free(&image);
        image_free(&back);
    }
}

int main(void)
{
    TEST(every_kind_reads_exactly);
    TEST(zero_alpha);
    TEST(runs_are_expanded);
    TEST(profile_is_named);
    TEST(what_is_written_comes_back);
    return test_finish();
}
