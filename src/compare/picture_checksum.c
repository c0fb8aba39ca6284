/* A checksum of a picture's samples, not of its file: another library version may compress the same
 * picture to other bytes, and another format has other bytes.
 *
 * FNV-1a over width, height, channels, bytes a sample and max (each as 32 bits, little-endian),
 * then over all samples in row order, 16-bit samples little-endian; so for page after page of a
 * file with several. It detects accidental changes, not pictures that were made to have equal
 * checksums. */
#include "compare/compare.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t fnv1a(uint64_t sum, uint32_t number, int bytes)
{
    for (; bytes > 0; bytes--, number >>= 8)
        sum = (sum ^ (number & 0xff)) * UINT64_C(0x100000001b3);
    return sum;
}

static bool add_samples(struct source *source, const char *path, uint64_t *sum, struct error *err)
{
    const struct image_info *info = source_info(source);
    size_t samples = (size_t)info->width * (size_t)info->channels;
    struct image row;
    bool good = image_alloc(&row, info->width, 1, info->channels, info->type, path, err);

    for (int y = 0; good && y < info->height; y++) {
        good = source_read(source, &row, err);
        for (size_t i = 0; good && i < samples; i++)
            *sum = fnv1a(*sum, image_sample(row.data, row.type, i), (int)row.type);
    }
    image_free(&row);
    return good;
}

static bool add_page(struct source *source, const char *path, uint64_t *sum, struct error *err)
{
    const struct image_info *info = source_info(source);
    const uint32_t shape[] = {(uint32_t)info->width, (uint32_t)info->height,
                              (uint32_t)info->channels, (uint32_t)info->type, info->max};

    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        *sum = fnv1a(*sum, shape[i], 4);
    return add_samples(source, path, sum, err);
}

bool picture_checksum(const char *path, char text[PICTURE_CHECKSUM_CHARS + 1], struct error *err)
{
    struct source *source;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    if (!source_open(&source, path, err))
        return false;
    bool good = add_page(source, path, &sum, err);
    while (good && source_has_more(source, source_info(source)->format))
        good = source_next(source, err) && add_page(source, path, &sum, err);
    source_close(source);
    snprintf(text, PICTURE_CHECKSUM_CHARS + 1, "%016" PRIx64, sum);
    return good;
}
