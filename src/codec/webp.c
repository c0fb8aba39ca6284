/* WebP, read and written by libwebp: lossless and lossy, 8 bits, with or without alpha. Pictures
 * are decoded and encoded as a whole. Animations are refused.
 *
 * A file is "RIFF", its length and "WEBP", then chunks: a name, a length, content, and a zero byte
 * if the length is odd. One chunk alone is a picture; VP8X announces more:
 *
 *   VP8X  flags, width and height     ANIM, ANMF  an animation
 *   ICCP  colour profile              VP8, VP8L   the picture, lossy or lossless
 *   ALPH  alpha of a lossy picture    EXIF, XMP   metadata, behind the picture
 *
 * There is no checksum. Missing bytes and invalid codes are errors; other damage passes. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include "base/memory.h"
#include "codec/format.h"

#define RIFF_BYTES 12
#define CHUNK_HEAD 8
#define VP8X_BYTES 10

enum vp8x_flag { FLAG_ANIMATION = 2, FLAG_XMP = 4, FLAG_EXIF = 8, FLAG_ALPHA = 16, FLAG_ICC = 32 };

/* A picture's data may have this many bytes, and 16 a pixel: several times what encoders write. The
 * rest of a longer file is a hole, perhaps of gigabytes. */
#define MOST_OVERHEAD ((uint64_t)1 << 20)

static uint32_t get32(const uint8_t *p)
{
    uint32_t value;

    memcpy(&value, p, sizeof value);
    return le32toh(value);
}

/* BYTES begin with KIND. */
static bool is_kind(const void *bytes, const char kind[5])
{
    return memcmp(bytes, kind, 4) == 0;
}

/* ---- the decoder ---- */

/* source->state */
struct reader {
    const char *name;
    struct input *input;
    uint64_t size;                         /* of the file, as its header says */
    unsigned flags;                        /* of VP8X */
    int canvas_width, canvas_height;       /* of VP8X; 0: there is none */
    uint64_t alpha_at, picture_at, end;    /* places of ALPH, of VP8 or VP8L, and of its end */
    bool lossless, has_alpha, has_unknown; /* a chunk of an unknown kind */
    int width, height;                     /* as stored */
    uint8_t *exif, *xmp;                   /* copies, malloc'ed */
};

static bool recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= RIFF_BYTES + 3 && is_kind(head, "RIFF") && is_kind(head + 8, "WEBP") &&
           memcmp(head + RIFF_BYTES, "VP8", 3) == 0;
}

static bool damaged(const struct reader *r, uint64_t at, struct error *err)
{
    return error_file(err, r->name,
                      "damaged WebP: the chunk at byte %llu is not valid, or out of place",
                      (unsigned long long)at);
}

static bool refuse_animation(const struct reader *r, struct error *err)
{
    error_file(err, r->name, "an animated WebP cannot be read");
    foreign_append_pipe(err, "webpmux -get frame 1 ",
                        strcmp(r->name, "standard input") == 0 ? "-" : r->name, " -o -");
    return false;
}

/* WANT (<= 1024) bytes at PLACE; NULL if the file ends before them. */
static const uint8_t *bytes_at(const struct reader *r, uint64_t place, size_t want,
                               struct error *err)
{
    size_t have;
    const uint8_t *bytes = input_at(r->input, place, want, &have, err);

    if (bytes && have < want)
        error_file(err, r->name, "truncated WebP: the file ends at byte %llu",
                   (unsigned long long)place + have);
    return bytes && have >= want ? bytes : NULL;
}

/* A copy of BYTES bytes at PLACE, malloc'ed; NULL with an error. */
static uint8_t *copy_at(const struct reader *r, uint64_t place, size_t bytes, struct error *err)
{
    const uint8_t *from;
    uint8_t *copy = malloc(bytes);
    size_t have;

    if (!copy)
        error_file(err, r->name, "no memory to read it");
    for (size_t done = 0; copy && done < bytes; done += have) {
        from = input_at(r->input, place + done, 1, &have, err);
        if (!from || have == 0) {
            if (from)
                error_file(err, r->name, "it became shorter while it was read");
            free(copy);
            return NULL;
        }
        have = have < bytes - done ? have : bytes - done;
        memcpy(copy + done, from, have);
    }
    return copy;
}

/* Some programs begin EXIF data as in a JPEG, with "Exif" and two zero bytes. */
static bool take_exif(struct source *source, uint64_t place, size_t bytes, struct error *err)
{
    struct reader *r = source->state;
    const size_t head = 6;

    r->exif = copy_at(r, place, bytes, err);
    if (!r->exif)
        return false;
    if (bytes >= head && memcmp(r->exif, "Exif\0", head) == 0)
        memmove(r->exif, r->exif + head, bytes -= head);
    if (metadata_exif_sound(r->exif, bytes))
        source->metadata.exif = (struct metadata_part){r->exif, bytes};
    source->orientation = metadata_exif_upright(r->exif, bytes);
    return true;
}

/* Keeps a chunk of metadata that is not too long. Of several of one kind the first counts. */
static bool take_metadata(struct source *source, unsigned kind, uint64_t place, size_t bytes,
                          struct error *err)
{
    struct reader *r = source->state;
    struct metadata_part *icc = &source->metadata.icc;

    if (bytes == 0 || source->dropped & kind)
        return true;
    source->dropped |= kind;
    if (bytes > METADATA_MOST_BYTES)
        return true;
    if (kind == DROPPED_EXIF)
        return take_exif(source, place, bytes, err);
    if (kind == DROPPED_XMP) {
        r->xmp = copy_at(r, place, bytes, err);
        source->metadata.xmp = (struct metadata_part){r->xmp, bytes};
        return r->xmp != NULL;
    }
    icc->bytes = copy_at(r, place, bytes, err);
    icc->size = metadata_profile_fits(icc->bytes, icc->bytes ? bytes : 0, false) ? bytes : 0;
    return icc->bytes != NULL;
}

/* Takes the chunk of VP8 or VP8L at AT, whose content has BYTES bytes: it begins with the size. */
static bool take_picture(struct reader *r, uint64_t at, size_t bytes, struct error *err)
{
    const size_t head = r->lossless ? 5 : 10;
    const uint8_t *p;
    uint32_t sides;

    if (r->picture_at > 0 || bytes < head)
        return damaged(r, at, err);
    p = bytes_at(r, at + CHUNK_HEAD, head, err);
    if (!p)
        return false;
    if (r->lossless ? p[0] != 0x2f : p[0] & 1 || memcmp(p + 3, "\x9d\1\x2a", 3) != 0)
        return damaged(r, at, err);
    r->picture_at = at;
    r->end = at + CHUNK_HEAD + bytes;
    sides = get32(p + head - 4);
    if (r->lossless) { /* each one less, 14 bits, then a bit: has alpha */
        r->width = (int)(sides & 0x3fff) + 1;
        r->height = (int)(sides >> 14 & 0x3fff) + 1;
        r->has_alpha |= sides >> 28 & 1;
    } else { /* 14 bits and 2 that may be ignored */
        r->width = (int)(sides & 0x3fff);
        r->height = (int)(sides >> 16 & 0x3fff);
    }
    return (r->width > 0 && r->height > 0) || damaged(r, at, err);
}

static bool take_vp8x(struct reader *r, uint64_t at, size_t bytes, struct error *err)
{
    const uint8_t *p;

    if (at != RIFF_BYTES || bytes < VP8X_BYTES)
        return damaged(r, at, err);
    p = bytes_at(r, at + CHUNK_HEAD, VP8X_BYTES, err);
    if (!p)
        return false;
    r->flags = p[0];
    r->has_alpha = p[0] & FLAG_ALPHA;
    r->canvas_width = (int)(get32(p + 3) >> 8) + 1;
    r->canvas_height = (int)(get32(p + 6) >> 8) + 1;
    return true;
}

/* Takes the chunk at AT, whose name is KIND and whose content has BYTES bytes. */
static bool take_chunk(struct source *source, const char kind[4], uint64_t at, size_t bytes,
                       struct error *err)
{
    static const struct {
        char kind[5];
        unsigned dropped;
    } metadata[] = {{"ICCP", DROPPED_ICC}, {"EXIF", DROPPED_EXIF}, {"XMP ", DROPPED_XMP}};
    struct reader *r = source->state;

    for (size_t i = 0; i < sizeof metadata / sizeof *metadata; i++)
        if (is_kind(kind, metadata[i].kind))
            return take_metadata(source, metadata[i].dropped, at + CHUNK_HEAD, bytes, err);
    if (is_kind(kind, "VP8X"))
        return take_vp8x(r, at, bytes, err);
    r->lossless |= is_kind(kind, "VP8L");
    if (is_kind(kind, "VP8 ") || is_kind(kind, "VP8L"))
        return take_picture(r, at, bytes, err);
    if (is_kind(kind, "ALPH")) {
        r->alpha_at = r->picture_at > 0 || r->alpha_at > 0 ? 0 : at;
        r->has_alpha = true;
        return r->alpha_at > 0 || damaged(r, at, err);
    }
    r->has_unknown = true;
    for (int i = 0; i < 4; i++)
        if (kind[i] < ' ' || kind[i] > '~')
            return damaged(r, at, err);
    return true;
}

/* Walks through all chunks, which must fill the file. Bytes behind its end are ignored. */
static bool take_chunks(struct source *source, struct error *err)
{
    struct reader *r = source->state;
    const uint8_t *head = bytes_at(r, 0, RIFF_BYTES, err);
    uint64_t at = RIFF_BYTES, left;

    if (!head)
        return false;
    r->size = CHUNK_HEAD + (uint64_t)get32(head + 4);
    if (r->size > input_size(r->input))
        return error_file(err, r->name, "truncated WebP: %llu of %llu bytes",
                          (unsigned long long)input_size(r->input), (unsigned long long)r->size);
    for (; at < r->size; at = r->size - left) {
        char kind[4];
        uint64_t bytes;
        head = bytes_at(r, at, CHUNK_HEAD, err);
        if (!head)
            return false;
        left = r->size - at;
        bytes = get32(head + 4);
        if (left < CHUNK_HEAD || bytes > left - CHUNK_HEAD)
            return damaged(r, at, err);
        memcpy(kind, head, sizeof kind);
        if (is_kind(kind, "ANIM") || is_kind(kind, "ANMF") || (r->flags & FLAG_ANIMATION))
            return refuse_animation(r, err);
        if (!take_chunk(source, kind, at, (size_t)bytes, err))
            return false;
        left -= CHUNK_HEAD + bytes;
        left -= left > 0 ? bytes % 2 : 0;
    }
    return true;
}

/* The chunks that libwebp gets: VP8 or VP8L, with ALPH before it. */
static uint64_t picture_begin(const struct reader *r)
{
    return r->alpha_at > 0 ? r->alpha_at : r->picture_at;
}

static bool check_picture(const struct reader *r, uint64_t held, struct error *err)
{
    const uint64_t pixels = (uint64_t)r->width * (uint64_t)r->height;

    if (r->picture_at == 0)
        return error_file(err, r->name, "damaged WebP: it has no picture");
    if (r->canvas_width > 0 && (r->canvas_width != r->width || r->canvas_height != r->height))
        return error_file(err, r->name, "damaged WebP: its headers say %d x %d and %d x %d pixels",
                          r->canvas_width, r->canvas_height, r->width, r->height);
    if ((r->flags & FLAG_ALPHA) && !r->lossless && r->alpha_at == 0 && r->has_unknown)
        return error_file(err, r->name, "damaged WebP: its alpha is missing");
    if (r->end - picture_begin(r) > 16 * pixels + MOST_OVERHEAD)
        return error_file(err, r->name, "damaged WebP: it is too long for %d x %d pixels", r->width,
                          r->height);
    return large_fits(held) ||
           error_file(err, r->name, "no memory for %d x %d pixels: it takes %llu MB", r->width,
                      r->height, (unsigned long long)(held >> 20));
}

static bool decoder_open(struct source *source, struct error *err)
{
    struct reader *r = source->state;
    bool turned;

    r->name = input_name(source->input);
    r->input = source->input;
    if (!input_hold(r->input, err) || !take_chunks(source, err))
        return false;
    /* libwebp keeps a lossless picture, in pixels of four bytes, beside the one it hands out. */
    source->held = r->end - picture_begin(r) + 4 * (uint64_t)r->width * (uint64_t)r->height;
    if (!check_picture(r, source->held * 2, err))
        return false;
    turned = source->orientation >= 5;
    source_describe(source, turned ? r->height : r->width, turned ? r->width : r->height,
                    r->has_alpha ? 4 : 3, 255, FORMAT_WEBP);
    return true;
}

static bool decode(const struct source *source, struct image *image, struct error *err)
{
    const struct reader *r = source->state;
    const uint64_t begin = picture_begin(r);
    WebPDecoderConfig config;
    VP8StatusCode status;
    uint8_t *bytes;

    if (!WebPInitDecoderConfig(&config))
        return error_file(err, r->name, "libwebp has another version than its headers");
    bytes = copy_at(r, begin, (size_t)(r->end - begin), err);
    if (!bytes)
        return false;
    config.output.colorspace = image->channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA =
        (WebPRGBABuffer){image->data, (int)image->pitch, image->pitch * (size_t)image->height};
    config.options.use_threads = 1;
    status = WebPDecode(bytes, (size_t)(r->end - begin), &config);
    free(bytes);
    if (status == VP8_STATUS_OK)
        return true;
    if (status == VP8_STATUS_OUT_OF_MEMORY)
        return error_file(err, r->name, "no memory for %d x %d pixels", r->width, r->height);
    return error_file(err, r->name,
                      status == VP8_STATUS_SUSPENDED || status == VP8_STATUS_NOT_ENOUGH_DATA
                          ? "truncated WebP: the picture's data end early"
                          : "damaged WebP: the picture's data are not valid");
}

static bool decoder_read_all(struct source *source, struct image *image, struct error *err)
{
    const struct reader *r = source->state;
    const struct image_info *info = &source->info;

    if (!image_alloc(image, r->width, r->height, info->channels, info->type, r->name, err))
        return false;
    if (decode(source, image, err))
        return true;
    image_free(image);
    return false;
}

static void decoder_close(struct source *source)
{
    const struct reader *r = source->state;

    free(r->exif);
    free(r->xmp);
}

const struct decoder decoder_webp = {
    .name = "WebP",
    .recognise = recognise,
    .open = decoder_open,
    .read_all = decoder_read_all,
    .state_bytes = sizeof(struct reader),
    .close = decoder_close,
};

/* ---- the encoder ---- */

/* Effort for lossless pictures: docs/guide.md has the times and sizes. */
#define LOSSLESS_METHOD 4
#define LOSSLESS_EFFORT 20

/* sink->state */
struct writer {
    WebPConfig config;
    WebPPicture picture; /* gathers the rows */
    WebPMemoryWriter file;
};

static unsigned keeps(const struct metadata *metadata)
{
    bool profile = metadata_profile_fits(metadata->icc.bytes, metadata->icc.size, false);

    return metadata_parts(metadata) & ~(profile ? 0U : DROPPED_ICC);
}

static bool encoder_open(struct sink *sink, struct error *err)
{
    struct writer *w = sink->state;
    const struct sink_options *options = &sink->options;
    const uint64_t held = (uint64_t)format_row(FORMAT_WEBP)->encode_bytes *
                          (uint64_t)sink->info.width * (uint64_t)sink->info.height;

    if (!large_fits(held))
        return sink_no_memory(sink, err);
    if (!WebPConfigInit(&w->config) || !WebPPictureInit(&w->picture))
        return error_file(err, output_name(sink->output),
                          "libwebp has another version than its headers");
    WebPMemoryWriterInit(&w->file);
    w->config.lossless = options->quality == 0;
    w->config.exact = 1; /* colours under transparent pixels too */
    w->config.thread_level = options->threads > 1;
    if (w->config.lossless) {
        w->config.method = LOSSLESS_METHOD;
        w->config.quality = LOSSLESS_EFFORT;
    } else {
        w->config.quality = (float)options->quality;
    }
    w->picture.use_argb = 1;
    w->picture.width = sink->info.width;
    w->picture.height = sink->info.height;
    w->picture.writer = WebPMemoryWrite;
    w->picture.custom_ptr = &w->file;
    return WebPPictureAlloc(&w->picture) || sink_no_memory(sink, err);
}

static bool encoder_write(struct sink *sink, const struct image *rows, struct error *err)
{
    struct writer *w = sink->state;
    const WebPPicture *picture = &w->picture;

    (void)err; /* all memory was allocated when it was opened */
    for (int y = 0; y < rows->height; y++) {
        const uint8_t *from = image_row(rows, y);
        uint32_t *to = picture->argb + (size_t)(sink->next_row + y) * (size_t)picture->argb_stride;
        if (rows->channels == 4)
            for (int x = 0; x < rows->width; x++, from += 4)
                to[x] = (uint32_t)from[3] << 24 | (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 |
                        from[2];
        else
            for (int x = 0; x < rows->width; x++, from += 3)
                to[x] = 0xff000000 | (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
    }
    return true;
}

static bool write_head(struct sink *sink, const char kind[5], size_t bytes, struct error *err)
{
    uint8_t head[CHUNK_HEAD];
    uint32_t size = htole32((uint32_t)bytes);

    memcpy(head, kind, 4);
    memcpy(head + 4, &size, 4);
    return output_write(sink->output, head, sizeof head, err);
}

static size_t chunk_bytes(size_t content)
{
    return content > 0 ? CHUNK_HEAD + content + content % 2 : 0;
}

/* Writes a chunk; nothing if it is empty. */
static bool write_chunk(struct sink *sink, const char kind[5], struct metadata_part part,
                        struct error *err)
{
    return part.size == 0 || (write_head(sink, kind, part.size, err) &&
                              output_write(sink->output, part.bytes, part.size, err) &&
                              (part.size % 2 == 0 || output_write(sink->output, "", 1, err)));
}

/* Writes libwebp's file, with metadata. Alpha is announced even if it is opaque everywhere: RGBA
 * stays RGBA. */
static bool write_file(struct sink *sink, const uint8_t *file, size_t size, struct error *err)
{
    static const struct metadata none;
    const struct metadata *metadata = sink->options.metadata ? sink->options.metadata : &none;
    const unsigned kept = keeps(metadata);
    const struct metadata_part nothing = {0};
    const struct metadata_part icc = kept & DROPPED_ICC ? metadata->icc : nothing;
    uint8_t made[METADATA_EXIF_DENSITY_BYTES];
    struct metadata_part exif = metadata->exif;
    const uint32_t width = (uint32_t)sink->info.width - 1, height = (uint32_t)sink->info.height - 1;
    uint8_t vp8x[VP8X_BYTES] = {0};
    size_t total;

    if (exif.size == 0 && metadata->density.x > 0) {
        metadata_exif_make(metadata->density, made);
        exif = (struct metadata_part){made, sizeof made};
    }
    vp8x[0] = (uint8_t)((icc.size ? FLAG_ICC : 0) | (exif.size ? FLAG_EXIF : 0) |
                        (metadata->xmp.size ? FLAG_XMP : 0) |
                        (sink->info.channels == 4 ? FLAG_ALPHA : 0));
    if (vp8x[0] == 0)
        return output_write(sink->output, file, size, err);
    for (int i = 0; i < 3; i++) {
        vp8x[4 + i] = (uint8_t)(width >> 8 * i);
        vp8x[7 + i] = (uint8_t)(height >> 8 * i);
    }
    file += RIFF_BYTES;
    size -= RIFF_BYTES;
    if (is_kind(file, "VP8X")) {
        file += CHUNK_HEAD + VP8X_BYTES;
        size -= CHUNK_HEAD + VP8X_BYTES;
    }
    total = 4 + chunk_bytes(sizeof vp8x) + chunk_bytes(icc.size) + size + chunk_bytes(exif.size) +
            chunk_bytes(metadata->xmp.size);
    return write_head(sink, "RIFF", total, err) && output_write(sink->output, "WEBP", 4, err) &&
           write_chunk(sink, "VP8X", (struct metadata_part){vp8x, sizeof vp8x}, err) &&
           write_chunk(sink, "ICCP", icc, err) && output_write(sink->output, file, size, err) &&
           write_chunk(sink, "EXIF", exif, err) && write_chunk(sink, "XMP ", metadata->xmp, err);
}

static bool encoder_finish(struct sink *sink, struct error *err)
{
    struct writer *w = sink->state;

    if (WebPEncode(&w->config, &w->picture))
        return write_file(sink, w->file.mem, w->file.size, err);
    if (w->picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
        w->picture.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
        return sink_no_memory(sink, err);
    return error_file(err, output_name(sink->output),
                      "libwebp cannot write it (its error %d): try another quality, or none",
                      (int)w->picture.error_code);
}

static void encoder_close(struct sink *sink)
{
    struct writer *w = sink->state;

    WebPPictureFree(&w->picture);
    WebPMemoryWriterClear(&w->file);
}

const struct encoder encoder_webp = {
    .open = encoder_open,
    .write = encoder_write,
    .finish = encoder_finish,
    .state_bytes = sizeof(struct writer),
    .close = encoder_close,
    .keeps = keeps,
};
