/* A window over a file: see codec/png/bytes.h. */
#include "codec/png/bytes.h"

#include <stdlib.h>

bool png_bytes_open(struct png_bytes *bytes, struct input *input, struct error *err)
{
    *bytes = (struct png_bytes){.input = input};
    if (input_size(input) >= SIZE_MAX)
        return input_read_all(input, &bytes->memory, &bytes->size, err);
    bytes->size = (size_t)input_size(input);
    bytes->window = malloc(PNG_BYTES_WINDOW);
    if (!bytes->window)
        return error_set(err, EXIT_INPUT, "%s: no memory to read it", input_name(input));
    return true;
}

void png_bytes_close(struct png_bytes *bytes)
{
    free(bytes->window);
    bytes->window = NULL;
}

const uint8_t *png_bytes_at(struct png_bytes *bytes, size_t place, size_t want, size_t *have,
                            struct error *err)
{
    size_t left = place < bytes->size ? bytes->size - place : 0;

    *have = left;
    if (bytes->memory)
        return bytes->memory + (bytes->size - left);
    if (want > left)
        want = left;
    if (place < bytes->start || place > bytes->start + bytes->held ||
        want > bytes->start + bytes->held - place) {
        size_t most = bytes->hopping ? PNG_BYTES_HOP : PNG_BYTES_WINDOW;
        bytes->start = place;
        if (!input_read_at(bytes->input, place, bytes->window, left < most ? left : most,
                           &bytes->held, err))
            return NULL;
    }
    *have = bytes->start + bytes->held - place;
    return bytes->window + (place - bytes->start);
}
