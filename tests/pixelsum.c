/* A checksum of what a picture holds, for the golden tests:
 *
 *   pixelsum FILE...      prints one line a file: sixteen hex digits, two blanks, the name
 *
 * FNV-1a over width, height, channels, bytes a sample and max (each as 32 bits, little-endian),
 * then over all samples in row order, 16-bit ones little-endian. Not over the file's bytes: the
 * same picture may be compressed differently by the next version of a library. */
#include <inttypes.h>
#include <stdio.h>

#include "codec.h"

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

static uint64_t picture_sum(const struct image *image, uint32_t max)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    size_t samples = (size_t)image->width * (size_t)image->channels;

    sum = add_number(sum, (uint32_t)image->width);
    sum = add_number(sum, (uint32_t)image->height);
    sum = add_number(sum, (uint32_t)image->channels);
    sum = add_number(sum, (uint32_t)image->type);
    sum = add_number(sum, max);
    for (int y = 0; y < image->height; y++) {
        const void *row = image_row(image, y);
        for (size_t i = 0; i < samples; i++) {
            if (image->type == SAMPLE_U8) {
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

static bool print_sum(const char *path, struct error *err)
{
    struct source *source = NULL;
    struct image image = {0};
    bool ok = source_open(&source, path, err) && source_read_all(source, &image, err);
    if (ok)
        printf("%016" PRIx64 "  %s\n", picture_sum(&image, source_info(source)->max), path);
    image_free(&image);
    source_close(source);
    return ok;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        struct error err;
        if (!print_sum(argv[i], &err)) {
            fprintf(stderr, "pixelsum: %s\n", err.text);
            failed = 1;
        }
    }
    return failed;
}
