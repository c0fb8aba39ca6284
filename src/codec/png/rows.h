/* The inside of a PNG file: the rows that come out of its compressed data. Each
 * begins with a filter type and is undone with the help of the row before; an
 * interlaced picture is seven small pictures one after the other.
 *
 * codec/png/rows.c counts rows, undoes and checks them. codec/png/read.c makes samples of them as
 * they are asked for; of interlaced pictures stb_image does (codec/png/decoder.c). */
#ifndef STENCIL_CODEC_PNG_ROWS_H
#define STENCIL_CODEC_PNG_ROWS_H

#include "base/image.h"
#include "codec/png/chunks.h"

/* Sample I of a row, of DEPTH bits. */
static inline unsigned png_sample_at(const uint8_t *row, size_t i, int depth)
{
    unsigned bits = (unsigned)depth, per_byte;

    if (depth == 16)
        return row[2 * i] * 256U + row[2 * i + 1];
    if (depth == 8)
        return row[i];
    per_byte = 8U / bits;
    return row[i / per_byte] >> (8U - bits * (unsigned)(i % per_byte + 1)) & ((1U << bits) - 1);
}

/* Bytes of all rows with their filter types: at most about 2^24 * 2^24 * 8. */
uint64_t png_rows_bytes(const struct png_header *header);

/* Rows of all passes, and how many of them BYTES hold in full. */
uint64_t png_rows_total(const struct png_header *header);
uint64_t png_rows_counted(const struct png_header *header, uint64_t bytes);

/* Undoes the filters in place and sets every filter type to 0 (none): stb_image, which reads RAW
 * next, has nothing left to undo. RAW holds png_rows_bytes. An unknown filter type, or
 * an index that the palette does not have, is an error. */
bool png_rows_unfilter(const struct png_file *png, uint8_t *raw, struct error *err);

/* The same for one row of a picture that is not interlaced: RAW begins with the filter type, UP
 * is the row above, undone, without one (zeros above the first), and TO gets the row, also without;
 * it may be RAW + 1, or lie apart from both. */
bool png_rows_undo(const struct png_file *png, uint32_t y, const uint8_t *raw, const uint8_t *up,
                   uint8_t *to, struct error *err);

/* ---- rows as they are asked for (codec/png/read.c) ----
 *
 * Inflated, undone, checked and turned into samples a few at a time. Not for interlaced pictures,
 * whose rows come in seven passes; not in builds with libdeflate, which inflates only whole
 * streams, or with -Dpng=stb. */

struct png_reader;

/* PNG's pointers must stay valid until png_reader_close. AHEAD: a thread of its own decompresses
 * meanwhile. */
bool png_reader_open(struct png_reader **reader, const struct png_file *png, bool ahead,
                     struct error *err);

/* The next rows, as many as IMAGE has. Damage is found when its row is read; the last row also
 * checks that the compressed data ends there, and its checksum. */
bool png_reader_read(struct png_reader *reader, const struct image *image, struct error *err);
void png_reader_close(struct png_reader *reader); /* NULL is harmless */

#endif
