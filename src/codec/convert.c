/* Conversion between what a picture is and what a format holds: see
 * codec/convert.h. It is exact and knows no format; codec/codec.c decides what is
 * wanted. Channels first, samples second, row by row, so that the second step
 * finds its row in the first cache. */
#include "codec/convert.h"

#include <stdlib.h>
#include <string.h>

uint32_t codec_scaled_max(uint32_t max)
{
    return max < 256 ? 255 : 65535;
}

uint16_t *codec_scale_table(uint32_t max)
{
    uint32_t full = codec_scaled_max(max), v;
    uint16_t *table = malloc((full + 1) * sizeof *table);

    /* floor((2vM + max) / 2max): 2 * 65535 * 65535 needs 64 bits. */
    for (v = 0; table && v <= full; v++)
        table[v] =
            (uint16_t)(v < max ? (2 * (uint64_t)v * full + max) / (2 * (uint64_t)max) : full);
    return table;
}

/* One row's channels, for 8 and for 16 bits. FROM[c] is the place in the incoming
 * pixel of the outgoing channel c. */
#define DEFINE_MAP_ROW(name, sample)                                                               \
    static void name(const sample *in, int in_channels, sample *out, int out_channels, int width,  \
                     const int from[4])                                                            \
    {                                                                                              \
        int x, c;                                                                                  \
        if (out_channels == 3) { /* nearly always: worth a loop that unrolls */                    \
            for (x = 0; x < width; x++, in += in_channels, out += 3) {                             \
                out[0] = in[from[0]];                                                              \
                out[1] = in[from[1]];                                                              \
                out[2] = in[from[2]];                                                              \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (x = 0; x < width; x++, in += in_channels, out += out_channels)                        \
            for (c = 0; c < out_channels; c++)                                                     \
                out[c] = in[from[c]];                                                              \
    }

DEFINE_MAP_ROW(map_row_u8, uint8_t)
DEFINE_MAP_ROW(map_row_u16, uint16_t)

static void scale_row(void *row, size_t samples, enum sample_type type, const uint16_t *scale)
{
    size_t i;

    if (type == SAMPLE_U8)
        for (i = 0; i < samples; i++)
            ((uint8_t *)row)[i] = (uint8_t)scale[((uint8_t *)row)[i]];
    else
        for (i = 0; i < samples; i++)
            ((uint16_t *)row)[i] = scale[((uint16_t *)row)[i]];
}

void codec_convert(const struct image *in, const struct image *out, const uint16_t *scale)
{
    bool gray = in->channels <= 2;
    /* Colours keep their places, or all come from gray; alpha is the last of either. (Two
     * channels are never made out of another count.) */
    const int from[4] = {0, gray ? 0 : 1, gray ? 0 : 2, in->channels - 1};
    int y;

    for (y = 0; y < in->height; y++) {
        const void *source = image_row(in, y);
        void *target = image_row(out, y);
        if (in->channels == out->channels)
            memcpy(target, source, image_row_bytes(in));
        else if (in->type == SAMPLE_U8)
            map_row_u8(source, in->channels, target, out->channels, in->width, from);
        else
            map_row_u16(source, in->channels, target, out->channels, in->width, from);
        if (scale)
            scale_row(target, (size_t)out->width * (size_t)out->channels, out->type, scale);
    }
}
