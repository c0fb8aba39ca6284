/* JPEG. The file's outside is checked by codec/jpeg/markers.c, then stb_image decodes it; the
 * EXIF orientation is applied to the pixels, the rest of the metadata is dropped with a
 * line that says so. Writing is stb_image_write's.
 *
 * Baseline and progressive Huffman files of 8 bits, gray or colour, up to 2 GiB. */
#include "codec/jpeg/jpeg.h"
#include "codec/stb.h"

/* ---- reading ---- */

struct state {
    struct jpeg_file jpeg;
    const uint8_t *bytes; /* the input's */
    size_t size;
};

static bool decoder_open(struct source *source, struct error *err)
{
    const char *name = input_name(source->input);
    struct image_info *info = &source->info;
    struct state *state = source->state;
    const struct jpeg_file *jpeg = &state->jpeg;
    bool exchanged;

    if (!input_read_all(source->input, &state->bytes, &state->size, err) ||
        !jpeg_check(&state->jpeg, name, state->bytes, state->size, err))
        return false;
    if (state->size > STB_MAX_BYTES)
        return error_file(err, name, "a JPEG file of more than 2 GiB cannot be read");
    exchanged = jpeg->orientation >= 5;
    *info = (struct image_info){.width = exchanged ? jpeg->height : jpeg->width,
                                .height = exchanged ? jpeg->width : jpeg->height,
                                .channels = jpeg->components,
                                .type = SAMPLE_U8,
                                .max = 255,
                                .format = FORMAT_JPEG};
    source->dropped = jpeg->dropped;
    return true;
}

static bool decoder_read_all(struct source *source, struct image *image, struct error *err)
{
    const struct state *state = source->state;
    const char *name = input_name(source->input), *why;

    if (!stb_load_file(state->bytes, state->size, image, &why))
        return error_file(err, name, "damaged JPEG: %s", why);
    if (exif_turn_upright(image, state->jpeg.orientation, name, err))
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
