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

static uint64_t find_pixels(const char *path, int fd, uint64_t *sample_bytes, uint64_t *held)
{
    uint8_t b[33] = {0};
    struct source *source;
    struct error ignored;
    uint64_t pixels = 0;

    /* Do not use the decoders of PNG and BMP: opening them reads or walks through the whole file.
     */
    *sample_bytes = 1;
    *held = 0;
    if (pread(fd, b, sizeof b, 0) > 0 && memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0) {
        *sample_bytes = b[24] == 16 ? 2 : 1;
        return (uint64_t)be32toh(word_at(b + 16)) * be32toh(word_at(b + 20));
    }
    if (memcmp(b, "BM", 2) == 0) {
        uint32_t height = le32toh(word_at(b + 22)); /* negative: from top to bottom */
        return (uint64_t)le32toh(word_at(b + 18)) * (height >> 31 ? -height : height);
    }
    if (source_open_pages(&source, path, &ignored)) {
        const struct image_info *info = source_info(source);
        pixels = (uint64_t)info->width * (uint64_t)info->height;
        *sample_bytes = info->type;
        *held = source_held(source);
        source_close(source);
    }
    return pixels;
}

struct batch_cost batch_cost_of(const char *path, int fd, uint64_t file_bytes)
{
    struct batch_cost cost;
    uint64_t sample_bytes, held;

    cost.pixels = find_pixels(path, fd, &sample_bytes, &held);
    cost.bytes = 2 * 4 * sample_bytes * (cost.pixels < MOST_PIXELS ? cost.pixels : MOST_PIXELS) +
                 held + file_bytes + ((uint64_t)1 << 20);
    return cost;
}

uint64_t batch_memory_budget(void)
{
    uint64_t memory = machine_memory();

    return memory < UINT64_MAX ? memory / 2 : LEAST_BUDGET;
}
