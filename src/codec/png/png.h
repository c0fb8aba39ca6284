/* Private to codec/png/. A PNG is read in three steps, and each checks all that it can:
 *
 *   chunks.c    the outside of the file: its chunks, the compressed data that they hold, and
 *               those that are kept for another PNG
 *   filter.c    the filters of rows
 *   decoder.c   rows and samples, a few rows at a time or as a whole
 *
 * write.c makes files. */
#ifndef STENCIL_CODEC_PNG_PNG_H
#define STENCIL_CODEC_PNG_PNG_H

#include "codec/format.h"

/* ---- chunks (codec/png/chunks.c) ---- */

/* Limits of all chunks together that are carried over; more are dropped. */
#define PNG_KEPT_CHUNKS 256
#define PNG_KEPT_BYTES  ((size_t)8 << 20)

/* Of the chunks that say something beside the samples: which of them change how the picture looks,
 * and those that go into another PNG as they stand: iCCP, sRGB, gAMA, cHRM, cICP, pHYs, eXIf and
 * texts, where they are sound and not too large. */
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

enum png_colour {
    PNG_GRAY = 0,
    PNG_RGB = 2,
    PNG_PALETTE = 3,
    PNG_GRAY_ALPHA = 4,
    PNG_RGBA = 6,
};

struct png_header {
    int width, height; /* 1 .. PNG_MAX_SIDE */
    int depth;         /* bits per sample: 1, 2, 4, 8 or 16 */
    enum png_colour colour;
    bool interlaced;
};

/* stb_image has the same limit (STB_MAX_SIDE). */
#define PNG_MAX_SIDE (1 << 24)

struct png_file {
    const char *name; /* for sentences */
    struct input *input;
    struct png_header header;
    uint8_t palette[3 * 256];  /* red, green, blue of each entry */
    int palette_entries;       /* 0 .. 256 */
    uint8_t transparency[256]; /* tRNS, without bits above the depth */
    size_t transparency_bytes; /* 0: none */
    size_t data_place;         /* of the first IDAT chunk */
    int data_chunks;
    size_t data_bytes; /* of all IDAT chunks */
    struct png_notes notes;
    /* Where the file ends inside a chunk: all that is whole before, and of the
     * IDAT chunk that was cut what there is, stand above. */
    bool truncated;
    char truncation[128]; /* half-sentence: where */
};

bool png_recognise(const uint8_t *head, size_t bytes);

/* Walks over all chunks. Everything that can be known without decompressing is checked before
 * anything believes the header: the order of the chunks, every field, every CRC, and whether the
 * file can hold what it promises. (The CRCs of picture data are checked as it is read, so that a
 * file is read once; damage is told as if they had been checked first.) A file that ends too early
 * but has a sound header is returned with truncated set (the caller can still count its rows); all
 * other damage is an error. */
bool png_chunks_walk(struct png_file *png, struct input *input, struct error *err);

/* For a picture whose data proved wrong, as *err says: checks all chunks again, with the CRCs of
 * IDATs, and replaces *err by the first damage of a chunk. Nothing may read from INPUT meanwhile.
 */
void png_chunks_explain(struct input *input, struct error *err);

/* Samples of a pixel in the file, and after palette and tRNS have been applied. */
int png_samples_stored(const struct png_header *header);
int png_channels(const struct png_file *png);

/* After the walk. Reads the chunks that are kept: *chunks (malloc'ed, NULL for none) are whole
 * chunks, as they may stand behind a header. A profile that is not one for gray (or RGB) is lost.
 */
bool png_metadata_take(struct png_file *png, bool gray, uint8_t **chunks, size_t *chunk_bytes,
                       struct error *err);

/* The compressed data of the picture: the content of IDAT chunks that follow each other, with their
 * CRCs checked on the way. */
struct png_pieces {
    struct input *input;
    size_t place;      /* of the next byte in the file */
    size_t chunk_left; /* in the chunk */
    size_t left;       /* in all chunks */
    bool in_chunk;     /* its CRC is still to be checked: */
    uint32_t crc;      /* of the chunk's bytes that were handed out */
    bool failed;
    struct error err;
};

struct png_pieces png_pieces_begin(const struct png_file *png);

/* Fits zlib_reader_new: the next piece of CONTEXT (a struct png_pieces), NULL behind the last and
 * where the file cannot be read or a CRC is wrong (failed). */
const uint8_t *png_pieces_next(void *context, size_t *bytes);

/* All pieces, one behind the other; malloc'ed. NULL where *err is set. */
uint8_t *png_pieces_gather(const struct png_file *png, struct error *err);

/* ---- filters (codec/png/filter.c) ----
 *
 * Before a row is compressed, a value that is foretold from a byte's neighbours is taken off every
 * byte: the differences compress better. When the row is read, the value is added again. a is the
 * byte one pixel to the left, b the one above, c the one above a; outside the row they are 0. The
 * filters foretell
 *
 *   0 none   0    3 average  floor((a + b) / 2)
 *   1 sub    a    4 Paeth    the one of a, b, c that is nearest to a + b - c
 *   2 up     b */

/* ROW has BYTES bytes, a multiple of PIXEL (1, 2, 3, 4, 6 or 8), UP is the row above without its
 * filter (zeros above the first), and OUT gets as many bytes. None overlaps another, but for
 * unfiltering OUT may be ROW. Average is only undone: png_filter is not asked for it. */
typedef void png_filter_function(int filter, const uint8_t *row, const uint8_t *up, size_t bytes,
                                 size_t pixel, uint8_t *out);

/* The definitions, and the same bytes sooner. A test holds them against each other. */
png_filter_function png_filter_plain, png_filter;
png_filter_function png_unfilter_plain, png_unfilter;

/* ---- bytes of a file ---- */

static inline uint32_t png_get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint8_t *png_put32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        *to++ = (uint8_t)(value >> (24 - 8 * i));
    return to;
}

/* Writes length, type and CRC around the content of a chunk, BYTES bytes at CHUNK + PNG_CHUNK_HEAD.
 * Returns the length of the whole chunk. */
#define PNG_CHUNK_HEAD     8
#define PNG_CHUNK_OVERHEAD 12
size_t png_chunk_close(uint8_t *chunk, const char *type, size_t bytes);

#endif
