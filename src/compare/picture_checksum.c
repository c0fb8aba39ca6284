/* A checksum of a picture's samples, not of its file: the next version of a library may compress
 * the same picture to other bytes, and another format has other bytes.
 *
 * FNV-1a over width, height, channels, bytes a sample and max (each as 32 bits, little-endian),
 * then over all samples in row order, 16-bit ones little-endian. It finds
 * accidents, not two pictures that somebody made to have one checksum. */
#include "compare/compare.h"

#include <inttypes.h>
#include <stdio.h>

#define BAND_BYTES ((size_t)256 * 1024)

static uint64_t fnv1a(uint64_t sum, uint8_t byte)
{
    return (sum ^ byte) * UINT64_C(0x100000001b3);
}

static uint64_t add_number(uint64_t sum, uint32_t number)
{
    for (int shift = 0; shift < 32; shift += 8)
        sum = fnv1a(sum, (uint8_t)(number >> shift));
    return sum;
}

static uint64_t add_rows(uint64_t sum, const struct image *rows)
{
    size_t samples = (size_t)rows->width * (size_t)rows->channels;

    for (int y = 0; y < rows->height; y++) {
        const void *row = image_row(rows, y);
        for (size_t i = 0; i < samples; i++) {
            if (rows->type == SAMPLE_U8) {
                sum = fnv1a(sum, ((const uint8_t *)row)[i]);
            } else {
                uint16_t sample = ((const uint16_t *)row)[i];
                sum = fnv1a(sum, (uint8_t)sample);
                sum = fnv1a(sum, (uint8_t)(sample >> 8));
            }
        }
    }
    return sum;
}

static bool add_source(struct source *source, const char *path, uint64_t *sum, struct error *err)
{
    const struct image_info *info = source_info(source);
    size_t row = (size_t)info->width * (size_t)info->channels * (size_t)info->type;
    size_t rows = BAND_BYTES / row;
    struct image band = {0};
    bool good;

    rows = rows < 1 ? 1 : rows > (size_t)info->height ? (size_t)info->height : rows;
    good = image_alloc(&band, info->width, (int)rows, info->channels, info->type, path, err);
    for (int y = 0; good && y < info->height; y += band.height) {
        if (band.height > info->height - y)
            band.height = info->height - y;
        good = source_read(source, &band, err);
        if (good)
            *sum = add_rows(*sum, &band);
    }
    image_free(&band);
    return good;
}

bool picture_checksum(const char *path, char text[PICTURE_CHECKSUM_CHARS + 1], struct error *err)
{
    struct source *source;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    bool good = source_open(&source, path, err);

    if (!good)
        return false;
    const struct image_info *info = source_info(source);
    const uint32_t shape[] = {(uint32_t)info->width, (uint32_t)info->height,
                              (uint32_t)info->channels, (uint32_t)info->type, info->max};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        sum = add_number(sum, shape[i]);
    good = add_source(source, path, &sum, err);
    source_close(source);
    if (good)
        snprintf(text, PICTURE_CHECKSUM_CHARS + 1, "%016" PRIx64, sum);
    return good;
}
