/* The only file that compiles stb_image and stb_image_write (unmodified), with hooks: see
 * codec/stb.h.
 *
 * stb's hooks take no context argument, so the data of a call is in thread-local variables while
 * the call runs:
 *   inflate   hands over rows that were decompressed and checked before stb was called;
 *   malloc    gives huge pages, and zeroed memory to the JPEG loader, which leaves parts
 *             of a picture unset if damage makes it stop early.
 *
 * BMP, GIF, TGA, HDR, PIC, PSD and PNM are left out, since only loaders in use are compiled.
 * codec/png/write.c writes PNG. */
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

/* stb's warnings are not ours to fix. Unused functions are only reported at the end of the file, so
 * that warning is off for the whole file. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb_image.h>
#include <stb_image_write.h>
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

/* ---- reading ---- */

static bool load(const uint8_t *file, size_t bytes, bool wide, struct image *image,
                 const char **why)
{
    int width = 0, height = 0, channels = 0;
    enum sample_type type = wide ? SAMPLE_U16 : SAMPLE_U8;
    void *data;

    if (wide)
        data = stbi_load_16_from_memory(file, (int)bytes, &width, &height, &channels, 0);
    else
        data = stbi_load_from_memory(file, (int)bytes, &width, &height, &channels, 0);
    *why = data ? NULL : stbi_failure_reason();
    *image = (struct image){width, height, channels, 0, type, data};
    image->pitch = image_row_bytes(image);
    return data != NULL;
}

bool stb_load_png(const uint8_t *skeleton, size_t bytes, uint8_t *rows, size_t rows_bytes,
                  struct image *image, const char **why)
{
    bool ok;

    waiting_rows = rows;
    waiting_rows_bytes = (int)rows_bytes;
    ok = load(skeleton, bytes, stbi_is_16_bit_from_memory(skeleton, (int)bytes), image, why);
    free(waiting_rows); /* not NULL if stb stopped before it used them */
    waiting_rows = NULL;
    return ok;
}

bool stb_load_file(const uint8_t *bytes, size_t size, struct image *image, const char **why)
{
    bool ok;

    zeroed_memory = true;
    ok = load(bytes, size, false, image, why);
    zeroed_memory = false;
    return ok;
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

static struct collected begin_file(void)
{
    size_t capacity = (size_t)1 << 16;

    return (struct collected){.data = malloc(capacity), .capacity = capacity};
}

/* stb always writes three components. */
static uint8_t *make_colour_jpeg(const struct image *image, int quality, size_t *bytes)
{
    struct collected file = begin_file();

    if (file.data)
        stbi_write_jpg_to_func(collect, &file, image->width, image->height, image->channels,
                               image->data, quality);
    *bytes = file.used;
    return file.data;
}

/* ---- gray JPEG ----
 *
 * A gray picture must stay gray when read again, but stb writes colour, so this code writes the
 * file. Its tables are the luma tables of a one-pixel file made by stb, copied from the places
 * below. stb's own functions do the transform, the quantisation and the bit packing. */
#define JPEG_START_BYTES  20  /* the first marker and the JFIF segment */
#define JPEG_QUANTISATION 25  /* 64 numbers in zigzag order */
#define JPEG_HUFFMAN      177 /* two tables: a byte that names it, 16 counts, and the symbols */
#define JPEG_HUFFMAN_DC   12
#define JPEG_HUFFMAN_AC   162

typedef const unsigned short codes_read[2];

/* Fills the code and length of each symbol, in stb's form, from 16 counts and the symbols. */
static void fill_codes(unsigned short codes[256][2], const uint8_t *counts)
{
    const uint8_t *symbol = counts + 16;
    unsigned next = 0;

    memset(codes, 0, 256 * sizeof *codes);
    for (unsigned short length = 1; length <= 16; length++, next *= 2)
        for (int i = 0; i < counts[length - 1]; i++, symbol++) {
            codes[*symbol][0] = (unsigned short)next++;
            codes[*symbol][1] = length;
        }
}

/* The factors by which stb multiplies instead of dividing by the quantisation table. They also undo
 * the scale that its transform leaves in the coefficients. */
static void fill_factors(float factors[64], const uint8_t *quantisation)
{
    static const float scale[] = {1.0f * 2.828427125f,         1.387039845f * 2.828427125f,
                                  1.306562965f * 2.828427125f, 1.175875602f * 2.828427125f,
                                  1.0f * 2.828427125f,         0.785694958f * 2.828427125f,
                                  0.541196100f * 2.828427125f, 0.275899379f * 2.828427125f};

    for (int k = 0; k < 64; k++)
        factors[k] = 1 / (quantisation[stbiw__jpg_ZigZag[k]] * scale[k / 8] * scale[k % 8]);
}

/* Loads the block at X, Y. Beyond the edges, the last column and row are repeated. */
static void load_block(float block[64], const struct image *image, int x, int y)
{
    for (int i = 0; i < 64; i++) {
        int row = y + i / 8, column = x + i % 8;
        const uint8_t *samples = image_row(image, row < image->height ? row : image->height - 1);
        float v = samples[column < image->width ? column : image->width - 1];
        block[i] = +0.29900f * v + 0.58700f * v + 0.11400f * v - 128;
    }
}

static void write_gray(struct collected *file, const struct image *image, uint8_t *tables)
{
    static uint8_t quantisation_head[] = {0xff, 0xdb, 0, 67, 0};
    static uint8_t scan[] = {0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0}, end[] = {0xff, 0xd9};
    static const unsigned short fill[] = {0x7f, 7}; /* the last byte is padded with ones */
    const int huffman_bytes = 17 + JPEG_HUFFMAN_DC + 17 + JPEG_HUFFMAN_AC;
    uint8_t frame[] = {0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0, 0xff, 0xc4, 0, 0};
    unsigned short dc_codes[256][2], ac_codes[256][2];
    stbi__write_context context = {0};
    float factors[64], block[64];
    int dc = 0, bits = 0, count = 0;

    frame[5] = (uint8_t)(image->height >> 8);
    frame[6] = (uint8_t)image->height;
    frame[7] = (uint8_t)(image->width >> 8);
    frame[8] = (uint8_t)image->width;
    frame[16] = (uint8_t)(2 + huffman_bytes);
    collect(file, tables, JPEG_START_BYTES);
    collect(file, quantisation_head, sizeof quantisation_head);
    collect(file, tables + JPEG_QUANTISATION, 64);
    collect(file, frame, sizeof frame);
    collect(file, tables + JPEG_HUFFMAN, huffman_bytes);
    collect(file, scan, sizeof scan);
    fill_factors(factors, tables + JPEG_QUANTISATION);
    fill_codes(dc_codes, tables + JPEG_HUFFMAN + 1);
    fill_codes(ac_codes, tables + JPEG_HUFFMAN + 17 + JPEG_HUFFMAN_DC + 1);
    stbi__start_write_callbacks(&context, collect, file);
    for (int y = 0; y < image->height; y += 8)
        for (int x = 0; x < image->width; x += 8) {
            load_block(block, image, x, y);
            dc = stbiw__jpg_processDU(&context, &bits, &count, block, 8, factors, dc,
                                      (codes_read *)dc_codes, (codes_read *)ac_codes);
        }
    stbiw__jpg_writeBits(&context, &bits, &count, fill);
    collect(file, end, sizeof end);
}

uint8_t *stb_make_jpeg(const struct image *image, int quality, size_t *bytes)
{
    uint8_t black = 0, *tables;
    const struct image pixel = {1, 1, 1, 1, SAMPLE_U8, &black};
    struct collected file = {0};

    if (image->channels != 1)
        return make_colour_jpeg(image, quality, bytes);
    tables = make_colour_jpeg(&pixel, quality, bytes);
    if (tables)
        file = begin_file();
    if (file.data)
        write_gray(&file, image, tables);
    free(tables);
    *bytes = file.used;
    return file.data;
}
