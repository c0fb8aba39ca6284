/* Image files. A source gives rows, a sink takes rows; every format stands
 * behind the same few calls, whether it decodes whole pictures (stb) or streams.
 *
 *   source_open -> source_info -> source_read ... -> source_close
 *   sink_open -> sink_write ... -> sink_finish | sink_abort
 *
 * A picture that the format cannot hold is refused in sink_open, and the sentence names a format
 * that can; nothing is dropped silently. */
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

/* By extension, case-insensitive; FORMAT_NONE when unknown. */
enum format format_of_path(const char *path);
enum format format_of_name(const char *name); /* "png", "jpg", "jpeg", ...; for --format */
const char *format_name(enum format format);

/* "known: png jpg jpeg ...", all of them, for sentences. */
#define FORMAT_KNOWN_BYTES 256
const char *format_known(char text[FORMAT_KNOWN_BYTES]);

/* Bytes of samples that one thread decodes in a millisecond: see kernel/rates.h. */
double format_decode_rate(enum format format);

/* PATH, or "standard output" for "-". */
const char *codec_sentence_name(const char *path);

/* ---- reading ---- */

struct source;

/* Opens PATH ("-": stdin), recognises the format by its first bytes (never by the
 * name), reads the header, and checks all that can be checked (chunks and their CRCs, sizes
 * against the file's length) before any large allocation. NAME in sentences is PATH,
 * "standard input" for "-". Errors are EXIT_INPUT. */
bool source_open(struct source **source, const char *path, struct error *err);
const struct image_info *source_info(const struct source *source);

/* One line for people that names dropped metadata ("in.png: ICC profile and EXIF data are not
 * kept"), or NULL. Valid until source_close. */
const char *source_warning(const struct source *source);

/* Metadata that a PNG can hold, valid until source_close; and the warning that is left where the
 * output takes it (sink_takes_metadata). */
struct metadata {
    const uint8_t *chunks; /* whole PNG chunks, as they may stand behind the header */
    size_t bytes;          /* 0: none */
};
struct metadata source_metadata(const struct source *source);
const char *source_warning_kept(const struct source *source);

/* True if rows are decoded as they are asked for; else the first source_read decodes all. */
bool source_streams(const struct source *source);

/* Before the first row: a decoder that can goes ahead on a thread of its own. */
void source_read_ahead(struct source *source);

/* The next ROWS->height rows, in order, into the caller's memory (its width,
 * channels and type must be the info's; any pitch). */
bool source_read(struct source *source, struct image *rows, struct error *err);

/* All rows in one image that the caller owns (image_free). Codecs that decode whole
 * pictures hand theirs over without a copy. Only before any source_read. */
bool source_read_all(struct source *source, struct image *image, struct error *err);

/* From another thread: a source_read that waits for its input fails at once. */
void source_stop(struct source *source);

void source_close(struct source *source); /* NULL is harmless */

/* ---- writing ---- */

struct sink;

struct sink_options {
    enum format format; /* FORMAT_NONE: by PATH's extension */
    int quality;        /* JPEG, 1..100 */
    bool drop_alpha;    /* --alpha drop */
    enum png_level png_level;
    int threads;              /* for encoders that can use them, >= 1 */
    bool sync;                /* --fsync: wait until the file is on the disk */
    struct stat *written;     /* NULL, or filled as by output_watch */
    struct metadata metadata; /* for outputs that take it */
};

/* Checks that the format can hold what INFO describes (EXIT_INPUT and the way out when not)
 * and opens the output through codec/output.h ("-": stdout). INFO->max other than 255/65535 into
 * a format without maxval: samples are scaled v -> round(v*M/max), M = 255 for max < 256,
 * else 65535, by sink_write. INFO->format is the input's and used for "-" without a format. */
bool sink_open(struct sink **sink, const char *path, const struct image_info *info,
               const struct sink_options *options, struct error *err);

/* The check alone, before anything is decoded; same errors. */
bool sink_check(const char *path, const struct image_info *info, const struct sink_options *options,
                struct error *err);

/* The part of the check that needs no picture: is there a format for PATH and these options?
 * EXIT_USAGE with the known formats when not. sink_check and sink_open ask this too. */
bool sink_check_format(const char *path, const struct sink_options *options, struct error *err);

/* Whether that output can hold struct metadata. */
bool sink_takes_metadata(const char *path, const struct image_info *info,
                         const struct sink_options *options);

/* True if a sink of these arguments writes rows as they come; else they are gathered, unless they
 * come all at once. */
bool sink_streams(const char *path, const struct image_info *info,
                  const struct sink_options *options);

/* The next rows, in order; the caller keeps them and they are not changed. */
bool sink_write(struct sink *sink, const struct image *rows, struct error *err);

/* After the last row: flush, check every write and close, rename into place. Frees the sink
 * also when it fails (then nothing is left behind). */
bool sink_finish(struct sink *sink, struct error *err);
void sink_abort(struct sink *sink); /* leaves nothing behind; NULL is harmless */

#endif
