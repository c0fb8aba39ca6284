/* The outside of a PNG file: its chunks. Everything that can be known without
 * decompressing is checked here, before anything believes the header: the order of
 * the chunks, every field, every CRC, and whether the file can hold what it promises.
 * (The CRCs of picture data are checked as it is read, so that a file is read once;
 * damage is told as if they had been checked first.) stb_image checks little of it. */
#ifndef STENCIL_CODEC_PNG_CHUNKS_H
#define STENCIL_CODEC_PNG_CHUNKS_H

#include "codec/png/metadata.h"

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
    struct png_header header;
    const uint8_t *palette;      /* red, green, blue of each entry; NULL: none */
    int palette_entries;         /* 0 .. 256 */
    const uint8_t *transparency; /* tRNS; NULL: none */
    size_t transparency_bytes;
    uint8_t palette_bytes[3 * 256], transparency_content[256]; /* the two point here */
    struct png_bytes *bytes;
    size_t data_place; /* of the first IDAT chunk */
    int data_chunks;
    size_t data_bytes; /* of all IDAT chunks */
    struct png_notes notes;
    /* Where the file ends inside a chunk: all that is whole before, and of the
     * IDAT chunk that was cut what there is, stand above. */
    bool truncated;
    char truncation[128]; /* half-sentence: where */
};

bool png_recognise(const uint8_t *head, size_t bytes);

/* Walks the whole file. PNG keeps pointers to BYTES and into itself: it must not be moved. A file
 * that ends too early but has a sound header is returned with truncated set (the caller can still
 * count its rows); all other damage is an error. */
bool png_chunks_walk(struct png_file *png, struct png_bytes *bytes, struct error *err);

/* For a picture whose data proved wrong, as *err says: checks all chunks again, with the CRCs of
 * IDATs, and replaces *err by the first damage of a chunk. Nothing may read from BYTES meanwhile.
 */
void png_chunks_explain(struct png_bytes *bytes, struct error *err);

/* Samples of a pixel in the file, and after palette and tRNS have been applied. */
int png_samples_stored(const struct png_header *header);
int png_channels(const struct png_file *png);

#endif
