/* JPEG. This file checks the structure of a file (its markers and segments), then stb_image decodes
 * it. The EXIF orientation is applied to the pixels; other metadata is dropped with a warning.
 * stb_image_write writes JPEG.
 *
 * Reads baseline and progressive Huffman files of 8 bits, gray or colour, up to 2 GiB. Sizes follow
 * ITU-T T.81: a picture has MCUs of h_max*8 x v_max*8 pixels, in which component i has h[i] x v[i]
 * blocks of 8 x 8; a scan of one component has only the blocks its pixels need. */
#include <string.h>

#include "base/machine.h"
#include "codec/format.h"
#include "codec/stb.h"

/* source->state */
struct jpeg_file {
    const uint8_t *bytes; /* point into the input */
    size_t size;
    int width, height; /* as stored */
    int components;    /* 1 gray, 3 colour */
    int orientation;
    unsigned dropped; /* enum dropped */
};

/* ---- which way up ----
 *
 * EXIF data is a small TIFF file, and it may be hostile: every offset is checked before it is
 * followed, and only the first directory is read. */

#define TAG_ORIENTATION 0x0112
#define TYPE_SHORT      3
#define TYPE_LONG       4
#define TYPE_SLONG      9
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

/* The orientation, 1..8, from the TIFF structure of EXIF data; 1 (upright) if it is missing or
 * invalid. Cameras store the sensor's rows and record how the camera was held. In the upright
 * picture the first stored row and column are
 *
 *           1     2     3       4       5     6      7       8
 *   row     top   top   bottom  bottom  left  right  right   left
 *   column  left  right right   left    top   top    bottom  bottom
 *
 * so 5 to 8 exchange width and height. */
static int orientation_of(const uint8_t *tiff, size_t bytes)
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
        unsigned type = get16(entry + 2, big);
        uint32_t value = type == TYPE_SHORT ? get16(entry + 8, big) : get32(entry + 8, big);
        if (get16(entry, big) == TAG_ORIENTATION && get32(entry + 4, big) == 1 &&
            (type == TYPE_SHORT || type == TYPE_LONG || type == TYPE_SLONG))
            return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

/* Turns the picture upright; allocates a new picture unless it is upright already. */
static bool turn_upright(struct image *image, int orientation, const char *name, struct error *err)
{
    bool exchanged = orientation >= 5;
    /* Whether the stored columns (rows) run backwards in the upright picture. */
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

/* ---- the walk over the segments ---- */

/* No encoder needs more scans (libjpeg's own script has 10). A hostile file could otherwise use
 * many tiny scans, each of which makes the decoder pass over the whole picture. */
#define MAX_SCANS 100

enum marker {
    SOF0 = 0xc0,
    DHT = 0xc4,
    JPG = 0xc8,
    DAC = 0xcc,
    SOF15 = 0xcf,
    RST0 = 0xd0,
    RST7 = 0xd7,
    SOI = 0xd8,
    EOI = 0xd9,
    SOS = 0xda,
    DQT = 0xdb,
    DNL = 0xdc,
    DRI = 0xdd,
    APP0 = 0xe0,
    APP1 = 0xe1,
    APP2 = 0xe2,
    APP15 = 0xef,
    COM = 0xfe
};

struct walk {
    const char *name;
    size_t place;
    struct jpeg_file *jpeg; /* width, height and components are 0 until the frame is read */
    struct error *err;
    /* the current segment: */
    unsigned marker; /* its second byte */
    size_t start;    /* place of the marker in the file */
    const uint8_t *data;
    size_t length;
    /* the frame and the tables so far: */
    bool progressive;
    struct component {
        int id, h, v, table;
        bool coded; /* its first scan has been seen */
    } component[3];
    int h_max, v_max;
    bool huffman[2][4], quantisation[4]; /* defined so far */
    uint64_t restart_interval;
    int scans;
};

static bool recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 2 && head[0] == 0xff && head[1] == SOI;
}

static bool truncated(struct walk *walk, const char *where, unsigned marker)
{
    return error_file(walk->err, walk->name, "truncated JPEG: the file ends %s FF%02X", where,
                      marker);
}

static bool damaged(struct walk *walk, const char *what)
{
    return error_file(walk->err, walk->name, "damaged JPEG: %s in segment FF%02X at byte %zu", what,
                      walk->marker, walk->start);
}

static bool unreadable(struct walk *walk, const char *what)
{
    return error_file(walk->err, walk->name,
                      "a JPEG %s cannot be read: convert it to a common JPEG or a PNG", what);
}

/* ---- segments ---- */

/* Reads the marker at the walk's place and moves behind it. Any number of FF may stand before a
 * marker. */
static bool next_marker(struct walk *walk)
{
    size_t start = walk->place;

    if (start < walk->jpeg->size && walk->jpeg->bytes[start] != 0xff)
        return error_file(walk->err, walk->name, "damaged JPEG: there is no marker at byte %zu",
                          start);
    while (walk->place < walk->jpeg->size && walk->jpeg->bytes[walk->place] == 0xff)
        walk->place++;
    if (walk->place == walk->jpeg->size)
        return truncated(walk, "before its end marker", EOI);
    walk->marker = walk->jpeg->bytes[walk->place++];
    return true;
}

/* Reads the segment behind the marker; walk->data is its content without the length. */
static bool next_segment(struct walk *walk)
{
    size_t left = walk->jpeg->size - walk->place;
    const uint8_t *length = walk->jpeg->bytes + walk->place;

    if (left < 2)
        return truncated(walk, "inside segment", walk->marker);
    walk->start = walk->place - 2;
    walk->length = length[0] * 256U + length[1];
    if (walk->length < 2)
        return error_file(walk->err, walk->name,
                          "damaged JPEG: segment FF%02X at byte %zu has an impossible length",
                          walk->marker, walk->start);
    if (walk->length > left)
        return truncated(walk, "inside segment", walk->marker);
    walk->data = length + 2;
    walk->place += walk->length;
    walk->length -= 2;
    return true;
}

static bool read_metadata(struct walk *walk)
{
    static const char exif[6] = "Exif\0", icc[12] = "ICC_PROFILE";
    struct jpeg_file *jpeg = walk->jpeg;

    if (walk->marker == APP1 && walk->length >= sizeof exif &&
        memcmp(walk->data, exif, sizeof exif) == 0) {
        if (!(jpeg->dropped & DROPPED_EXIF)) /* the first EXIF segment counts */
            jpeg->orientation =
                orientation_of(walk->data + sizeof exif, walk->length - sizeof exif);
        jpeg->dropped |= DROPPED_EXIF;
    }
    if (walk->marker == APP2 && walk->length >= sizeof icc &&
        memcmp(walk->data, icc, sizeof icc) == 0)
        jpeg->dropped |= DROPPED_ICC;
    return true;
}

/* ---- tables ---- */

static bool walk_huffman(struct walk *walk)
{
    const uint8_t *p = walk->data;
    size_t left = walk->length;

    while (left > 0) {
        unsigned symbols = 0, codes = 0;
        if (left < 17 || p[0] >> 4 > 1 || (p[0] & 15) > 3)
            return damaged(walk, "a broken Huffman table");
        for (unsigned length = 1; length <= 16; length++) {
            codes = 2 * codes + p[length];
            symbols += p[length];
            if (codes > 1U << length) /* more codes than this length allows */
                return damaged(walk, "an impossible Huffman table");
        }
        if (symbols > 256 || left - 17 < symbols)
            return damaged(walk, "a broken Huffman table");
        walk->huffman[p[0] >> 4][p[0] & 15] = true;
        p += 17 + symbols;
        left -= 17 + symbols;
    }
    return true;
}

static bool walk_quantisation(struct walk *walk)
{
    const uint8_t *p = walk->data;
    size_t left = walk->length, bytes;

    for (; left > 0; p += bytes, left -= bytes) {
        bytes = p[0] >> 4 ? 129 : 65;
        if (p[0] >> 4 > 1 || (p[0] & 15) > 3 || left < bytes)
            return damaged(walk, "a broken quantisation table");
        walk->quantisation[p[0] & 15] = true;
    }
    return true;
}

static bool walk_restart(struct walk *walk)
{
    if (walk->length != 2)
        return damaged(walk, "a broken restart interval");
    walk->restart_interval = walk->data[0] * 256U + walk->data[1];
    return true;
}

/* ---- the frame ---- */

/* Checks that stb_image decodes this kind of frame: baseline, extended or progressive Huffman, 8
 * bits, one or three components. */
static bool check_kind(struct walk *walk)
{
    unsigned kind = walk->marker & 15;
    const char *what = NULL;

    if (kind > 8)
        what = "with arithmetic coding";
    else if (kind == 3 || kind == 7)
        what = "with lossless coding";
    else if (kind > 2)
        what = "with hierarchical coding";
    else if (walk->data[0] != 8)
        what = "with more than 8 bits a sample";
    else if (walk->data[5] == 4)
        what = "with CMYK colours";
    else if (walk->data[5] != 1 && walk->data[5] != 3)
        what = "with an unknown number of components";
    return !what || unreadable(walk, what);
}

/* Checks the sizes that stb will allocate: the picture, and each component as whole MCUs (if
 * progressive, its coefficients of two bytes). */
static bool check_sizes(struct walk *walk)
{
    const struct jpeg_file *jpeg = walk->jpeg;
    uint64_t width = (uint64_t)jpeg->width, height = (uint64_t)jpeg->height;
    uint64_t mcu_x = 8U * (unsigned)walk->h_max, mcu_y = 8U * (unsigned)walk->v_max;
    uint64_t mcus = (width + mcu_x - 1) / mcu_x * ((height + mcu_y - 1) / mcu_y);
    uint64_t most = width * height * (uint64_t)jpeg->components, sum = most;

    for (int i = 0; i < jpeg->components; i++) {
        uint64_t blocks = (uint64_t)walk->component[i].h * (uint64_t)walk->component[i].v;
        uint64_t plane = mcus * 64 * blocks * (walk->progressive ? 2 : 1);
        most = plane > most ? plane : most;
        sum += mcus * 64 * blocks * (walk->progressive ? 3 : 1);
    }
    if (most + 16 > STB_MAX_BYTES)
        return error_file(walk->err, walk->name,
                          "%d x %d pixels: a JPEG of more than 2 GiB of samples cannot be read",
                          jpeg->width, jpeg->height);
    return sum < STB_MAX_BYTES / 32 || sum <= machine_memory() ||
           error_file(walk->err, walk->name, "no memory for %d x %d pixels: it takes %llu MB",
                      jpeg->width, jpeg->height, (unsigned long long)(sum >> 20));
}

static bool read_component(struct walk *walk, int i)
{
    const uint8_t *p = walk->data + 6 + 3 * i;
    int h = p[1] >> 4, v = p[1] & 15;

    walk->component[i] = (struct component){.id = p[0], .h = h, .v = v, .table = p[2]};
    if (h < 1 || h > 4 || v < 1 || v > 4 || p[2] > 3)
        return damaged(walk, "an impossible component");
    walk->h_max = h > walk->h_max ? h : walk->h_max;
    walk->v_max = v > walk->v_max ? v : walk->v_max;
    return true;
}

static bool walk_frame(struct walk *walk)
{
    struct jpeg_file *jpeg = walk->jpeg;
    const uint8_t *p = walk->data;

    if (jpeg->components != 0)
        return damaged(walk, "a second frame");
    if (walk->length < 6)
        return damaged(walk, "a frame of the wrong length");
    if (!check_kind(walk))
        return false;
    jpeg->height = p[1] * 256 + p[2];
    jpeg->width = p[3] * 256 + p[4];
    if (jpeg->width == 0 || jpeg->height == 0)
        return error_file(walk->err, walk->name, "damaged JPEG: %d x %d pixels are no picture",
                          jpeg->width, jpeg->height);
    jpeg->components = p[5];
    if (walk->length != 6 + 3 * (size_t)jpeg->components)
        return damaged(walk, "a frame of the wrong length");
    walk->progressive = (walk->marker & 15) == 2;
    for (int i = 0; i < jpeg->components; i++)
        if (!read_component(walk, i))
            return false;
    for (int i = 0; i < jpeg->components; i++)
        if (walk->h_max % walk->component[i].h != 0 || walk->v_max % walk->component[i].v != 0)
            return unreadable(walk, "whose colours are sampled at a fraction that is not 1/n");
    return check_sizes(walk);
}

/* ---- scans ---- */

/* Counts the coded data from the walk's place up to the next marker other than a restart marker. A
 * stuffed FF 00 counts as one byte, restart markers are counted in *restarts. */
static void count_data(struct walk *walk, uint64_t *bytes, uint64_t *restarts)
{
    const uint8_t *end = walk->jpeg->bytes + walk->jpeg->size, *p = walk->jpeg->bytes + walk->place;

    *bytes = *restarts = 0;
    while (p < end) {
        const uint8_t *ff = memchr(p, 0xff, (size_t)(end - p));
        if (!ff || ff + 1 == end) { /* the end of a truncated file */
            *bytes += (uint64_t)(end - p);
            p = end;
            break;
        }
        *bytes += (uint64_t)(ff - p);
        p = ff;
        if (ff[1] == 0) { /* a data byte FF */
            ++*bytes;
            p += 2;
        } else if (ff[1] >= RST0 && ff[1] <= RST7) {
            ++*restarts;
            p += 2;
        } else if (ff[1] == 0xff) {
            p++;
        } else {
            break;
        }
    }
    walk->place = (size_t)(p - walk->jpeg->bytes);
}

/* Counts the MCUs and blocks of a scan of the COUNT components at WHICH. */
static void measure(const struct walk *walk, const int *which, int count, uint64_t *mcus,
                    uint64_t *blocks)
{
    uint64_t width = (uint64_t)walk->jpeg->width, height = (uint64_t)walk->jpeg->height;
    uint64_t h_max = (uint64_t)walk->h_max, v_max = (uint64_t)walk->v_max;

    if (count == 1) {
        const struct component *component = &walk->component[which[0]];
        width = (width * (uint64_t)component->h + h_max - 1) / h_max; /* of the component */
        height = (height * (uint64_t)component->v + v_max - 1) / v_max;
        *blocks = *mcus = (width + 7) / 8 * ((height + 7) / 8);
        return;
    }
    *mcus = (width + 8 * h_max - 1) / (8 * h_max) * ((height + 8 * v_max - 1) / (8 * v_max));
    *blocks = 0;
    for (int i = 0; i < count; i++)
        *blocks += *mcus * (uint64_t)(walk->component[which[i]].h * walk->component[which[i]].v);
}

/* Finds the scan's components and checks that the tables which they name are defined. In place of a
 * missing table stb_image would use whatever its memory holds. */
static bool check_tables(struct walk *walk, bool dc, bool ac, int *which)
{
    for (int i = 0; i < walk->data[0]; i++) {
        const uint8_t *p = walk->data + 1 + 2 * i;
        int k = 0;
        while (k < walk->jpeg->components && walk->component[k].id != p[0])
            k++;
        if (k == walk->jpeg->components)
            return damaged(walk, "an unknown component");
        if (p[1] >> 4 > 3 || (p[1] & 15) > 3 || (dc && !walk->huffman[0][p[1] >> 4]) ||
            (ac && !walk->huffman[1][p[1] & 15]))
            return damaged(walk, "a Huffman table that was not defined");
        if (!walk->quantisation[walk->component[k].table])
            return damaged(walk, "a quantisation table that was not defined");
        which[i] = k;
    }
    return true;
}

static bool walk_scan(struct walk *walk)
{
    const uint8_t *p = walk->data;
    const struct jpeg_file *jpeg = walk->jpeg;
    uint64_t bytes, restarts, mcus, blocks, bits;
    bool first_dc, dc, ac;
    int which[3], count;

    count_data(walk, &bytes, &restarts);
    if (jpeg->components == 0)
        return damaged(walk, "a scan before the frame");
    if (walk->length < 4 || p[0] < 1 || p[0] > jpeg->components ||
        walk->length != 4 + 2 * (size_t)p[0])
        return damaged(walk, "a broken scan header");
    count = p[0];
    dc = !walk->progressive || p[1 + 2 * count] == 0;
    ac = !walk->progressive || p[1 + 2 * count] != 0;
    first_dc = dc && p[3 + 2 * count] >> 4 == 0;
    if (++walk->scans > MAX_SCANS)
        return damaged(walk, "more scans than make sense");
    if (!check_tables(walk, first_dc, ac, which))
        return false;
    measure(walk, which, count, &mcus, &blocks);
    /* The shortest code has one bit. A baseline block needs two codes, a block of a progressive DC
     * scan one code (or one bit of refinement); progressive AC scans can skip blocks at no cost. */
    bits = dc && ac ? 2 * blocks : dc ? blocks : 0;
    if (8 * bytes < bits)
        return error_file(
            walk->err, walk->name,
            "truncated JPEG: the %llu bytes of data at byte %zu cannot hold %d x %d pixels",
            (unsigned long long)bytes, walk->start, jpeg->width, jpeg->height);
    if (walk->restart_interval && restarts < (mcus - 1) / walk->restart_interval)
        return error_file(walk->err, walk->name,
                          "truncated JPEG: %llu of %llu restart markers in the data at byte %zu",
                          (unsigned long long)restarts,
                          (unsigned long long)((mcus - 1) / walk->restart_interval), walk->start);
    for (int i = 0; i < count; i++)
        walk->component[which[i]].coded |= first_dc;
    return true;
}

/* ---- the walk ---- */

static bool walk_segment(struct walk *walk)
{
    unsigned marker = walk->marker;

    if (marker == DHT)
        return walk_huffman(walk);
    if (marker == DQT)
        return walk_quantisation(walk);
    if (marker == DRI)
        return walk_restart(walk);
    if (marker == SOS)
        return walk_scan(walk);
    if (marker >= SOF0 && marker <= SOF15 && marker != JPG && marker != DAC)
        return walk_frame(walk);
    if (marker >= APP0 && marker <= APP15)
        return read_metadata(walk);
    return marker == COM || marker == DNL ||
           error_file(walk->err, walk->name,
                      "unknown kind of JPEG: it has marker FF%02X at byte %zu", marker,
                      walk->start);
}

/* Checks everything that can be known without decoding. A JPEG has no checksum, and stb_image
 * accepts almost any data. So the file must be of a kind that stb_image knows, each table must be
 * well-formed and precede its use, all components must be coded, the data must be long enough for
 * its blocks, and the end marker must be there. Damage inside coded data may pass. */
static bool check_file(struct jpeg_file *jpeg, const char *name, struct error *err)
{
    struct walk walk = {.name = name, .place = 2, .jpeg = jpeg, .err = err};

    jpeg->orientation = 1;
    for (;;) {
        if (!next_marker(&walk))
            return false;
        if (walk.marker == EOI)
            break;
        if (!next_segment(&walk) || !walk_segment(&walk))
            return false;
    }
    if (jpeg->components == 0)
        return error_file(err, name, "damaged JPEG: it holds no picture");
    for (int i = 0; i < jpeg->components; i++)
        if (!walk.component[i].coded)
            return error_file(err, name, "truncated JPEG: %d of %d components have data", i,
                              jpeg->components);
    return true;
}

/* ---- reading ---- */

static bool decoder_open(struct source *source, struct error *err)
{
    const char *name = input_name(source->input);
    struct jpeg_file *jpeg = source->state;
    const uint8_t *head;
    size_t had;

    /* A file that does not even begin as a JPEG may be of any length. */
    if (!input_peek(source->input, 3, &head, &had, err))
        return false;
    if (had == 3 && head[2] != 0xff)
        return error_file(err, name, "damaged JPEG: there is no marker at byte 2");
    if (!input_read_most(source->input, (uint64_t)STB_MAX_BYTES + 1, &jpeg->bytes, &jpeg->size,
                         err))
        return false;
    if (jpeg->size > STB_MAX_BYTES)
        return error_file(err, name, "a JPEG file of more than 2 GiB cannot be read");
    if (!check_file(jpeg, name, err))
        return false;
    if (jpeg->orientation >= 5)
        source_describe(source, jpeg->height, jpeg->width, jpeg->components, 255, FORMAT_JPEG);
    else
        source_describe(source, jpeg->width, jpeg->height, jpeg->components, 255, FORMAT_JPEG);
    source->dropped = jpeg->dropped;
    return true;
}

static bool decoder_read_all(struct source *source, struct image *image, struct error *err)
{
    const struct jpeg_file *jpeg = source->state;
    const char *name = input_name(source->input), *why;

    if (!stb_load_file(jpeg->bytes, jpeg->size, image, &why))
        return error_file(err, name, "damaged JPEG: %s", why);
    if (turn_upright(image, jpeg->orientation, name, err))
        return true;
    image_free(image);
    return false;
}

const struct decoder decoder_jpeg = {
    .name = "JPEG",
    .recognise = recognise,
    .open = decoder_open,
    .read_all = decoder_read_all,
    .state_bytes = sizeof(struct jpeg_file),
};

/* ---- writing ---- */

static uint8_t *make(const struct image *image, const struct sink_options *options, size_t *bytes)
{
    return stb_make_jpeg(image, options->quality, bytes);
}

static bool encoder_open(struct sink *sink, struct error *err)
{
    const struct image_info *info = &sink->info;
    /* stb counts samples in an int, in whole blocks of 8 x 8. */
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
