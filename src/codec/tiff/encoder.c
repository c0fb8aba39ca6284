/* Writing TIFF, in strips of whole rows (codec/strips.h). Deflate is our own, as for PNG; libtiff
 * does the other compressions. The strips of all pages lie in the file one after the other, and the
 * directories behind them. The header, which says where the first directory is and whether the file
 * is a BigTIFF (from 4 GB on), is written last: a file's first bytes are replaced, and what goes to
 * a pipe is kept in memory until then. All places are known before if there is one page without
 * compression. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/strips.h"
#include "codec/tiff/tiff.h"
#include "codec/zlib/deflate.h"
#include "codec/zlib/stream.h"

/* A TIFF that is no BigTIFF has 32 bits for a place. The directory is far smaller than the rest. */
#define MOST_CLASSIC (UINT32_MAX - ((uint64_t)64 << 20))

/* sink->state */
struct writer {
    struct sink *sink;
    uint64_t place;      /* the number of bytes so far */
    bool started, known; /* known: the header is right from the start */
    bool keep;           /* the file is kept in memory until its header is known */
    struct tiff_memory kept;
    struct tiff_list *directory; /* one for each page that is finished */
    int directories;
    struct page {
        int compression;
        size_t row_bytes;
        int strip_rows, count; /* rows of a full strip; number of strips */
        struct strip_maker maker;
        struct strips *strips; /* NULL: no compression */
        uint64_t *offset, *bytes;
    } page;
};

/* ---- compression ---- */

/* A thread's memory for compressing strips: a buffer for Deflate, the library for the rest. */
struct worker {
    const struct writer *writer;
    struct deflate_finder *finder;
    uint8_t *differences; /* of neighbouring samples; a strip */
    TIFF *library;
    struct strip *strip; /* takes the library's output */
    uint64_t place;      /* in the file that the library believes to write */
};

static int ignore_message(TIFF *library, void *user, const char *module, const char *format,
                          va_list arguments)
{
    (void)library, (void)user, (void)module, (void)format, (void)arguments;
    return 1;
}

static tmsize_t read_nothing(thandle_t handle, void *to, tmsize_t bytes)
{
    (void)handle, (void)to, (void)bytes;
    return 0;
}

/* Without a strip, the bytes are the library's own header or directory, which goes nowhere. */
static tmsize_t take_bytes(thandle_t handle, void *from, tmsize_t bytes)
{
    struct worker *worker = handle;
    struct strip *strip = worker->strip;

    if (strip) {
        if (worker->writer->page.maker.out_bytes - strip->bytes < (size_t)bytes)
            return -1;
        memcpy(strip->out + strip->bytes, from, (size_t)bytes);
        strip->bytes += (size_t)bytes;
    }
    worker->place += (uint64_t)bytes;
    return bytes;
}

/* The library only ever appends. */
static toff_t seek(thandle_t handle, toff_t place, int whence)
{
    struct worker *worker = handle;

    return whence == SEEK_SET ? place : worker->place;
}

static toff_t size_so_far(thandle_t handle)
{
    return ((struct worker *)handle)->place;
}

static int close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

static uint16_t photometric_of(const struct image_info *info)
{
    return info->channels <= 2 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
}

static bool open_library(struct worker *worker)
{
    const struct page *page = &worker->writer->page;
    const struct image_info *info = &worker->writer->sink->info;
    TIFFOpenOptions *options = libtiff.OpenOptionsAlloc();
    TIFF *library;

    if (!options)
        return false;
    libtiff.OpenOptionsSetErrorHandlerExtR(options, ignore_message, NULL);
    libtiff.OpenOptionsSetWarningHandlerExtR(options, ignore_message, NULL);
    library = worker->library =
        libtiff.ClientOpenExt("", "w8lm", worker, read_nothing, take_bytes, seek, close_nothing,
                              size_so_far, NULL, NULL, options);
    libtiff.OpenOptionsFree(options);
    return library && libtiff.SetField(library, TIFFTAG_IMAGEWIDTH, (uint32_t)info->width) &&
           libtiff.SetField(library, TIFFTAG_IMAGELENGTH, (uint32_t)info->height) &&
           libtiff.SetField(library, TIFFTAG_SAMPLESPERPIXEL, (uint16_t)info->channels) &&
           libtiff.SetField(library, TIFFTAG_BITSPERSAMPLE, (uint16_t)(8 * info->type)) &&
           libtiff.SetField(library, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
           libtiff.SetField(library, TIFFTAG_PHOTOMETRIC, photometric_of(info)) &&
           libtiff.SetField(library, TIFFTAG_ROWSPERSTRIP, (uint32_t)page->strip_rows) &&
           libtiff.SetField(library, TIFFTAG_COMPRESSION, (uint16_t)page->compression) &&
           (page->compression == COMPRESSION_PACKBITS ||
            libtiff.SetField(library, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL));
}

static void worker_free(void *context)
{
    struct worker *worker = context;

    worker->strip = NULL;
    if (worker->library)
        libtiff.Close(worker->library);
    free(worker->finder);
    free(worker->differences);
    free(worker);
}

static void *worker_new(const struct sink *sink)
{
    const struct writer *w = sink->state;
    const struct page *page = &w->page;
    struct worker *worker = calloc(1, sizeof *worker);
    bool ok = worker != NULL;

    if (!ok)
        return NULL;
    worker->writer = w;
    if (page->compression == COMPRESSION_ADOBE_DEFLATE) {
        worker->finder = deflate_finder_new();
        worker->differences = large_alloc((size_t)page->strip_rows * page->row_bytes);
        ok = worker->finder && worker->differences;
    } else {
        ok = open_library(worker);
    }
    if (ok)
        return worker;
    worker_free(worker);
    return NULL;
}

/* The horizontal predictor: each sample minus the one of the pixel before. */
static void take_differences(const struct image_info *info, const uint8_t *row, uint8_t *to)
{
    const size_t samples = (size_t)info->width * (size_t)info->channels;
    const size_t before = (size_t)info->channels;

    if (info->type == SAMPLE_U8) {
        memcpy(to, row, before);
        for (size_t i = before; i < samples; i++)
            to[i] = (uint8_t)(row[i] - row[i - before]);
        return;
    }
    for (size_t i = 0; i < samples; i++) {
        const uint16_t *sample = (const uint16_t *)(const void *)row + i;
        unsigned difference = *sample - (i < before ? 0U : sample[-(ptrdiff_t)before]);
        to[2 * i] = (uint8_t)difference;
        to[2 * i + 1] = (uint8_t)(difference >> 8);
    }
}

/* Repeats are searched for if they promise at most three quarters of the size: see choose() in
 * codec/png/write.c. The estimates look at the strip's middle. */
static bool has_repeats(const uint8_t *data, size_t bytes)
{
    const size_t most = 12288, used = bytes < most ? bytes : most;
    const uint8_t *middle = data + (bytes - used) / 2;
    unsigned bits = deflate_literals_estimate(middle, used);

    return deflate_repeats_estimate(middle, used, bits) * 4 <= bits * 3;
}

static void deflate_strip(struct worker *worker, struct strip *strip)
{
    const struct writer *w = worker->writer;
    const size_t row = w->page.row_bytes, bytes = row * (size_t)strip->count;
    const uint8_t *data = worker->differences;
    uint8_t *to = strip->out + zlib_stream_begin(strip->out);

    for (int y = 0; y < strip->count; y++)
        take_differences(&w->sink->info, strip->rows + row * ((size_t)y + 1),
                         worker->differences + row * (size_t)y);
    to += has_repeats(data, bytes) ? deflate_repeats(worker->finder, false, data, bytes, to)
                                   : deflate_literals(data, bytes, to);
    to += zlib_stream_end(to, zlib_adler32(1, data, bytes));
    strip->bytes = (size_t)(to - strip->out);
}

static bool strip_compress(void *context, struct strip *strip)
{
    struct worker *worker = context;
    const size_t row = worker->writer->page.row_bytes;
    const tmsize_t bytes = (tmsize_t)(row * (size_t)strip->count);

    if (!worker->library) {
        deflate_strip(worker, strip);
        return true;
    }
    worker->strip = strip;
    strip->bytes = 0;
    return libtiff.WriteEncodedStrip(worker->library, (uint32_t)strip->number, strip->rows + row,
                                     bytes) == bytes;
}

/* ---- bytes of the file ---- */

static bool put(struct writer *w, const void *bytes, size_t count, struct error *err)
{
    w->place += count;
    if (!w->keep)
        return output_write(w->sink->output, bytes, count, err);
    return tiff_memory_add(&w->kept, bytes, count) || sink_no_memory(w->sink, err);
}

static bool strip_write(struct sink *sink, const struct strip *strip, struct error *err)
{
    struct writer *w = sink->state;

    w->page.offset[strip->number] = w->place;
    w->page.bytes[strip->number] = strip->bytes;
    return put(w, strip->out, strip->bytes, err);
}

static bool encoder_write(struct sink *sink, const struct image *rows, struct error *err)
{
    struct writer *w = sink->state;
    bool ok = true;

    if (w->page.strips)
        return strips_add(w->page.strips, rows, err);
    for (int y = 0; y < rows->height && ok; y++)
        ok = put(w, image_row(rows, y), w->page.row_bytes, err);
    return ok;
}

/* ---- the directory ---- */

static bool list_tags(struct writer *w, struct tiff_list *list)
{
    const struct image_info *info = &w->sink->info;
    const struct metadata *metadata = w->sink->options.metadata;
    const uint16_t bits = (uint16_t)(8 * info->type), all[4] = {bits, bits, bits, bits};
    const size_t places = (size_t)w->page.count * 8;
    bool predicted = w->page.strips && w->page.compression != COMPRESSION_PACKBITS;
    const struct {
        unsigned tag, type;
        uint64_t value;
        bool wanted;
    } number[] = {
        {TIFFTAG_IMAGEWIDTH, TIFF_LONG, (uint64_t)info->width, true},
        {TIFFTAG_IMAGELENGTH, TIFF_LONG, (uint64_t)info->height, true},
        {TIFFTAG_COMPRESSION, TIFF_SHORT, (uint64_t)w->page.compression, true},
        {TIFFTAG_PHOTOMETRIC, TIFF_SHORT, photometric_of(info), true},
        {TIFFTAG_ORIENTATION, TIFF_SHORT, ORIENTATION_TOPLEFT, true},
        {TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, (uint64_t)info->channels, true},
        {TIFFTAG_ROWSPERSTRIP, TIFF_LONG, (uint64_t)w->page.strip_rows, true},
        {TIFFTAG_PLANARCONFIG, TIFF_SHORT, PLANARCONFIG_CONTIG, true},
        {TIFFTAG_PREDICTOR, TIFF_SHORT, PREDICTOR_HORIZONTAL, predicted},
        {TIFFTAG_EXTRASAMPLES, TIFF_SHORT, EXTRASAMPLE_UNASSALPHA, image_has_alpha(info->channels)},
    };
    bool ok =
        tiff_list_add(list, TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, all, (size_t)info->channels * 2) &&
        tiff_list_add(list, TIFFTAG_STRIPOFFSETS, TIFF_LONG8, w->page.offset, places) &&
        tiff_list_add(list, TIFFTAG_STRIPBYTECOUNTS, TIFF_LONG8, w->page.bytes, places);

    for (size_t i = 0; ok && i < sizeof number / sizeof *number; i++)
        if (number[i].wanted)
            ok = tiff_list_add_number(list, number[i].tag, number[i].type, number[i].value);
    return ok && (!metadata || tiff_metadata_list(metadata, w->sink->given.format, list));
}

/* The directory begins at an even place. */
static uint64_t directory_place(uint64_t place)
{
    return place + place % 2;
}

/* Frees what belongs to the page. */
static void end_page(struct writer *w)
{
    strips_free(w->page.strips);
    free(w->page.offset);
    free(w->page.bytes);
    w->page = (struct page){0};
}

/* Makes the directories of all pages, each of which leads to the next one. */
static bool make_directories(const struct writer *w, uint64_t base, bool big,
                             struct tiff_memory *memory)
{
    size_t link = 0;

    for (int i = 0; i < w->directories; i++) {
        if (memory->size % 2 != 0 && !tiff_memory_add(memory, NULL, 1))
            return false;
        if (i > 0)
            tiff_directory_link(memory, link, base + memory->size, big);
        if (!tiff_directory_write(memory, base, &w->directory[i].part, big, &link))
            return false;
    }
    return true;
}

static bool write_end(struct writer *w, struct error *err)
{
    struct output *output = w->sink->output;
    const bool big = w->place > MOST_CLASSIC;
    const uint64_t place = directory_place(w->place);
    struct tiff_memory directories = {0};
    uint8_t header[TIFF_HEADER_BYTES];
    bool ok = make_directories(w, place, big, &directories) || sink_no_memory(w->sink, err);

    ok = ok && put(w, "", (size_t)(place - w->place), err) &&
         put(w, directories.bytes, directories.size, err);
    free(directories.bytes);
    if (!ok || w->known)
        return ok;
    tiff_header_make(header, place, big);
    if (!w->keep)
        return output_replace(output, 0, header, sizeof header, err);
    memcpy(w->kept.bytes, header, sizeof header);
    return output_write(output, w->kept.bytes, w->kept.size, err);
}

static bool encoder_finish(struct sink *sink, struct error *err)
{
    struct writer *w = sink->state;
    struct tiff_list *more;

    if (w->page.strips && !strips_finish(w->page.strips, err))
        return false;
    more = realloc(w->directory, (size_t)(w->directories + 1) * sizeof *w->directory);
    if (!more)
        return sink_no_memory(sink, err);
    w->directory = more;
    w->directory[w->directories] = (struct tiff_list){0};
    if (!list_tags(w, &w->directory[w->directories++]))
        return sink_no_memory(sink, err);
    end_page(w);
    return sink_has_more(sink) || write_end(w, err);
}

/* ---- opening ---- */

/* The compression asked for, else the input's, if it keeps all samples, else Deflate. */
static int choose_compression(const struct sink_options *options)
{
    int compression = options->tiff_compression;

    if (compression == 0 && options->metadata)
        compression = options->metadata->tiff_compression;
    switch (compression) {
    case COMPRESSION_NONE:
    case COMPRESSION_LZW:
    case COMPRESSION_ZSTD:
    case COMPRESSION_PACKBITS:
        return compression;
    default:
        return COMPRESSION_ADOBE_DEFLATE;
    }
}

static bool start_file(struct writer *w, struct error *err)
{
    const uint64_t end =
        TIFF_HEADER_BYTES + (uint64_t)w->page.row_bytes * (uint64_t)w->sink->info.height;
    uint8_t header[TIFF_HEADER_BYTES];

    w->started = true;
    w->known = w->page.compression == COMPRESSION_NONE && !sink_has_more(w->sink);
    w->keep = !w->known && !output_can_replace(w->sink->output);
    tiff_header_make(header, directory_place(end), end > MOST_CLASSIC);
    return (!w->known || output_expect(w->sink->output, end, err)) &&
           put(w, header, sizeof header, err);
}

static void copy_rows(uint8_t *to, const void *from, size_t bytes, enum sample_type type)
{
    (void)type;
    memcpy(to, from, bytes);
}

/* PackBits and LZW may make data larger, LZW by half. */
static bool start_strips(struct writer *w, struct error *err)
{
    struct page *page = &w->page;
    const size_t bytes = (size_t)page->strip_rows * page->row_bytes;

    page->maker = (struct strip_maker){
        .out_bytes = ZLIB_BEGIN_BYTES + deflate_bound(2 * bytes) + ZLIB_END_BYTES,
        .copy = copy_rows,
        .worker_new = worker_new,
        .worker_free = worker_free,
        .compress = strip_compress,
        .write = strip_write,
    };
    page->strips = strips_new(w->sink, &page->maker, page->strip_rows);
    return page->strips || sink_no_memory(w->sink, err);
}

static int rows_of_strip(const struct writer *w, int strip)
{
    int left = w->sink->info.height - strip * w->page.strip_rows;

    return left < w->page.strip_rows ? left : w->page.strip_rows;
}

static void note_uncompressed(struct writer *w)
{
    struct page *page = &w->page;
    uint64_t place = w->place;

    for (int i = 0; i < page->count; i++) {
        page->offset[i] = place;
        page->bytes[i] = (uint64_t)rows_of_strip(w, i) * page->row_bytes;
        place += page->bytes[i];
    }
}

static bool encoder_open(struct sink *sink, struct error *err)
{
    struct writer *w = sink->state;
    struct page *page = &w->page;
    const struct image_info *info = &sink->info;

    w->sink = sink;
    page->compression = choose_compression(&sink->options);
    page->row_bytes = (size_t)info->width * (size_t)info->channels * (size_t)info->type;
    page->strip_rows = strip_rows(sink, page->row_bytes);
    page->count = (info->height - 1) / page->strip_rows + 1;
    page->offset = malloc((size_t)page->count * sizeof *page->offset);
    page->bytes = malloc((size_t)page->count * sizeof *page->bytes);
    if (!page->offset || !page->bytes)
        return sink_no_memory(sink, err);
    if (!libtiff_load(output_name(sink->output), err))
        return false;
    if (!libtiff.IsCODECConfigured((uint16_t)page->compression))
        return error_file(err, output_name(sink->output),
                          "this libtiff lacks the compression: use --tiff-compression lzw");
    if (!w->started && !start_file(w, err))
        return false;
    if (page->compression != COMPRESSION_NONE)
        return start_strips(w, err);
    note_uncompressed(w);
    return true;
}

static void encoder_close(struct sink *sink)
{
    struct writer *w = sink->state;

    end_page(w);
    for (int i = 0; i < w->directories; i++)
        free(w->directory[i].part.bytes);
    free(w->directory);
    free(w->kept.bytes);
}

const struct encoder encoder_tiff = {
    .open = encoder_open,
    .write = encoder_write,
    .finish = encoder_finish,
    .state_bytes = sizeof(struct writer),
    .close = encoder_close,
    .keeps = metadata_parts,
};
