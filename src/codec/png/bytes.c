/* The bytes of a PNG by their place, and its compressed data from IDAT to IDAT: see
 * codec/png/bytes.h. A file may have changed since its chunks were checked: their lengths are
 * believed only as far as they were counted then. */
#include "codec/png/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "codec/zlib/stream.h"

bool png_bytes_open(struct png_bytes *bytes, struct input *input, struct error *err)
{
    *bytes = (struct png_bytes){.input = input};
    if (input_size(input) >= SIZE_MAX)
        return input_read_all(input, &bytes->memory, &bytes->size, err);
    bytes->size = (size_t)input_size(input);
    bytes->window = malloc(PNG_BYTES_WINDOW);
    if (!bytes->window)
        return error_set(err, EXIT_INPUT, "%s: no memory to read it", input_name(input));
    return true;
}

void png_bytes_close(struct png_bytes *bytes)
{
    free(bytes->window);
    bytes->window = NULL;
}

const uint8_t *png_bytes_at(struct png_bytes *bytes, size_t place, size_t want, size_t *have,
                            struct error *err)
{
    size_t left = place < bytes->size ? bytes->size - place : 0;

    *have = left;
    if (bytes->memory)
        return bytes->memory + (bytes->size - left);
    if (want > left)
        want = left;
    if (place < bytes->start || place > bytes->start + bytes->held ||
        want > bytes->start + bytes->held - place) {
        size_t most = bytes->hopping ? PNG_BYTES_HOP : PNG_BYTES_WINDOW;
        bytes->start = place;
        if (!input_read_at(bytes->input, place, bytes->window, left < most ? left : most,
                           &bytes->held, err))
            return NULL;
    }
    *have = bytes->start + bytes->held - place;
    return bytes->window + (place - bytes->start);
}

static bool changed(const struct png_bytes *bytes, struct error *err)
{
    return error_set(err, EXIT_INPUT, "%s: was changed while it was read",
                     input_name(bytes->input));
}

bool png_bytes_copy(struct png_bytes *bytes, size_t place, uint8_t *to, size_t count,
                    struct error *err)
{
    size_t have;

    for (size_t done = 0; done < count; done += have) {
        const uint8_t *from = png_bytes_at(bytes, place + done, 1, &have, err);
        if (!from || have == 0)
            return from && changed(bytes, err);
        have = have < count - done ? have : count - done;
        memcpy(to + done, from, have);
    }
    return true;
}

/* ---- the compressed data ---- */

void png_pieces_begin(struct png_pieces *pieces, struct png_bytes *bytes, size_t first, size_t size)
{
    *pieces = (struct png_pieces){.bytes = bytes, .place = first, .left = size};
}

/* The CRC behind the chunk that was handed out as a whole. */
static bool check_crc(struct png_pieces *pieces)
{
    size_t have;
    const uint8_t *at = png_bytes_at(pieces->bytes, pieces->place, 4, &have, &pieces->err);

    pieces->in_chunk = false;
    pieces->place += 4;
    pieces->failed = !at || have < 4 || png_get32(at) != pieces->crc;
    if (pieces->failed && at) /* png_chunks_explain names the chunk, unless it is right by now: */
        changed(pieces->bytes, &pieces->err);
    return !pieces->failed;
}

/* Goes on to the next chunk that is not empty. The chunks follow each other without a gap. */
static bool next_chunk(struct png_pieces *pieces)
{
    static const uint8_t type[] = {'I', 'D', 'A', 'T'};
    size_t have;

    while (pieces->chunk_left == 0) {
        const uint8_t *at;
        if ((pieces->in_chunk && !check_crc(pieces)) || pieces->left == 0)
            return false;
        at = png_bytes_at(pieces->bytes, pieces->place, 8, &have, &pieces->err);
        pieces->failed = !at;
        if (!at || have < 8)
            return false;
        pieces->chunk_left = png_get32(at);
        pieces->place += 8;
        pieces->in_chunk = true;
        pieces->crc = zlib_crc32(0, type, sizeof type);
    }
    return pieces->left > 0; /* the last chunk may have been cut */
}

const uint8_t *png_pieces_next(void *context, size_t *bytes)
{
    struct png_pieces *pieces = context;
    const uint8_t *at;
    size_t have;

    *bytes = 0;
    if (pieces->failed || !next_chunk(pieces))
        return NULL;
    at = png_bytes_at(pieces->bytes, pieces->place, 1, &have, &pieces->err);
    pieces->failed = !at;
    if (!at || have == 0)
        return NULL;
    have = have < pieces->chunk_left ? have : pieces->chunk_left;
    have = have < pieces->left ? have : pieces->left;
    pieces->crc = zlib_crc32(pieces->crc, at, have);
    pieces->chunk_left -= have;
    pieces->left -= have;
    pieces->place += have;
    *bytes = have;
    return at;
}

bool png_pieces_gather(struct png_pieces *pieces, uint8_t *into, struct error *err)
{
    const uint8_t *data;
    size_t bytes;

    while ((data = png_pieces_next(pieces, &bytes))) {
        memcpy(into, data, bytes);
        into += bytes;
    }
    if (pieces->failed)
        *err = pieces->err;
    else if (pieces->left > 0) /* the file has become shorter */
        return changed(pieces->bytes, err);
    return !pieces->failed;
}
