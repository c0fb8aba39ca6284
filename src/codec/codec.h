/* Image files. A source delivers rows, a sink accepts rows; every format is used through the same
 * few calls, whether its codec handles whole pictures or streams rows.
 *
 *   source_open -> source_info -> source_read ... -> source_close
 *   sink_open -> sink_write ... -> sink_finish | sink_abort
 *
 * sink_open refuses a picture that the format cannot hold, and the error names a format that can
 * hold it; nothing is dropped silently. */
#ifndef STENCIL_CODEC_CODEC_H
#define STENCIL_CODEC_CODEC_H

#include <sys/stat.h>

#include "base/image.h"

#define FORMAT(name, ...) FORMAT_##name,
enum format {
    FORMAT_NONE,
#include "codec/formats.def"
    FORMATS, /* one more than the last */
};
#undef FORMAT

/* How hard PNG is compressed; the default is 0. */
enum png_level { PNG_LEVEL_DEFAULT, PNG_LEVEL_FAST, PNG_LEVEL_SMALL };

struct image_info {
    int width, height, channels;
    enum sample_type type;
    uint32_t max; /* samples lie in 0..max; PNM: the file's maxval; else 255 or 65535 */
    enum format format;
};

/* ---- formats ---- */

/* The format by PATH's extension, case-insensitive; FORMAT_NONE when unknown. */
enum format format_of_path(const char *path);
enum format format_of_name(const char *name); /* "png", "jpg", "jpeg", ...; for --format */
const char *format_name(enum format format);

/* A format as `stencilcli list formats` shows it: whether this build reads and writes it, and what
 * a file can hold. */
struct format_about {
    const char *name;
    const char *gray_as, *colour_as; /* for `pnm`, which is written as these formats; else NULL */
    const char *package; /* NULL, or the package with the library that this build lacks */
    bool reads, writes;
    bool gray, colour, alpha; /* what a file can hold */
    int bits;                 /* the most a sample can have: 8 or 16 */
    int max_side;             /* in pixels; 0: no limit */
    bool video;               /* made only of files of this format */
};
struct format_about format_describe(enum format format);

/* The names of the formats of pictures that can be written, here or in a build with their library,
 * for error messages: "known: png jpg jpeg ...". */
#define FORMAT_KNOWN_BYTES 256
const char *format_known(char text[FORMAT_KNOWN_BYTES]);

/* Bytes of samples that one thread decodes in a millisecond: see kernel/rates.h. */
double format_decode_rate(enum format format);

/* PATH, or "standard output" for "-". */
const char *codec_sentence_name(const char *path);

/* ---- reading ---- */

struct source;

/* Opens PATH ("-": stdin), recognises the format by its first bytes (never by the name), reads the
 * header, and makes all checks that need no large allocation (chunks and their CRCs, sizes against
 * the file's length). Error messages call the file PATH, or "standard input" for "-". Errors are
 * EXIT_INPUT. source_open is for one picture: it refuses videos, the first page of which is only
 * the luma of the first frame. */
bool source_open(struct source **source, const char *path, struct error *err);
bool source_open_pages(struct source **source, const char *path, struct error *err);
const struct image_info *source_info(const struct source *source);

enum density_unit { DENSITY_RATIO, DENSITY_INCH, DENSITY_CENTIMETRE, DENSITY_METRE };

/* What a file holds beside its samples, for an output that can hold it. Valid until source_close.
 */
struct metadata {
    /* Whole chunks or segments in the input's format; an output of this format copies them. */
    struct metadata_part {
        uint8_t *bytes;
        size_t size; /* 0: none */
    } own;
    struct metadata_part icc, exif, xmp; /* for outputs of other formats; exif begins as a TIFF */
    struct metadata_part comment;        /* likewise: the first text without a title */
    int texts;                           /* in the file, comments included */
    struct density {
        uint32_t x, y; /* 0: unknown */
        enum density_unit unit;
    } density;
    int chroma_x, chroma_y; /* pixels that share their colour in a JPEG; 0: it is none */
    int tiff_compression;   /* by the number that TIFF has for it; 0: it is none */
};
const struct metadata *source_metadata(const struct source *source);

/* A warning that names the metadata that an output lacks ("in.png: ICC profile and EXIF data are
 * not kept"), all of it for FORMAT_NONE; or one of the decoder; else NULL. Valid until the next
 * call and source_close. */
const char *source_warning(struct source *source, enum format output);

/* Bytes that the decoder needs at once for the whole picture, beside the rows that it hands out. */
uint64_t source_held(const struct source *source);

/* True if rows are decoded on demand; else the first source_read decodes the whole picture. */
bool source_streams(const struct source *source);

/* Lets the decoder begin to work ahead on a thread of its own, if it can. Call it before the first
 * row. */
void source_read_ahead(struct source *source);

/* The next ROWS->height rows, in order, into the caller's memory (its width,
 * channels and type must be the info's; any pitch). */
bool source_read(struct source *source, struct image *rows, struct error *err);

/* Reads all rows into one image that the caller owns (image_free). Codecs that decode whole
 * pictures pass theirs on without a copy. Allowed only before the first source_read. */
bool source_read_all(struct source *source, struct image *image, struct error *err);

/* True if the file has another page that an output in FORMAT can hold too. source_next goes to it,
 * after the last row: info and metadata are those of this page then. Of a stream in a pipe, the
 * answer is false before the last row is read; then it waits until the writer goes on or ends. */
bool source_has_more(struct source *source, enum format format);
bool source_next(struct source *source, struct error *err);

/* True if the pages form a stream, like pictures that follow each other in a pipe: of metadata they
 * have only `own`. */
bool source_is_stream(const struct source *source);

/* From another thread: a source_read that waits for its input fails at once. */
void source_stop(struct source *source);

void source_close(struct source *source); /* NULL is harmless */

/* ---- writing ---- */

struct sink;

/* The pages of one file, for formats that hold several (source_has_more): while MORE is set,
 * sink_finish keeps the file open in SINK, and the next sink_open continues it. If no page follows
 * after all, sink_finish(pages->sink) without MORE ends the file; sink_abort gives it up. */
struct sink_pages {
    struct sink *sink;
    bool more;
};

struct sink_options {
    enum format format; /* FORMAT_NONE: by PATH's extension */
    int quality;        /* 1..100; 0: not given: JPEG has 90, WebP is lossless */
    bool drop_alpha;    /* --alpha drop */
    enum png_level png_level;
    int tiff_compression;            /* as in struct metadata; 0: that of the input */
    int threads;                     /* for encoders that can use them, >= 1 */
    bool sync;                       /* --fsync: wait until the file is on the disk */
    struct stat *written;            /* NULL, or filled as by output_watch */
    const struct metadata *metadata; /* of the input; NULL: none */
    struct sink_pages *pages;        /* NULL: one page */
};

/* Checks that the format can hold what INFO describes, and opens the output through codec/output.h
 * ("-": stdout). If it cannot, the error is EXIT_INPUT and suggests a format. If INFO->max is not
 * 255 or 65535 and the format has no maxval, sink_write scales samples: v -> round(v*M/max), M =
 * 255 for max < 256, else 65535. INFO->format is the input's; "-" without --format uses it. */
bool sink_open(struct sink **sink, const char *path, const struct image_info *info,
               const struct sink_options *options, struct error *err);

/* Only the check of sink_open, before anything is decoded; same errors. */
bool sink_check(const char *path, const struct image_info *info, const struct sink_options *options,
                struct error *err);

/* Checks that there is a format for PATH and OPTIONS; needs no picture. Otherwise the error is
 * EXIT_USAGE and lists the known formats. sink_check and sink_open make this check too. */
bool sink_check_format(const char *path, const struct sink_options *options, struct error *err);

/* Bytes that the encoder needs at once for each pixel, beside the rows that it is given. */
int sink_held(const char *path, const struct sink_options *options);

/* The format that a sink for these arguments would write; FORMAT_NONE if it would be refused. */
enum format sink_format(const char *path, const struct image_info *info,
                        const struct sink_options *options);

/* True if a sink for these arguments writes rows as they come. Otherwise it gathers all rows first,
 * unless the whole picture comes in one call. */
bool sink_streams(const char *path, const struct image_info *info,
                  const struct sink_options *options);

/* Writes the next rows, in order. The rows remain the caller's and are not changed. */
bool sink_write(struct sink *sink, const struct image *rows, struct error *err);

/* Call after the last row: flushes, checks every write and the close, renames into place. Always
 * frees the sink; on failure no file is left behind. */
bool sink_finish(struct sink *sink, struct error *err);

/* As sink_finish, after the last row of SOURCE, which tells whether another page follows. */
bool sink_finish_page(struct sink *sink, struct source *source, struct error *err);
void sink_abort(struct sink *sink); /* leaves no file behind; NULL is harmless */

#endif
