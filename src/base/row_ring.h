/* A ring of picture rows that is mapped twice, one copy behind the other: any run of
 * rows that it holds lies in one piece, wherever it starts.
 *
 *      row     0 1 2 3 4 5 6 7 | 0 1 2 3 4 5 6 7       one memory, two places
 *                        [ band with halo ]            rows 6 7 0 1 2: contiguous
 *
 * Neighbouring bands share their halo rows in it and nothing is ever moved. (A plain
 * window would have to copy the halo at every wrap, at a moment when no thread reads
 * the rows it overwrites.) It knows nothing of who has read or written a row. */
#ifndef STENCIL_BASE_ROW_RING_H
#define STENCIL_BASE_ROW_RING_H

#include "base/image.h"

struct row_ring {
    struct image image; /* height: the rows it holds; data: the first of the two places */
    size_t bytes;       /* of one place */
};

/* A ring of at least ROWS rows: the memory has to end with a row and a page. False, with no
 * sentence, where the system cannot give one; the caller then works without. */
bool row_ring_alloc(struct row_ring *ring, int width, int channels, enum sample_type type,
                    int rows);
void row_ring_free(struct row_ring *ring); /* harmless on a zeroed one */

/* Rows [first, first+rows) of the picture, at most as many as the ring holds. */
struct image row_ring_rows(const struct row_ring *ring, int first, int rows);

#endif
