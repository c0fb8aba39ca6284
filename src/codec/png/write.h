/* PNG output as rows come in: strips of rows, compressed side by side and written in
 * order. The file's bytes depend on the picture alone: not on the number of threads, nor
 * on how many rows each call brings. Memory is a few strips for each thread. */
#ifndef STENCIL_CODEC_PNG_WRITE_H
#define STENCIL_CODEC_PNG_WRITE_H

#include "codec/format.h"

/* What encoder_png consists of. */
bool png_write_open(struct sink *sink, struct error *err);
bool png_write_rows(struct sink *sink, const struct image *rows, struct error *err);
bool png_write_finish(struct sink *sink, struct error *err);
void png_write_close(struct sink *sink);

#endif
