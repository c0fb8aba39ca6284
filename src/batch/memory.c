/* Estimates the memory of files in flight from their headers, and reads the system's limits. */
#include <endian.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "batch/batch.h"

/* Where the system does not tell its memory. */
#define LEAST_BUDGET ((uint64_t)64 << 20)

/* Keeps sums from overflowing, even with a damaged header. */
#define MOST_PIXELS ((uint64_t)1 << 57)

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* The frame's header comes after segments with the camera's data; each begins with its length. A
 * progressive file's coefficients of two bytes are held beside the samples. */
static uint64_t jpeg_pixels(int fd, uint64_t *sample_bytes)
{
    uint8_t b[9];
    off_t at = 2;

    for (int i = 0; i < 1000 && pread(fd, b, sizeof b, at) == (ssize_t)sizeof b; i++) {
        bool frame = b[1] >= 0xc0 && b[1] <= 0xcf && b[1] != 0xc4 && b[1] != 0xc8 && b[1] != 0xcc;
        if (b[0] != 0xff)
            return 0;
        *sample_bytes = frame && b[1] == 0xc2 ? 2 : 1;
        if (frame)
            return (uint64_t)(b[5] << 8 | b[6]) * (uint64_t)(b[7] << 8 | b[8]);
        at += b[1] == 0xff ? 1 : 2 + (b[2] << 8 | b[3]);
    }
    return 0;
}

static uint64_t find_pixels(const char *path, int fd, uint64_t *sample_bytes)
{
    uint8_t b[33] = {0};
    struct source *source;
    struct error ignored;
    uint64_t pixels = 0;

    /* Do not use the decoders of PNG, BMP and JPEG: opening them reads or walks through the whole
     * file. */
    *sample_bytes = 1;
    if (pread(fd, b, sizeof b, 0) > 0 && memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0) {
        *sample_bytes = b[24] == 16 ? 2 : 1;
        return (uint64_t)be32toh(word_at(b + 16)) * be32toh(word_at(b + 20));
    }
    if (memcmp(b, "BM", 2) == 0) {
        uint32_t height = le32toh(word_at(b + 22)); /* negative: from top to bottom */
        return (uint64_t)le32toh(word_at(b + 18)) * (height >> 31 ? -height : height);
    }
    if (b[0] == 0xff && b[1] == 0xd8)
        return jpeg_pixels(fd, sample_bytes);
    if (source_open(&source, path, &ignored)) {
        const struct image_info *info = source_info(source);
        pixels = (uint64_t)info->width * (uint64_t)info->height;
        *sample_bytes = info->type;
        source_close(source);
    }
    return pixels;
}

struct batch_cost batch_cost_of(const char *path, int fd, uint64_t file_bytes)
{
    struct batch_cost cost;
    uint64_t sample_bytes;

    cost.pixels = find_pixels(path, fd, &sample_bytes);
    cost.bytes = 2 * 4 * sample_bytes * (cost.pixels < MOST_PIXELS ? cost.pixels : MOST_PIXELS) +
                 file_bytes + ((uint64_t)1 << 20);
    return cost;
}

uint64_t batch_memory_budget(void)
{
    uint64_t memory = machine_memory();

    return memory < UINT64_MAX ? memory / 2 : LEAST_BUDGET;
}
