/* Gathering rows for encoders of whole pictures: see codec/encode_whole.h. What the file
 * holds is the codec's business. */
#include "codec/encode_whole.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct whole {
    encode_whole_function *make;
    struct image image; /* packed; its data is NULL until rows have to be kept */
    int rows;           /* gathered so far */
    bool written;
};

bool encode_whole_open(struct sink *sink, encode_whole_function *make, struct error *err)
{
    struct whole *whole = calloc(1, sizeof *whole);

    if (!whole)
        return error_set(err, EXIT_INPUT, "%s: no memory to write it", output_name(sink->output));
    whole->make = make;
    whole->image = (struct image){.width = sink->info.width,
                                  .height = sink->info.height,
                                  .channels = sink->info.channels,
                                  .type = sink->info.type};
    whole->image.pitch = image_row_bytes(&whole->image);
    sink->state = whole;
    return true;
}

static bool write_file(struct sink *sink, const struct image *image, struct error *err)
{
    struct whole *whole = sink->state;
    size_t bytes = 0;
    uint8_t *file = whole->make(image, &sink->options, &bytes);
    bool ok;

    if (!file)
        return error_set(err, EXIT_INPUT, "%s: no memory to write %d x %d pixels",
                         output_name(sink->output), image->width, image->height);
    ok = output_write(sink->output, file, bytes, err);
    free(file);
    whole->written = true;
    return ok;
}

bool encode_whole_write(struct sink *sink, const struct image *rows, struct error *err)
{
    struct whole *whole = sink->state;
    struct image *image = &whole->image;
    int y;

    if (whole->rows == 0 && rows->height == image->height && rows->pitch == image->pitch) {
        whole->rows = rows->height;
        return write_file(sink, rows, err);
    }
    if (!image->data)
        image->data = large_alloc(image->pitch * (size_t)image->height);
    if (!image->data)
        return error_set(err, EXIT_INPUT, "%s: no memory for %d x %d pixels",
                         output_name(sink->output), image->width, image->height);
    for (y = 0; y < rows->height; y++)
        memcpy(image_row(image, whole->rows + y), image_row(rows, y), image->pitch);
    whole->rows += rows->height;
    return true;
}

bool encode_whole_finish(struct sink *sink, struct error *err)
{
    struct whole *whole = sink->state;
    return whole->written || write_file(sink, &whole->image, err);
}

void encode_whole_close(struct sink *sink)
{
    struct whole *whole = sink->state;

    if (whole)
        image_free(&whole->image);
    free(whole);
    sink->state = NULL;
}
