/* A libFuzzer target: arbitrary bytes as an image file. A finding is a crash, a
 * sanitizer's complaint, a hang, or a picture whose shape is not what the header
 * said. Built with -Dfuzz=true, run by scripts/fuzz.
 *
 * A PNG guards its chunks by CRCs and its pixels by an Adler-32, so almost every
 * mutation would end at the first check. The first byte therefore says how the
 * rest is to be dressed up before it is opened:
 *   0   as it is (PNM, damaged files)
 *   1   as PNG chunks whose CRCs are made right
 *   2   the same, and what the IDAT chunks hold is taken for pixels: it is wrapped in a zlib
 *       stream of stored blocks with a right Adler-32, in one IDAT chunk
 *   3   as 2, but the Adler-32 is wrong
 * and its next bit chooses between reading the whole picture and reading bands. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <stdio.h>

#include "codec.h"
#include "zlib_stream.h"

#define SIGNATURE_BYTES 8
#define CHUNK_BYTES     12 /* length, type, CRC */
#define MAX_BYTES       65536
#define MAX_STORED      65535     /* bytes in a stored deflate block */
#define MAX_PIXELS      (1 << 20) /* larger pictures only cost time */

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
    uint32_t crc = zlib_stream_crc32(0, type, 4);
    append_u32(out, (uint32_t)bytes);
    append(out, type, 4);
    append(out, data, bytes);
    append_u32(out, bytes ? zlib_stream_crc32(crc, data, bytes) : crc);
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

/* Walks the chunks as far as their lengths make sense; what remains is copied as it is. */
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

/* Reads the picture, whole or in bands of three rows. */
static void read_picture(struct source *source, bool bands)
{
    const struct image_info info = *source_info(source);
    struct error err;
    struct image image = {0};

    if ((uint64_t)info.width * (uint64_t)info.height > MAX_PIXELS)
        return;
    if (!bands) {
        if (source_read_all(source, &image, &err) &&
            (image.width != info.width || image.height != info.height ||
             image.channels != info.channels || image.type != info.type))
            abort();
    } else if (image_alloc(&image, info.width, info.height < 3 ? info.height : 3, info.channels,
                           info.type, "fuzz", &err)) {
        for (int y = 0; y < info.height; y += image.height) {
            struct image part = image_rows(
                &image, 0, image.height < info.height - y ? image.height : info.height - y);
            if (!source_read(source, &part, &err))
                break;
        }
    }
    image_free(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bytes file;
    static int fd = -1;
    static char path[64];
    struct source *source = NULL;
    struct error err;

    if (size < 1 || size > MAX_BYTES)
        return 0;
    if (fd < 0) {
        fd = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    file.count = 0;
    if ((data[0] & 3) == 0)
        append(&file, data + 1, size - 1);
    else
        dress_png(&file, data + 1, size - 1, data[0] & 3);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, file.data, file.count, 0) != (ssize_t)file.count)
        abort();
    if (source_open(&source, path, &err)) {
        read_picture(source, (data[0] & 4) != 0);
        (void)source_warning(source);
    }
    source_close(source);
    return 0;
}
