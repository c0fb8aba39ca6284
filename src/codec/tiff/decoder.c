/* Reading TIFF and BigTIFF page by page, in bands of one strip or of one row of tiles. Samples
 * become gray or RGB of 8 or 16 bits, with or without alpha: gray and palettes of fewer bits are
 * expanded, and where 0 means white, samples are inverted.
 *
 * Files of other kinds are refused, and a sentence says how to convert them. TIFF has checksums
 * only inside of some compressions, so this code is strict: each strip must lie in the file, and
 * while samples are decoded every warning of the library is an error. */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"
#include "codec/tiff/tiff.h"

/* A compressed strip that is not longer is decoded at once, since libtiff then uses a faster
 * library for Deflate. */
#define STRIP_BYTES ((uint64_t)8 << 20)

/* Rows of samples that are not compressed are read in bands of about as many bytes. */
#define RAW_BYTES ((uint64_t)256 << 10)

/* libtiff may allocate this many bytes at once, and more if the file is as long. */
#define LIBRARY_BYTES ((uint64_t)256 << 20)

#define MOST_SIDE    (1 << 20) /* of a tile */
#define MAX_CHANNELS 4

struct reader;

/* A file that the library has open. Its functions for reading get one. */
struct access {
    struct reader *reader;
    uint64_t place;
    TIFF *tiff;
};

enum way { BY_TILES, BY_STRIPS, BY_LINES, UNCOMPRESSED };

/* source->state */
struct reader {
    struct source *source;
    struct error *err;
    bool input_failed; /* *err has the sentence */
    bool strict;       /* warnings are faults */
    char fault[256];   /* the library's first message */
    /* The planes of a file that stores its channels one after the other are read at once, each
     * through a file of the library, so that none is decoded twice. */
    struct access access[MAX_CHANNELS];
    int planes;
    enum way way;
    int width, height; /* as stored */
    int samples, bits; /* of a stored pixel */
    uint16_t compression, photometric, fill_order;
    uint32_t block_width, block_height, across; /* tiles or strips */
    size_t pitch, tile_pitch;                   /* of a row of a band and of a tile */
    bool invert, premultiplied;
    uint16_t *map[3]; /* the palette; NULL: none */
    int map_shift;    /* of its entries to samples */
    uint8_t *band[MAX_CHANNELS], *tile;
    int first, rows, next; /* the rows in the bands; the next row */
    struct tiff_memory exif;
    struct tiff_bytes file;
    uint64_t first_page, page, next_page; /* the places of directories; 0: there is no next one */
};

/* ---- the library's view of the file ---- */

static int take_message(struct reader *r, const char *format, va_list arguments)
{
    char *end;

    if (r->fault[0] != '\0')
        return 1;
    vsnprintf(r->fault, sizeof r->fault, format, arguments);
    end = r->fault + strcspn(r->fault, "\n");
    while (end > r->fault && (end[-1] == '.' || end[-1] == ' '))
        end--;
    *end = '\0';
    return 1;
}

static int take_error(TIFF *library, void *reader, const char *module, const char *format,
                      va_list arguments)
{
    (void)library, (void)module;
    return take_message(reader, format, arguments);
}

static int take_warning(TIFF *library, void *reader, const char *module, const char *format,
                        va_list arguments)
{
    const struct reader *r = reader;

    (void)library, (void)module;
    return r->strict ? take_message(reader, format, arguments) : 1;
}

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t bytes)
{
    struct access *access = handle;
    struct reader *r = access->reader;
    size_t got = 0;

    if (r->input_failed || bytes < 0 ||
        !input_read_at(r->source->input, access->place, to, (size_t)bytes, &got, r->err)) {
        r->input_failed = true;
        return -1;
    }
    access->place += got;
    return (tmsize_t)got;
}

static tmsize_t write_nothing(thandle_t handle, void *from, tmsize_t bytes)
{
    (void)handle, (void)from, (void)bytes;
    return -1;
}

static toff_t file_size(thandle_t handle)
{
    const struct access *access = handle;

    return input_size(access->reader->source->input);
}

static toff_t seek(thandle_t handle, toff_t place, int whence)
{
    struct access *access = handle;

    access->place = whence == SEEK_SET   ? place
                    : whence == SEEK_CUR ? access->place + place
                                         : file_size(handle) + place;
    return access->place;
}

static int close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

/* The sentence for a failure of the library. */
static bool failed(struct reader *r)
{
    const char *name = input_name(r->source->input);

    if (r->input_failed)
        return false;
    if (strstr(r->fault, "emory") || strstr(r->fault, "alloc"))
        return error_file(r->err, name, "no memory to read it, or a damaged TIFF: %s", r->fault);
    return error_file(r->err, name, "damaged TIFF: %s",
                      r->fault[0] != '\0' ? r->fault : "the library cannot read it");
}

static bool open_library(struct reader *r, struct access *access)
{
    const char *name = input_name(r->source->input);
    TIFFOpenOptions *options = libtiff.OpenOptionsAlloc();
    uint64_t most = input_size(r->source->input) + LIBRARY_BYTES;

    if (!options)
        return error_file(r->err, name, "no memory to read it");
    libtiff.OpenOptionsSetErrorHandlerExtR(options, take_error, r);
    libtiff.OpenOptionsSetWarningHandlerExtR(options, take_warning, r);
    libtiff.OpenOptionsSetMaxSingleMemAlloc(options,
                                            (tmsize_t)(most < INT64_MAX ? most : INT64_MAX));
    *access = (struct access){.reader = r};
    access->tiff = libtiff.ClientOpenExt("", "rm", access, read_bytes, write_nothing, seek,
                                         close_nothing, file_size, NULL, NULL, options);
    libtiff.OpenOptionsFree(options);
    if (access->tiff && libtiff.CurrentDirOffset(access->tiff) != r->page) {
        r->fault[0] = '\0'; /* about the first page, which was read already */
        if (!libtiff.SetSubDirectory(access->tiff, r->page))
            return failed(r);
    }
    return (access->tiff && r->fault[0] == '\0') || failed(r);
}

/* ---- what is refused ---- */

/* Names a command of ImageMagick, with OPTIONS, that makes a picture of the file. */
static bool refuse(const struct reader *r, const char *what, const char *options)
{
    const char *name = input_name(r->source->input);
    const char *path = strcmp(name, "standard input") == 0 ? "-" : name;

    error_file(r->err, name, "a TIFF %s, which is not read", what);
    foreign_append_pipe(r->err, "convert ", path, options);
    return false;
}

static bool refuse_channels(const struct reader *r, int channels)
{
    return error_file(r->err, input_name(r->source->input),
                      "a TIFF of %d channels; at most 4 are read, as gray, RGB and alpha: take "
                      "some with gdal_translate -b 1 -b 2 -b 3 IN OUT",
                      channels);
}

/* Checks the samples' kind; *channels of the picture. */
static bool check_samples(struct reader *r, int *channels)
{
    TIFF *library = r->access[0].tiff;
    const char *name = input_name(r->source->input);
    uint16_t format = SAMPLEFORMAT_UINT, extras = 0, *extra = NULL;
    int colours = r->photometric == PHOTOMETRIC_RGB || r->photometric == PHOTOMETRIC_YCBCR ? 3 : 1;

    libtiff.GetFieldDefaulted(library, TIFFTAG_SAMPLEFORMAT, &format);
    libtiff.GetFieldDefaulted(library, TIFFTAG_EXTRASAMPLES, &extras, &extra);
    if (format == SAMPLEFORMAT_IEEEFP)
        return refuse(r, "of floating-point samples", " -depth 16 png:-");
    if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID)
        return refuse(r, "of signed or complex samples", " -depth 16 png:-");
    if (r->photometric == PHOTOMETRIC_SEPARATED)
        return refuse(r, "of CMYK colours", " -colorspace sRGB png:-");
    if (r->photometric == PHOTOMETRIC_CIELAB || r->photometric == PHOTOMETRIC_ICCLAB ||
        r->photometric == PHOTOMETRIC_ITULAB)
        return refuse(r, "of Lab colours", " -colorspace sRGB png:-");
    if (r->photometric == PHOTOMETRIC_YCBCR && r->compression != COMPRESSION_JPEG)
        return refuse(r, "of YCbCr colours without JPEG", " -colorspace sRGB png:-");
    if (r->photometric > PHOTOMETRIC_PALETTE && r->photometric != PHOTOMETRIC_YCBCR)
        return refuse(r, "of an unusual kind of colours", " png:-");
    if (r->bits != 16 && r->bits != 8 &&
        !(r->samples == 1 && (r->bits == 1 || r->bits == 2 || r->bits == 4)))
        return refuse(r, r->bits > 16 ? "of more than 16 bits a sample" : "of odd sample depths",
                      " -depth 16 png:-");
    if (r->photometric == PHOTOMETRIC_PALETTE && (r->samples != 1 || r->bits > 8))
        return refuse(r, "of an unusual palette", " png:-");
    if (r->samples > MAX_CHANNELS)
        return refuse_channels(r, r->samples);
    if (r->samples < colours || r->samples > colours + 1)
        return error_file(r->err, name, "a TIFF of %d channels, which are neither gray nor RGB",
                          r->samples);
    if (r->samples == colours + 1 && extras > 0 && extra && *extra == EXTRASAMPLE_UNSPECIFIED)
        return error_file(r->err, name,
                          "the last of its %d channels may be alpha or anything else; this makes "
                          "it alpha: tiffset -s 338 1 2 FILE",
                          r->samples);
    r->premultiplied = r->samples == colours + 1 && extras > 0 && *extra == EXTRASAMPLE_ASSOCALPHA;
    r->invert = r->photometric == PHOTOMETRIC_MINISWHITE;
    *channels = r->photometric == PHOTOMETRIC_PALETTE ? 3 : r->samples;
    return true;
}

/* ---- opening ---- */

/* Entries have 16 bits. They are taken as 8 where all are v * 257, or v * 256 as libtiff takes
 * them, or v: some programs write bytes. */
static bool find_palette(struct reader *r, int *bits)
{
    bool bytes = true, doubled = true, high = true;

    if (!libtiff.GetField(r->access[0].tiff, TIFFTAG_COLORMAP, &r->map[0], &r->map[1], &r->map[2]))
        return error_file(r->err, input_name(r->source->input), "damaged TIFF: it has no palette");
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 1 << r->bits; i++) {
            bytes &= r->map[c][i] < 256;
            doubled &= r->map[c][i] % 257 == 0;
            high &= r->map[c][i] % 256 == 0;
        }
    *bits = bytes || doubled || high ? 8 : 16;
    r->map_shift = *bits == 8 && !bytes ? 8 : 0;
    return true;
}

/* The most bytes that a byte of compressed data can become; 0: no limit. */
static uint64_t most_ratio(uint16_t compression)
{
    switch (compression) {
    case COMPRESSION_NONE:
        return 1;
    case COMPRESSION_PACKBITS:
        return 64;
    case COMPRESSION_LZW:
        return 4096;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
        return 1033;
    default:
        return 0;
    }
}

/* Checks that each tile or strip lies in the file and can hold its pixels. */
static bool check_blocks(struct reader *r)
{
    TIFF *library = r->access[0].tiff;
    const char *what = r->way == BY_TILES ? "tile" : "strip";
    const uint64_t size = input_size(r->source->input), ratio = most_ratio(r->compression);
    const uint32_t down = ((uint32_t)r->height - 1) / r->block_height + 1;
    const uint64_t blocks = (uint64_t)r->across * down * (uint64_t)r->planes;
    const uint32_t last = (uint32_t)r->height - (down - 1) * r->block_height;
    uint64_t longest = 0;

    for (uint64_t i = 0; i < blocks; i++) {
        uint64_t place = libtiff.GetStrileOffset(library, (uint32_t)i);
        uint64_t bytes = libtiff.GetStrileByteCount(library, (uint32_t)i);
        bool shorter = r->way != BY_TILES && i % down == down - 1;
        uint64_t need = (r->way == BY_TILES ? r->tile_pitch : r->pitch) *
                        (uint64_t)(shorter ? last : r->block_height);
        if (r->fault[0] != '\0' || r->input_failed)
            return failed(r);
        if (bytes == 0)
            return error_file(r->err, input_name(r->source->input),
                              "damaged TIFF: %s %llu of %llu is not in the file", what,
                              (unsigned long long)i + 1, (unsigned long long)blocks);
        if (place > size || bytes > size - place || (ratio > 0 && bytes < need / ratio))
            return error_file(r->err, input_name(r->source->input),
                              "truncated TIFF: %s %llu of %llu needs more bytes than there are",
                              what, (unsigned long long)i + 1, (unsigned long long)blocks);
        longest = bytes > longest ? bytes : longest;
    }
    if (r->way != UNCOMPRESSED)
        r->source->held += longest * (uint64_t)r->planes;
    return true;
}

/* Decides how rows are read. */
static bool find_way(struct reader *r)
{
    TIFF *library = r->access[0].tiff;
    const char *name = input_name(r->source->input);
    const uint64_t pixel_bits = (uint64_t)r->bits * (uint64_t)(r->planes > 1 ? 1 : r->samples);
    uint64_t rows = 1, row;

    if (libtiff.IsTiled(library)) {
        r->way = BY_TILES;
        libtiff.GetField(library, TIFFTAG_TILEWIDTH, &r->block_width);
        libtiff.GetField(library, TIFFTAG_TILELENGTH, &r->block_height);
        if (r->block_width == 0 || r->block_height == 0 || r->block_width > MOST_SIDE ||
            r->block_height > MOST_SIDE || r->block_width * pixel_bits % 8 != 0)
            return error_file(r->err, name, "damaged TIFF: tiles of %u x %u pixels", r->block_width,
                              r->block_height);
        r->across = ((uint32_t)r->width - 1) / r->block_width + 1;
        r->tile_pitch = (size_t)(r->block_width * pixel_bits / 8);
        row = r->across * (uint64_t)r->tile_pitch;
        rows = r->block_height;
    } else {
        libtiff.GetFieldDefaulted(library, TIFFTAG_ROWSPERSTRIP, &r->block_height);
        if (r->block_height == 0 || r->block_height > (uint32_t)r->height)
            r->block_height = (uint32_t)r->height;
        r->across = 1;
        row = ((uint64_t)r->width * pixel_bits + 7) / 8;
        if (r->compression == COMPRESSION_NONE) {
            r->way = UNCOMPRESSED;
            rows = RAW_BYTES / row > 1 ? RAW_BYTES / row : 1;
        } else if (row * r->block_height <= STRIP_BYTES) {
            r->way = BY_STRIPS;
            rows = r->block_height;
        } else {
            r->way = BY_LINES;
        }
        rows = rows < r->block_height ? rows : r->block_height;
    }
    if ((r->way == BY_TILES ? libtiff.TileRowSize64(library) : libtiff.ScanlineSize64(library)) !=
        (r->way == BY_TILES ? r->tile_pitch : row))
        return error_file(r->err, name, "a TIFF whose rows have an unusual length");
    r->rows = (int)rows;
    r->pitch = (size_t)row;
    r->source->held = rows * row * (uint64_t)r->planes +
                      (r->way == BY_TILES ? r->tile_pitch * (uint64_t)r->block_height : 0);
    if (r->source->held >= TIFF_LARGE_BYTES && r->source->held > machine_memory())
        return error_file(r->err, name, "no memory to read it: a row of its tiles takes %llu MB",
                          (unsigned long long)(r->source->held >> 20));
    return true;
}

static bool read_fields(struct reader *r)
{
    TIFF *library = r->access[0].tiff;
    const char *name = input_name(r->source->input);
    uint32_t width = 0, height = 0;
    uint16_t samples = 1, bits = 1, planar = PLANARCONFIG_CONTIG;

    libtiff.GetField(library, TIFFTAG_IMAGEWIDTH, &width);
    libtiff.GetField(library, TIFFTAG_IMAGELENGTH, &height);
    if (width == 0 || height == 0)
        return error_file(r->err, name, "damaged TIFF: %u x %u pixels are no picture", width,
                          height);
    if (width > INT_MAX / 8 || height > INT_MAX / 8)
        return error_file(r->err, name, "%u x %u pixels: more than %d on a side cannot be read",
                          width, height, INT_MAX / 8);
    libtiff.GetFieldDefaulted(library, TIFFTAG_SAMPLESPERPIXEL, &samples);
    libtiff.GetFieldDefaulted(library, TIFFTAG_BITSPERSAMPLE, &bits);
    libtiff.GetFieldDefaulted(library, TIFFTAG_PLANARCONFIG, &planar);
    libtiff.GetFieldDefaulted(library, TIFFTAG_COMPRESSION, &r->compression);
    libtiff.GetFieldDefaulted(library, TIFFTAG_FILLORDER, &r->fill_order);
    if (!libtiff.GetField(library, TIFFTAG_PHOTOMETRIC, &r->photometric))
        r->photometric = samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
    r->width = (int)width;
    r->height = (int)height;
    r->samples = samples;
    r->bits = bits;
    r->planes = planar == PLANARCONFIG_SEPARATE && samples <= MAX_CHANNELS ? samples : 1;
    return true;
}

static bool open_picture(struct reader *r)
{
    const char *name = input_name(r->source->input);
    uint16_t orientation = 1;
    int channels = 0, bits;

    if (!libtiff_load(name, r->err) || !open_library(r, &r->access[0]) || !read_fields(r) ||
        !check_samples(r, &channels))
        return false;
    if (!libtiff.IsCODECConfigured(r->compression))
        return refuse(r, "of a compression that this libtiff lacks", " png:-");
    for (int i = 1; i < r->planes; i++)
        if (!open_library(r, &r->access[i]))
            return false;
    if (r->photometric == PHOTOMETRIC_YCBCR)
        for (int i = 0; i < r->planes; i++)
            libtiff.SetField(r->access[i].tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    bits = r->bits;
    if ((r->photometric == PHOTOMETRIC_PALETTE && !find_palette(r, &bits)) || !find_way(r) ||
        !check_blocks(r))
        return false;
    libtiff.GetFieldDefaulted(r->access[0].tiff, TIFFTAG_ORIENTATION, &orientation);
    r->source->orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    source_describe(r->source, orientation >= 5 && orientation <= 8 ? r->height : r->width,
                    orientation >= 5 && orientation <= 8 ? r->width : r->height, channels,
                    bits > 8 ? 65535 : 255, FORMAT_TIFF);
    for (int i = 0; i < r->planes; i++) {
        r->band[i] = large_alloc(r->pitch * (size_t)r->rows);
        if (!r->band[i])
            return error_file(r->err, name, "no memory to read it");
    }
    r->tile = r->way == BY_TILES ? large_alloc(r->tile_pitch * r->block_height) : NULL;
    r->rows = 0;
    r->strict = true;
    return r->tile || r->way != BY_TILES || error_file(r->err, name, "no memory to read it");
}

/* Finds the place of the next page behind DIRECTORY; smaller copies of a page and masks are none.
 * At the first page it walks the whole chain: directories that do not form a circle are together
 * not longer than the file. */
static bool find_next_page(struct reader *r, struct tiff_directory directory)
{
    uint64_t walked = directory.bytes;

    r->next_page = 0;
    while (directory.next != 0 && (r->next_page == 0 || r->page == r->first_page)) {
        directory = (struct tiff_directory){.place = directory.next};
        if (!tiff_directory_read(&r->file, &directory, NULL, r->err))
            return false;
        walked += directory.bytes;
        if (walked > r->file.size)
            return error_file(r->err, r->file.name, "damaged TIFF: its directories form a circle");
        if (r->next_page == 0 && (directory.kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0)
            r->next_page = directory.place;
    }
    return true;
}

static bool read_metadata(struct reader *r)
{
    struct source *source = r->source;
    struct tiff_directory directory = {.place = r->page};
    struct tiff_list list = {0};
    bool ok = tiff_directory_read(&r->file, &directory, &list, r->err);

    source->metadata.own = list.part; /* freed by codec/source.c */
    if (!ok || !find_next_page(r, directory))
        return false;
    /* The library would take the indices for gray. */
    if (directory.photometric == PHOTOMETRIC_PALETTE && !directory.has_palette)
        return error_file(r->err, r->file.name, "damaged TIFF: it has no palette");
    if (directory.raw)
        return foreign_refuse_raw(r->file.name, r->err);
    source->more = r->next_page != 0;
    source->lost = directory.lost;
    source->dropped = directory.found | (source->more ? DROPPED_PAGES : 0U);
    return true;
}

static bool open_page(struct reader *r)
{
    struct source *source = r->source;

    if (!read_metadata(r) || !open_picture(r))
        return false;
    source->metadata.tiff_compression = r->compression;
    if (r->premultiplied) {
        source->dropped |= DROPPED_PREMULTIPLIED;
        source->lost |= DROPPED_PREMULTIPLIED;
    }
    tiff_metadata_find(&source->metadata, source->info.channels <= 2, source->orientation >= 5,
                       &r->exif);
    return true;
}

static bool decoder_open(struct source *source, struct error *err)
{
    struct reader *r = source->state;

    r->source = source;
    r->err = err;
    if (foreign_is_raw_name(input_name(source->input)))
        return foreign_refuse_raw(input_name(source->input), err);
    if (!input_hold(source->input, err))
        return false;
    r->file = (struct tiff_bytes){.input = source->input,
                                  .size = input_size(source->input),
                                  .name = input_name(source->input)};
    if (!tiff_header_read(&r->file, &r->first_page, err))
        return false;
    r->page = r->first_page;
    return open_page(r);
}

static void decoder_close(struct source *source)
{
    struct reader *r = source->state;

    for (int i = 0; i < MAX_CHANNELS; i++) {
        if (r->access[i].tiff)
            libtiff.Close(r->access[i].tiff);
        free(r->band[i]);
    }
    free(r->tile);
    free(r->exif.bytes);
}

static bool decoder_next(struct source *source, struct error *err)
{
    struct reader *r = source->state;
    const struct reader kept = *r;

    decoder_close(source);
    *r = (struct reader){.source = source,
                         .err = err,
                         .file = kept.file,
                         .first_page = kept.first_page,
                         .page = kept.next_page};
    source->held = 0;
    return open_page(r);
}

static bool recognise(const uint8_t *head, size_t bytes)
{
    static const char *const known[] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};

    if (bytes >= 12 && memcmp(head + 8, "CR\2\0", 4) == 0) /* a RAW photograph */
        return false;
    for (size_t i = 0; bytes >= 4 && i < sizeof known / sizeof *known; i++)
        if (memcmp(head, known[i], 4) == 0)
            return true;
    return false;
}

/* ---- rows as they are stored ---- */

static bool load_tiles(struct reader *r, int plane)
{
    TIFF *library = r->access[plane].tiff;

    for (uint32_t i = 0; i < r->across; i++) {
        uint32_t tile = libtiff.ComputeTile(library, i * r->block_width, (uint32_t)r->first, 0,
                                            (uint16_t)plane);
        tmsize_t bytes = (tmsize_t)(r->tile_pitch * r->block_height);
        if (libtiff.ReadEncodedTile(library, tile, r->tile, bytes) != bytes)
            return false;
        for (int y = 0; y < r->rows; y++)
            memcpy(r->band[plane] + (size_t)y * r->pitch + i * r->tile_pitch,
                   r->tile + (size_t)y * r->tile_pitch, r->tile_pitch);
    }
    return true;
}

static bool load_uncompressed(struct reader *r, int plane)
{
    TIFF *library = r->access[plane].tiff;
    uint32_t strip = libtiff.ComputeStrip(library, (uint32_t)r->first, (uint16_t)plane);
    uint64_t row = (uint64_t)r->first % r->block_height;
    size_t bytes = r->pitch * (size_t)r->rows, got;

    if (!input_read_at(r->source->input, libtiff.GetStrileOffset(library, strip) + row * r->pitch,
                       r->band[plane], bytes, &got, r->err)) {
        r->input_failed = true;
        return false;
    }
    if (got != bytes) {
        snprintf(r->fault, sizeof r->fault, "it became shorter while it was read");
        return false;
    }
    if (r->fill_order == FILLORDER_LSB2MSB)
        libtiff.ReverseBits(r->band[plane], (tmsize_t)bytes);
    if (r->bits == 16 && libtiff.IsByteSwapped(library))
        libtiff.SwabArrayOfShort((uint16_t *)(void *)r->band[plane], (tmsize_t)(bytes / 2));
    return true;
}

static bool load_strip(struct reader *r, int plane)
{
    TIFF *library = r->access[plane].tiff;
    uint32_t strip = libtiff.ComputeStrip(library, (uint32_t)r->first, (uint16_t)plane);
    tmsize_t bytes = (tmsize_t)(r->pitch * (size_t)r->rows);

    return libtiff.ReadEncodedStrip(library, strip, r->band[plane], bytes) == bytes;
}

/* Fills the bands, the first row of which is the next. */
static bool load(struct reader *r)
{
    const int height = r->height, block = (int)r->block_height;
    int most = r->way == BY_LINES ? 1 : block, in_block;
    bool ok = true;

    r->first = r->next;
    in_block = block - r->first % block; /* rows of the block that are left */
    if (r->way == UNCOMPRESSED && RAW_BYTES / r->pitch < (uint64_t)most)
        most = RAW_BYTES / r->pitch > 1 ? (int)(RAW_BYTES / r->pitch) : 1;
    r->rows = most < in_block ? most : in_block;
    r->rows = r->rows < height - r->first ? r->rows : height - r->first;
    for (int p = 0; ok && p < r->planes; p++) {
        if (r->way == BY_TILES)
            ok = load_tiles(r, p);
        else if (r->way == UNCOMPRESSED)
            ok = load_uncompressed(r, p);
        else if (r->way == BY_STRIPS)
            ok = load_strip(r, p);
        else
            ok = libtiff.ReadScanline(r->access[p].tiff, r->band[p], (uint32_t)r->first,
                                      (uint16_t)p) == 1;
    }
    return (ok && r->fault[0] == '\0' && !r->input_failed) || failed(r);
}

/* ---- rows as they are handed out ---- */

static void join_planes(const struct reader *r, size_t at, uint8_t *to)
{
    const size_t pixels = (size_t)r->width, n = (size_t)r->planes;

    for (size_t p = 0; p < n; p++) {
        const uint8_t *from = r->band[p] + at;
        if (r->bits == 8)
            for (size_t x = 0; x < pixels; x++)
                to[x * n + p] = from[x];
        else
            for (size_t x = 0; x < pixels; x++)
                memcpy(to + 2 * (x * n + p), from + 2 * x, 2);
    }
}

/* Sample X of a row of fewer than 8 bits a sample, or of 8. */
static unsigned packed_sample(const uint8_t *row, size_t x, int bits)
{
    size_t at = x * (size_t)bits;

    return row[at / 8] >> (8 - bits - (int)(at % 8)) & ((1u << bits) - 1);
}

static void map_colours(const struct reader *r, const uint8_t *from, const struct image *rows,
                        int y)
{
    uint8_t *to8 = image_row(rows, y);
    uint16_t *to16 = image_row(rows, y);

    for (size_t x = 0; x < (size_t)r->width; x++) {
        unsigned index = packed_sample(from, x, r->bits);
        for (size_t c = 0; c < 3; c++) {
            unsigned value = r->map[c][index] >> r->map_shift;
            if (rows->type == SAMPLE_U8)
                to8[3 * x + c] = (uint8_t)value;
            else
                to16[3 * x + c] = (uint16_t)value;
        }
    }
}

/* The complement of all samples but alpha. */
static void invert(const struct image *rows, int y)
{
    const size_t step = (size_t)rows->channels, n = (size_t)rows->width * step;
    uint8_t *row8 = image_row(rows, y);
    uint16_t *row16 = image_row(rows, y);

    for (size_t i = 0; i < n; i += step)
        if (rows->type == SAMPLE_U8)
            row8[i] = (uint8_t)(255 - row8[i]);
        else
            row16[i] = (uint16_t)(65535 - row16[i]);
}

/* round(value * max / alpha), at most max */
static uint32_t divided(uint32_t value, uint32_t alpha, uint32_t max)
{
    uint64_t quotient = alpha == 0 ? 0 : (2ull * value * max + alpha) / (2ull * alpha);

    return quotient < max ? (uint32_t)quotient : max;
}

static void divide_by_alpha(const struct image *rows, int y)
{
    const size_t step = (size_t)rows->channels, n = (size_t)rows->width * step;
    uint8_t *row8 = image_row(rows, y);
    uint16_t *row16 = image_row(rows, y);

    for (size_t i = 0; i < n; i += step)
        for (size_t c = 0; c + 1 < step; c++)
            if (rows->type == SAMPLE_U8)
                row8[i + c] = (uint8_t)divided(row8[i + c], row8[i + step - 1], 255);
            else
                row16[i + c] = (uint16_t)divided(row16[i + c], row16[i + step - 1], 65535);
}

static void convert(const struct reader *r, const struct image *rows, int y)
{
    const size_t at = (size_t)(r->next - r->first) * r->pitch;
    const uint8_t *from = r->band[0] + at;
    uint8_t *to = image_row(rows, y);

    if (r->planes > 1)
        join_planes(r, at, to);
    else if (r->photometric == PHOTOMETRIC_PALETTE)
        map_colours(r, from, rows, y);
    else if (r->bits < 8)
        for (size_t x = 0; x < (size_t)r->width; x++)
            to[x] = (uint8_t)(packed_sample(from, x, r->bits) * (255 / ((1u << r->bits) - 1)));
    else
        memcpy(to, from, image_row_bytes(rows));
    if (r->invert)
        invert(rows, y);
    if (r->premultiplied)
        divide_by_alpha(rows, y);
}

static bool decoder_read(struct source *source, struct image *rows, struct error *err)
{
    struct reader *r = source->state;

    r->err = err;
    for (int y = 0; y < rows->height; y++, r->next++) {
        if (r->next == r->first + r->rows && !load(r))
            return false;
        convert(r, rows, y);
    }
    return true;
}

const struct decoder decoder_tiff = {
    .name = "TIFF",
    .recognise = recognise,
    .open = decoder_open,
    .read = decoder_read,
    .next = decoder_next,
    .state_bytes = sizeof(struct reader),
    .close = decoder_close,
};
