/* What reading and writing JPEG share (codec/jpeg/jpeg.h): calling the library, and the segments
 * that hold metadata. */
#include "codec/jpeg/jpeg.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- calling the library ---- */

static void take_message(j_common_ptr library, int level)
{
    if (level < 0) /* a warning; other messages only tell what is done */
        library->err->error_exit(library);
}

struct jpeg_error_mgr *jpeg_call_prepare(struct jpeg_call *call, const char *name,
                                         void (*explain)(j_common_ptr))
{
    call->name = name;
    jpeg_std_error(&call->manager);
    call->manager.error_exit = explain;
    call->manager.emit_message = take_message;
    return &call->manager;
}

bool jpeg_call(struct jpeg_call *call, void (*step)(void *context), void *context,
               struct error *err)
{
    call->err = err;
    if (setjmp(call->back) != 0)
        return false;
    step(context);
    return true;
}

void jpeg_give_up(struct jpeg_call *call)
{
    longjmp(call->back, 1);
}

void jpeg_fail(struct jpeg_call *call, const char *format, ...)
{
    char what[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_file(call->err, call->name, "%s", what);
    jpeg_give_up(call);
}

/* ---- segments ---- */

#define APP1  0xe1
#define APP2  0xe2
#define APP13 0xed
#define COM   0xfe

const struct jpeg_segment jpeg_segments[JPEG_KINDS] = {
    [JPEG_EXIF] = {APP1, DROPPED_EXIF, true, 6, "Exif\0"},
    [JPEG_XMP] = {APP1, DROPPED_XMP, true, 29, "http://ns.adobe.com/xap/1.0/"},
    [JPEG_XMP_MORE] = {APP1, DROPPED_XMP, false, 35, "http://ns.adobe.com/xmp/extension/"},
    [JPEG_ICC] = {APP2, DROPPED_ICC, false, 12, "ICC_PROFILE"},
    [JPEG_IPTC] = {APP13, DROPPED_IPTC, false, 14, "Photoshop 3.0"},
    [JPEG_COMMENT] = {COM, DROPPED_TEXT, false, 0, ""},
};

enum jpeg_kind jpeg_segment_kind(int marker, const uint8_t *content, size_t bytes)
{
    enum jpeg_kind kind = 0;

    for (; kind < JPEG_KINDS; kind++) {
        const struct jpeg_segment *known = &jpeg_segments[kind];
        if (known->marker == marker && bytes >= known->bytes &&
            memcmp(content, known->begin, known->bytes) == 0)
            break;
    }
    return kind;
}

bool jpeg_segment_keep(struct metadata_part *own, size_t *room, int marker, const uint8_t *content,
                       size_t bytes)
{
    size_t size = own->size + JPEG_SEGMENT_HEAD + bytes;
    uint8_t *to;

    if (size > METADATA_MOST_BYTES)
        return false;
    if (size > *room) {
        to = realloc(own->bytes, 2 * size);
        if (!to)
            return false;
        own->bytes = to;
        *room = 2 * size;
    }
    to = own->bytes + own->size;
    to[0] = 0xff;
    to[1] = (uint8_t)marker;
    to[2] = (uint8_t)((bytes + 2) >> 8);
    to[3] = (uint8_t)(bytes + 2);
    memcpy(to + JPEG_SEGMENT_HEAD, content, bytes);
    own->size = size;
    return true;
}

/* Joins the pieces of a profile. Nothing if they are not complete. */
static struct metadata_part join_profile(const struct metadata_part *own)
{
    const size_t head = jpeg_segments[JPEG_ICC].bytes + 2; /* with the piece's number and count */
    struct metadata_part piece[256] = {0}, profile = {0};
    size_t bytes;
    unsigned count = 0;

    for (size_t at = 0; at < own->size; at += JPEG_SEGMENT_HEAD + bytes) {
        uint8_t *content = own->bytes + at + JPEG_SEGMENT_HEAD;
        bytes = jpeg_content_bytes(own->bytes + at);
        if (jpeg_segment_kind(own->bytes[at + 1], content, bytes) != JPEG_ICC || bytes < head)
            continue;
        count = content[head - 1];
        piece[content[head - 2]] = (struct metadata_part){content + head, bytes - head};
    }
    if (count > 0)
        profile.bytes = malloc(own->size);
    for (unsigned i = 1; i <= count && profile.bytes && piece[i].bytes; i++) {
        memcpy(profile.bytes + profile.size, piece[i].bytes, piece[i].size);
        profile.size += piece[i].size;
    }
    return profile;
}

void jpeg_metadata_find(struct metadata *metadata, bool gray)
{
    const struct metadata_part *own = &metadata->own;
    bool extended = false;
    size_t bytes;

    for (size_t at = 0; at < own->size; at += JPEG_SEGMENT_HEAD + bytes) {
        uint8_t *segment = own->bytes + at, *content = segment + JPEG_SEGMENT_HEAD;
        bytes = jpeg_content_bytes(segment);
        enum jpeg_kind kind = jpeg_segment_kind(segment[1], content, bytes);
        size_t begin = jpeg_segments[kind].bytes;
        struct metadata_part part = {content + begin, bytes - begin};
        if (kind == JPEG_EXIF && metadata_exif_sound(part.bytes, part.size))
            metadata->exif = part;
        else if (kind == JPEG_XMP)
            metadata->xmp = part;
        else if (kind == JPEG_COMMENT && metadata->texts++ == 0)
            metadata->comment = part;
        extended |= kind == JPEG_XMP_MORE;
    }
    if (extended) /* other formats would get only its beginning */
        metadata->xmp = (struct metadata_part){0};
    metadata->icc = join_profile(own);
    if (!metadata_profile_fits(metadata->icc.bytes, metadata->icc.size, gray))
        metadata->icc.size = 0; /* its pieces were not complete, or it is for other pixels */
}
