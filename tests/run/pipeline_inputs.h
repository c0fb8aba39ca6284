/* Shared by the tests of the band pipeline: requests and input files. A header for test programs
 * only; each includes it once. */
#ifndef STENCIL_TESTS_RUN_PIPELINE_INPUTS_H
#define STENCIL_TESTS_RUN_PIPELINE_INPUTS_H

#include "run/picture.h"
#include "tests/codec/test_pictures.h"

struct shape {
    int width, height, channels;
    uint32_t max;
    enum format format;
};

static inline struct picture_request request_of(const char *filter, const char *mask)
{
    return (struct picture_request){
        .filter = {.filter = filter_find(filter), .mask = mask, .radius = -1, .repeat = 1},
        .sink = {.quality = 90},
        .device = DEVICE_CPU,
    };
}

static inline void write_input(const char *path, const struct shape *s, bool see_through)
{
    struct image image = make_picture(s->width, s->height, s->channels, s->max, 0, 7);
    struct sink_options options = {.format = s->format, .threads = 1};
    struct error err;
    /* Whole rows of full alpha and of no alpha: both take special paths. */
    for (int y = 0; s->channels == 4 && s->max == 255 && y < s->height / 2; y++)
        for (int x = 0; x < s->width; x++)
            ((uint8_t *)image_row(&image, y))[x * 4 + 3] = see_through ? 0 : 255;
    CHECK(write_picture(path, &image, s->max, &options, s->height, &err));
    free(image.data);
}

#endif
