/* All kinds of PNG, and the samples that they must give: see tests/codec/png_pixels.h. */
#include <stdlib.h>
#include "tests/codec/png_pixels.h"

#include <stdio.h>

static uint32_t random_state = 1;

uint32_t png_pixels_random(uint32_t below)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % below;
}

/* The required value of channel C of a pixel; S points at its samples. */
static unsigned expected(const struct maker *maker, const uint16_t *s, int c)
{
    unsigned max = (1U << maker->depth) - 1, full = maker->depth == 16 ? 65535 : 255;
    int samples = maker_samples(maker->colour), i;
    bool is_key = true;

    if (maker->colour == 3 && c < 3)
        return maker->palette[3 * s[0] + c];
    if (maker->colour == 3)
        return s[0] < maker->trns_bytes ? maker->trns[s[0]] : 255;
    if (c < samples)
        return s[c] * full / max;
    for (i = 0; i < samples; i++)
        is_key &= s[i] == ((maker->trns[2 * i] * 256U + maker->trns[2 * i + 1]) & max);
    return is_key ? 0 : full;
}

bool png_pixels_agree(const struct maker *maker, const struct image *image, char *where)
{
    int samples = maker_samples(maker->colour), x, y, c;
    int channels = (maker->colour == 3 ? 3 : samples) + (maker->trns_bytes > 0);

    snprintf(where, 160, "%d x %d x %d, %d bytes a sample", image->width, image->height,
             image->channels, (int)image->type);
    if (image->width != maker->width || image->height != maker->height ||
        image->channels != channels || (int)image->type != (maker->depth == 16 ? 2 : 1))
        return false;
    for (y = 0; y < maker->height; y++)
        for (x = 0; x < maker->width; x++)
            for (c = 0; c < channels; c++) {
                size_t place = (size_t)x * (size_t)channels + (size_t)c;
                const uint16_t *s =
                    maker->samples +
                    ((size_t)y * (size_t)maker->width + (size_t)x) * (size_t)samples;
                unsigned got = image->type == SAMPLE_U8
                                   ? ((const uint8_t *)image_row(image, y))[place]
                                   : ((const uint16_t *)image_row(image, y))[place];
                if (got == expected(maker, s, c))
                    continue;
                snprintf(where, 160,
                         "%d x %d colour %d depth %d interlaced %d filter %d trns %zu: "
                         "x %d y %d channel %d: %u, not %u",
                         maker->width, maker->height, maker->colour, maker->depth,
                         maker->interlaced, maker->filter, maker->trns_bytes, x, y, c, got,
                         expected(maker, s, c));
                return false;
            }
    return true;
}

void png_pixels_kind(int colour, int depth, int width, int height, bool with_trns,
                     void (*check)(const struct maker *maker))
{
    int count = maker_samples(colour), i;
    uint16_t *samples = malloc(sizeof *samples * (size_t)(width * height * count));
    uint8_t palette[3 * 256], trns[256];
    struct maker maker = {.width = width,
                          .height = height,
                          .depth = depth,
                          .colour = colour,
                          .samples = samples,
                          .palette = palette,
                          .trns = trns};
    unsigned max = (1U << depth) - 1;

    for (i = 0; i < width * height * count; i++)
        samples[i] = (uint16_t)png_pixels_random(max + 1);
    for (i = 0; i < 3 * 256; i++)
        palette[i] = (uint8_t)png_pixels_random(256);
    for (i = 0; i < 256; i++)
        trns[i] = (uint8_t)png_pixels_random(256);
    maker.palette_bytes = colour == 3 ? 3 * ((size_t)max + 1) : 0;
    if (with_trns && colour == 3)
        maker.trns_bytes = 1 + png_pixels_random(max + 1);
    for (i = 0; with_trns && colour != 3 && i < count; i++) { /* the key is the last pixel */
        unsigned key = samples[(width * height - 1) * count + i];
        /* Bits above the depth are ignored. */
        key |=
            depth < 16 ? png_pixels_random(256) << 8 | (0xffU & ~max & png_pixels_random(256)) : 0;
        trns[2 * i] = (uint8_t)(key >> 8);
        trns[2 * i + 1] = (uint8_t)key;
        maker.trns_bytes = 2 * (size_t)count;
    }
    for (maker.interlaced = 0; maker.interlaced < 2; maker.interlaced++)
        for (maker.filter = 0; maker.filter <= MAKER_CYCLE; maker.filter++) {
            maker.piece = png_pixels_random(3) ? 1 + png_pixels_random(50) : 0;
            maker.compressed = (int)png_pixels_random(2);
            check(&maker);
        }
    free(samples);
}

void png_pixels_each(bool with_trns, void (*check)(const struct maker *maker))
{
    static const struct {
        int colour, depth;
    } kinds[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
                 {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
    static const int sizes[][2] = {{1, 1}, {1, 9}, {9, 1},  {2, 3},
                                   {5, 5}, {8, 8}, {13, 7}, {33, 17}};
    size_t k, s;

    for (k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if (!with_trns || kinds[k].colour < 4)
                png_pixels_kind(kinds[k].colour, kinds[k].depth, sizes[s][0], sizes[s][1],
                                with_trns, check);
}

void png_pixels_fill(struct image *image, bool flat)
{
    int x, y, bytes = (int)image_row_bytes(image);

    for (y = 0; y < image->height; y++)
        for (x = 0; x < bytes; x++)
            ((uint8_t *)image_row(image, y))[x] =
                (uint8_t)(flat ? (x / 40 + y / 9) % 3 * 90 : x / 3 + y + (int)png_pixels_random(9));
}
