/* WebP through the codec interface: lossless files come back exactly, damaged ones are refused or
 * read as a picture, and chunks are taken as the format's description says. */
#include <stdlib.h>
#include <string.h>

#include "codec/format.h"
#include "tests/codec/codec_memory.h"
#include "tests/test.h"

static uint8_t *write_webp(const struct image *image, int quality, int threads, int band,
                           size_t *bytes)
{
    struct sink_options options = {.format = FORMAT_WEBP, .quality = quality, .threads = threads};
    return memory_write(image, &options, band, bytes);
}

static bool reads(const uint8_t *file, size_t bytes, struct image *image, struct error *err)
{
    char warning[256];

    memory_read(file, bytes, image, warning, err);
    return image->data != NULL;
}

static bool same(const struct image *a, const struct image *b)
{
    bool equal = a->width == b->width && a->height == b->height && a->channels == b->channels;

    for (int y = 0; equal && y < a->height; y++)
        equal = memcmp(image_row(a, y), image_row(b, y), image_row_bytes(a)) == 0;
    return equal;
}

/* A picture with alpha 0 in some places, and with other colours there. */
static void cut_out(struct image *image, int width, int height, int channels)
{
    memory_picture(image, width, height, channels);
    for (int y = 0; y < height && channels == 4; y += 2)
        for (int x = y % 3; x < width; x += 3)
            ((uint8_t *)image_row(image, y))[4 * x + 3] = 0;
}

static void lossless_files_are_exact(void)
{
    static const int sizes[][2] = {{1, 1},   {1, 37},  {41, 1},  {2, 2},
                                   {17, 13}, {130, 7}, {64, 65}, {301, 203}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int channels = 3; channels <= 4; channels++) {
            struct image image, back;
            struct error err;
            size_t bytes, other_bytes;
            uint8_t *file, *other;
            cut_out(&image, sizes[i][0], sizes[i][1], channels);
            file = write_webp(&image, 0, 1, image.height, &bytes);
            CHECKF(reads(file, bytes, &back, &err), "%s", err.text);
            CHECKF(back.data && same(&image, &back), "%d x %d, %d channels", image.width,
                   image.height, channels);
            for (int quality = 0; quality <= 70; quality += 70) { /* threads and bands */
                free(file);
                file = write_webp(&image, quality, 1, image.height, &bytes);
                other = write_webp(&image, quality, 3, 5, &other_bytes);
                CHECK(bytes == other_bytes && memcmp(file, other, bytes) == 0);
                free(other);
            }
            free(file);
            image_free(&image);
            image_free(&back);
        }
}

/* Also where all of it is opaque. */
static void alpha_stays(void)
{
    for (int quality = 0; quality <= 50; quality += 50) {
        struct image image, back;
        struct error err;
        size_t bytes;
        uint8_t *file;
        memory_picture(&image, 20, 9, 4);
        for (int y = 0; y < 9; y++)
            for (int x = 0; x < 20; x++)
                ((uint8_t *)image_row(&image, y))[4 * x + 3] = 255;
        file = write_webp(&image, quality, 1, 9, &bytes);
        CHECKF(reads(file, bytes, &back, &err), "%s", err.text);
        CHECK(back.channels == 4 && memory_pixel(&back, 3, 4)[3] == 255);
        CHECK(quality > 0 || same(&image, &back));
        free(file);
        image_free(&image);
        image_free(&back);
    }
}

/* Lossy: alpha is exact, colours are near, and a higher quality is nearer. */
static void lossy_files_are_near(void)
{
    double before = 1e9;

    for (int quality = 1; quality <= 100; quality += 33) {
        struct image image, back;
        struct error err;
        double squares = 0;
        size_t bytes;
        uint8_t *file;
        CHECK(image_alloc(&image, 61, 47, 4, SAMPLE_U8, "test", &err));
        for (int y = 0; y < 47; y++)
            for (int x = 0; x < 61; x++)
                for (int c = 0; c < 4; c++)
                    ((uint8_t *)image_row(&image, y))[4 * x + c] =
                        (uint8_t)(c == 3 ? 255 - x * y % 3 : 40 + 2 * x + 3 * y - 20 * c);
        file = write_webp(&image, quality, 2, 10, &bytes);
        CHECKF(reads(file, bytes, &back, &err), "%s", err.text);
        for (int y = 0; back.data && y < 47; y++)
            for (int x = 0; x < 61; x++)
                for (int c = 0; c < 4; c++) {
                    int difference = memory_pixel(&back, x, y)[c] - memory_pixel(&image, x, y)[c];
                    CHECK(c < 3 || difference == 0);
                    squares += difference * difference;
                }
        CHECKF(squares < before && squares / (61 * 47 * 3) < 200, "quality %d: %g", quality,
               squares);
        before = squares;
        free(file);
        image_free(&image);
        image_free(&back);
    }
}

/* ---- chunks ---- */

static void put32(uint8_t *to, size_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static size_t get32(const uint8_t *from)
{
    return from[0] | (size_t)from[1] << 8 | (size_t)from[2] << 16 | (size_t)from[3] << 24;
}

struct webp {
    uint8_t bytes[8192];
    size_t size;
};

static void begin(struct webp *webp)
{
    memcpy(webp->bytes, "RIFF\0\0\0\0WEBP", 12);
    webp->size = 12;
}

static void add(struct webp *webp, const char *kind, const void *content, size_t bytes)
{
    uint8_t *to = webp->bytes + webp->size;

    memcpy(to, kind, 4);
    put32(to + 4, bytes);
    memcpy(to + 8, content, bytes);
    to[8 + bytes] = 0;
    webp->size += 8 + bytes + bytes % 2;
    put32(webp->bytes + 4, webp->size - 8);
}

static void add_vp8x(struct webp *webp, int flags, int width, int height)
{
    uint8_t content[10] = {(uint8_t)flags};

    put32(content + 4, (size_t)width - 1);
    content[7] = (uint8_t)(height - 1);
    add(webp, "VP8X", content, sizeof content);
}

/* The chunk KIND of a file that this program wrote; NULL: it has none. */
static const uint8_t *find(const uint8_t *file, size_t size, const char *kind)
{
    for (size_t at = 12; at < size; at += 8 + (get32(file + at + 4) + 1) / 2 * 2)
        if (memcmp(file + at, kind, 4) == 0)
            return file + at;
    return NULL;
}

/* Opens and reads the file. Returns "" for a picture, else the error without the file's name. */
static const char *result(const struct webp *webp)
{
    static struct error err;
    struct image image;
    const char *text;

    err.text[0] = '\0';
    if (reads(webp->bytes, webp->size, &image, &err)) {
        image_free(&image);
        return "";
    }
    CHECK(err.code == EXIT_INPUT);
    text = strstr(err.text, ": ");
    CHECKF(text && !strchr(err.text, '\n'), "%s", err.text);
    return text ? text + 2 : err.text;
}

static bool begins(const char *text, const char *start)
{
    bool yes = strncmp(text, start, strlen(start)) == 0;

    CHECKF(yes, "'%s' does not begin with '%s'", text, start);
    return yes;
}

/* Parts of small files. */
static uint8_t *lossless_file, *lossy_file;
static const uint8_t *vp8l, *vp8, *alph;
static size_t vp8l_bytes, vp8_bytes, alph_bytes;

static void make_parts(void)
{
    struct image image;
    size_t bytes;

    cut_out(&image, 23, 19, 4);
    lossless_file = write_webp(&image, 0, 1, 19, &bytes);
    vp8l = find(lossless_file, bytes, "VP8L") + 8;
    vp8l_bytes = get32(vp8l - 4);
    lossy_file = write_webp(&image, 60, 1, 19, &bytes);
    vp8 = find(lossy_file, bytes, "VP8 ") + 8;
    vp8_bytes = get32(vp8 - 4);
    alph = find(lossy_file, bytes, "ALPH") + 8;
    alph_bytes = get32(alph - 4);
    image_free(&image);
}

static void chunks_are_checked(void)
{
    static const char animated[] = "an animated WebP cannot be read; try: webpmux -get frame 1 ";
    struct webp w;

    begin(&w);
    add(&w, "VP8L", vp8l, vp8l_bytes);
    CHECK(begins(result(&w), "") && *result(&w) == '\0');
    add(&w, "note", "abc", 3); /* a chunk of an unknown kind, and bytes behind the end */
    memcpy(w.bytes + w.size, "more", 4);
    w.size += 4;
    CHECK(*result(&w) == '\0');
    add(&w, "VP8L", vp8l, vp8l_bytes);
    begins(result(&w), "damaged WebP: the chunk at byte ");
    begin(&w);
    add_vp8x(&w, 0, 23, 19);
    begins(result(&w), "damaged WebP: it has no picture");
    add(&w, "VP8L", vp8l, vp8l_bytes);
    CHECK(*result(&w) == '\0');
    w.bytes[20] = 2;
    begins(result(&w), animated);
    begin(&w);
    add_vp8x(&w, 0, 23, 18);
    add(&w, "VP8L", vp8l, vp8l_bytes);
    begins(result(&w), "damaged WebP: its headers say 23 x 18 and 23 x 19 pixels");
    begin(&w);
    add_vp8x(&w, 2, 23, 19);
    add(&w, "ANIM", "123456", 6);
    begins(result(&w), animated);
    begin(&w);
    add(&w, "VP8L", vp8l, vp8l_bytes);
    add(&w, "\0\0\0\0", "", 0);
    begins(result(&w), "damaged WebP: the chunk at byte ");
}

static void alpha_chunks_are_checked(void)
{
    struct webp w;

    begin(&w);
    add_vp8x(&w, 16, 23, 19);
    add(&w, "ALPH", alph, alph_bytes);
    add(&w, "VP8 ", vp8, vp8_bytes);
    CHECK(*result(&w) == '\0');
    memcpy(w.bytes + 30, "ALPI", 4); /* otherwise the picture would become opaque */
    begins(result(&w), "damaged WebP: its alpha is missing");
    begin(&w);
    add_vp8x(&w, 16, 23, 19);
    add(&w, "VP8 ", vp8, vp8_bytes);
    CHECK(*result(&w) == '\0');
    add(&w, "ALPH", alph, alph_bytes);
    begins(result(&w), "damaged WebP: the chunk at byte ");
}

/* ---- damage ---- */

/* A file that ends early is refused; so is one whose picture ends early, with a header that says
 * so. */
static void cut_files_are_refused(void)
{
    for (int lossy = 0; lossy <= 1; lossy++) {
        const size_t bytes = lossy ? vp8_bytes : vp8l_bytes;
        struct webp w, cut;
        begin(&w);
        add_vp8x(&w, 16, 23, 19);
        if (lossy)
            add(&w, "ALPH", alph, alph_bytes);
        add(&w, lossy ? "VP8 " : "VP8L", lossy ? vp8 : vp8l, bytes);
        add(&w, "EXIF", "II*\0\x08\0\0\0\0\0\0\0\0\0", 14);
        CHECK(*result(&w) == '\0');
        for (cut = w; cut.size > 15; cut.size--) {
            struct webp shorter = cut;
            shorter.size--;
            CHECKF(strstr(result(&shorter), "truncated WebP"), "%zu bytes", shorter.size);
        }
        for (size_t kept = 0; kept + 4 < bytes; kept++) {
            begin(&cut);
            add_vp8x(&cut, 16, 23, 19);
            if (lossy)
                add(&cut, "ALPH", alph, alph_bytes);
            add(&cut, lossy ? "VP8 " : "VP8L", lossy ? vp8 : vp8l, kept);
            CHECKF(*result(&cut), "%s of %zu bytes", lossy ? "VP8" : "VP8L", kept);
        }
    }
}

/* There is no checksum: a changed bit may give another picture, but never anything else. */
static void changed_bits_end_well(void)
{
    int pictures = 0;

    for (int lossy = 0; lossy <= 1; lossy++) {
        struct webp w;
        begin(&w);
        add_vp8x(&w, 16, 23, 19);
        if (lossy)
            add(&w, "ALPH", alph, alph_bytes);
        add(&w, lossy ? "VP8 " : "VP8L", lossy ? vp8 : vp8l, lossy ? vp8_bytes : vp8l_bytes);
        for (size_t bit = 15 * 8; bit < w.size * 8; bit += 1 + bit % 3) {
            w.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            pictures += *result(&w) == '\0';
            w.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    CHECK(pictures > 0);
}

/* Sizes that the memory or the data do not suit. */
static void sizes_are_checked(void)
{
    uint8_t flat[16] = {0x2f, 0xff, 0xff, 0xff, 0x0f}; /* 16384 x 16384 */
    struct webp w;

    begin(&w);
    add(&w, "VP8L", flat, sizeof flat);
    CHECK(*result(&w));
    begin(&w);
    add(&w, "VP8L", vp8l, vp8l_bytes);
    put32(w.bytes + 4, 0xffffffff);
    begins(result(&w), "truncated WebP: ");
    begin(&w);
    add(&w, "VP8L", vp8l, 4);
    add(&w, "note", "abc", 3);
    begins(result(&w), "damaged WebP: the chunk at byte 12 is not valid, or out of place");
}

int main(void)
{
    TEST(lossless_files_are_exact);
    TEST(alpha_stays);
    TEST(lossy_files_are_near);
    make_parts();
    TEST(chunks_are_checked);
    TEST(alpha_chunks_are_checked);
    TEST(cut_files_are_refused);
    TEST(changed_bits_end_well);
    TEST(sizes_are_checked);
    free(lossless_file);
    free(lossy_file);
    return test_finish();
}
