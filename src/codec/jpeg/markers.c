/* The marker walk: see codec/jpeg/markers.h. The loop over segments is here, what a frame
 * (SOF) and its scans (SOS) must satisfy is codec/jpeg/scans.c. */
#include "codec/jpeg/markers.h"

#include <stdio.h>
#include <string.h>

#include "codec/format.h"
#include "codec/jpeg/exif.h"
#include "codec/jpeg/scans.h"

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
    COM = 0xfe,
};

struct walk {
    const char *name;
    const uint8_t *bytes;
    size_t size, place;
    struct jpeg_file *jpeg;
    struct jpeg_scans scans;
    struct error *err;
};

bool jpeg_recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 2 && head[0] == 0xff && head[1] == SOI;
}

static bool truncated(struct walk *walk, const char *where, unsigned marker)
{
    return error_set(walk->err, EXIT_INPUT, "%s: truncated JPEG: the file ends %s FF%02X",
                     walk->name, where, marker);
}

/* The marker at the walk's place, past which it then stands. Any number of FF may stand
 * before a marker. */
static bool next_marker(struct walk *walk, unsigned *marker)
{
    size_t start = walk->place;

    if (start < walk->size && walk->bytes[start] != 0xff)
        return error_set(walk->err, EXIT_INPUT, "%s: damaged JPEG: there is no marker at byte %zu",
                         walk->name, start);
    while (walk->place < walk->size && walk->bytes[walk->place] == 0xff)
        walk->place++;
    if (walk->place == walk->size)
        return truncated(walk, "before its end marker", EOI);
    *marker = walk->bytes[walk->place++];
    return true;
}

/* The segment behind MARKER: its content without the length. */
static bool next_segment(struct walk *walk, unsigned marker, struct jpeg_segment *segment)
{
    size_t left = walk->size - walk->place;
    const uint8_t *length = walk->bytes + walk->place;

    if (left < 2)
        return truncated(walk, "inside segment", marker);
    segment->marker = marker;
    segment->place = walk->place - 2;
    segment->bytes = length[0] * 256U + length[1];
    if (segment->bytes < 2)
        return error_set(walk->err, EXIT_INPUT,
                         "%s: damaged JPEG: segment FF%02X at byte %zu has an impossible length",
                         walk->name, marker, segment->place);
    if (segment->bytes > left)
        return truncated(walk, "inside segment", marker);
    segment->data = length + 2;
    walk->place += segment->bytes;
    segment->bytes -= 2;
    return true;
}

static void read_metadata(struct jpeg_file *jpeg, const struct jpeg_segment *segment)
{
    static const char exif[6] = "Exif\0", icc[12] = "ICC_PROFILE";

    if (segment->marker == APP1 && segment->bytes >= sizeof exif &&
        memcmp(segment->data, exif, sizeof exif) == 0) {
        if (!(jpeg->dropped & DROPPED_EXIF)) /* the first one counts */
            jpeg->orientation =
                exif_orientation(segment->data + sizeof exif, segment->bytes - sizeof exif);
        jpeg->dropped |= DROPPED_EXIF;
    }
    if (segment->marker == APP2 && segment->bytes >= sizeof icc &&
        memcmp(segment->data, icc, sizeof icc) == 0)
        jpeg->dropped |= DROPPED_ICC;
}

/* Counts the coded data from the walk's place up to the next marker that is no restart. */
static void count_data(struct walk *walk, struct jpeg_data *data)
{
    const uint8_t *end = walk->bytes + walk->size, *p = walk->bytes + walk->place;

    *data = (struct jpeg_data){0};
    while (p < end) {
        const uint8_t *ff = memchr(p, 0xff, (size_t)(end - p));
        if (!ff || ff + 1 == end) { /* what is left at the end of a cut file */
            data->bytes += (uint64_t)(end - p);
            p = end;
            break;
        }
        data->bytes += (uint64_t)(ff - p);
        p = ff;
        if (ff[1] == 0) { /* a coded FF */
            data->bytes++;
            p += 2;
        } else if (ff[1] >= RST0 && ff[1] <= RST7) {
            data->restarts++;
            p += 2;
        } else if (ff[1] == 0xff) {
            p++;
        } else {
            break;
        }
    }
    walk->place = (size_t)(p - walk->bytes);
}

static bool walk_segment(struct walk *walk, const struct jpeg_segment *segment)
{
    struct jpeg_scans *scans = &walk->scans;
    struct jpeg_data data;

    if (segment->marker == DHT)
        return jpeg_scans_huffman(scans, segment);
    if (segment->marker == DQT)
        return jpeg_scans_quantisation(scans, segment);
    if (segment->marker == DRI)
        return jpeg_scans_restart(scans, segment);
    if (segment->marker == SOS) {
        count_data(walk, &data);
        return jpeg_scans_scan(scans, segment, &data);
    }
    if (segment->marker >= SOF0 && segment->marker <= SOF15 && segment->marker != JPG &&
        segment->marker != DAC)
        return jpeg_scans_frame(scans, segment);
    if (segment->marker >= APP0 && segment->marker <= APP15)
        read_metadata(walk->jpeg, segment);
    else if (segment->marker != COM && segment->marker != DNL)
        return error_set(walk->err, EXIT_INPUT,
                         "%s: unknown kind of JPEG: it has marker FF%02X at byte %zu", walk->name,
                         segment->marker, segment->place);
    return true;
}

bool jpeg_markers_walk(struct jpeg_file *jpeg, const char *name, const uint8_t *bytes, size_t size,
                       struct error *err)
{
    struct walk walk = {.name = name,
                        .bytes = bytes,
                        .size = size,
                        .place = 2,
                        .jpeg = jpeg,
                        .scans = {.name = name, .err = err},
                        .err = err};
    struct jpeg_segment segment;
    unsigned marker = SOI;

    *jpeg = (struct jpeg_file){.orientation = 1};
    for (;;) {
        if (!next_marker(&walk, &marker))
            return false;
        if (marker == EOI)
            break;
        if (!next_segment(&walk, marker, &segment) || !walk_segment(&walk, &segment))
            return false;
    }
    jpeg->width = walk.scans.width;
    jpeg->height = walk.scans.height;
    jpeg->components = walk.scans.components;
    return jpeg_scans_complete(&walk.scans);
}
