/* Private to codec/jpeg/. JPEG is read and written by libjpeg-turbo:
 *
 *   library.c   calling the library; the segments that hold metadata
 *   decoder.c   reading, strict about damage; turns the picture upright
 *   encoder.c   writing */
#ifndef STENCIL_CODEC_JPEG_JPEG_H
#define STENCIL_CODEC_JPEG_JPEG_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h> /* needs jpeglib.h */

#include "codec/format.h"

#ifndef LIBJPEG_TURBO_VERSION
#error "another libjpeg would decode other samples: install libjpeg-turbo"
#endif

/* ---- calling the library ----
 *
 * The library reports an error through a function that must not return. Here it jumps back to
 * jpeg_call, the only function that calls the library's functions that may fail. */

struct jpeg_call {
    struct jpeg_error_mgr manager; /* the first member: the library knows its address */
    jmp_buf back;
    const char *name; /* of the file, for sentences */
    struct error *err;
};

/* EXPLAIN is called for an error and for a warning of the library; it writes the sentence to
 * call->err and gives up. */
struct jpeg_error_mgr *jpeg_call_prepare(struct jpeg_call *call, const char *name,
                                         void (*explain)(j_common_ptr));

/* Runs STEP. False if it gave up; *err then has the sentence. */
bool jpeg_call(struct jpeg_call *call, void (*step)(void *context), void *context,
               struct error *err);

/* End the step; jpeg_fail writes a sentence before. */
_Noreturn void jpeg_give_up(struct jpeg_call *call);
_Noreturn __attribute__((format(printf, 2, 3))) void jpeg_fail(struct jpeg_call *call,
                                                               const char *format, ...);

/* ---- segments ----
 *
 * A segment is a marker (FF and a byte), the length of what follows, and the content. */

#define JPEG_SEGMENT_HEAD  4
#define JPEG_SEGMENT_BYTES 65533 /* the longest content */

enum jpeg_kind {
    JPEG_EXIF,
    JPEG_XMP,
    JPEG_XMP_MORE,
    JPEG_ICC,
    JPEG_IPTC,
    JPEG_COMMENT,
    JPEG_KINDS
};

/* The kinds of segments that are copied into another JPEG. */
extern const struct jpeg_segment {
    int marker; /* its second byte */
    unsigned dropped;
    bool single;  /* the first one counts, others are left out */
    size_t bytes; /* of `begin` */
    char begin[40];
} jpeg_segments[JPEG_KINDS];

enum jpeg_kind jpeg_segment_kind(int marker, const uint8_t *content, size_t bytes);

static inline size_t jpeg_content_bytes(const uint8_t *segment)
{
    return segment[2] * 256U + segment[3] - 2U;
}

/* Appends a segment to OWN, whose memory has *room bytes. False if there is no room for it. */
bool jpeg_segment_keep(struct metadata_part *own, size_t *room, int marker, const uint8_t *content,
                       size_t bytes);

/* Finds in metadata->own what other formats can hold; GRAY: the picture is. */
void jpeg_metadata_find(struct metadata *metadata, bool gray);

#endif
