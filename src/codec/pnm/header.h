/* The headers of the PNM family, P1 to P7. Private to the PNM reader. */
#ifndef STENCIL_CODEC_PNM_HEADER_H
#define STENCIL_CODEC_PNM_HEADER_H

#include <stdint.h>

#include "codec/input.h"

/* Longer headers are refused: a comment in a pipe could go on for ever. */
#define PNM_HEADER_MAX_BYTES (1024 * 1024)

struct pnm_header {
    int kind;         /* 1 to 7: the digit after the P */
    const char *name; /* "PBM", "PGM", "PPM", "PAM" */
    int width, height;
    int channels;
    uint32_t maxval; /* 1 for P1 and P4 */
    uint64_t bytes;  /* the header's own length, up to the first sample */
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

/* 'x' or byte 0x00, for sentences. */
const char *pnm_byte_text(int byte, char text[16]);

bool pnm_header_recognise(const uint8_t *head, size_t bytes);

/* Reads a header that was recognised; the input then stands at the first sample. */
bool pnm_header_read(struct pnm_header *header, struct input *input, struct error *err);

#endif
