/* The picture's compressed data, IDAT by IDAT: see codec/png/chunks.h. What was checked once may
 * have changed since: lengths are believed only as far as the walk counted. */
#include <string.h>

#include "codec/png/chunks.h"
#include "codec/zlib/stream.h"

void png_pieces_begin(struct png_pieces *pieces, const struct png_file *png)
{
    *pieces = (struct png_pieces){
        .bytes = png->bytes, .place = png->data_place - 8, .left = png->data_bytes};
}

/* The CRC behind the chunk that was handed out as a whole. */
static bool check_crc(struct png_pieces *pieces)
{
    size_t have;
    const uint8_t *at = png_bytes_at(pieces->bytes, pieces->place, 4, &have, &pieces->err);

    pieces->in_chunk = false;
    pieces->place += 4;
    pieces->failed = !at || have < 4 || png_get32(at) != pieces->crc;
    if (pieces->failed && at) /* png_chunks_explain says which; or by now it is right: */
        error_set(&pieces->err, EXIT_INPUT, "%s: was changed while it was read",
                  input_name(pieces->bytes->input));
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

bool png_chunks_gather(const struct png_file *png, uint8_t *into, struct error *err)
{
    struct png_pieces pieces;
    const uint8_t *data;
    size_t bytes;

    png_pieces_begin(&pieces, png);
    while ((data = png_pieces_next(&pieces, &bytes))) {
        memcpy(into, data, bytes);
        into += bytes;
    }
    if (pieces.failed)
        *err = pieces.err;
    else if (pieces.left > 0) /* what was there a moment ago */
        return error_set(err, EXIT_INPUT, "%s: was changed while it was read",
                         input_name(png->bytes->input));
    return !pieces.failed;
}
