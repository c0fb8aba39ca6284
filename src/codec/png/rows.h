/* The inside of a PNG file: the rows that come out of its compressed data. Each
 * begins with a filter type and is undone with the help of the row before; an
 * interlaced picture is seven small pictures one after the other.
 *
 * Here rows are counted, undone and checked. Turning them into an image
 * (palette, tRNS, bits to bytes, weaving the seven together) is stb_image's. */
#ifndef STENCIL_CODEC_PNG_ROWS_H
#define STENCIL_CODEC_PNG_ROWS_H

#include "codec/png/chunks.h"

/* Bytes of all rows with their filter types: at most about 2^24 * 2^24 * 8. */
uint64_t png_rows_bytes(const struct png_header *header);

/* Rows of all passes, and how many of them BYTES hold in full. */
uint64_t png_rows_total(const struct png_header *header);
uint64_t png_rows_counted(const struct png_header *header, uint64_t bytes);

/* Undoes the filters in place and sets every filter type to 0 (none), so that what reads
 * RAW next has nothing left to undo. RAW holds png_rows_bytes. An unknown filter type, or
 * an index that the palette does not have, is an error. */
bool png_rows_unfilter(const struct png_file *png, const char *name, uint8_t *raw,
                       struct error *err);

/* The same for one row of a picture that is not interlaced: RAW begins with the filter type, UP
 * is the row above, undone, without one (zeros above the first), and TO gets the row, also without;
 * it may be RAW + 1, or lie apart from both. */
bool png_rows_undo(const struct png_file *png, const char *name, uint32_t y, const uint8_t *raw,
                   const uint8_t *up, uint8_t *to, struct error *err);

#endif
