/* What codec/codec.c asks about formats when it opens an output; the public half of
 * codec/formats.c is in codec/codec.h (format_of_path and its siblings). */
#ifndef STENCIL_CODEC_FORMATS_H
#define STENCIL_CODEC_FORMATS_H

#include "codec/format_row.h"

/* PATH, or "standard output" for "-". */
const char *codec_sentence_name(const char *path);

/* The format that PATH and OPTIONS ask for and what its encoder will be given, in *target; an
 * error where the format is unknown (EXIT_USAGE) or cannot hold the picture (EXIT_INPUT). */
bool codec_resolve_target(const char *path, const struct image_info *info,
                          const struct sink_options *options, struct image_info *target,
                          struct error *err);

/* The encoder of a format that codec_resolve_target has chosen. */
const struct encoder *codec_encoder(enum format format);

#endif
