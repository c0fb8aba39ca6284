/* The image in memory: interleaved samples in pitched rows, as in the textbook's wbImage (width,
 * height, pitch, channels, data), with two differences: pitch counts bytes, and samples are
 * integers of 8 or 16 bits, in the machine's byte order.
 *
 *   element (y, x, c) lies at  data + y*pitch + (x*channels + c)*sample_bytes
 *
 * Channels: 1 gray, 2 gray+alpha, 3 RGB, 4 RGBA. */
#ifndef STENCIL_BASE_IMAGE_H
#define STENCIL_BASE_IMAGE_H

#include <stdint.h>

#include "base/error.h"

/* The value is the sample's size in bytes. No file has U32: see plan/light.h. */
enum sample_type { SAMPLE_U8 = 1, SAMPLE_U16 = 2, SAMPLE_U32 = 4 };

struct image {
    int width, height; /* in pixels, >= 1 */
    int channels;      /* 1 to 4 */
    size_t pitch;      /* bytes from one row to the next, >= image_row_bytes */
    enum sample_type type;
    void *data; /* from malloc's family; image_free frees it */
};

/* Rows start at multiples of this many bytes: a cache line, for vector loads. The GPU's bulk copies
 * need 16. */
#define IMAGE_ROW_ALIGN 64

/* Shorter rows have no gaps between them, which would take most of the memory. */
static inline size_t image_row_align(uint64_t row_bytes)
{
    return row_bytes < IMAGE_ROW_ALIGN ? 1 : IMAGE_ROW_ALIGN;
}

/* Allocates data for the given shape; the samples are not initialised. NAME is the file that an
 * error sentence names. */
bool image_alloc(struct image *image, int width, int height, int channels, enum sample_type type,
                 const char *name, struct error *err);

/* Fills in the shape only: data is NULL, and *bytes says how much memory it would take. */
bool image_measure(struct image *image, int width, int height, int channels, enum sample_type type,
                   const char *name, size_t *bytes, struct error *err);

/* Frees data and clears the struct; harmless on a zeroed one. */
void image_free(struct image *image);

/* The bytes of one row that hold samples (without the padding up to pitch). */
static inline size_t image_row_bytes(const struct image *image)
{
    return (size_t)image->width * (size_t)image->channels * (size_t)image->type;
}

static inline void *image_row(const struct image *image, int y)
{
    return (unsigned char *)image->data + (size_t)y * image->pitch;
}

/* Sample I of a row, counted over all channels. */
static inline uint32_t image_sample(const void *row, enum sample_type type, size_t i)
{
    return type == SAMPLE_U8    ? ((const uint8_t *)row)[i]
           : type == SAMPLE_U16 ? ((const uint16_t *)row)[i]
                                : ((const uint32_t *)row)[i];
}

static inline void image_put_sample(void *row, enum sample_type type, size_t i, uint32_t value)
{
    if (type == SAMPLE_U8)
        ((uint8_t *)row)[i] = (uint8_t)value;
    else if (type == SAMPLE_U16)
        ((uint16_t *)row)[i] = (uint16_t)value;
    else
        ((uint32_t *)row)[i] = value;
}

/* How many samples are 0 or MAX. */
uint64_t image_count_ends(const struct image *image, uint32_t max);

/* True for gray+alpha and RGBA: the last channel is alpha. */
static inline bool image_has_alpha(int channels)
{
    return channels == 2 || channels == 4;
}

/* Rows [first, first+rows) as an image that shares the data. */
static inline struct image image_rows(const struct image *image, int first, int rows)
{
    struct image part = *image;
    part.data = image_row(image, first);
    part.height = rows;
    return part;
}

#endif
