/* stb_image and stb_image_write, unmodified, compiled here and nowhere else, with
 * their hooks filled: see codec/stb.h.
 *
 * stb's hooks take no context, so what belongs to a call lies in thread-local variables
 * for as long as it runs:
 *   inflate   hands over rows that were decompressed and checked before stb was called;
 *   malloc    gives huge pages, and zeroed memory to the JPEG loader, which leaves parts
 *             of a picture as it found them when a damaged file makes it stop early.
 *
 * BMP, GIF, TGA, HDR, PIC, PSD and PNM are left out: no loader is compiled that is not used. PNG
 * is written by codec/png/write.c. */
#include "codec/stb.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static _Thread_local bool zeroed_memory;
static _Thread_local uint8_t *waiting_rows;
static _Thread_local int waiting_rows_bytes;

static void *stb_malloc(size_t bytes)
{
    void *memory = large_alloc(bytes);
    if (memory && zeroed_memory)
        memset(memory, 0, bytes);
    return memory;
}

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_NO_ZLIB
#define STBI_ASSERT(condition) ((void)0)
#define STBI_MAX_DIMENSIONS    STB_MAX_SIDE
#define STBI_MALLOC(bytes)     stb_malloc(bytes)
#define STBI_REALLOC(p, bytes) realloc(p, bytes)
#define STBI_FREE(p)           free(p)

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STBIW_ASSERT(condition) ((void)0)
#define STBIW_MALLOC(bytes)     large_alloc(bytes)
#define STBIW_REALLOC(p, bytes) realloc(p, bytes)
#define STBIW_FREE(p)           free(p)

/* Its warnings are its own. Functions that stay unused are only reported at the end of
 * the file, so that one is off for all of it. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb_image.h>
#include <stb_image_write.h>
#pragma GCC diagnostic pop

/* stb_image declares it and under STBI_NO_ZLIB leaves it to others; the only function of
 * its zlib that the PNG loader calls. */
static char *stbi_zlib_decode_malloc_guesssize_headerflag(const char *buffer, int bytes,
                                                          int expected, int *out_bytes,
                                                          int has_header)
{
    char *rows = (char *)waiting_rows;

    (void)buffer;
    (void)bytes;
    (void)expected;
    (void)has_header;
    *out_bytes = waiting_rows_bytes;
    waiting_rows = NULL; /* stb frees it */
    return rows;
}

/* ---- reading ---- */

static bool take_image(struct image *image, void *data, int width, int height, int channels,
                       enum sample_type type, const char **why)
{
    if (!data) {
        *why = stbi_failure_reason();
        return false;
    }
    *image = (struct image){.width = width,
                            .height = height,
                            .channels = channels,
                            .pitch = (size_t)width * (size_t)channels * (size_t)type,
                            .type = type,
                            .data = data};
    return true;
}

bool stb_load_png(const uint8_t *skeleton, size_t bytes, uint8_t *rows, size_t rows_bytes,
                  struct image *image, const char **why)
{
    int width = 0, height = 0, channels = 0;
    bool wide = stbi_is_16_bit_from_memory(skeleton, (int)bytes);
    void *data;

    waiting_rows = rows;
    waiting_rows_bytes = (int)rows_bytes;
    if (wide)
        data = stbi_load_16_from_memory(skeleton, (int)bytes, &width, &height, &channels, 0);
    else
        data = stbi_load_from_memory(skeleton, (int)bytes, &width, &height, &channels, 0);
    free(waiting_rows); /* where stb gave up before it came to them */
    waiting_rows = NULL;
    return take_image(image, data, width, height, channels, wide ? SAMPLE_U16 : SAMPLE_U8, why);
}

bool stb_load_file(const uint8_t *bytes, size_t size, struct image *image, const char **why)
{
    int width = 0, height = 0, channels = 0;
    void *data;

    zeroed_memory = true;
    data = stbi_load_from_memory(bytes, (int)size, &width, &height, &channels, 0);
    zeroed_memory = false;
    return take_image(image, data, width, height, channels, SAMPLE_U8, why);
}

/* ---- writing ---- */

/* stb hands over its JPEG in pieces of 1 to 64 bytes. */
struct collected {
    uint8_t *data; /* NULL after memory ran out */
    size_t used, capacity;
};

static void collect(void *context, void *data, int bytes)
{
    struct collected *file = context;
    size_t more = (size_t)bytes;

    if (file->data && more > file->capacity - file->used) {
        size_t capacity = 2 * file->capacity + more;
        uint8_t *larger = realloc(file->data, capacity);
        if (!larger)
            free(file->data);
        file->data = larger;
        file->capacity = capacity;
    }
    if (!file->data)
        return;
    memcpy(file->data + file->used, data, more);
    file->used += more;
}

uint8_t *stb_make_jpeg(const struct image *image, int quality, size_t *bytes)
{
    struct collected file = {.capacity = (size_t)1 << 16};

    file.data = malloc(file.capacity);
    if (file.data)
        stbi_write_jpg_to_func(collect, &file, image->width, image->height, image->channels,
                               image->data, quality);
    *bytes = file.used;
    return file.data;
}
