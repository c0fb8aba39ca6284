/* A libFuzzer target: arbitrary bytes as an image file. A finding is a crash, a report of a
 * sanitizer, a hang, or a picture whose shape differs from the header's. Built with -Dfuzz=true,
 * run by scripts/fuzz. tests/codec/fuzz_dress.h describes how the bytes become a file. */
#include <stdlib.h>

#include "codec/codec.h"
#include "tests/codec/fuzz_dress.h"

#define MAX_PIXELS (1 << 20) /* larger pictures only cost time */

/* Reads the page, whole or in bands of three rows. */
static bool read_picture(struct source *source, bool bands)
{
    const struct image_info info = *source_info(source);
    struct error err;
    struct image image = {0};

    bool good = (uint64_t)info.width * (uint64_t)info.height <= MAX_PIXELS;

    if (!good)
        return false;
    if (!bands) {
        good = source_read_all(source, &image, &err);
        if (good && (image.width != info.width || image.height != info.height ||
                     image.channels != info.channels || image.type != info.type))
            abort();
    } else if (image_alloc(&image, info.width, info.height < 3 ? info.height : 3, info.channels,
                           info.type, "fuzz", &err)) {
        for (int y = 0; good && y < info.height; y += image.height) {
            struct image part = image_rows(
                &image, 0, image.height < info.height - y ? image.height : info.height - y);
            good = source_read(source, &part, &err);
        }
    }
    image_free(&image);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source *source = NULL;
    const uint8_t *file;
    const char *path;
    struct error err;
    size_t bytes;

    if (size < 1 || size > FUZZ_MAX_BYTES)
        return 0;
    path = fuzz_dress(data, size, &file, &bytes);
    if (source_open_pages(&source, path, &err)) {
        bool good;
        do
            good = read_picture(source, (data[0] & 4) != 0);
        while (good && source_has_more(source, source_info(source)->format) &&
               source_next(source, &err));
        (void)source_warning(source, FORMAT_PNG);
        (void)source_warning(source, FORMAT_JPEG);
        (void)source_warning(source, FORMAT_WEBP);
    }
    source_close(source);
    return 0;
}
