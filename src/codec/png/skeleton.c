/* What stb_image is given to read in place of the file: see png_chunks_skeleton in
 * codec/png/chunks.h. Only checked values go in, so nothing that a stranger wrote reaches its
 * chunk reader. The rows themselves go another way (stb_load_png). */
#include "codec/png/chunks.h"

#include <string.h>

#include "codec/zlib/stream.h"

static uint8_t *put32(uint8_t *to, uint32_t value)
{
    int i;
    for (i = 0; i < 4; i++)
        *to++ = (uint8_t)(value >> (24 - 8 * i));
    return to;
}

static uint8_t *put_chunk(uint8_t *to, const char *type, const uint8_t *data, size_t bytes)
{
    uint8_t *start = to + 4;

    to = put32(to, (uint32_t)bytes);
    memcpy(to, type, 4);
    memcpy(to + 4, data, bytes);
    to += 4 + bytes;
    return put32(to, zlib_crc32(0, start, bytes + 4));
}

size_t png_chunks_skeleton(const struct png_file *png, uint8_t *into)
{
    const struct png_header *header = &png->header;
    uint8_t *to = into, head[13], samples[6];
    unsigned mask = (1U << header->depth) - 1;
    size_t i;

    memcpy(to, "\211PNG\r\n\032\n", 8);
    put32(put32(head, (uint32_t)header->width), (uint32_t)header->height);
    head[8] = (uint8_t)header->depth;
    head[9] = (uint8_t)header->colour;
    head[10] = head[11] = 0;
    head[12] = header->interlaced;
    to = put_chunk(to + 8, "IHDR", head, sizeof head);
    if (header->colour == PNG_PALETTE) {
        to = put_chunk(to, "PLTE", png->palette, 3 * (size_t)png->palette_entries);
        if (png->transparency)
            to = put_chunk(to, "tRNS", png->transparency, png->transparency_bytes);
    } else if (png->transparency) {
        /* Bits above the depth do not count; stb_image forgets that below 8 bits. */
        for (i = 0; i < png->transparency_bytes; i += 2) {
            unsigned sample = (png->transparency[i] * 256U + png->transparency[i + 1]) & mask;
            samples[i] = (uint8_t)(sample >> 8);
            samples[i + 1] = (uint8_t)sample;
        }
        to = put_chunk(to, "tRNS", samples, png->transparency_bytes);
    }
    to = put_chunk(to, "IDAT", head + 10, 1);
    to = put_chunk(to, "IEND", head, 0);
    return (size_t)(to - into);
}
