/* The PNM family's text: the headers of P1 to P7, and bytes for the plain rasters behind some of
 * them. Private to codec/pnm/. */
#ifndef STENCIL_CODEC_PNM_HEADER_H
#define STENCIL_CODEC_PNM_HEADER_H

#include <stdint.h>

#include "codec/input.h"

struct pnm_reader {
    struct input *input;
    struct error *err; /* of the call that is running */
    bool failed;       /* err is set */
    const uint8_t *bytes;
    size_t at, count;     /* in the text that was peeked */
    uint64_t taken, most; /* bytes before it; a header of more than `most` is refused */
    /* the header: */
    int kind;         /* 1 to 7: the digit after the P */
    const char *name; /* "PBM", "PGM", "PPM", "PAM" */
    int width, height, channels;
    uint32_t maxval;       /* 1 for P1 and P4 */
    uint64_t header_bytes; /* up to the first sample */
};

/* True for kinds whose samples are decimal text. */
static inline bool pnm_is_plain(int kind)
{
    return kind <= 3;
}

static inline bool pnm_is_bitmap(int kind)
{
    return kind == 1 || kind == 4;
}

/* The specification's white space. */
static inline bool pnm_is_space(int byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

bool pnm_recognise(const uint8_t *head, size_t bytes);

/* Reads a header that was recognised. The input then stands at the first sample, or READER does
 * where the samples are text. */
bool pnm_header_read(struct pnm_reader *reader);

/* The next byte of text. A comment stands for the line break that ends it: `12#c\n34` are two
 * numbers, and the line break of `255#c\n` is the one blank before the samples. netpbm reads it so.
 * PNM_END: the end, or `failed`. */
#define PNM_END (-1)
int pnm_next_byte_slowly(struct pnm_reader *reader);
static inline int pnm_next_byte(struct pnm_reader *reader)
{
    return reader->at < reader->count && reader->bytes[reader->at] != '#'
               ? reader->bytes[reader->at++]
               : pnm_next_byte_slowly(reader);
}

/* The next byte that is not blank. */
int pnm_skip_blanks(struct pnm_reader *reader);

/* The number that begins with the digit BYTE. It saturates above MOST, which is at most 2^31, and
 * *after is the byte behind it. */
uint64_t pnm_number(struct pnm_reader *reader, int byte, uint64_t most, int *after);

/* "NAME: damaged PGM: ..."; sets failed and returns false. */
__attribute__((format(printf, 2, 3))) bool pnm_damaged(struct pnm_reader *reader,
                                                       const char *format, ...);

/* 'x' or byte 0x00, for sentences. */
const char *pnm_byte_text(int byte, char text[16]);

#endif
