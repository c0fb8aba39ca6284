/* Writing JPEG, a few rows at a time: baseline, with the accurate integer transform. Colour is
 * sampled as in the input if it is a JPEG. Otherwise 2 x 2 pixels share their colour up to quality
 * 90, and above it each pixel has its own. */
#include <string.h>

#include "codec/jpeg/jpeg.h"

#define BUFFER_BYTES ((size_t)1 << 16)

#define DEFAULT_QUALITY 90

/* The most blocks of luma that the library takes at a time, beside one of each colour. */
#define MOST_BLOCKS 8

/* sink->state */
struct writer {
    struct jpeg_call call;
    struct jpeg_compress_struct library;
    struct jpeg_destination_mgr bytes;
    struct sink *sink;
    const struct image *rows; /* to write */
    uint8_t buffer[BUFFER_BYTES];
};

static void explain(j_common_ptr common)
{
    struct writer *w = common->client_data;
    char text[JMSG_LENGTH_MAX];

    common->err->format_message(common, text);
    if (common->err->msg_code != JERR_OUT_OF_MEMORY)
        jpeg_fail(&w->call, "cannot be written as JPEG: %s", text);
    sink_no_memory(w->sink, w->call.err);
    jpeg_give_up(&w->call);
}

/* ---- bytes ---- */

static void buffer_begin(j_compress_ptr library)
{
    struct writer *w = library->client_data;

    w->bytes.next_output_byte = w->buffer;
    w->bytes.free_in_buffer = BUFFER_BYTES;
}

static void buffer_write(struct writer *w, size_t bytes)
{
    if (!output_write(w->sink->output, w->buffer, bytes, w->call.err))
        jpeg_give_up(&w->call);
    buffer_begin(&w->library);
}

/* The library calls this when the buffer is full; free_in_buffer does not say so. */
static boolean buffer_full(j_compress_ptr library)
{
    buffer_write(library->client_data, BUFFER_BYTES);
    return TRUE;
}

static void buffer_end(j_compress_ptr library)
{
    struct writer *w = library->client_data;

    buffer_write(w, BUFFER_BYTES - w->bytes.free_in_buffer);
}

/* ---- metadata ---- */

static bool part_fits(struct metadata_part part, enum jpeg_kind kind)
{
    return part.size > 0 && part.size <= JPEG_SEGMENT_BYTES - jpeg_segments[kind].bytes;
}

static unsigned keeps(const struct metadata *metadata)
{
    bool profile = metadata->icc.size > 0 && metadata->icc.size <= METADATA_MOST_BYTES;

    return (profile ? DROPPED_ICC : 0U) |
           (part_fits(metadata->exif, JPEG_EXIF) ? DROPPED_EXIF : 0U) |
           (part_fits(metadata->xmp, JPEG_XMP) ? DROPPED_XMP : 0U) |
           (metadata->texts == 1 && part_fits(metadata->comment, JPEG_COMMENT) ? DROPPED_TEXT : 0U);
}

static void write_part(struct writer *w, struct metadata_part part, enum jpeg_kind kind)
{
    const struct jpeg_segment *segment = &jpeg_segments[kind];

    jpeg_write_m_header(&w->library, segment->marker, (unsigned)(segment->bytes + part.size));
    for (size_t i = 0; i < segment->bytes; i++)
        jpeg_write_m_byte(&w->library, segment->begin[i]);
    for (size_t i = 0; i < part.size; i++)
        jpeg_write_m_byte(&w->library, part.bytes[i]);
}

static void write_metadata(struct writer *w, const struct metadata *metadata)
{
    unsigned kept = keeps(metadata);
    size_t bytes;

    if (w->sink->given.format == FORMAT_JPEG) {
        for (size_t at = 0; at < metadata->own.size; at += JPEG_SEGMENT_HEAD + bytes) {
            const uint8_t *segment = metadata->own.bytes + at;
            bytes = jpeg_content_bytes(segment);
            jpeg_write_marker(&w->library, segment[1], segment + JPEG_SEGMENT_HEAD,
                              (unsigned)bytes);
        }
        return;
    }
    if (kept & DROPPED_EXIF)
        write_part(w, metadata->exif, JPEG_EXIF);
    if (kept & DROPPED_XMP)
        write_part(w, metadata->xmp, JPEG_XMP);
    if (part_fits(metadata->comment, JPEG_COMMENT))
        write_part(w, metadata->comment, JPEG_COMMENT);
    if (kept & DROPPED_ICC)
        jpeg_write_icc_profile(&w->library, metadata->icc.bytes, (unsigned)metadata->icc.size);
}

/* ---- the file ---- */

static void set_density(struct jpeg_compress_struct *library, struct density density)
{
    if (density.unit == DENSITY_METRE)
        density = metadata_density(density, DENSITY_INCH);
    if (density.x == 0 || density.y == 0 || density.x > UINT16_MAX || density.y > UINT16_MAX)
        return;
    library->density_unit = (UINT8)density.unit; /* JFIF numbers the units in the same way */
    library->X_density = (UINT16)density.x;
    library->Y_density = (UINT16)density.y;
}

static void set_chroma(struct jpeg_compress_struct *library, const struct metadata *metadata,
                       int quality)
{
    int x = quality > 90 ? 1 : 2, y = x;

    if (library->num_components != 3)
        return;
    if (metadata->chroma_x > 0 && metadata->chroma_x * metadata->chroma_y <= MOST_BLOCKS) {
        x = metadata->chroma_x;
        y = metadata->chroma_y;
    }
    library->comp_info[0].h_samp_factor = x;
    library->comp_info[0].v_samp_factor = y;
}

static void write_header(void *context)
{
    struct writer *w = context;
    struct jpeg_compress_struct *library = &w->library;
    const struct image_info *info = &w->sink->info;
    const struct sink_options *options = &w->sink->options;
    const struct metadata none = {0}, *metadata = options->metadata ? options->metadata : &none;
    const int quality = options->quality ? options->quality : DEFAULT_QUALITY;

    jpeg_create_compress(library);
    library->dest = &w->bytes;
    library->image_width = (JDIMENSION)info->width;
    library->image_height = (JDIMENSION)info->height;
    library->input_components = info->channels;
    library->in_color_space = info->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(library);
    jpeg_set_quality(library, quality, TRUE);
    library->dct_method = JDCT_ISLOW;
    set_chroma(library, metadata, quality);
    set_density(library, metadata->density);
    jpeg_start_compress(library, TRUE);
    write_metadata(w, metadata);
}

static void write_rows(void *context)
{
    struct writer *w = context;

    for (int y = 0; y < w->rows->height; y++) {
        JSAMPROW row = image_row(w->rows, y);
        jpeg_write_scanlines(&w->library, &row, 1);
    }
}

static void write_end(void *context)
{
    struct writer *w = context;

    jpeg_finish_compress(&w->library);
}

static bool encoder_open(struct sink *sink, struct error *err)
{
    struct writer *w = sink->state;

    w->sink = sink;
    w->bytes = (struct jpeg_destination_mgr){.init_destination = buffer_begin,
                                             .empty_output_buffer = buffer_full,
                                             .term_destination = buffer_end};
    w->library.err = jpeg_call_prepare(&w->call, output_name(sink->output), explain);
    w->library.client_data = w;
    return jpeg_call(&w->call, write_header, w, err);
}

static bool encoder_write(struct sink *sink, const struct image *rows, struct error *err)
{
    struct writer *w = sink->state;

    w->rows = rows;
    return jpeg_call(&w->call, write_rows, w, err);
}

static bool encoder_finish(struct sink *sink, struct error *err)
{
    struct writer *w = sink->state;

    return jpeg_call(&w->call, write_end, w, err);
}

static void encoder_close(struct sink *sink)
{
    struct writer *w = sink->state;

    jpeg_destroy_compress(&w->library);
}

const struct encoder encoder_jpeg = {
    .open = encoder_open,
    .write = encoder_write,
    .finish = encoder_finish,
    .state_bytes = sizeof(struct writer),
    .close = encoder_close,
    .keeps = keeps,
};
