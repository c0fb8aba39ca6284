/* JPEG through the codec interface. JPEG is lossy, so its files are compared with each other: files
 * with an orientation with the file without one, gray files with colour files of the same picture.
 * Only flat pictures must come back exactly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codec/format.h"
#include "tests/codec/codec_memory.h"
#include "tests/test.h"

static uint8_t *write_jpeg(const struct image *image, int quality, int band, size_t *bytes)
{
    struct sink_options options = {.format = FORMAT_JPEG, .quality = quality, .threads = 1};
    return memory_write(image, &options, band, bytes);
}

static void flat_jpegs_are_exact(void)
{
    int channels, quality;
    struct error err;

    for (channels = 1; channels <= 3; channels += 2)
        for (quality = 1; quality <= 100; quality += 33) {
            struct image image, back;
            char warning[256];
            size_t bytes;
            uint8_t *file;
            CHECK(image_alloc(&image, 19, 11, channels, SAMPLE_U8, "test", &err));
            memset(image.data, 128, image.pitch * 11);
            file = write_jpeg(&image, quality, 11, &bytes);
            memory_read(file, bytes, &back, warning, &err);
            CHECKF(back.data && back.channels == channels && back.width == 19 && back.height == 11,
                   "%s", err.text);
            CHECK(!*warning);
            for (int y = 0; y < 11 && back.data; y++)
                CHECK(memcmp(image_row(&back, y), image_row(&image, y), 19 * (size_t)channels) ==
                      0);
            free(file);
            image_free(&image);
            image_free(&back);
        }
}

/* The gray file equals the colour file of three equal channels without its chroma. */
static void gray_jpegs_are_their_colour_twins(void)
{
    static const int sizes[][2] = {{1, 1}, {7, 9}, {8, 8}, {16, 16}, {17, 33}, {250, 3}, {101, 77}};
    static const int qualities[] = {1, 50, 90, 91, 100};
    struct error err;

    for (int i = 0; i < 7 * 5; i++) {
        int width = sizes[i / 5][0], height = sizes[i / 5][1], x, y;
        struct image gray, colour, back, twin;
        size_t bytes, twin_bytes;
        uint8_t *file, *twin_file;
        char warning[256];
        memory_picture(&gray, width, height, 1);
        CHECK(image_alloc(&colour, width, height, 3, SAMPLE_U8, "test", &err));
        for (y = 0; y < height; y++)
            for (x = 0; x < width; x++)
                memset((uint8_t *)image_row(&colour, y) + 3 * x, *memory_pixel(&gray, x, y), 3);
        file = write_jpeg(&gray, qualities[i % 5], 5, &bytes);
        twin_file = write_jpeg(&colour, qualities[i % 5], height, &twin_bytes);
        memory_read(file, bytes, &back, warning, &err);
        memory_read(twin_file, twin_bytes, &twin, warning, &err);
        CHECKF(back.data && back.channels == 1 && twin.data && twin.channels == 3, "%s", err.text);
        CHECK(bytes < twin_bytes);
        for (y = 0; y < height && back.data && twin.data; y++)
            for (x = 0; x < width; x++)
                CHECKF(*memory_pixel(&back, x, y) == memory_pixel(&twin, x, y)[0] &&
                           *memory_pixel(&back, x, y) == memory_pixel(&twin, x, y)[2],
                       "%d x %d quality %d: x %d y %d", width, height, qualities[i % 5], x, y);
        free(file);
        free(twin_file);
        image_free(&gray);
        image_free(&colour);
        image_free(&back);
        image_free(&twin);
    }
}

/* FILE with an APP1 segment of EXIF data after its start. */
static uint8_t *with_exif(const uint8_t *file, size_t bytes, const void *tiff, size_t tiff_bytes,
                          size_t *out_bytes)
{
    size_t segment = 2 + 6 + tiff_bytes;
    uint8_t *out = malloc(bytes + 2 + segment);

    memcpy(out, file, 2);
    memcpy(out + 2, "\xff\xe1\0\0Exif\0", 10);
    out[4] = (uint8_t)(segment >> 8);
    out[5] = (uint8_t)segment;
    memcpy(out + 12, tiff, tiff_bytes);
    memcpy(out + 12 + tiff_bytes, file + 2, bytes - 2);
    *out_bytes = bytes + 2 + segment;
    return out;
}

/* The pixel of the stored picture that belongs at (x, y) of the upright picture, by the EXIF
 * standard. */
static const uint8_t *upright_pixel(const struct image *stored, int orientation, int x, int y)
{
    int last_x = stored->width - 1, last_y = stored->height - 1;

    switch (orientation) {
    case 2: /* top, right */
        return memory_pixel(stored, last_x - x, y);
    case 3: /* bottom, right */
        return memory_pixel(stored, last_x - x, last_y - y);
    case 4: /* bottom, left */
        return memory_pixel(stored, x, last_y - y);
    case 5: /* left, top */
        return memory_pixel(stored, y, x);
    case 6: /* right, top */
        return memory_pixel(stored, y, last_y - x);
    case 7: /* right, bottom */
        return memory_pixel(stored, last_x - y, last_y - x);
    case 8: /* left, bottom */
        return memory_pixel(stored, last_x - y, x);
    default:
        return memory_pixel(stored, x, y);
    }
}

/* A number of EXIF data of TYPE (3: 16 bits, else 32) in its four bytes. */
static void put_number(uint8_t to[4], int type, int value, bool big)
{
    memset(to, 0, 4);
    to[!big ? 0 : type == 3 ? 1 : 3] = (uint8_t)value;
}

static void check_orientation(const uint8_t *file, size_t bytes, const struct image *stored,
                              int type, int value, bool big)
{
    uint8_t little_tiff[] = {'I',  'I', 42, 0, 8, 0, 0, 0, 2, 0,       /* two entries */
                             0x0f, 1,   2,  0, 1, 0, 0, 0, 0, 0, 0, 0, /* another one */
                             0x12, 1,   0,  0, 1, 0, 0, 0, 0, 0, 0, 0};
    uint8_t big_tiff[] = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    uint8_t *tiff = big ? big_tiff : little_tiff;
    size_t tiff_bytes = big ? sizeof big_tiff : sizeof little_tiff;
    int orientation = value >= 1 && value <= 8 ? value : 1, x, y;
    bool exchanged = orientation >= 5;
    struct image image;
    struct error err;
    char warning[256];
    size_t turned_bytes;
    uint8_t *turned, one[4];

    tiff[tiff_bytes - (big ? 9 : 10)] = (uint8_t)type;
    put_number(tiff + tiff_bytes - 4, type, value, big);
    turned = with_exif(file, bytes, tiff, tiff_bytes, &turned_bytes);
    memory_read(turned, turned_bytes, &image, warning, &err);
    CHECKF(image.data, "%s", err.text);
    CHECK(strcmp(warning, "EXIF data are not kept") == 0);
    CHECK(image.width == (exchanged ? stored->height : stored->width));
    CHECK(image.height == (exchanged ? stored->width : stored->height));
    for (y = 0; y < image.height && image.data && !test_failures; y++)
        for (x = 0; x < image.width; x++)
            CHECKF(memcmp(memory_pixel(&image, x, y), upright_pixel(stored, orientation, x, y),
                          (size_t)image.channels) == 0,
                   "type %d, orientation %d: x %d y %d", type, value, x, y);
    /* What is written says that the picture is upright. */
    CHECK(metadata_exif_upright(tiff, tiff_bytes) == orientation);
    put_number(one, type, orientation == value ? 1 : value, big);
    CHECKF(memcmp(tiff + tiff_bytes - 4, one, 4) == 0, "type %d, orientation %d", type, value);
    image_free(&image);
    free(turned);
}

static void orientation_is_applied(void)
{
    static const int types[] = {3, 4, 9}; /* SHORT, LONG, SLONG */

    for (int channels = 1; channels <= 3; channels += 2) {
        struct image image, stored;
        struct error err;
        char warning[256];
        size_t bytes;
        uint8_t *file;
        memory_picture(&image, 21, 37, channels);
        file = write_jpeg(&image, 95, 6, &bytes);
        memory_read(file, bytes, &stored, warning, &err);
        CHECKF(stored.data, "%s", err.text);
        for (int i = 0; i < 3 * 10 && stored.data; i++) {
            check_orientation(file, bytes, &stored, types[i / 10], i % 10, false);
            check_orientation(file, bytes, &stored, types[i / 10], i % 10, true);
        }
        free(file);
        image_free(&image);
        image_free(&stored);
    }
}

/* A thumbnail would show the picture as it was: its directory and its bytes are cleared. */
static void thumbnails_are_dropped(void)
{
    uint8_t tiff[] = {
        'I', 'I', 42, 0, 8, 0, 0, 0, 0, 0, /* no entry */
        14,  0,   0,  0, /* the second directory: the place of 4 bytes, their length */
        2,   0,   1,  2, 4, 0, 1, 0, 0, 0, 44, 0,   0,   0,   2,   2,   4,   0,   1,
        0,   0,   0,  4, 0, 0, 0, 0, 0, 0, 0,  'j', 'p', 'e', 'g', 'm', 'o', 'r', 'e'};

    CHECK(metadata_exif_upright(tiff, sizeof tiff) == 1);
    CHECK(memcmp(tiff + 10, "\0\0\0\0", 4) == 0);
    CHECK(memcmp(tiff + 44, "\0\0\0\0more", 8) == 0);
}

/* Wrong or truncated EXIF data means no orientation, and the picture is not refused. */
static void broken_exif_is_harmless(void)
{
    static const uint8_t whole[] = {'M',  'M', 0, 42, 0, 0, 0, 8, 0, 1, 1,
                                    0x12, 0,   3, 0,  0, 0, 1, 0, 6, 0, 0};
    uint8_t tiff[sizeof whole];
    struct image image, back;
    struct error err;
    char warning[256];
    size_t bytes, more, i;
    uint8_t *file, *broken;

    memory_picture(&image, 13, 6, 1);
    file = write_jpeg(&image, 95, 6, &bytes);
    for (i = 0; i < 2 * sizeof whole; i++) { /* cut at every byte; then each byte at its maximum */
        memcpy(tiff, whole, sizeof whole);
        if (i >= sizeof whole)
            tiff[i - sizeof whole] = 255;
        broken = with_exif(file, bytes, tiff, i < sizeof whole ? i : sizeof whole, &more);
        memory_read(broken, more, &back, warning, &err);
        CHECKF(back.data, "%zu: %s", i, err.text);
        CHECK(i >= sizeof whole || back.width == 13 || i >= 20);
        image_free(&back);
        free(broken);
    }
    free(file);
    image_free(&image);
}

/* ---- damage ---- */

/* Whether the first CUT bytes of FILE, and END behind them, are read as a picture. */
static bool is_read(int fd, const uint8_t *file, size_t cut, const char *end)
{
    struct source *source;
    struct image image;
    struct error err;
    char path[64];
    bool ok;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, file, cut, 0) == (ssize_t)cut &&
          pwrite(fd, end, strlen(end), (off_t)cut) == (ssize_t)strlen(end));
    ok = source_open(&source, path, &err) && source_read_all(source, &image, &err);
    source_close(source);
    if (ok)
        image_free(&image);
    return ok;
}

/* A file that was cut anywhere is refused, also with an end marker behind the cut. */
static void check_cuts(const char *path)
{
    static uint8_t file[1 << 16];
    FILE *in = fopen(path, "rb");
    size_t bytes = in ? fread(file, 1, sizeof file, in) : 0;
    int fd = memfd_create("cut", 0);

    CHECKF(bytes > 2 && fd >= 0 && is_read(fd, file, bytes - 2, "\xff\xd9"), "%s", path);
    for (size_t cut = 2; cut + 2 < bytes; cut++) {
        CHECKF(!is_read(fd, file, cut, ""), "%s: %zu bytes were read", path, cut);
        CHECKF(!is_read(fd, file, cut, "\xff\xd9"), "%s: %zu bytes and an end were read", path,
               cut);
    }
    close(fd);
    if (in)
        fclose(in);
}

static void cut_files_are_refused(void)
{
    check_cuts("testdata/progressive.jpg");
    check_cuts("testdata/rotated.jpg");
}

int main(void)
{
    TEST(flat_jpegs_are_exact);
    TEST(gray_jpegs_are_their_colour_twins);
    TEST(orientation_is_applied);
    TEST(thumbnails_are_dropped);
    TEST(broken_exif_is_harmless);
    TEST(cut_files_are_refused);
    return test_finish();
}
