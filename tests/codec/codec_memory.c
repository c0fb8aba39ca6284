/* Image files in memory: see tests/codec/codec_memory.h. */
#include "tests/codec/codec_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"

#define MAX_FILE (4 << 20)

static void temporary_path(char path[64])
{
    const char *folder = getenv("TMPDIR");
    int fd;

    snprintf(path, 64, "%.36s/stencil_test_XXXXXX.tga", folder && *folder ? folder : "/tmp");
    fd = mkstemps(path, 4); /* the name matters only for TGA */
    CHECK(fd >= 0);
    if (fd >= 0)
        close(fd);
}

/* Reading in bands of 1, 2, 3 ... rows into wider rows must give the same samples. */
static void check_bands(const char *path, const struct image *image)
{
    struct source *source;
    struct image rows;
    struct error err;
    int y, i, band = 1;

    CHECK(source_open(&source, path, &err));
    CHECK(
        image_alloc(&rows, image->width, image->height, image->channels, image->type, path, &err));
    for (y = 0; y < image->height; y += band++) {
        int left = image->height - y;
        struct image part = image_rows(&rows, y, band < left ? band : left);
        CHECKF(source_read(source, &part, &err), "%s", err.text);
        for (i = y; i < y + part.height; i++)
            CHECKF(memcmp(image_row(&rows, i), image_row(image, i), image_row_bytes(image)) == 0,
                   "row %d of a band", i);
    }
    image_free(&rows);
    source_close(source);
}

void memory_read(const uint8_t *file, size_t bytes, struct image *image, char *warning,
                 struct error *err)
{
    struct source *source = NULL;
    char path[64];
    FILE *out;

    memset(image, 0, sizeof *image);
    *warning = '\0';
    temporary_path(path);
    out = fopen(path, "wb");
    CHECK(out && fwrite(file, 1, bytes, out) == bytes && fclose(out) == 0);
    if (source_open(&source, path, err) && source_read_all(source, image, err)) {
        const struct image_info *info = source_info(source);
        CHECK(info->width == image->width && info->height == image->height);
        CHECK(info->channels == image->channels && info->type == image->type);
        CHECK(info->max == (image->type == SAMPLE_U8 ? 255 : 65535));
        if (source_warning(source, FORMAT_NONE))
            snprintf(warning, 256, "%s", strstr(source_warning(source, FORMAT_NONE), ": ") + 2);
    }
    source_close(source);
    if (image->data)
        check_bands(path, image);
    unlink(path);
}

uint8_t *memory_write(const struct image *image, const struct sink_options *options, int band,
                      size_t *bytes)
{
    struct image_info info = {.width = image->width,
                              .height = image->height,
                              .channels = image->channels,
                              .type = image->type,
                              .max = image->type == SAMPLE_U8 ? 255 : 65535};
    struct error err = {.text = ""};
    uint8_t *data = malloc(MAX_FILE);
    struct sink *sink;
    char path[64];
    FILE *in;
    int y;

    temporary_path(path);
    CHECKF(sink_open(&sink, path, &info, options, &err), "%s", err.text);
    for (y = 0; y < image->height; y += band) {
        int left = image->height - y;
        struct image rows = image_rows(image, y, left < band ? left : band);
        CHECKF(sink_write(sink, &rows, &err), "%s", err.text);
    }
    CHECKF(sink_finish(sink, &err), "%s", err.text);
    in = fopen(path, "rb");
    *bytes = in ? fread(data, 1, MAX_FILE, in) : 0;
    if (in)
        fclose(in);
    unlink(path);
    return data;
}

void memory_picture(struct image *image, int width, int height, int channels)
{
    struct error err;
    int x, y, c;

    CHECK(image_alloc(image, width, height, channels, SAMPLE_U8, "test", &err));
    for (y = 0; y < height; y++)
        for (x = 0; x < width; x++)
            for (c = 0; c < channels; c++)
                ((uint8_t *)image_row(image, y))[x * channels + c] =
                    (uint8_t)(x * (5 + c) + y * y * 3 + 40 * c + x * y / 3);
}
