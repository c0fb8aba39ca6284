/* Estimates the memory of files in flight from their headers, and reads the system's limits. */
#include <endian.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/memory.h"
#include "batch/batch.h"

#define LEAST_BUDGET ((uint64_t)64 << 20)

/* Keeps sums from overflowing, even with a damaged header. */
#define MOST_PIXELS ((uint64_t)1 << 57)

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* The frame's header comes after segments with the camera's data; each begins with its length. */
static uint64_t jpeg_pixels(int fd)
{
    uint8_t b[9];
    off_t at = 2;

    for (int i = 0; i < 1000 && pread(fd, b, sizeof b, at) == (ssize_t)sizeof b; i++) {
        bool frame = b[1] >= 0xc0 && b[1] <= 0xcf && b[1] != 0xc4 && b[1] != 0xc8 && b[1] != 0xcc;
        if (b[0] != 0xff)
            return 0;
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
        return jpeg_pixels(fd);
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

/* Free memory in bytes; 0: unknown. */
static uint64_t free_memory(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    uint64_t kib = 0;

    while (file && kib == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kib = strtoull(line + 13, NULL, 10);
    if (file)
        fclose(file);
    return kib * 1024;
}

/* The limit of `ulimit -v`; 0: none. */
static uint64_t address_space(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
                                                                                : 0;
}

/* Stacks and buffers of a worker and of the threads that decode and encode for it. */
#define WORKER_BYTES ((uint64_t)64 << 20)

int batch_memory_workers(int workers)
{
    uint64_t space = address_space(), most = space / WORKER_BYTES;

    if (space == 0)
        return workers;
    large_alloc_one_arena();
    return most >= (uint64_t)workers ? workers : most > 1 ? (int)most : 1;
}

uint64_t batch_memory_budget(void)
{
    uint64_t budget = free_memory();
    uint64_t limit = cgroup_memory(CGROUP_SELF, CGROUP_ROOT);

    if (limit > 0 && (budget == 0 || limit < budget))
        budget = limit;
    if (address_space() > 0 && address_space() < budget)
        budget = address_space();
    return budget / 2 < LEAST_BUDGET ? LEAST_BUDGET : budget / 2;
}
