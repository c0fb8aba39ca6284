/* Turns fuzz data into files: see tests/codec/fuzz_dress.h. */
#include "tests/codec/fuzz_dress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codec/zlib/stream.h"

#define SIGNATURE_BYTES 8
#define CHUNK_BYTES     12 /* length, type, CRC */
#define MAX_BYTES       FUZZ_MAX_BYTES
#define MAX_STORED      65535 /* bytes in a stored deflate block */

struct bytes {
    uint8_t data[2 * MAX_BYTES];
    size_t count;
};

static void append(struct bytes *out, const void *data, size_t bytes)
{
    if (bytes > sizeof out->data - out->count)
        bytes = sizeof out->data - out->count;
    if (bytes > 0)
        memcpy(out->data + out->count, data, bytes);
    out->count += bytes;
}

static void append_u32(struct bytes *out, uint32_t value)
{
    uint8_t big[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                      (uint8_t)value};
    append(out, big, sizeof big);
}

static void append_chunk(struct bytes *out, const uint8_t *type, const uint8_t *data, size_t bytes)
{
    uint32_t crc = zlib_crc32(0, type, 4);
    append_u32(out, (uint32_t)bytes);
    append(out, type, 4);
    append(out, data, bytes);
    append_u32(out, bytes ? zlib_crc32(crc, data, bytes) : crc);
}

static uint32_t adler32(const uint8_t *data, size_t bytes)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < bytes; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void append_stored(struct bytes *out, const struct bytes *pixels, bool right)
{
    static struct bytes zlib;
    static const uint8_t header[2] = {0x78, 0x01};
    size_t at = 0;

    zlib.count = 0;
    append(&zlib, header, sizeof header);
    do {
        size_t left = pixels->count - at;
        uint16_t n = (uint16_t)(left < MAX_STORED ? left : MAX_STORED), not_n = (uint16_t)~n;
        uint8_t block[5] = {n == left, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)not_n,
                            (uint8_t)(not_n >> 8)};
        append(&zlib, block, sizeof block);
        append(&zlib, pixels->data + at, n);
        at += n;
    } while (at < pixels->count);
    append_u32(&zlib, adler32(pixels->data, pixels->count) ^ !right);
    append_chunk(out, (const uint8_t *)"IDAT", zlib.data, zlib.count);
}

/* Walks over the chunks while their lengths are valid; copies the rest unchanged. */
static void dress_png(struct bytes *out, const uint8_t *data, size_t size, int how)
{
    static struct bytes pixels;
    bool wrapped = false;
    size_t at = SIGNATURE_BYTES;

    pixels.count = 0;
    append(out, "\x89PNG\r\n\x1a\n", SIGNATURE_BYTES);
    while (at + CHUNK_BYTES <= size) {
        const uint8_t *type = data + at + 4, *content = data + at + 8;
        size_t length = (size_t)data[at + 2] << 8 | data[at + 3];
        if (length > size - at - CHUNK_BYTES)
            length = size - at - CHUNK_BYTES;
        at += CHUNK_BYTES + length;
        if (how >= 2 && memcmp(type, "IDAT", 4) == 0) {
            append(&pixels, content, length);
            continue;
        }
        if (how >= 2 && !wrapped && memcmp(type, "IEND", 4) == 0) {
            append_stored(out, &pixels, how == 2);
            wrapped = true;
        }
        append_chunk(out, type, content, length);
    }
    if (at < size)
        append(out, data + at, size - at);
}

static char path[64]; /* of a link to the file, which is in memory */

static void remove_link(void)
{
    unlink(path);
}

const char *fuzz_dress(const uint8_t *data, size_t size, const uint8_t **file, size_t *bytes)
{
    static struct bytes dressed;
    static int fd = -1;
    char target[64];

    if (fd < 0) {
        fd = memfd_create("fuzz", 0);
        snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
        snprintf(path, sizeof path, "/tmp/stencil_fuzz_%d.tga", (int)getpid());
        unlink(path);
        if (symlink(target, path) != 0) /* the name matters only for TGA */
            abort();
        atexit(remove_link);
    }
    dressed.count = 0;
    if ((data[0] & 3) == 0)
        append(&dressed, data + 1, size - 1);
    else
        dress_png(&dressed, data + 1, size - 1, data[0] & 3);
    if (ftruncate(fd, 0) != 0 ||
        pwrite(fd, dressed.data, dressed.count, 0) != (ssize_t)dressed.count)
        abort();
    *file = dressed.data;
    *bytes = dressed.count;
    return path;
}
