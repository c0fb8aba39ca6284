/* What a JPEG's frame, tables and scans must satisfy before they are decoded; the
 * marker walk (codec/jpeg/markers.c) feeds its segments in here in the file's order. */
#ifndef STENCIL_CODEC_JPEG_SCANS_H
#define STENCIL_CODEC_JPEG_SCANS_H

#include <stdint.h>

#include "base/error.h"

struct jpeg_segment {
    unsigned marker; /* its second byte */
    size_t place;    /* of the marker in the file */
    const uint8_t *data;
    size_t bytes;
};

/* A scan's coded data: without restart markers, and with a stuffed FF 00 as one byte. */
struct jpeg_data {
    uint64_t bytes, restarts;
};

struct jpeg_component {
    int id, h, v, table;
    bool coded; /* has had the scan that starts it */
};

/* Zeroed but for name and err. */
struct jpeg_scans {
    const char *name;
    struct error *err;
    int width, height, components; /* 0 before the frame */
    bool progressive;
    struct jpeg_component component[3];
    int h_max, v_max;
    bool huffman[2][4], quantisation[4]; /* defined so far */
    uint64_t restart_interval;
    int scans;
};

bool jpeg_scans_huffman(struct jpeg_scans *scans, const struct jpeg_segment *segment);
bool jpeg_scans_quantisation(struct jpeg_scans *scans, const struct jpeg_segment *segment);
bool jpeg_scans_restart(struct jpeg_scans *scans, const struct jpeg_segment *segment);
bool jpeg_scans_frame(struct jpeg_scans *scans, const struct jpeg_segment *segment);
bool jpeg_scans_scan(struct jpeg_scans *scans, const struct jpeg_segment *segment,
                     const struct jpeg_data *data);
bool jpeg_scans_complete(struct jpeg_scans *scans); /* at the end marker */

#endif
