/* Y4M (YUV4MPEG2), uncompressed video, read and written. Each plane of each frame (luma, chroma,
 * alpha) is a page of its own: a gray picture with the samples as they are stored. So the planes
 * are filtered each by itself, and a stream of any length takes the memory of a few planes.
 *
 *      YUV4MPEG2 W1920 H1080 F25:1 Ip A1:1 C420jpeg\n      once
 *      FRAME\n                                             before the planes of each frame
 *
 * A page's own metadata are these lines, as far as they stand before its samples. The encoder
 * writes them and the samples, so the output has the input's headers to the byte. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/format.h"

#define MAGIC       "YUV4MPEG2"
#define FRAME_MAGIC "FRAME"

/* The longest line of a header; the parameters of the ones that occur take less than 200 bytes. */
#define LINE_BYTES 2048

/* Sizes beyond this are nonsense in a stream, whose length cannot tell. */
#define MOST_SIDE 65535

#define MOST_PLANES 4

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples of 16 bits are little-endian");

/* source->state */
struct y4m {
    int width, height;
    int across, down; /* pixels that share a chroma sample; 0: there is no chroma */
    int planes, bits;
    uint64_t frame_bytes;
    uint64_t frame; /* the number of the current frame, from 1 */
    int plane;      /* of the current page */
};

static bool recognise(const uint8_t *head, size_t bytes)
{
    const size_t length = sizeof MAGIC - 1;

    return bytes > length && memcmp(head, MAGIC, length) == 0 &&
           (head[length] == ' ' || head[length] == '\n');
}

static bool damaged(struct source *source, const char *what, struct error *err)
{
    return error_file(err, input_name(source->input), "damaged Y4M: %s", what);
}

/* ---- the header ---- */

/* Reads a side; 0: it is none. */
static int read_side(const char *digits)
{
    int value = 0;

    for (; *digits >= '0' && *digits <= '9' && value <= MOST_SIDE; digits++)
        value = 10 * value + (*digits - '0');
    return *digits == '\0' && value <= MOST_SIDE ? value : 0;
}

/* Reads the bits of a sample; 0: Y4M has no such number. */
static int read_bits(const char *digits)
{
    static const char *const known[] = {"9", "10", "12", "14", "16"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(digits, known[i]) == 0)
            return read_side(digits);
    return 0;
}

/* Reads the name of a layout of samples: "420jpeg", "422p10", "444alpha", "mono12". */
static bool read_layout(struct y4m *y4m, const char *name)
{
    static const struct {
        const char *name;
        int across, down, planes;
    } table[] = {{"420", 2, 2, 3}, {"422", 2, 1, 3}, {"444", 1, 1, 3},
                 {"440", 1, 2, 3}, {"411", 4, 1, 3}, {"mono", 0, 0, 1}};
    size_t i = 0;
    const char *rest;

    while (i < sizeof table / sizeof *table &&
           strncmp(name, table[i].name, strlen(table[i].name)) != 0)
        i++;
    if (i == sizeof table / sizeof *table)
        return false;
    y4m->across = table[i].across;
    y4m->down = table[i].down;
    y4m->planes = table[i].planes;
    y4m->bits = 8;
    rest = name + strlen(table[i].name);
    if (*rest == '\0')
        return true;
    if (table[i].down == 2 && table[i].across == 2 && /* where the chroma samples lie */
        (strcmp(rest, "jpeg") == 0 || strcmp(rest, "mpeg2") == 0 || strcmp(rest, "paldv") == 0))
        return true;
    if (table[i].across == 1 && table[i].down == 1 && strcmp(rest, "alpha") == 0) {
        y4m->planes = 4;
        return true;
    }
    if (y4m->planes == 3 && *rest++ != 'p')
        return false;
    y4m->bits = read_bits(rest);
    return y4m->bits > 0;
}

static bool read_parameter(struct source *source, const char *word, struct error *err)
{
    struct y4m *y4m = source->state;
    const char *name = input_name(source->input);

    switch (*word) {
    case 'W':
        y4m->width = read_side(word + 1);
        return y4m->width > 0 || damaged(source, "its width is not a number from 1 to 65535", err);
    case 'H':
        y4m->height = read_side(word + 1);
        return y4m->height > 0 ||
               damaged(source, "its height is not a number from 1 to 65535", err);
    case 'C':
        return read_layout(y4m, word + 1) ||
               error_file(err, name,
                          "Y4M with the layout '%.40s' is not read; convert it (ffmpeg -pix_fmt "
                          "yuv444p)",
                          word + 1);
    case 'I':
        return word[1] == 'p' || word[1] == '?' || word[1] == '\0' ||
               error_file(err, name,
                          "interlaced video: a filter would mix its two fields; deinterlace it "
                          "(ffmpeg -vf yadif), or call it progressive (ffmpeg -vf setfield=prog)");
    default:
        return true; /* frame rate, shape of a pixel, comments: carried */
    }
}

/* Reads the words of the first LINE, which has no line break. */
static bool read_header(struct source *source, char *line, struct error *err)
{
    struct y4m *y4m = source->state;
    char *rest = NULL;

    read_layout(y4m, "420jpeg"); /* where none is named */
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (word != line && !read_parameter(source, word, err))
            return false;
    if (y4m->width == 0 || y4m->height == 0)
        return damaged(source, "its header names no width or no height", err);
    return true;
}

/* ---- frames ---- */

static int plane_width(const struct y4m *y4m, int plane)
{
    return plane == 0 || plane == 3 ? y4m->width : (y4m->width + y4m->across - 1) / y4m->across;
}

static int plane_height(const struct y4m *y4m, int plane)
{
    return plane == 0 || plane == 3 ? y4m->height : (y4m->height + y4m->down - 1) / y4m->down;
}

static uint64_t plane_bytes(const struct y4m *y4m, int plane)
{
    return (uint64_t)plane_width(y4m, plane) * (uint64_t)plane_height(y4m, plane) *
           (y4m->bits > 8 ? 2 : 1);
}

static bool truncated(struct source *source, uint64_t held, struct error *err)
{
    const struct y4m *y4m = source->state;

    return error_file(err, input_name(source->input),
                      "truncated Y4M: frame %llu has %llu of %llu bytes",
                      (unsigned long long)y4m->frame, (unsigned long long)held,
                      (unsigned long long)y4m->frame_bytes);
}

/* Describes the page, which is the current plane. */
static void describe(struct source *source)
{
    struct y4m *y4m = source->state;

    source_describe(source, plane_width(y4m, y4m->plane), plane_height(y4m, y4m->plane), 1,
                    (1U << y4m->bits) - 1, FORMAT_Y4M);
    source->more = y4m->plane + 1 < y4m->planes;
}

/* Reads a line with its line break to TEXT, which has room for LINE_BYTES. *length is 0 at the end
 * of the file. */
static bool read_line(struct source *source, char *text, size_t *length, struct error *err)
{
    size_t got = 1;

    for (*length = 0; *length < LINE_BYTES;) {
        if (!input_read(source->input, text + *length, 1, &got, err))
            return false;
        if (got == 0 && *length > 0)
            return error_file(err, input_name(source->input),
                              "truncated Y4M: the file ends in a header");
        if (got == 0 || text[(*length)++] == '\n')
            return true;
    }
    return damaged(source, "a header of more than 2048 bytes", err);
}

/* Begins a frame, behind LENGTH bytes of the header of the stream in LINES. */
static bool begin_frame(struct source *source, char *lines, size_t length, struct error *err)
{
    static const size_t magic = sizeof FRAME_MAGIC - 1;
    struct metadata_part *own = &source->metadata.own;
    struct y4m *y4m = source->state;
    char *line = lines + length;
    size_t bytes;

    y4m->frame++;
    y4m->plane = 0;
    if (!read_line(source, line, &bytes, err))
        return false;
    if (bytes == 0)
        return error_file(err, input_name(source->input), "truncated Y4M: it has no frame");
    if (bytes <= magic || memcmp(line, FRAME_MAGIC, magic) != 0 ||
        (line[magic] != ' ' && line[magic] != '\n'))
        return error_file(err, input_name(source->input),
                          "damaged Y4M: frame %llu does not begin with FRAME",
                          (unsigned long long)y4m->frame);
    own->bytes = malloc(length + bytes);
    if (!own->bytes)
        return error_file(err, input_name(source->input), "no memory to read it");
    memcpy(own->bytes, lines, length + bytes);
    own->size = length + bytes;
    describe(source);
    return true;
}

static bool decoder_open(struct source *source, struct error *err)
{
    const uint64_t size = input_size(source->input);
    struct y4m *y4m = source->state;
    char lines[2 * LINE_BYTES], copy[LINE_BYTES];
    size_t length;

    if (!read_line(source, lines, &length, err))
        return false;
    if (memchr(lines, '\0', length))
        return damaged(source, "a zero byte in its header", err);
    memcpy(copy, lines, length - 1);
    copy[length - 1] = '\0';
    if (!read_header(source, copy, err))
        return false;
    for (int plane = 0; plane < y4m->planes; plane++)
        y4m->frame_bytes += plane_bytes(y4m, plane);
    if (!begin_frame(source, lines, length, err))
        return false;
    /* Later frames may have longer headers, and the last one may be cut. */
    length = source->metadata.own.size;
    return size == UINT64_MAX || size - length >= y4m->frame_bytes ||
           truncated(source, size - length, err);
}

static bool decoder_next(struct source *source, struct error *err)
{
    struct y4m *y4m = source->state;
    char line[LINE_BYTES];

    if (y4m->plane + 1 == y4m->planes)
        return begin_frame(source, line, 0, err);
    y4m->plane++;
    describe(source);
    return true;
}

static bool decoder_follows(struct source *source, bool *more, struct error *err)
{
    const uint8_t *bytes;
    size_t got;

    if (!input_peek(source->input, 1, &bytes, &got, err))
        return false;
    *more = got > 0;
    return true;
}

/* ---- samples ---- */

/* Checks rows without gaps: COUNT samples of 16 bits. */
static bool check_samples(struct source *source, const uint16_t *samples, size_t count,
                          struct error *err)
{
    const struct y4m *y4m = source->state;
    uint16_t top = 0;

    for (size_t i = 0; i < count; i++)
        top = samples[i] > top ? samples[i] : top;
    return top <= source->info.max ||
           error_file(err, input_name(source->input),
                      "damaged Y4M: a sample of frame %llu is %u, above %u",
                      (unsigned long long)y4m->frame, top, source->info.max);
}

static bool decoder_read(struct source *source, struct image *rows, struct error *err)
{
    struct y4m *y4m = source->state;
    const size_t row = image_row_bytes(rows);
    const int count = rows->pitch == row ? rows->height : 1; /* rows that lie without a gap */
    uint64_t before = (uint64_t)source->next_row * row;
    size_t got;

    for (int plane = 0; plane < y4m->plane; plane++)
        before += plane_bytes(y4m, plane);
    for (int y = 0; y < rows->height; y += count, before += got) {
        const size_t bytes = row * (size_t)count;
        if (!input_read(source->input, image_row(rows, y), bytes, &got, err))
            return false;
        if (got < bytes)
            return truncated(source, before + got, err);
        if (rows->type == SAMPLE_U16 && !check_samples(source, image_row(rows, y), bytes / 2, err))
            return false;
    }
    return true;
}

const struct decoder decoder_y4m = {
    .name = "Y4M",
    .recognise = recognise,
    .open = decoder_open,
    .read = decoder_read,
    .next = decoder_next,
    .follows = decoder_follows,
    .state_bytes = sizeof(struct y4m),
};

/* ---- writing ---- */

static bool encoder_open(struct sink *sink, struct error *err)
{
    const struct metadata *metadata = sink->options.metadata; /* of a page of a video */

    return !metadata || metadata->own.size == 0 ||
           output_write(sink->output, metadata->own.bytes, metadata->own.size, err);
}

static bool encoder_write(struct sink *sink, const struct image *rows, struct error *err)
{
    const size_t row = image_row_bytes(rows);
    const int count = rows->pitch == row ? rows->height : 1;

    for (int y = 0; y < rows->height; y += count)
        if (!output_write(sink->output, image_row(rows, y), row * (size_t)count, err))
            return false;
    return true;
}

const struct encoder encoder_y4m = {
    .open = encoder_open,
    .write = encoder_write,
};
