/* Shared by the tests of image files: small files, pictures with guard bytes after every row, and
 * comparison of exactly their samples. A header for test programs only; each includes it once. */
#ifndef STENCIL_TESTS_CODEC_TEST_PICTURES_H
#define STENCIL_TESTS_CODEC_TEST_PICTURES_H

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/codec.h"
#include "codec/output.h"
#include "tests/test.h"

#define GUARD 0xA5

/* A string literal, which may contain zero bytes, and its length. */
#define BYTES(text) text, sizeof text - 1

/* Makes a new folder and enters it, so that messages contain plain names. */
static inline bool enter_test_folder(char folder[64])
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, 64, "%s/stencilcli-test-XXXXXX", base && strlen(base) < 32 ? base : P_tmpdir);
    return mkdtemp(folder) && chdir(folder) == 0;
}

/* Removes the folder with its files. */
static inline bool leave_test_folder(const char *folder)
{
    DIR *entries = opendir(".");
    struct dirent *entry;

    while (entries && (entry = readdir(entries)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(entry->d_name);
    if (entries)
        closedir(entries);
    return chdir("/") == 0 && rmdir(folder) == 0;
}

static inline void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, count, file) == count);
    CHECK(file && fclose(file) == 0);
}

/* Reads at most 4 MiB, enough for the tests. */
static inline size_t read_file(const char *path, uint8_t **bytes)
{
    FILE *file = fopen(path, "rb");
    size_t count = 0;
    *bytes = malloc((size_t)4 << 20);
    if (file)
        count = fread(*bytes, 1, (size_t)4 << 20, file);
    CHECK(file && fclose(file) == 0);
    return count;
}

static inline bool file_holds(const char *path, const void *bytes, size_t count)
{
    uint8_t *got;
    size_t n = read_file(path, &got);
    bool same = n == count && memcmp(got, bytes, count) == 0;

    free(got);
    return same;
}

/* Writes TEXT as a whole output; false with the message in err. */
static inline bool put_text(const char *path, const char *text, struct error *err)
{
    struct output *output;

    if (!output_open(&output, path, err))
        return false;
    if (output_write(output, text, strlen(text), err))
        return output_commit(output, err);
    output_discard(output);
    return false;
}

static inline uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A picture with GAP guard bytes after each row, its samples random or GUARD. */
static inline struct image make_picture(int width, int height, int channels, uint32_t max,
                                        size_t gap, uint32_t seed)
{
    struct image image = {.width = width,
                          .height = height,
                          .channels = channels,
                          .type = max > 255 ? SAMPLE_U16 : SAMPLE_U8};
    int y, i;

    image.pitch = image_row_bytes(&image) + gap;
    image.data = malloc(image.pitch * (size_t)height);
    memset(image.data, GUARD, image.pitch * (size_t)height);
    for (y = 0; y < height && seed; y++)
        for (i = 0; i < width * channels; i++)
            if (image.type == SAMPLE_U8)
                ((uint8_t *)image_row(&image, y))[i] = (uint8_t)(next_random(&seed) % (max + 1));
            else
                ((uint16_t *)image_row(&image, y))[i] = (uint16_t)(next_random(&seed) % (max + 1));
    return image;
}

static inline bool guards_intact(const struct image *image)
{
    size_t i;
    int y;

    for (y = 0; y < image->height; y++)
        for (i = image_row_bytes(image); i < image->pitch; i++)
            if (((uint8_t *)image_row(image, y))[i] != GUARD)
                return false;
    return true;
}

static inline bool same_samples(const struct image *a, const struct image *b)
{
    int y;

    for (y = 0; y < a->height; y++)
        if (memcmp(image_row(a, y), image_row(b, y), image_row_bytes(a)) != 0)
            return false;
    return a->height == b->height && a->width == b->width && a->channels == b->channels;
}

static inline struct image_info info_of(const struct image *image, uint32_t max)
{
    struct image_info info = {image->width, image->height, image->channels,
                              image->type,  max,           FORMAT_PNG};
    return info;
}

static inline bool write_picture(const char *path, const struct image *image, uint32_t max,
                                 const struct sink_options *options, int rows, struct error *err)
{
    struct image_info info = info_of(image, max);
    struct sink *sink;
    int y;

    if (!sink_open(&sink, path, &info, options, err))
        return false;
    for (y = 0; y < image->height; y += rows) {
        struct image part =
            image_rows(image, y, rows < image->height - y ? rows : image->height - y);
        if (!sink_write(sink, &part, err)) {
            sink_abort(sink);
            return false;
        }
    }
    return sink_finish(sink, err);
}

#endif
