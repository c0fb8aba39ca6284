/* The file of hashes: see tests/kernel/checker_expected.h. Each case has 8 bytes at the position of
 * its number; programs that run at the same time write the same hashes. */
#include "tests/kernel/checker_expected.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file = -1;

bool check_expected_open(void)
{
    const char *path = getenv("CHECKER_EXPECTED");
    if (!path || !*path)
        return true;
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return file >= 0;
}

uint64_t check_expected_hash(const void *bytes, size_t count)
{
    uint64_t hash = count, word;
    for (size_t at = 0; at < count; at += sizeof word) {
        word = 0;
        memcpy(&word, (const char *)bytes + at,
               count - at < sizeof word ? count - at : sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash ? hash : 1;
}

uint64_t check_expected_known(int number)
{
    uint64_t hash = 0;
    if (file < 0 || pread(file, &hash, sizeof hash, (off_t)number * 8) != sizeof hash)
        return 0;
    return hash;
}

void check_expected_keep(int number, uint64_t hash)
{
    if (file >= 0 && pwrite(file, &hash, sizeof hash, (off_t)number * 8) != sizeof hash)
        file = -1;
}

bool check_expected_again(int number)
{
    return ((uint32_t)number * 2654435761u >> 16) % 8 == 0;
}
