/* What a file format implements; codec/codec.c is the only caller. codec/codec.c does what is
 * the same everywhere: recognising, shape checks, row counting, conversion to what
 * the output format can hold, and the output file itself. */
#ifndef STENCIL_CODEC_FORMAT_ROW_H
#define STENCIL_CODEC_FORMAT_ROW_H

#include "codec/codec.h"
#include "codec/input.h"
#include "codec/output.h"

struct source {
    const struct decoder *decoder;
    struct input *input;
    struct image_info info;   /* filled by decoder->open */
    char warning[512];        /* filled by decoder->open; empty: none */
    struct metadata metadata; /* filled by decoder->open, valid until close */
    char warning_kept[512];   /* the warning where the output takes the metadata */
    bool whole;               /* filled by decoder->open: of this file only the whole can be read */
    bool ahead;               /* source_read_ahead was called */
    int next_row;             /* rows handed out so far, kept by codec/codec.c */
    void *state;              /* the decoder's own */
    struct image picture;     /* read_all's, for decoders without read; private to codec/codec.c */
};

struct decoder {
    const char *name;
    /* HEAD holds up to 4096 bytes of the file's beginning. */
    bool (*recognise)(const uint8_t *head, size_t bytes);
    /* Reads and checks the header, and all that can be checked before a large allocation. */
    bool (*open)(struct source *source, struct error *err);
    /* The next rows->height rows; codec/codec.c has checked shape and count. NULL, or not called
     * where source->whole: codec/codec.c then hands out rows from read_all's picture. */
    bool (*read)(struct source *source, struct image *rows, struct error *err);
    /* The whole picture at once, owned by the caller. NULL, or not called where read is:
     * codec/codec.c uses that. */
    bool (*read_all)(struct source *source, struct image *image, struct error *err);
    void (*close)(struct source *source); /* frees state */
};

struct sink {
    const struct encoder *encoder;
    struct output *output;
    struct image_info info; /* what the encoder is given: already converted to what it can hold */
    struct sink_options options;
    int next_row; /* rows taken so far, kept by codec/codec.c */
    void *state;  /* the encoder's own */
    /* codec/codec.c's conversion of incoming rows; private to codec/codec.c */
    struct image_info given;
    struct image converted;
    uint16_t *scale; /* the place for v holds round(v*M/max); NULL where nothing is scaled */
};

struct encoder {
    bool (*open)(struct sink *sink, struct error *err);
    /* Rows of exactly sink->info's shape, in order. May receive the whole picture in one call. */
    bool (*write)(struct sink *sink, const struct image *rows, struct error *err);
    bool (*finish)(struct sink *sink, struct error *err); /* everything into output_write */
    void (*close)(struct sink *sink);                     /* frees state; also after failures */
};

extern const struct decoder decoder_png, decoder_jpeg, decoder_bmp, decoder_pnm;
extern const struct encoder encoder_png, encoder_jpeg, encoder_bmp, encoder_pnm;

#endif
