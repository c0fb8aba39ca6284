/* The part that encoders of whole pictures have in common: rows are gathered, unless
 * the first call already brings all of them, which are then encoded from where they
 * lie; the file that comes out is written in one go. */
#ifndef STENCIL_CODEC_ENCODE_WHOLE_H
#define STENCIL_CODEC_ENCODE_WHOLE_H

#include "codec/format_row.h"

/* A whole file for IMAGE, malloc'ed; NULL when memory runs out. */
typedef uint8_t *encode_whole_function(const struct image *image,
                                       const struct sink_options *options, size_t *bytes);

/* MAKE is given packed rows. */
bool encode_whole_open(struct sink *sink, encode_whole_function *make, struct error *err);

/* The rest of struct encoder, as it stands. */
bool encode_whole_write(struct sink *sink, const struct image *rows, struct error *err);
bool encode_whole_finish(struct sink *sink, struct error *err);
void encode_whole_close(struct sink *sink);

#endif
