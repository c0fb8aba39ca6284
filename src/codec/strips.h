/* Strips of rows that threads compress while rows come in, and that are written in order. Neither
 * the number of threads nor the number of rows in a call changes the strips. Memory use is a few
 * strips for each thread. */
#ifndef STENCIL_CODEC_STRIPS_H
#define STENCIL_CODEC_STRIPS_H

#include "codec/format.h"

struct strip {
    uint8_t *rows;     /* after the row above, which is zero for the first strip */
    int number, count; /* from 0; number of rows, without the row above */
    uint8_t *out;      /* the compressed strip, */
    size_t bytes;      /* of this size */
    size_t data_bytes; /* the size of the data that were compressed, */
    uint32_t adler;    /* and their Adler-32, for encoders that need it */
    bool done, failed; /* for codec/strips.c; failed: no memory */
};

/* How an encoder makes strips. */
struct strip_maker {
    size_t out_bytes; /* the largest size of a compressed strip */

    /* Copies a row, or several without gaps, into a strip. */
    void (*copy)(uint8_t *to, const void *from, size_t bytes, enum sample_type type);

    /* Makes the memory with which one thread compresses strips. NULL: no memory. */
    void *(*worker_new)(const struct sink *sink);
    void (*worker_free)(void *worker);

    /* Compresses the strip. False: no memory. */
    bool (*compress)(void *worker, struct strip *strip);

    /* Writes the compressed strip. Called in order and by the caller's thread. */
    bool (*write)(struct sink *sink, const struct strip *strip, struct error *err);
};

/* Rows of a full strip, for rows of ROW_BYTES bytes in the compressor. */
int strip_rows(const struct sink *sink, size_t row_bytes);

/* Strips of ROWS rows of the sink's picture. MAKER must stay valid. NULL: no memory. */
struct strips;
struct strips *strips_new(struct sink *sink, const struct strip_maker *maker, int rows);
void strips_free(struct strips *strips); /* NULL is harmless */

/* Adds rows; the picture's last row completes the last strip. */
bool strips_add(struct strips *strips, const struct image *rows, struct error *err);

/* Writes all strips that are left. */
bool strips_finish(struct strips *strips, struct error *err);

#endif
