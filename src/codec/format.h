/* Private to codec/: what a row of the table of formats (codec/formats.def) says, and what a
 * decoder and an encoder must provide. codec/source.c calls the decoders and codec/sink.c the
 * encoders; they share the work common to all formats: recognising a file, counting rows, keeping
 * rows for codecs that know only whole pictures, converting rows to what the format holds. */
#ifndef STENCIL_CODEC_FORMAT_H
#define STENCIL_CODEC_FORMAT_H

#include "codec/codec.h"
#include "codec/input.h"
#include "codec/output.h"

/* ---- reading ---- */

/* Metadata whose loss causes a warning, because it changes how the picture looks or says where it
 * came from. (Dates of files and print sizes are dropped without a warning.) */
enum dropped {
    DROPPED_ICC = 1,
    DROPPED_EXIF = 2,
    DROPPED_XMP = 4,
    DROPPED_IPTC = 8,
    DROPPED_GAMMA = 16,   /* a gamma other than sRGB's */
    DROPPED_COLOURS = 32, /* primaries or a colour space other than sRGB's */
    DROPPED_FRAMES = 64,  /* further frames of an animation */
    DROPPED_PAGES = 128,
    DROPPED_GEO = 256,           /* where on Earth the picture lies */
    DROPPED_PREMULTIPLIED = 512, /* colours multiplied by alpha are divided by it */
    DROPPED_TEXT = 1024,
    DROPPED_PRIVATE = 2048, /* private tags of a TIFF */
    DROPPED_PLACES = 4096,  /* places in EXIF data, to which a camera's own notes refer */
};

/* The limit for all copied chunks or segments of a file together; further ones are dropped. */
#define METADATA_MOST_BYTES ((size_t)8 << 20)

struct source {
    const struct decoder *decoder;
    struct input *input;
    /* Filled by decoder->open: */
    struct image_info info;
    struct metadata metadata; /* own and icc are malloc'ed, and freed after close */
    unsigned dropped;         /* enum dropped: all such metadata in the file */
    unsigned lost;            /* enum dropped: what metadata.own lacks of it */
    bool more;                /* there is another page; for streams see decoder->follows */
    char warning[512];        /* for decoders that leave `dropped` empty */
    bool whole;               /* this file can only be decoded as a whole */
    int orientation;          /* of the stored rows; info is upright; 0 is upright too */
    uint64_t held;            /* see source_held */
    void *state;              /* the decoder's own */
    /* Kept by codec/source.c: */
    int next_row;         /* rows handed out so far */
    struct image picture; /* from read_all; its rows are handed out */
};

/* Fills source->info; samples have 16 bits where MAX is above 255. */
static inline void source_describe(struct source *source, int width, int height, int channels,
                                   uint32_t max, enum format format)
{
    enum sample_type type = max > 255 ? SAMPLE_U16 : SAMPLE_U8;

    source->info = (struct image_info){width, height, channels, type, max, format};
}

struct decoder {
    const char *name;
    bool (*recognise)(const uint8_t *head, size_t bytes);
    const char *extension; /* of files of a format without a magic number; else NULL */
    /* Reads and checks the header; makes all checks that need no large allocation. */
    bool (*open)(struct source *source, struct error *err);
    /* Begins to work ahead on a thread of its own; not called if source->whole is set. NULL: it
     * cannot. */
    void (*ahead)(struct source *source);
    /* Reads the next rows->height rows; the caller has checked their shape and number. May be NULL.
     * Not called if source->whole is set: rows then come from read_all's picture. These are rows as
     * they are stored: codec/source.c turns them by source->orientation. */
    bool (*read)(struct source *source, struct image *rows, struct error *err);
    /* Reads the whole picture as it is stored; the caller owns it. May be NULL. Not used beside
     * `read`. */
    bool (*read_all)(struct source *source, struct image *image, struct error *err);
    /* Goes to the next page and fills SOURCE as open does. NULL if files have only one. */
    bool (*next)(struct source *source, struct error *err);
    /* For streams, whose pages follow each other without an index: after the last row, whether
     * another page begins. May wait for the writer of a pipe. Not asked if source->more is set. */
    bool (*follows)(struct source *source, bool *more, struct error *err);
    size_t state_bytes; /* size of source->state: zeroed before open, freed after close */
    void (*close)(struct source *source); /* frees what the state holds; may be NULL */
};

/* ---- writing ---- */

struct sink {
    const struct encoder *encoder;
    struct output *output;
    struct image_info info; /* the rows as the encoder gets them, converted to what it can hold */
    struct sink_options options;
    void *state; /* the encoder's own */
    /* Kept by codec/sink.c: */
    struct image_info given; /* the rows as the caller gives them */
    int next_row;            /* rows taken so far */
    struct image converted;  /* memory for a converted row; without data: nothing is converted */
    uint16_t *scale;         /* entry v is round(v*M/max); NULL: samples are not scaled */
    struct image gathered;   /* rows for encoder->make */
};

/* True if another page follows this one in the file. */
static inline bool sink_has_more(const struct sink *sink)
{
    return sink->options.pages && sink->options.pages->more;
}

/* "NAME: no memory to write 640 x 480 pixels" */
bool sink_no_memory(const struct sink *sink, struct error *err);

/* An encoder has either `write` or `make`. */
struct encoder {
    /* Checks sizes, fills state. NULL: there is nothing to check. Called for each page. */
    bool (*open)(struct sink *sink, struct error *err);
    /* Writes rows of sink->info's exact shape, in order; perhaps the whole picture at once. */
    bool (*write)(struct sink *sink, const struct image *rows, struct error *err);
    /* Passes the rest to output_write. NULL: nothing is left. */
    bool (*finish)(struct sink *sink, struct error *err);
    /* Makes a file of a picture of packed rows; malloc'ed, NULL when memory runs out. */
    uint8_t *(*make)(const struct image *image, const struct sink_options *options, size_t *bytes);
    size_t state_bytes; /* size of sink->state: zeroed before open, freed after close */
    void (*close)(
        struct sink *sink); /* frees what the state holds, also after failures; may be NULL */
    /* enum dropped: what a file can hold of icc, exif, xmp and comment. NULL: nothing. */
    unsigned (*keeps)(const struct metadata *metadata);
};

/* ---- the table ---- */

struct format_row {
    const char *name, *short_name; /* as extension and for --format; NULL: no second one */
    const char *title;             /* for sentences */
    const struct decoder *decoder; /* one decoder may read several formats */
    const struct encoder *encoder;
    bool gray, colour, alpha; /* what it can hold; gray may be written as equal RGB */
    bool sixteen;             /* 16 bits a sample */
    bool maxval;              /* any maximum, kept in the file; else only 255 or 65535 */
    bool video;               /* made only of files of this format, which make nothing else */
    int max_side;             /* 0: no limit */
    int suggested; /* rank, from 1, among the lossless formats that errors suggest; 0: none */
    enum format gray_as, colour_as; /* written as these formats; FORMAT_NONE: as itself */
    const char *package; /* of Debian: its library, which a build may lack; NULL: none is needed */
    double decode_rate;  /* bytes of samples per millisecond, one thread */
    int encode_bytes;    /* that the encoder holds for each pixel; 0: only some rows */
};

const struct format_row *format_row(enum format format);

/* A format whose library this build lacks has a decoder with only a name, and an empty encoder. */
static inline bool format_is_read(const struct format_row *row)
{
    return row->decoder && row->decoder->open;
}
static inline bool format_is_written(const struct format_row *row)
{
    return row->encoder && (row->encoder->write || row->encoder->make);
}

/* The decoder for the file PATH that begins with HEAD (up to 4096 bytes). NULL for a format that is
 * not read; the error, which calls the file NAME, says what the file is. */
const struct decoder *format_recognise(const uint8_t *head, size_t bytes, const char *path,
                                       const char *name, struct error *err);

/* The error for such a file, if its format is known (codec/foreign.c); else false. */
bool foreign_refuse(const uint8_t *head, size_t bytes, const char *path, const char *name,
                    struct error *err);

/* Whether NAME ends as RAW photographs do, most of which begin as a TIFF does, and their error. */
bool foreign_is_raw_name(const char *name);
bool foreign_refuse_raw(const char *name, struct error *err);

/* Appends "; try: " and a pipe that begins with BEFORE, the file and AFTER. One that does not fit
 * is left out. */
void foreign_append_pipe(struct error *err, const char *before, const char *path,
                         const char *after);

/* Finds the format that PATH and OPTIONS ask for and sets *target to the shape that its encoder
 * gets. Errors: the format is unknown (EXIT_USAGE) or cannot hold the picture (EXIT_INPUT). */
bool format_resolve(const char *path, const struct image_info *info,
                    const struct sink_options *options, struct image_info *target,
                    struct error *err);

/* True if ROWS has INFO's shape and the picture has that many rows left from row NEXT on. */
static inline bool image_info_fits(const struct image_info *info, const struct image *rows,
                                   int next)
{
    return rows->width == info->width && rows->channels == info->channels &&
           rows->type == info->type && rows->height >= 1 && rows->height <= info->height - next;
}

/* Appends WORD to a list like "a, b LAST c"; LEFT more words follow. */
void format_append_word(char *text, size_t bytes, const char *word, int left, const char *last);

#define FORMAT(name, codec, ...)                                                                   \
    extern const struct decoder decoder_##codec;                                                   \
    extern const struct encoder encoder_##codec;
#include "codec/formats.def"
#undef FORMAT

/* ---- metadata (codec/metadata.c) ---- */

/* Which of icc, exif and xmp there are; enum dropped. */
unsigned metadata_parts(const struct metadata *metadata);

/* True for an ICC profile for gray (or RGB) pixels. */
bool metadata_profile_fits(const uint8_t *profile, size_t bytes, bool gray);

/* True if EXIF data begins as a TIFF does. */
bool metadata_exif_sound(const uint8_t *tiff, size_t bytes);

/* Changes EXIF data to that of an upright picture: orientation 1, and no thumbnail, since it shows
 * the picture as it was before it was turned and filtered. Returns the orientation that it had, 1
 * to 8, which the picture has to be turned by; 1 (upright) if none is given. Cameras store the
 * sensor's rows and record how the camera was held. In the upright picture the first stored row and
 * column are
 *
 *           1     2     3       4       5     6      7       8
 *   row     top   top   bottom  bottom  left  right  right   left
 *   column  left  right right   left    top   top    bottom  bottom
 *
 * so 5 to 8 exchange width and height. */
int metadata_exif_upright(uint8_t *tiff, size_t bytes);

/* Sets the orientation to 1 (upright) in XMP data, which may hold it too. */
void metadata_xmp_upright(uint8_t *xmp, size_t bytes);

/* The density that EXIF data tell; x is 0 if they tell none. */
struct density metadata_exif_density(struct metadata_part exif);

/* EXIF data of nothing but a density, for a format that has no other place for it. */
#define METADATA_EXIF_DENSITY_BYTES 66
void metadata_exif_make(struct density density, uint8_t exif[METADATA_EXIF_DENSITY_BYTES]);

/* True if EXIF data hold a camera's own notes of a kind that refers to places in the EXIF data,
 * which the notes do not survive if these are taken apart. */
bool metadata_exif_has_places(struct metadata_part exif);

/* The density in UNIT, rounded; a ratio stays a ratio. */
struct density metadata_density(struct density density, enum density_unit unit);

/* ---- conversion of rows (codec/sink.c) ---- */

/* The table v -> round(v*M/max), M = codec_scaled_max(max); malloc'ed, with an entry for every
 * value of the sample type. NULL when memory runs out. */
uint16_t *codec_scale_table(uint32_t max);
uint32_t codec_scaled_max(uint32_t max); /* 255 for max < 256, else 65535 */

/* Converts IN's rows to OUT (same width, height and type): drops alpha or copies gray to R, G and
 * B, as the channel counts require. SCALE may be NULL. */
void codec_convert(const struct image *in, const struct image *out, const uint16_t *scale);

#endif
