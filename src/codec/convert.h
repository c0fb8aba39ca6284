/* Rows on their way to a format that cannot hold them as they are: fewer or more
 * channels, another maximum. Private to codec/codec.c. */
#ifndef STENCIL_CODEC_CONVERT_H
#define STENCIL_CODEC_CONVERT_H

#include "base/image.h"

/* The table v -> round(v*M/max), M = 255 for max < 256, else 65535; malloc'ed, with a place for
 * every value of the sample type. NULL when memory runs out. */
uint16_t *codec_scale_table(uint32_t max);

/* The maximum that the table scales to. */
uint32_t codec_scaled_max(uint32_t max);

/* IN's rows into OUT (same width, height and type). Channels: alpha is dropped or gray becomes
 * equal RGB, whatever leads from IN's to OUT's. SCALE may be NULL. */
void codec_convert(const struct image *in, const struct image *out, const uint16_t *scale);

#endif
