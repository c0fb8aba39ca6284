/* The tests' PNG encoder: see tests/codec/png_maker.h. */
#include "tests/codec/png_maker.h"

#include <stdlib.h>
#include <string.h>

#include "codec/zlib/stream.h"
#include "codec/zlib/deflate.h"

struct buffer {
    uint8_t *data;
    size_t bytes, room;
};

static void put(struct buffer *buffer, const void *data, size_t bytes)
{
    if (buffer->bytes + bytes >= buffer->room) {
        buffer->room = 2 * (buffer->bytes + bytes + 1);
        buffer->data = realloc(buffer->data, buffer->room);
    }
    if (bytes > 0)
        memcpy(buffer->data + buffer->bytes, data, bytes);
    buffer->bytes += bytes;
}

static void put8(struct buffer *buffer, unsigned value)
{
    uint8_t byte = (uint8_t)value;
    put(buffer, &byte, 1);
}

static void put32(struct buffer *buffer, uint32_t value)
{
    int shift;
    for (shift = 24; shift >= 0; shift -= 8)
        put8(buffer, value >> shift & 255);
}

static uint32_t crc32_of(const uint8_t *data, size_t bytes)
{
    uint32_t crc = 0xffffffff;
    size_t i;
    int bit;

    for (i = 0; i < bytes; i++)
        for (crc ^= data[i], bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    return ~crc;
}

static void put_chunk(struct buffer *file, const char *type, const void *data, size_t bytes)
{
    size_t start = file->bytes + 4;

    put32(file, (uint32_t)bytes);
    put(file, type, 4);
    put(file, data, bytes);
    put32(file, crc32_of(file->data + start, file->bytes - start));
}

int maker_samples(int colour)
{
    static const int samples[7] = {1, 0, 3, 1, 2, 0, 4};
    return samples[colour];
}

/* ---- rows ---- */

static int predict(int filter, int a, int b, int c)
{
    int p = a + b - c;

    switch (filter) {
    case 1:
        return a;
    case 2:
        return b;
    case 3:
        return (a + b) / 2;
    case 4:
        if (abs(p - a) <= abs(p - b) && abs(p - a) <= abs(p - c))
            return a;
        return abs(p - b) <= abs(p - c) ? b : c;
    default:
        return 0;
    }
}

/* Writes the rows of the picture with the pixels x0, x0+dx, ... and y0, y0+dy, ... */
static void put_pass(struct buffer *rows, const struct maker *maker, int x0, int y0, int dx, int dy)
{
    int samples = maker_samples(maker->colour), x, y, s, bit, row_index = 0;
    size_t row_bytes = (size_t)((maker->width - x0 + dx - 1) / dx * samples * maker->depth + 7) / 8;
    size_t pixel = (size_t)(samples * maker->depth + 7) / 8, i;
    uint8_t *up = calloc(1, row_bytes + 1), *row = calloc(1, row_bytes + 1);

    if (x0 >= maker->width)
        goto out;
    for (y = y0; y < maker->height; y += dy, row_index++) {
        int filter = maker->filter == MAKER_CYCLE ? row_index % 5 : maker->filter;
        size_t at = 0;
        uint8_t *swap = up;
        up = row;
        row = swap;
        if (row_index == 0)
            memset(up, 0, row_bytes);
        memset(row, 0, row_bytes);
        for (x = x0; x < maker->width; x += dx)
            for (s = 0; s < samples; s++)
                for (bit = maker->depth - 1; bit >= 0; bit--, at++)
                    row[at / 8] |=
                        (uint8_t)((maker->samples[(y * maker->width + x) * samples + s] >> bit & 1)
                                  << (7 - at % 8));
        put8(rows, (unsigned)filter);
        for (i = 0; i < row_bytes; i++) {
            int a = i >= pixel ? row[i - pixel] : 0, c = i >= pixel ? up[i - pixel] : 0;
            put8(rows, (unsigned)(row[i] - predict(filter, a, up[i], c)) & 255);
        }
    }
out:
    free(up);
    free(row);
}

static void put_rows(struct buffer *rows, const struct maker *maker)
{
    static const int passes[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                     {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    int i;

    if (!maker->interlaced)
        put_pass(rows, maker, 0, 0, 1, 1);
    for (i = 0; i < 7 && maker->interlaced; i++)
        put_pass(rows, maker, passes[i][0], passes[i][1], passes[i][2], passes[i][3]);
}

/* ---- the file ---- */

static void put_stored(struct buffer *zlib, const uint8_t *data, size_t bytes)
{
    uint32_t a = 1, b = 0;
    size_t done = 0, i;

    put8(zlib, 0x78);
    put8(zlib, 0x01);
    do {
        size_t block = bytes - done < 65535 ? bytes - done : 65535;
        put8(zlib, done + block == bytes);
        put8(zlib, block & 255);
        put8(zlib, block >> 8 & 255);
        put8(zlib, ~block & 255);
        put8(zlib, ~block >> 8 & 255);
        put(zlib, data + done, block);
        done += block;
    } while (done < bytes);
    for (i = 0; i < bytes; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    put32(zlib, b << 16 | a);
}

uint8_t *maker_deflate(const uint8_t *data, size_t bytes, size_t strip, size_t *made)
{
    struct deflate_finder *finder = deflate_finder_new();
    size_t done = 0, piece, strips = strip ? bytes / strip + 1 : 1, i;
    uint32_t adler = 1;
    uint8_t *out = malloc(strips * deflate_bound(strip) + 8);

    *made = zlib_stream_begin(out);
    for (i = 0; i == 0 || done < bytes; i++) {
        piece = bytes - done < strip ? bytes - done : strip;
        *made += i % 2 ? deflate_literals(data + done, piece, out + *made)
                       : deflate_repeats(finder, false, data + done, piece, out + *made);
        adler = zlib_adler32_combine(adler, zlib_adler32(1, data + done, piece), piece);
        done += piece;
    }
    *made += zlib_stream_end(out + *made, adler);
    free(finder);
    return out;
}

uint8_t *maker_make(const struct maker *maker, size_t *bytes)
{
    struct buffer file = {0}, head = {0}, rows = {0}, zlib = {0};
    size_t done, piece;

    put(&file, "\x89PNG\r\n\x1a\n", 8);
    put32(&head, (uint32_t)maker->width);
    put32(&head, (uint32_t)maker->height);
    put8(&head, (unsigned)maker->depth);
    put8(&head, (unsigned)maker->colour);
    put(&head, "\0", 2);
    put8(&head, (unsigned)maker->interlaced);
    put_chunk(&file, "IHDR", head.data, head.bytes);
    if (maker->extra_type)
        put_chunk(&file, maker->extra_type, maker->extra, maker->extra_bytes);
    if (maker->palette_bytes)
        put_chunk(&file, "PLTE", maker->palette, maker->palette_bytes);
    if (maker->trns_bytes)
        put_chunk(&file, "tRNS", maker->trns, maker->trns_bytes);
    put_rows(&rows, maker);
    if (maker->compressed)
        zlib.data = maker_deflate(rows.data, rows.bytes, 500, &zlib.bytes);
    else
        put_stored(&zlib, rows.data, rows.bytes);
    for (done = 0; done < zlib.bytes; done += piece) {
        piece = maker->piece && maker->piece < zlib.bytes - done ? maker->piece : zlib.bytes - done;
        put_chunk(&file, "IDAT", zlib.data + done, piece);
    }
    put_chunk(&file, "IEND", "", 0);
    free(head.data);
    free(rows.data);
    free(zlib.data);
    *bytes = file.bytes;
    return file.data;
}
