/* JPEG. The file's outside is checked by codec/jpeg/markers.c, then stb_image decodes it; the
 * EXIF orientation is applied to the pixels, the rest of the metadata is dropped with a
 * line that says so. Writing is stb_image_write's.
 *
 * Baseline and progressive Huffman files of 8 bits, gray or colour, up to 2 GiB. */
#include <string.h>

#include "codec/jpeg/jpeg.h"
#include "codec/stb.h"

/* ---- which way up ----
 *
 * EXIF data is a TIFF file in small, written by cameras and by attackers alike: every offset is
 * looked at before it is followed, and only the first directory is read. */

#define TAG_ORIENTATION 0x0112
#define TYPE_SHORT      3
#define ENTRY_BYTES     12

static unsigned get16(const uint8_t *p, bool big)
{
    return big ? p[0] * 256U + p[1] : p[1] * 256U + p[0];
}

static uint32_t get32(const uint8_t *p, bool big)
{
    uint32_t first = get16(p, big), second = get16(p + 2, big);
    return big ? first << 16 | second : second << 16 | first;
}

int jpeg_orientation(const uint8_t *tiff, size_t bytes)
{
    size_t place, entries, i;
    bool big;

    if (bytes < 8 || (memcmp(tiff, "II*\0", 4) != 0 && memcmp(tiff, "MM\0*", 4) != 0))
        return 1;
    big = tiff[0] == 'M';
    place = get32(tiff + 4, big);
    if (place > bytes || bytes - place < 2)
        return 1;
    entries = get16(tiff + place, big);
    place += 2;
    for (i = 0; i < entries && bytes - place >= ENTRY_BYTES; i++, place += ENTRY_BYTES) {
        const uint8_t *entry = tiff + place;
        unsigned value = get16(entry + 8, big);
        if (get16(entry, big) == TAG_ORIENTATION && get16(entry + 2, big) == TYPE_SHORT &&
            get32(entry + 4, big) == 1)
            return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

/* Turns the picture upright, into new memory unless it is. */
static bool turn_upright(struct image *image, int orientation, const char *name, struct error *err)
{
    bool exchanged = orientation >= 5;
    /* Of the rows and columns as stored, which run backwards on the upright picture's way. */
    bool columns_back =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool rows_back = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    size_t pixel = (size_t)image->channels * (size_t)image->type;
    ptrdiff_t column = (ptrdiff_t)pixel, row = (ptrdiff_t)image->pitch;
    const uint8_t *first = image->data;
    struct image upright;
    int y, x;

    if (orientation == 1)
        return true;
    if (!image_alloc(&upright, exchanged ? image->height : image->width,
                     exchanged ? image->width : image->height, image->channels, image->type, name,
                     err))
        return false;
    if (columns_back) {
        first += column * (image->width - 1);
        column = -column;
    }
    if (rows_back) {
        first += row * (image->height - 1);
        row = -row;
    }
    for (y = 0; y < upright.height; y++) {
        const uint8_t *from = first + y * (exchanged ? column : row);
        uint8_t *to = image_row(&upright, y);
        for (x = 0; x < upright.width; x++, to += pixel, from += exchanged ? row : column)
            memcpy(to, from, pixel);
    }
    image_free(image);
    *image = upright;
    return true;
}

/* ---- reading ---- */

struct state {
    struct jpeg_file jpeg;
    const uint8_t *bytes; /* the input's */
    size_t size;
};

static bool decoder_open(struct source *source, struct error *err)
{
    const char *name = input_name(source->input);
    struct state *state = source->state;
    const struct jpeg_file *jpeg = &state->jpeg;

    if (!input_read_all(source->input, &state->bytes, &state->size, err) ||
        !jpeg_check(&state->jpeg, name, state->bytes, state->size, err))
        return false;
    if (state->size > STB_MAX_BYTES)
        return error_file(err, name, "a JPEG file of more than 2 GiB cannot be read");
    if (jpeg->orientation >= 5)
        source_describe(source, jpeg->height, jpeg->width, jpeg->components, 255, FORMAT_JPEG);
    else
        source_describe(source, jpeg->width, jpeg->height, jpeg->components, 255, FORMAT_JPEG);
    source->dropped = jpeg->dropped;
    return true;
}

static bool decoder_read_all(struct source *source, struct image *image, struct error *err)
{
    const struct state *state = source->state;
    const char *name = input_name(source->input), *why;

    if (!stb_load_file(state->bytes, state->size, image, &why))
        return error_file(err, name, "damaged JPEG: %s", why);
    if (turn_upright(image, state->jpeg.orientation, name, err))
        return true;
    image_free(image);
    return false;
}

const struct decoder decoder_jpeg = {
    .name = "JPEG",
    .recognise = jpeg_recognise,
    .open = decoder_open,
    .read_all = decoder_read_all,
    .state_bytes = sizeof(struct state),
};

/* ---- writing ---- */

static uint8_t *make(const struct image *image, const struct sink_options *options, size_t *bytes)
{
    return stb_make_jpeg(image, options->quality, bytes);
}

static bool encoder_open(struct sink *sink, struct error *err)
{
    const struct image_info *info = &sink->info;
    /* In int in stb, with whole blocks of 8 x 8. */
    uint64_t samples =
        ((uint64_t)info->width + 7) * ((uint64_t)info->height + 7) * (uint64_t)info->channels;

    if (samples + 256 > STB_MAX_BYTES)
        return error_file(err, output_name(sink->output),
                          "%d x %d pixels: a JPEG of nearly 2 GiB of samples cannot be written; "
                          ".ppm, .pgm and .pam have no such limit",
                          info->width, info->height);
    return true;
}

const struct encoder encoder_jpeg = {
    .open = encoder_open,
    .make = make,
};
