/* The only file that compiles stb_image (unmodified), with hooks: see codec/stb.h.
 *
 * stb's hooks take no context argument, so the rows of a call, decompressed and checked before stb
 * is called, are in a thread-local variable while the call runs.
 *
 * Only its PNG loader is compiled. */
#include "codec/stb.h"

#include <stdlib.h>

#include "base/memory.h"

static _Thread_local uint8_t *waiting_rows;
static _Thread_local int waiting_rows_bytes;

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_NO_ZLIB
#define STBI_ASSERT(condition) ((void)0)
#define STBI_MAX_DIMENSIONS    STB_MAX_SIDE
#define STBI_MALLOC(bytes)     large_alloc(bytes)
#define STBI_REALLOC(p, bytes) realloc(p, bytes)
#define STBI_FREE(p)           free(p)

/* stb's warnings are not ours to fix. Unused functions are only reported at the end of the file, so
 * that warning is off for the whole file. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb_image.h>
#pragma GCC diagnostic pop

/* stb_image declares this function; with STBI_NO_ZLIB it leaves the definition to its user. It is
 * the only zlib function that the PNG loader calls. */
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
    free(waiting_rows); /* not NULL if stb stopped before it used them */
    waiting_rows = NULL;
    *why = data ? NULL : stbi_failure_reason();
    *image = (struct image){width, height, channels, 0, wide ? SAMPLE_U16 : SAMPLE_U8, data};
    image->pitch = image_row_bytes(image);
    return data != NULL;
}
