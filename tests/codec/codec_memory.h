/* Image files in memory, for tests of codecs: all data passes through a temporary file and the
 * public interface. */
#ifndef STENCIL_TESTS_CODEC_CODEC_MEMORY_H
#define STENCIL_TESTS_CODEC_CODEC_MEMORY_H

#include "codec/codec.h"

/* Reads a whole file and checks that its info and picture agree. If the file is refused,
 * image->data is NULL and err has the message. WARNING (256 bytes) gets the warning without the
 * file's name, or is empty. */
void memory_read(const uint8_t *file, size_t bytes, struct image *image, char *warning,
                 struct error *err);

/* Writes a picture in bands of BAND rows; the file is malloc'ed. */
uint8_t *memory_write(const struct image *image, const struct sink_options *options, int band,
                      size_t *bytes);

/* A picture without symmetries. Free with image_free. */
void memory_picture(struct image *image, int width, int height, int channels);

static inline const uint8_t *memory_pixel(const struct image *image, int x, int y)
{
    return (const uint8_t *)image_row(image, y) + x * image->channels;
}

#endif
