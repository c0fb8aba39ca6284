/* Allocation of pitched images (base/image.h). */
#include "base/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"

/* The system would promise more memory than there is, and end the process when it is used. Smaller
 * pictures are not worth the question. */
#define LARGE_BYTES ((size_t)64 << 20)

static bool no_memory(const struct image *image, const char *name, struct error *err)
{
    return error_set(err, EXIT_INPUT, "%s: no memory for %d x %d pixels of %d channels", name,
                     image->width, image->height, image->channels);
}

bool image_measure(struct image *image, int width, int height, int channels, enum sample_type type,
                   const char *name, size_t *bytes, struct error *err)
{
    uint64_t row, pitch;

    memset(image, 0, sizeof *image);
    if (width < 1 || height < 1 || channels < 1 || channels > 4)
        return error_set(err, EXIT_INPUT, "%s: %d x %d pixels of %d channels are no picture", name,
                         width, height, channels);
    /* width < 2^31, channels <= 4, sample <= 2: the row is below 2^34. */
    row = (uint64_t)width * (uint64_t)channels * (uint64_t)type;
    pitch = (row + image_row_align(row) - 1) / image_row_align(row) * image_row_align(row);
    /* With such a pitch all cells of a column would share one set of the L1 cache. */
    if (pitch % 4096 == 0)
        pitch += IMAGE_ROW_ALIGN;
    *image = (struct image){width, height, channels, (size_t)pitch, type, NULL};
    /* The product is below 2^34 * 2^31 = 2^65, so it is checked before it wraps. */
    if (pitch > UINT64_MAX / (uint64_t)height || pitch * (uint64_t)height > SIZE_MAX / 2)
        return no_memory(image, name, err);
    *bytes = (size_t)(pitch * (uint64_t)height);
    return true;
}

bool image_alloc(struct image *image, int width, int height, int channels, enum sample_type type,
                 const char *name, struct error *err)
{
    size_t bytes;
    bool ok = image_measure(image, width, height, channels, type, name, &bytes, err) &&
              ((bytes < LARGE_BYTES || bytes <= machine_memory()) || no_memory(image, name, err)) &&
              ((image->data = large_alloc(bytes)) || no_memory(image, name, err));
    if (!ok)
        memset(image, 0, sizeof *image);
    return ok;
}

void image_free(struct image *image)
{
    free(image->data);
    memset(image, 0, sizeof *image);
}

/* Counts in 32 bits, for vectors. */
#define COUNTED ((size_t)1 << 20)

#define COUNT_ENDS(name, sample)                                                                   \
    static uint64_t name(const sample *row, size_t n, sample max)                                  \
    {                                                                                              \
        uint32_t count = 0;                                                                        \
        for (size_t i = 0; i < n; i++)                                                             \
            count += (uint32_t)(row[i] == 0) | (uint32_t)(row[i] == max);                          \
        return count;                                                                              \
    }
COUNT_ENDS(count_ends_8, uint8_t)
COUNT_ENDS(count_ends_16, uint16_t)

uint64_t image_count_ends(const struct image *image, uint32_t max)
{
    const bool whole = image->pitch == image_row_bytes(image); /* all rows form one long row */
    const size_t samples = (size_t)image->width * (size_t)image->channels;
    const size_t n = whole ? samples * (size_t)image->height : samples;
    uint64_t count = 0;

    for (int y = 0; y < (whole ? 1 : image->height); y++) {
        const void *row = image_row(image, y);
        for (size_t i = 0; i < n; i += COUNTED) {
            size_t some = n - i < COUNTED ? n - i : COUNTED;
            count += image->type == SAMPLE_U8
                         ? count_ends_8((const uint8_t *)row + i, some, (uint8_t)max)
                         : count_ends_16((const uint16_t *)row + i, some, (uint16_t)max);
        }
    }
    return count;
}
