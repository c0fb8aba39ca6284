/* PNG compared with libpng: files of libpng are read exactly, and libpng reads the program's files
 * exactly. Skipped in builds without libpng. */
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"

#ifdef HAVE_LIBPNG
#include "tests/codec/codec_memory.h"
#include "tests/codec/png_peer.h"
#include "tests/codec/png_pixels.h"

/* ---- reading ---- */

static void check_read(const struct maker *maker)
{
    struct image image;
    struct error err;
    char warning[256], where[160];
    size_t bytes;
    uint8_t *file;

    if (test_failures)
        return;
    file = peer_encode(maker, &bytes);
    CHECK(file);
    memory_read(file, bytes, &image, warning, &err);
    CHECKF(image.data, "%s", err.text);
    CHECKF(strcmp(warning, "texts are not kept") == 0, "%s", warning); /* peer_encode writes some */
    if (image.data)
        CHECKF(png_pixels_agree(maker, &image, where), "%s", where);
    image_free(&image);
    free(file);
}

static void what_libpng_writes_is_read(void)
{
    png_pixels_each(false, check_read);
}

static void what_libpng_writes_with_transparency_is_read(void)
{
    png_pixels_each(true, check_read);
}

/* The tests' own encoder and libpng agree. */
static void check_maker(const struct maker *maker)
{
    struct peer_picture picture;
    char why[160] = "";
    size_t bytes, count;
    uint8_t *file;

    if (test_failures)
        return;
    file = maker_make(maker, &bytes);
    CHECKF(peer_decode(&picture, file, bytes, why), "%s", why);
    if (picture.samples) {
        count = (size_t)(maker->width * maker->height * maker_samples(maker->colour));
        CHECK(memcmp(picture.samples, maker->samples, 2 * count) == 0);
    }
    peer_free(&picture);
    free(file);
}

static void libpng_reads_the_test_pictures(void)
{
    png_pixels_each(false, check_maker);
    png_pixels_each(true, check_maker);
}

/* ---- writing ---- */

static void check_written(int width, int height, int channels, enum sample_type type, bool flat)
{
    struct sink_options options = {.format = FORMAT_PNG, .quality = 90, .threads = 2};
    struct peer_picture picture;
    struct image image;
    struct error err;
    char why[160] = "", where[160];
    size_t bytes;
    uint8_t *file;

    if (test_failures)
        return;
    CHECK(image_alloc(&image, width, height, channels, type, "test", &err));
    png_pixels_fill(&image, flat);
    file = memory_write(&image, &options, 7, &bytes);
    CHECKF(peer_decode(&picture, file, bytes, why), "libpng: %s", why);
    if (picture.samples)
        CHECKF(png_pixels_agree(&picture.maker, &image, where), "%s", where);
    peer_free(&picture);
    free(file);
    image_free(&image);
}

static void what_is_written_is_read_by_libpng(void)
{
    static const int sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {33, 17}, {700, 500}, {3, 9000}};
    size_t s;
    int channels, type, flat;

    for (channels = 1; channels <= 4; channels++)
        for (type = 1; type <= 2; type++)
            for (flat = 0; flat <= 1; flat++)
                for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
                    check_written(sizes[s][0], sizes[s][1], channels, (enum sample_type)type, flat);
    check_written(70000, 3, 4, SAMPLE_U8, false);
}
#endif

int main(void)
{
#ifdef HAVE_LIBPNG
    TEST(what_libpng_writes_is_read);
    TEST(what_libpng_writes_with_transparency_is_read);
    TEST(libpng_reads_the_test_pictures);
    TEST(what_is_written_is_read_by_libpng);
#else
    test_skip("png_peer", "this build found no libpng");
#endif
    return test_finish();
}
