/* A libFuzzer target: PNG files, read by the program and by libpng in its strictest mode. A finding
 * is a file that one of them reads and the other refuses, or that gives different pictures.
 * tests/codec/fuzz_dress.h describes how the bytes become a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"
#include "tests/codec/fuzz_dress.h"
#include "tests/codec/png_peer.h"
#include "tests/codec/png_pixels.h"

#define MAX_PIXELS (1 << 20) /* larger pictures only cost time */

static uint64_t get32(const uint8_t *p)
{
    return (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 | (uint64_t)p[2] << 8 | p[3];
}

static bool read_all(const char *path, bool bands, struct image *image, struct error *err)
{
    struct source *source = NULL;
    const struct image_info *info;
    bool ok = source_open(&source, path, err);
    int y;

    memset(image, 0, sizeof *image);
    if (ok && !bands) {
        ok = source_read_all(source, image, err);
    } else if (ok) {
        info = source_info(source);
        ok = image_alloc(image, info->width, info->height, info->channels, info->type, path, err);
        for (y = 0; ok && y < info->height; y += 3) {
            struct image rows = image_rows(image, y, info->height - y < 3 ? info->height - y : 3);
            ok = source_read(source, &rows, err);
        }
        if (!ok)
            image_free(image);
    }
    source_close(source);
    return ok;
}

/* libpng stops at the last row: it does not check the data after it, and reads the Adler-32 only if
 * that comes in time. */
static bool is_about_end(const char *text)
{
    return strstr(text, "more compressed data than the picture needs") ||
           strstr(text, "the Adler-32 checksum does not match");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct peer_picture picture;
    const uint8_t *file;
    const char *path;
    char why[160] = "", where[160];
    struct image image;
    struct error err = {.text = ""};
    size_t bytes;
    bool ours, theirs;

    if (size < 1 || size > FUZZ_MAX_BYTES)
        return 0;
    path = fuzz_dress(data, size, &file, &bytes);
    if (bytes < 33 || memcmp(file, "\x89PNG", 4) != 0 ||
        get32(file + 16) * get32(file + 20) > MAX_PIXELS)
        return 0;
    ours = read_all(path, (data[0] & 4) != 0, &image, &err);
    theirs = peer_decode(&picture, file, bytes, why);
    if (ours != theirs && (ours || !is_about_end(err.text))) {
        fprintf(stderr, "we: %s\nlibpng: %s\n", ours ? "read it" : err.text,
                theirs ? "read it" : why);
        abort();
    }
    if (ours && theirs && !png_pixels_agree(&picture.maker, &image, where)) {
        fprintf(stderr, "%s\n", where);
        abort();
    }
    peer_free(&picture);
    image_free(&image);
    return 0;
}
