/* PNG rows as they are asked for: inflated, unfiltered, checked and turned into samples
 * a few at a time. Not for interlaced pictures, whose rows come in seven passes; not in
 * builds with libdeflate, which inflates only whole streams, or with -Dpng=stb. */
#ifndef STENCIL_CODEC_PNG_READ_H
#define STENCIL_CODEC_PNG_READ_H

#include "base/image.h"
#include "codec/png/chunks.h"

struct png_reader;

/* PNG's pointers must stay valid until png_reader_close. NAME is the file in sentences. AHEAD: a
 * thread of its own decompresses meanwhile. */
bool png_reader_open(struct png_reader **reader, const struct png_file *png, const char *name,
                     bool ahead, struct error *err);

/* The next rows of IMAGE's height. What is damaged is found when it is come to; that the
 * compressed data ends where it should, and its checksum, with the last row. */
bool png_reader_read(struct png_reader *reader, const struct image *image, struct error *err);
void png_reader_close(struct png_reader *reader); /* NULL is harmless */

#endif
