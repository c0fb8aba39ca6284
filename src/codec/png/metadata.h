/* The chunks of a PNG that say something beside its samples: which of them change how the
 * picture looks (enum dropped, codec/format.h), and those that go into another PNG as they stand:
 * iCCP, sRGB, gAMA, cHRM, cICP, pHYs, eXIf and texts, where they are sound and not too large. */
#ifndef STENCIL_CODEC_PNG_METADATA_H
#define STENCIL_CODEC_PNG_METADATA_H

#include "codec/png/bytes.h"

/* Limits of all chunks together that are carried over; more are dropped. */
#define PNG_KEPT_CHUNKS 256
#define PNG_KEPT_BYTES  ((size_t)8 << 20)

struct png_notes {
    unsigned dropped; /* enum dropped, of all that was noted */
    unsigned lost;    /* enum dropped, of all that another PNG does not get either */
    unsigned maybe,
        maybe_lost; /* the same of gAMA and cHRM, which do not count beside a named space */
    bool named_space;
    unsigned seen; /* a bit for each kind that a file has once */
    struct png_kept {
        size_t place; /* of the whole chunk */
        uint32_t bytes;
        bool profile;
    } kept[PNG_KEPT_CHUNKS];
    int count;
    size_t kept_bytes;
};

/* One chunk that is not the picture's: HEAD holds its content's first bytes (at most 768). EARLY:
 * it stands before palette and picture, and MIDDLE: before the picture. */
void png_metadata_note(struct png_notes *notes, const char *type, const uint8_t *head,
                       uint32_t bytes, size_t place, bool early, bool middle);

/* After the last chunk. Reads the chunks to be kept: *chunks (malloc'ed, NULL for none) are whole
 * chunks, as they may stand behind a header. A profile that is not one for gray (or RGB) is lost.
 */
bool png_metadata_take(struct png_notes *notes, struct png_bytes *bytes, bool gray,
                       uint8_t **chunks, size_t *chunk_bytes, struct error *err);

#endif
