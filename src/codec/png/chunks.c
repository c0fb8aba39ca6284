/* The chunk walk: see codec/png/chunks.h. One function per chunk that matters, one loop
 * over all of them; the rest of a file's chunks are checked for their CRC and
 * passed over.
 *
 * A sentence about damage names the chunk and its place: "the CRC of chunk IDAT at byte 1234 does
 * not match". The byte is where the chunk's length stands, counted from 0. */
#include "codec/png/chunks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "codec/zlib/stream.h"

#define SIGNATURE_BYTES 8
#define CHUNK_OVERHEAD  12 /* length, type, CRC */

/* No chunk whose content is looked at here is longer: a palette. */
#define CHUNK_HEAD_BYTES (3 * 256)

static const uint8_t signature[SIGNATURE_BYTES] = {137, 'P', 'N', 'G', 13, 10, 26, 10};

struct chunk {
    uint32_t bytes;
    char type[5];
    size_t place;
    uint8_t data[CHUNK_HEAD_BYTES]; /* its first bytes */
    uint32_t crc, crc_told;
};

struct walk {
    struct png_file *png;
    struct png_bytes *bytes;
    bool read_data; /* also what IDAT chunks hold, for their CRC */
    bool header_seen, data_over;
    struct error *err;
};

bool png_recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 4 && memcmp(head, signature, 4) == 0;
}

/* Samples of a pixel, and the depths that they may have, as the sum of those depths (bits do not
 * clash), by colour type; no depths: there is no such type. */
static const struct {
    int samples, depths;
} colours[] = {[PNG_GRAY] = {1, 1 | 2 | 4 | 8 | 16},
               [PNG_RGB] = {3, 8 | 16},
               [PNG_PALETTE] = {1, 1 | 2 | 4 | 8},
               [PNG_GRAY_ALPHA] = {2, 8 | 16},
               [PNG_RGBA] = {4, 8 | 16}};
#define COLOURS (int)(sizeof colours / sizeof *colours)

int png_samples_stored(const struct png_header *header)
{
    return colours[header->colour].samples;
}

int png_channels(const struct png_file *png)
{
    int stored = png->header.colour == PNG_PALETTE ? 3 : png_samples_stored(&png->header);
    return stored + (png->transparency != NULL);
}

__attribute__((format(printf, 2, 3))) static bool refuse(struct walk *walk, const char *format, ...)
{
    char what[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(walk->err, EXIT_INPUT, "%s: %s", walk->png->name, what);
}

static bool damaged(struct walk *walk, const struct chunk *chunk, const char *what)
{
    return refuse(walk, "damaged PNG: %s in chunk %s at byte %zu", what, chunk->type, chunk->place);
}

static bool walk_header(struct walk *walk, const struct chunk *chunk)
{
    struct png_header *header = &walk->png->header;
    uint32_t width, height;
    int depth, colour;

    if (walk->header_seen)
        return damaged(walk, chunk, "a second header");
    if (chunk->bytes != 13)
        return damaged(walk, chunk, "a header of the wrong length");
    width = png_get32(chunk->data);
    height = png_get32(chunk->data + 4);
    depth = chunk->data[8];
    colour = chunk->data[9];
    if (width == 0 || height == 0)
        return refuse(walk, "damaged PNG: %u x %u pixels are no picture", (unsigned)width,
                      (unsigned)height);
    if (width > PNG_MAX_SIDE || height > PNG_MAX_SIDE)
        return refuse(walk, "%u x %u pixels: more than %d on a side cannot be read",
                      (unsigned)width, (unsigned)height, PNG_MAX_SIDE);
    /* A depth of more than one bit would slip through the sum of depths. */
    if ((depth & (depth - 1)) != 0 || colour >= COLOURS || (colours[colour].depths & depth) == 0)
        return refuse(walk, "damaged PNG: there is no colour type %d with %d bits", colour, depth);
    if (chunk->data[10] != 0 || chunk->data[11] != 0)
        return damaged(walk, chunk, "an unknown compression or filter method");
    if (chunk->data[12] > 1)
        return damaged(walk, chunk, "an unknown interlace method");
    *header = (struct png_header){.width = (int)width,
                                  .height = (int)height,
                                  .depth = depth,
                                  .colour = (enum png_colour)colour,
                                  .interlaced = chunk->data[12] == 1};
    walk->header_seen = true;
    return true;
}

static bool walk_palette(struct walk *walk, const struct chunk *chunk)
{
    struct png_file *png = walk->png;

    if (png->palette)
        return damaged(walk, chunk, "a second palette");
    if (png->data_chunks > 0)
        return damaged(walk, chunk, "a palette behind the picture");
    if (png->header.colour == PNG_GRAY || png->header.colour == PNG_GRAY_ALPHA)
        return damaged(walk, chunk, "a palette beside gray samples");
    if (png->transparency)
        return damaged(walk, chunk, "a palette behind the transparency");
    if (chunk->bytes == 0 || chunk->bytes % 3 != 0 || chunk->bytes > 3 * 256)
        return damaged(walk, chunk, "a palette of the wrong length");
    png->palette = memcpy(png->palette_bytes, chunk->data, chunk->bytes);
    png->palette_entries = (int)(chunk->bytes / 3);
    if (png->header.colour == PNG_PALETTE && png->palette_entries > 1 << png->header.depth)
        png->palette_entries = 1 << png->header.depth; /* no index reaches the rest */
    return true;
}

static bool walk_transparency(struct walk *walk, const struct chunk *chunk)
{
    struct png_file *png = walk->png;
    bool fits;

    if (png->transparency)
        return damaged(walk, chunk, "a second transparency");
    if (png->data_chunks > 0)
        return damaged(walk, chunk, "a transparency behind the picture");
    switch (png->header.colour) {
    case PNG_PALETTE:
        fits = chunk->bytes >= 1 && chunk->bytes <= (uint32_t)png->palette_entries;
        break;
    case PNG_GRAY:
    case PNG_RGB:
        fits = chunk->bytes == 2 * (uint32_t)png_samples_stored(&png->header);
        break;
    case PNG_GRAY_ALPHA:
    case PNG_RGBA:
    default:
        return damaged(walk, chunk, "a transparency beside an alpha channel");
    }
    if (!fits)
        return damaged(walk, chunk, "a transparency of the wrong length");
    png->transparency = memcpy(png->transparency_content, chunk->data, chunk->bytes);
    png->transparency_bytes = chunk->bytes;
    return true;
}

/* HAVE is how much of the chunk the file holds: less than chunk->bytes where it was cut. */
static bool walk_data(struct walk *walk, const struct chunk *chunk, size_t have)
{
    struct png_file *png = walk->png;

    if (walk->data_over)
        return damaged(walk, chunk, "picture data that is not in one piece");
    if (png->header.colour == PNG_PALETTE && !png->palette)
        return damaged(walk, chunk, "no palette before the picture");
    if (png->data_chunks == 0)
        png->data_place = chunk->place;
    png->data_chunks++;
    png->data_bytes += have;
    return true;
}

/* One whole chunk. *end: it was IEND. */
static bool walk_chunk(struct walk *walk, const struct chunk *chunk, bool *end)
{
    bool data = strcmp(chunk->type, "IDAT") == 0;

    if (chunk->crc != chunk->crc_told)
        return refuse(walk, "damaged PNG: the CRC of chunk %s at byte %zu does not match",
                      chunk->type, chunk->place);
    *end = strcmp(chunk->type, "IEND") == 0;
    if (strcmp(chunk->type, "IHDR") == 0)
        return walk_header(walk, chunk);
    if (!walk->header_seen)
        return refuse(walk, "damaged PNG: chunk %s at byte %zu stands before the header",
                      chunk->type, chunk->place);
    if (data)
        return walk_data(walk, chunk, chunk->bytes);
    if (walk->png->data_chunks > 0)
        walk->data_over = true;
    if (*end)
        return chunk->bytes == 0 || damaged(walk, chunk, "content where none belongs");
    if (strcmp(chunk->type, "PLTE") == 0)
        return walk_palette(walk, chunk);
    if (strcmp(chunk->type, "tRNS") == 0)
        return walk_transparency(walk, chunk);
    if ((chunk->type[0] & 32) == 0) /* a capital: a decoder must know it to show the picture */
        return refuse(walk, "unknown kind of PNG: it needs chunk %s at byte %zu to be understood",
                      chunk->type, chunk->place);
    png_metadata_note(&walk->png->notes, chunk->type, chunk->data, chunk->bytes, chunk->place,
                      !walk->png->palette && walk->png->data_chunks == 0,
                      walk->png->data_chunks == 0);
    return true;
}

/* The file ends too early. Without a header there is nothing to count: an error. */
static bool cut(struct walk *walk, const char *where)
{
    struct png_file *png = walk->png;

    snprintf(png->truncation, sizeof png->truncation, "%s", where);
    png->truncated = true;
    if (walk->header_seen)
        return true;
    return refuse(walk, "truncated PNG: %s", where);
}

/* Reads the content's first bytes, computes the CRC of all of it, and reads the file's CRC. */
static bool read_content(struct walk *walk, struct chunk *chunk)
{
    size_t place = chunk->place + 8, done = 0, have;
    const uint8_t *piece;

    chunk->crc = zlib_crc32(0, (const uint8_t *)chunk->type, 4);
    for (; done < chunk->bytes; done += have) {
        piece = png_bytes_at(walk->bytes, place + done, 1, &have, walk->err);
        if (!piece || have == 0)
            return piece && cut(walk, "the file was cut while it was read");
        have = have < chunk->bytes - done ? have : chunk->bytes - done;
        chunk->crc = zlib_crc32(chunk->crc, piece, have);
        if (done < CHUNK_HEAD_BYTES)
            memcpy(chunk->data + done, piece,
                   have < CHUNK_HEAD_BYTES - done ? have : CHUNK_HEAD_BYTES - done);
    }
    piece = png_bytes_at(walk->bytes, place + done, 4, &have, walk->err);
    if (!piece || have < 4)
        return piece && cut(walk, "the file was cut while it was read");
    chunk->crc_told = png_get32(piece);
    return true;
}

/* Reads the chunk at PLACE. *whole: all of it is in the file. */
static bool read_chunk(struct walk *walk, size_t place, struct chunk *chunk, bool *whole)
{
    size_t left;
    char where[128];
    const uint8_t *head = png_bytes_at(walk->bytes, place, 8, &left, walk->err);

    *whole = false;
    if (!head)
        return false;
    if (left < 8)
        return cut(walk, left == 0 ? "the file ends before its last chunk"
                                   : "the file ends inside the head of a chunk");
    left = walk->bytes->size - place;
    chunk->place = place;
    chunk->bytes = png_get32(head);
    memcpy(chunk->type, head + 4, 4);
    chunk->type[4] = '\0';
    for (int i = 0; i < 4; i++) {
        char letter = (char)(chunk->type[i] | 32);
        if (letter < 'a' || letter > 'z')
            return refuse(walk, "damaged PNG: there is no chunk at byte %zu", place);
    }
    if (chunk->bytes > INT32_MAX)
        return damaged(walk, chunk, "an impossible length");
    if (left - 8 >= (size_t)chunk->bytes + 4) {
        bool data = strcmp(chunk->type, "IDAT") == 0 && chunk->bytes > 0;
        if (data && !walk->read_data)
            chunk->crc = chunk->crc_told = 0;
        else if (!read_content(walk, chunk))
            return false;
        *whole = !walk->png->truncated;
        return true;
    }
    snprintf(where, sizeof where, "the file ends inside chunk %s at byte %zu", chunk->type, place);
    if (walk->header_seen && strcmp(chunk->type, "IDAT") == 0 &&
        !walk_data(walk, chunk, left - 8 < chunk->bytes ? left - 8 : chunk->bytes))
        return false;
    return cut(walk, where);
}

static bool walk_file(struct png_file *png, struct png_bytes *bytes, bool read_data,
                      struct error *err)
{
    struct walk walk = {.png = png, .bytes = bytes, .read_data = read_data, .err = err};
    size_t place = SIGNATURE_BYTES, have;
    const uint8_t *head = png_bytes_at(bytes, 0, SIGNATURE_BYTES, &have, err);
    bool end = false;

    memset(png, 0, sizeof *png);
    png->bytes = bytes;
    png->name = input_name(bytes->input);
    if (!head)
        return false;
    if (have < SIGNATURE_BYTES)
        return cut(&walk, "the file ends inside its signature");
    if (memcmp(head, signature, SIGNATURE_BYTES) != 0)
        return refuse(&walk, "damaged PNG: its signature was changed (by a transfer as text?)");
    while (!end) {
        struct chunk chunk;
        bool whole;
        if (!read_chunk(&walk, place, &chunk, &whole))
            return false;
        if (!whole)
            break;
        if (!walk_chunk(&walk, &chunk, &end))
            return false;
        place += CHUNK_OVERHEAD + (size_t)chunk.bytes;
    }
    if (end && png->data_chunks == 0)
        return refuse(&walk, "damaged PNG: it holds no picture data");
    return true;
}

bool png_chunks_walk(struct png_file *png, struct png_bytes *bytes, struct error *err)
{
    bool ok;

    bytes->hopping = true;
    ok = walk_file(png, bytes, false, err);
    bytes->hopping = false;
    /* Of a damaged file, the first damage is told. */
    return ok && !png->truncated ? ok : walk_file(png, bytes, true, err);
}

void png_chunks_explain(struct png_bytes *bytes, struct error *err)
{
    struct png_file png;
    struct error why;

    if (!walk_file(&png, bytes, true, &why))
        *err = why;
}
