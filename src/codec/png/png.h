/* Private to codec/png/. A PNG is read in three steps, and each step makes all checks it can:
 *
 *   chunks.c    the structure of the file: its chunks, their compressed data, and the chunks that
 *               are copied into another PNG
 *   filter.c    the filters of rows
 *   decoder.c   rows and samples, a few rows at a time; an interlaced picture as a whole
 *
 * write.c makes files. */
#ifndef STENCIL_CODEC_PNG_PNG_H
#define STENCIL_CODEC_PNG_PNG_H

#include "codec/format.h"

/* ---- chunks (codec/png/chunks.c) ---- */

/* The limit for copied chunks; further chunks are dropped. */
#define PNG_KEPT_CHUNKS 256

/* Notes about the chunks that are neither header, palette, transparency nor picture: which of them
 * change how the picture looks, and which are copied unchanged into another PNG: iCCP, sRGB, gAMA,
 * cHRM, cICP, pHYs, eXIf and texts, if they are sound and not too large. */
struct png_notes {
    unsigned dropped; /* enum dropped: everything noted */
    unsigned lost;    /* enum dropped: everything that another PNG would lack, too */
    unsigned maybe,
        maybe_lost; /* the same of gAMA and cHRM, which do not count beside a named space */
    bool named_space;
    unsigned seen; /* a bit for each kind that may occur once and has occurred */
    struct png_kept {
        size_t place; /* place of the whole chunk */
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

/* Rows and samples are counted in 32 bits. */
#define PNG_MAX_SIDE (1 << 24)

struct png_file {
    const char *name; /* for error messages */
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
    /* True if the file ends inside a chunk: the members above then describe all complete chunks and
     * the existing part of an incomplete IDAT chunk. */
    bool truncated;
    char truncation[128]; /* half-sentence: where the file ends */
};

bool png_recognise(const uint8_t *head, size_t bytes);

/* Walks over all chunks and makes every check that needs no decompression before any code trusts
 * the header: the order of the chunks, every field, every CRC, and whether the file can hold what
 * it promises. (The CRCs of picture data are checked while it is read, so that a file is read once;
 * errors are the same as if they were checked first.) A file that ends too early but has a sound
 * header is returned with truncated set (the caller can still count its rows); all other damage is
 * an error. */
bool png_chunks_walk(struct png_file *png, struct input *input, struct error *err);

/* Call if the picture data proved wrong, with the error in *err: checks all chunks again, with the
 * CRCs of IDATs, and replaces *err by the first damage of a chunk. Nothing else may read INPUT. */
void png_chunks_explain(struct input *input, struct error *err);

/* Samples of a pixel: in the file; and (png_channels) after palette and tRNS have been applied. */
int png_samples_stored(const struct png_header *header);
int png_channels(const struct png_file *png);

/* Call after the walk: reads the chunks to copy, complete chunks that can follow a header, and
 * finds in them what other formats can hold. A profile that is not for gray (or RGB) pixels is
 * dropped. */
bool png_metadata_take(struct png_file *png, bool gray, struct metadata *metadata,
                       struct error *err);

/* Exchanges the axes of the density. */
void png_metadata_turn(struct metadata *metadata);

/* How an iTXt chunk of XMP data begins that is not compressed: its keyword, no compression, no
 * language, no translated keyword. */
extern const char png_xmp_head[22];
extern const char png_comment_head[12]; /* of a comment likewise, and up to its 0 of tEXt */

/* The compressed data of the picture: the content of consecutive IDAT chunks. Their CRCs are
 * checked while the data is read. */
struct png_pieces {
    struct input *input;
    size_t place;      /* place of the next byte in the file */
    size_t chunk_left; /* bytes left in the chunk */
    size_t left;       /* bytes left in all chunks */
    bool in_chunk;     /* the chunk's CRC is still to be checked */
    uint32_t crc;      /* CRC of the chunk's bytes handed out so far */
    bool failed;
    struct error err;
};

struct png_pieces png_pieces_begin(const struct png_file *png);

/* Callback for zlib_reader_new: the next piece of CONTEXT (a struct png_pieces). NULL after the
 * last piece, and if the file cannot be read or a CRC is wrong (then `failed` is set). */
const uint8_t *png_pieces_next(void *context, size_t *bytes);

/* ---- filters (codec/png/filter.c) ----
 *
 * Before compression, each byte of a row is replaced by its difference from a prediction, since the
 * differences compress better. When the row is read, the prediction is added again. a is the byte
 * one pixel to the left, b the byte above, c the byte above a; outside the row they are 0. The
 * filters predict
 *
 *   0 none   0    3 average  floor((a + b) / 2)
 *   1 sub    a    4 Paeth    the one of a, b, c that is nearest to a + b - c
 *   2 up     b */

/* ROW has BYTES bytes, a multiple of PIXEL (1, 2, 3, 4, 6 or 8). UP is the unfiltered row above
 * (zeros above the first). OUT gets as many bytes. The rows do not overlap, except that unfiltering
 * accepts OUT = ROW. Average is only undone: png_filter never gets it. */
typedef void png_filter_function(int filter, const uint8_t *row, const uint8_t *up, size_t bytes,
                                 size_t pixel, uint8_t *out);

/* The definitions, and faster code for the same bytes. A test compares the two. */
png_filter_function png_filter_plain, png_filter;
png_filter_function png_unfilter_plain, png_unfilter;

#define INLINE __attribute__((always_inline)) static inline

/* Executes STATEMENT, in which PIXEL is the value of BYTES (1, 2, 3, 4, 6 or 8) as a constant: so
 * the compiler makes code for each size of a pixel. */
#define FOR_PIXEL(bytes, statement)                                                                \
    do {                                                                                           \
        switch (bytes) {                                                                           \
            PIXEL_CASE(1, statement);                                                              \
            PIXEL_CASE(2, statement);                                                              \
            PIXEL_CASE(3, statement);                                                              \
            PIXEL_CASE(4, statement);                                                              \
            PIXEL_CASE(6, statement);                                                              \
            PIXEL_CASE(8, statement);                                                              \
        }                                                                                          \
    } while (0)
#define PIXEL_CASE(constant, statement)                                                            \
    case constant: {                                                                               \
        enum { PIXEL = constant };                                                                 \
        statement;                                                                                 \
    } break

/* Filters COUNT rows without gaps between them, behind the row above; each goes to OUT behind its
 * filter type. */
void png_filter_rows(int filter, const uint8_t *rows, int count, size_t bytes, size_t pixel,
                     uint8_t *out);

/* Undoes the filters of COUNT rows of one pixel. In RAW each follows its filter type; in OUT there
 * are no gaps. Returns how many rows come before an unknown filter type: COUNT if there is none. */
int png_unfilter_column(const uint8_t *raw, const uint8_t *up, int count, size_t pixel,
                        uint8_t *out);

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
