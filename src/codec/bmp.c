/* BMP. The headers are read by codec/bmp_header.c; stb_image is then given a BMP of our own
 * making with the file's rows behind the plainest header that says the same. As they come
 * it misreads some files (OS/2 palettes lack four colours), refuses sound ones (a gap
 * before the pixels, masks inside a header of 56 bytes), and takes what is missing for
 * zeros. Writing is stb_image_write's: 24 or 32 bits.
 *
 * Run-length and other compression is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/bmp_header.h"
#include "codec/format.h"
#include "codec/stb.h"

/* ---- reading ---- */

/* The fourth byte of 32-bit pixels without masks is nothing by the book and alpha by habit.
 * Where all of them are 0 the picture would be invisible: there it is nothing. */
static bool has_fourth_byte(const struct bmp_file *bmp)
{
    int x, y;

    for (y = 0; y < bmp->height; y++) {
        const uint8_t *row = bmp->pixels + (size_t)y * bmp->row_bytes;
        for (x = 0; x < bmp->width; x++)
            if (row[4 * (size_t)x + 3] != 0)
                return true;
    }
    return false;
}

static bool check_indices(const struct bmp_file *bmp, const char *name, struct error *err)
{
    unsigned per_byte = 8U / (unsigned)bmp->bits, mask = (1U << bmp->bits) - 1;
    int x, y;

    if (bmp->palette_entries > (int)mask)
        return true;
    for (y = 0; y < bmp->height; y++) {
        const uint8_t *row = bmp->pixels + (size_t)y * bmp->row_bytes;
        for (x = 0; x < bmp->width; x++) {
            unsigned shift = 8U - (unsigned)bmp->bits * ((unsigned)x % per_byte + 1);
            unsigned index = row[(unsigned)x / per_byte] >> shift & mask;
            if (index >= (unsigned)bmp->palette_entries)
                return error_set(err, EXIT_INPUT,
                                 "%s: damaged BMP: row %d has a colour that its palette lacks: %u",
                                 name, y, index);
        }
    }
    return true;
}

static bool decoder_open(struct source *source, struct error *err)
{
    const char *name = input_name(source->input);
    struct image_info *info = &source->info;
    struct bmp_file *bmp = source->state = malloc(sizeof *bmp);
    const uint8_t *bytes;
    size_t size;

    if (!bmp)
        return error_set(err, EXIT_INPUT, "%s: no memory to read it", name);
    if (!input_read_all(source->input, &bytes, &size, err) ||
        !bmp_header_read(bmp, name, bytes, size, err) ||
        (bmp->bits <= 8 && !check_indices(bmp, name, err)))
        return false;
    if (bmp->alpha_is_a_guess && has_fourth_byte(bmp))
        bmp->mask[3] = 0xff000000;
    *info = (struct image_info){.width = bmp->width,
                                .height = bmp->height,
                                .channels = bmp->mask[3] ? 4 : 3,
                                .type = SAMPLE_U8,
                                .max = 255,
                                .format = FORMAT_BMP};
    source->dropped = bmp->dropped;
    return true;
}

static uint8_t *put32(uint8_t *to, uint32_t value)
{
    int i;
    for (i = 0; i < 4; i++)
        *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

/* Headers as stb_image likes them: 40 bytes and a full palette, or 108 with masks. */
#define HEADERS_MAX (14 + 40 + 4 * 256)
static size_t put_headers(const struct bmp_file *bmp, uint8_t *to)
{
    bool masks = bmp->mask[0] != 0;
    uint32_t header = masks ? 108 : 40;
    uint32_t colours = bmp->bits <= 8 ? 1U << bmp->bits : 0;
    uint32_t pixels_at = 14 + header + 4 * colours;
    uint8_t *p = to, *palette = to + 14 + header;
    int i;

    memset(to, 0, HEADERS_MAX);
    p = put32(p, 'B' | 'M' << 8); /* and two of the file size, which nobody reads */
    p = put32(p + 6, pixels_at);
    p = put32(p, header);
    p = put32(p, (uint32_t)bmp->width);
    p = put32(p, bmp->top_down ? 0U - (uint32_t)bmp->height : (uint32_t)bmp->height);
    p = put32(p, 1U | (uint32_t)bmp->bits << 16);
    p = put32(p, masks ? 3 : 0);
    for (p += 20, i = 0; i < 4 && masks; i++)
        p = put32(p, bmp->mask[i]);
    for (i = 0; i < bmp->palette_entries; i++)
        memcpy(palette + 4 * i, bmp->palette + (ptrdiff_t)i * bmp->palette_entry_bytes, 3);
    return pixels_at;
}

static bool decoder_read_all(struct source *source, struct image *image, struct error *err)
{
    const struct bmp_file *bmp = source->state;
    const char *name = input_name(source->input), *why = "its rows take more than 2 GiB";
    size_t rows = bmp->row_bytes * (size_t)bmp->height;
    size_t there = rows - bmp->row_bytes + bmp->row_used; /* the last padding may be missing */
    uint8_t *plain;
    size_t headers;
    bool ok;

    plain = large_alloc(HEADERS_MAX + rows);
    if (!plain)
        return error_set(err, EXIT_INPUT, "%s: no memory to read it", name);
    headers = put_headers(bmp, plain);
    memcpy(plain + headers, bmp->pixels, there);
    memset(plain + headers + there, 0, rows - there);
    ok = headers + rows <= STB_MAX_BYTES && stb_load_file(plain, headers + rows, image, &why);
    free(plain);
    if (!ok)
        return error_set(err, EXIT_INPUT, "%s: cannot decode this BMP: %s", name, why);
    return true;
}

static void decoder_close(struct source *source)
{
    free(source->state);
    source->state = NULL;
}

const struct decoder decoder_bmp = {
    .name = "BMP",
    .recognise = bmp_recognise,
    .open = decoder_open,
    .read_all = decoder_read_all,
    .close = decoder_close,
};

/* ---- writing ---- */

static uint8_t *make(const struct image *image, const struct sink_options *options, size_t *bytes)
{
    (void)options; /* a BMP has none */
    return stb_make_bmp(image, bytes);
}

static bool encoder_open(struct sink *sink, struct error *err)
{
    const struct image_info *info = &sink->info;
    uint64_t row = ((uint64_t)info->width * (uint64_t)info->channels + 3) / 4 * 4;

    if (row * (uint64_t)info->height + 256 > STB_MAX_BYTES)
        return error_set(err, EXIT_INPUT,
                         "%s: %d x %d pixels: a BMP of more than 2 GiB cannot be written; .ppm, "
                         ".pgm and .pam have no such limit",
                         output_name(sink->output), info->width, info->height);
    return true;
}

const struct encoder encoder_bmp = {
    .open = encoder_open,
    .make = make,
};
