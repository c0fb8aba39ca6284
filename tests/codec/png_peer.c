/* libpng: see tests/codec/png_peer.h. libpng reports errors with longjmp, so variables that must
 * survive one are in a struct. */
#include "tests/codec/png_peer.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE (1 << 24) /* as the program's */

struct peer {
    png_structp png;
    png_infop info;
    uint8_t *file;
    size_t bytes, place;
    uint8_t *row;
    char *why;
};

static void on_error(png_structp png, png_const_charp message)
{
    struct peer *peer = png_get_error_ptr(png);

    if (peer->why)
        snprintf(peer->why, 160, "%s", message);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    if (strcmp(message, "tRNS chunk has out-of-range samples for bit_depth") != 0)
        on_error(png, message);
}

/* ---- writing ---- */

static void append(png_structp png, png_bytep data, size_t bytes)
{
    struct peer *peer = png_get_io_ptr(png);

    peer->file = realloc(peer->file, peer->bytes + bytes);
    memcpy(peer->file + peer->bytes, data, bytes);
    peer->bytes += bytes;
}

static void set_transparency(const struct peer *peer, const struct maker *maker)
{
    uint16_t value[3] = {0}, max = (uint16_t)((1U << maker->depth) - 1);
    png_color_16 colour = {0};
    size_t i;

    if (maker->colour == 3) {
        png_set_tRNS(peer->png, peer->info, maker->trns, (int)maker->trns_bytes, NULL);
        return;
    }
    for (i = 0; i < maker->trns_bytes / 2; i++)
        value[i] = (uint16_t)(maker->trns[2 * i] << 8 | maker->trns[2 * i + 1]) & max;
    colour.gray = colour.red = value[0];
    colour.green = value[1];
    colour.blue = value[2];
    png_set_tRNS(peer->png, peer->info, NULL, 0, &colour);
}

static void set_others(const struct peer *peer, bool before)
{
    static char key[] = "Title", text[] = "a picture", longer[3000];
    png_text texts[2] = {{.compression = PNG_TEXT_COMPRESSION_NONE, .key = key, .text = text},
                         {.compression = PNG_TEXT_COMPRESSION_zTXt, .key = key, .text = longer}};
    png_time time = {.year = 2020, .month = 2, .day = 29};
    png_color_16 background = {0};

    memset(longer, 'x', sizeof longer - 1);
    png_set_text(peer->png, peer->info, texts, 2);
    if (!before)
        return;
    png_set_sRGB_gAMA_and_cHRM(peer->png, peer->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_pHYs(peer->png, peer->info, 2835, 2835, PNG_RESOLUTION_METER);
    png_set_tIME(peer->png, peer->info, &time);
    png_set_bKGD(peer->png, peer->info, &background);
}

static void write_rows(struct peer *peer, const struct maker *maker)
{
    size_t samples = (size_t)maker->width * (size_t)maker_samples(maker->colour), i;
    int passes = png_set_interlace_handling(peer->png), pass, y;

    for (pass = 0; pass < passes; pass++)
        for (y = 0; y < maker->height; y++) {
            const uint16_t *from = maker->samples + (size_t)y * samples;
            for (i = 0; i < samples; i++)
                if (maker->depth == 16)
                    ((uint16_t *)(void *)peer->row)[i] = from[i];
                else
                    peer->row[i] = (uint8_t)from[i];
            png_write_row(peer->png, peer->row);
        }
}

static void write_all(struct peer *peer, const struct maker *maker)
{
    static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
                                  PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS};
    png_color palette[256];
    size_t i;

    png_set_write_fn(peer->png, peer, append, NULL);
    png_set_IHDR(peer->png, peer->info, (png_uint_32)maker->width, (png_uint_32)maker->height,
                 maker->depth, maker->colour, maker->interlaced, 0, 0);
    for (i = 0; i < maker->palette_bytes / 3; i++)
        memcpy(&palette[i], maker->palette + 3 * i, 3);
    if (maker->palette_bytes)
        png_set_PLTE(peer->png, peer->info, palette, (int)maker->palette_bytes / 3);
    if (maker->trns_bytes)
        set_transparency(peer, maker);
    set_others(peer, true);
    png_set_filter(peer->png, 0, filters[maker->filter]);
    png_set_compression_level(peer->png, maker->compressed ? 9 : 1);
    if (maker->piece)
        png_set_compression_buffer_size(peer->png, maker->piece + 6); /* libpng's least size is 6 */
    png_write_info(peer->png, peer->info);
    if (maker->depth < 8)
        png_set_packing(peer->png);
    if (maker->depth == 16)
        png_set_swap(peer->png);
    write_rows(peer, maker);
    set_others(peer, false);
    png_write_end(peer->png, peer->info);
}

uint8_t *peer_encode(const struct maker *maker, size_t *bytes)
{
    char why[160] = "";
    struct peer peer = {.why = why};
    volatile bool ok = false;

    peer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &peer, on_error, on_error);
    peer.info = png_create_info_struct(peer.png);
    peer.row = malloc((size_t)maker->width * 8);
    if (setjmp(png_jmpbuf(peer.png)) == 0) {
        write_all(&peer, maker);
        ok = true;
    }
    png_destroy_write_struct(&peer.png, &peer.info);
    free(peer.row);
    if (!ok) {
        printf("# libpng would not write: %s\n", why);
        free(peer.file);
        peer.file = NULL;
        peer.bytes = 0;
    }
    *bytes = peer.bytes;
    return peer.file;
}

/* ---- reading ---- */

static void take(png_structp png, png_bytep into, size_t bytes)
{
    struct peer *peer = png_get_io_ptr(png);

    if (bytes > peer->bytes - peer->place)
        png_error(png, "the file ends");
    memcpy(into, peer->file + peer->place, bytes);
    peer->place += bytes;
}

static void read_tables(const struct peer *peer, struct peer_picture *picture)
{
    struct maker *maker = &picture->maker;
    png_colorp palette;
    png_bytep alpha;
    png_color_16p key;
    int entries = 0, count = 0, i;

    if (maker->colour == 3 && png_get_PLTE(peer->png, peer->info, &palette, &entries))
        for (i = 0; i < entries; i++)
            memcpy(picture->palette + 3 * i, &palette[i], 3);
    maker->palette_bytes = 3 * (size_t)entries;
    if (!png_get_tRNS(peer->png, peer->info, &alpha, &count, &key))
        return;
    if (maker->colour == 3) {
        memcpy(picture->trns, alpha, (size_t)count);
        maker->trns_bytes = (size_t)count;
    } else {
        uint16_t gray[3] = {key->gray, 0, 0}, rgb[3] = {key->red, key->green, key->blue};
        const uint16_t *value = maker->colour == 0 ? gray : rgb;
        maker->trns_bytes = 2 * (size_t)maker_samples(maker->colour);
        for (i = 0; i < 3; i++) {
            picture->trns[2 * i] = (uint8_t)(value[i] >> 8);
            picture->trns[2 * i + 1] = (uint8_t)value[i];
        }
    }
}

static void read_rows(struct peer *peer, struct peer_picture *picture)
{
    const struct maker *maker = &picture->maker;
    size_t samples = (size_t)maker->width * (size_t)maker_samples(maker->colour), i;
    size_t row = samples * (maker->depth == 16 ? 2 : 1);
    png_bytepp rows;
    int y;

    peer->row = malloc((size_t)maker->height * (row + sizeof *rows));
    rows = (png_bytepp)(void *)peer->row;
    for (y = 0; y < maker->height; y++)
        rows[y] = peer->row + (size_t)maker->height * sizeof *rows + (size_t)y * row;
    png_read_image(peer->png, rows);
    picture->samples = malloc((size_t)maker->height * samples * sizeof *picture->samples);
    for (y = 0; y < maker->height; y++)
        for (i = 0; i < samples; i++) {
            if (maker->colour == 3 && 3 * (size_t)rows[y][i] >= maker->palette_bytes)
                png_error(peer->png, "no such colour"); /* libpng accepts the first such index */
            picture->samples[(size_t)y * samples + i] =
                maker->depth == 16 ? ((uint16_t *)(void *)rows[y])[i] : rows[y][i];
        }
}

static void read_all(struct peer *peer, struct peer_picture *picture)
{
    /* The program does not read these chunks either. Each name ends with a 0. */
    static const png_byte passed_over[] = "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0"
                                          "pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0"
                                          "tIME\0zTXt\0cICP\0mDCv\0cLLi";
    struct maker *maker = &picture->maker;
    png_structp png = peer->png;

    png_set_read_fn(png, peer, take);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(png, 0);
    png_set_user_limits(png, MAX_SIDE, MAX_SIDE);
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, passed_over,
                                (int)(sizeof passed_over / 5));
    png_read_info(png, peer->info);
    maker->width = (int)png_get_image_width(png, peer->info);
    maker->height = (int)png_get_image_height(png, peer->info);
    maker->depth = png_get_bit_depth(png, peer->info);
    maker->colour = png_get_color_type(png, peer->info);
    maker->interlaced = png_get_interlace_type(png, peer->info);
    if ((uint64_t)maker->width * (uint64_t)maker->height > 1 << 22)
        png_error(png, "too large for a test");
    png_set_packing(png);
    png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, peer->info);
    read_tables(peer, picture);
    read_rows(peer, picture);
    png_read_end(png, peer->info);
}

bool peer_decode(struct peer_picture *picture, const uint8_t *file, size_t bytes, char *why)
{
    struct peer peer = {.file = (uint8_t *)(uintptr_t)file, .bytes = bytes, .why = why};
    volatile bool ok = false;

    memset(picture, 0, sizeof *picture);
    peer.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &peer, on_error, on_warning);
    peer.info = png_create_info_struct(peer.png);
    if (setjmp(png_jmpbuf(peer.png)) == 0) {
        read_all(&peer, picture);
        ok = true;
    }
    png_destroy_read_struct(&peer.png, &peer.info, NULL);
    free(peer.row);
    picture->maker.samples = picture->samples;
    picture->maker.palette = picture->palette;
    picture->maker.trns = picture->trns;
    if (!ok)
        peer_free(picture);
    return ok;
}

void peer_free(struct peer_picture *picture)
{
    free(picture->samples);
    picture->samples = NULL;
}
