/* The picture's compressed data, IDAT by IDAT: see png_chunks.h. What was checked once may
 * have changed since: lengths are believed only as far as the walk counted. */
#include <string.h>

#include "png_chunks.h"

void png_pieces_begin(struct png_pieces *pieces, const struct png_file *png)
{
    *pieces = (struct png_pieces){
        .bytes = png->bytes, .place = png->data_place - 8, .left = png->data_bytes};
}

const uint8_t *png_pieces_next(void *context, size_t *bytes)
{
    struct png_pieces *pieces = context;
    const uint8_t *at;
    size_t have;

    *bytes = 0;
    /* The chunks follow each other without a gap, and the last may have been cut. */
    while (pieces->chunk_left == 0 && pieces->left > 0 && !pieces->failed) {
        at = png_bytes_at(pieces->bytes, pieces->place, 8, &have, &pieces->err);
        pieces->failed = !at;
        if (!at || have < 8)
            return NULL;
        pieces->chunk_left = png_get32(at);
        pieces->place += 8;
        if (pieces->chunk_left == 0)
            pieces->place += 4;
    }
    if (pieces->left == 0 || pieces->failed)
        return NULL;
    at = png_bytes_at(pieces->bytes, pieces->place, 1, &have, &pieces->err);
    pieces->failed = !at;
    if (!at || have == 0)
        return NULL;
    have = have < pieces->chunk_left ? have : pieces->chunk_left;
    have = have < pieces->left ? have : pieces->left;
    pieces->chunk_left -= have;
    pieces->left -= have;
    pieces->place += have + (pieces->chunk_left ? 0 : 4);
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
