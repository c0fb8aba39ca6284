/* Estimates the memory of files in flight from their headers, and reads the limits of the
 * system. A picture's size is in the first bytes of its file, except in JPEG, where it comes
 * after the camera's data. */
#include "batch/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/memory.h"

#define HEAD_BYTES 512

/* deflate reaches 1032, JPEG's empty blocks somewhat less. */
#define MOST_PACKED 1032

#define LEAST_BUDGET ((uint64_t)64 << 20)

static uint32_t big32(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t little32(const uint8_t *b)
{
    return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

/* The frame's header comes after segments that begin with their lengths. */
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

/* A number of a PNM header, after blanks and comments. */
static uint64_t pnm_number(const char **at)
{
    const char *c = *at;
    char *end;
    uint64_t number;

    while (isspace((unsigned char)*c) || *c == '#')
        c += *c == '#' ? strcspn(c, "\n") : 1;
    if (!isdigit((unsigned char)*c))
        return 0;
    number = strtoul(c, &end, 10);
    *at = end;
    return number > UINT32_MAX ? UINT32_MAX : number;
}

static uint64_t pnm_pixels(const char *head)
{
    const char *at = head + 2;
    uint64_t width, height;

    if (head[1] == '7') {
        const char *w = strstr(head, "\nWIDTH"), *h = strstr(head, "\nHEIGHT");
        if (!w || !h)
            return 0;
        w += 6;
        h += 7;
        width = pnm_number(&w);
        return width * pnm_number(&h);
    }
    width = pnm_number(&at);
    height = pnm_number(&at);
    return width * height;
}

static uint64_t find_pixels(int fd, uint64_t *sample_bytes)
{
    uint8_t b[HEAD_BYTES + 1] = {0};
    ssize_t n = pread(fd, b, HEAD_BYTES, 0);

    *sample_bytes = 1;
    if (n >= 33 && memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0) {
        *sample_bytes = b[24] == 16 ? 2 : 1;
        return (uint64_t)big32(b + 16) * big32(b + 20);
    }
    if (n >= 26 && memcmp(b, "BM", 2) == 0) {
        uint32_t height = little32(b + 22); /* negative: from top to bottom */
        return (uint64_t)little32(b + 18) * (height >> 31 ? -height : height);
    }
    if (n >= 4 && b[0] == 0xff && b[1] == 0xd8)
        return jpeg_pixels(fd);
    if (n >= 3 && b[0] == 'P' && b[1] >= '1' && b[1] <= '7') {
        *sample_bytes = 2;
        return pnm_pixels((const char *)b);
    }
    return 0;
}

struct batch_cost batch_cost_of(int fd, uint64_t file_bytes)
{
    struct batch_cost cost;
    uint64_t sample_bytes, picture;
    uint64_t most = file_bytes < UINT64_MAX / 4096 ? file_bytes * MOST_PACKED : UINT64_MAX / 4;

    cost.pixels = find_pixels(fd, &sample_bytes);
    picture = cost.pixels < UINT64_MAX / 32 ? cost.pixels * 4 * sample_bytes : UINT64_MAX / 4;
    if (picture > most)
        picture = most;
    cost.bytes = 2 * picture + file_bytes % (UINT64_MAX / 8) + ((uint64_t)1 << 20);
    return cost;
}

/* 0: unknown. */
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

/* Stacks of a worker and of the threads that decode and encode for it, and their buffers. */
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
