/* Allocation of pitched images (base/image.h). */
#include "base/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"

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
    pitch = (row + IMAGE_ROW_ALIGN - 1) / IMAGE_ROW_ALIGN * IMAGE_ROW_ALIGN;
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
    bool ok =
        image_measure(image, width, height, channels, type, name, &bytes, err) &&
        ((bytes < LARGE_BYTES || bytes <= machine_memory()) || no_memory(image, name, err)) &&
        (posix_memalign(&image->data, IMAGE_ROW_ALIGN, bytes) == 0 || no_memory(image, name, err));
    if (!ok)
        memset(image, 0, sizeof *image);
    return ok;
}

void image_free(struct image *image)
{
    free(image->data);
    memset(image, 0, sizeof *image);
}

uint64_t image_count_ends(const struct image *image, uint32_t max)
{
    const size_t n = (size_t)image->width * (size_t)image->channels;
    uint64_t count = 0;

    for (int y = 0; y < image->height; y++) {
        const void *row = image_row(image, y);
        for (size_t i = 0; i < n; i++) {
            uint32_t sample = image_sample(row, image->type, i);
            count += sample == 0 || sample == max;
        }
    }
    return count;
}
