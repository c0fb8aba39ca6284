/* Samples as decimal text: the rasters of P1, P2 and P3. Private to the PNM reader. */
#ifndef STENCIL_CODEC_PNM_PLAIN_H
#define STENCIL_CODEC_PNM_PLAIN_H

#include "base/image.h"
#include "codec/pnm/header.h"

#define PNM_PLAIN_BYTES ((size_t)64 * 1024)

/* What was read from the input and not yet understood. */
struct pnm_plain {
    size_t at, count;
    uint8_t bytes[PNM_PLAIN_BYTES];
};

/* The samples of row Y of the picture (from 0) into ROW; P1's as 0 and 255. */
bool pnm_plain_read_row(struct pnm_plain *plain, struct input *input,
                        const struct pnm_header *header, enum sample_type type, void *row, int y,
                        struct error *err);

#endif
