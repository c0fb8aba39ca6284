/* Frame, tables and scans of a JPEG: see codec/jpeg/scans.h. Sizes follow ITU-T T.81: a
 * picture is cut into MCUs of h_max*8 x v_max*8 pixels, in which component i has
 * h[i] x v[i] blocks of 8 x 8; a scan of one component has only the blocks that its
 * pixels need. */
#include "codec/jpeg/scans.h"

#include "codec/stb.h"

/* No encoder has a use for more (libjpeg's own script has 10), and each may pass over the
 * whole picture for next to no data. */
#define MAX_SCANS 100

static bool damaged(struct jpeg_scans *scans, const struct jpeg_segment *segment, const char *what)
{
    return error_set(scans->err, EXIT_INPUT, "%s: damaged JPEG: %s in segment FF%02X at byte %zu",
                     scans->name, what, segment->marker, segment->place);
}

bool jpeg_scans_huffman(struct jpeg_scans *scans, const struct jpeg_segment *segment)
{
    const uint8_t *p = segment->data;
    size_t left = segment->bytes;

    while (left > 0) {
        unsigned symbols = 0, codes = 0, length;
        if (left < 17 || p[0] >> 4 > 1 || (p[0] & 15) > 3)
            return damaged(scans, segment, "a broken Huffman table");
        for (length = 1; length <= 16; length++) {
            codes = 2 * codes + p[length];
            symbols += p[length];
            if (codes > 1U << length) /* more codes than so many bits can tell apart */
                return damaged(scans, segment, "an impossible Huffman table");
        }
        if (symbols > 256 || left - 17 < symbols)
            return damaged(scans, segment, "a broken Huffman table");
        scans->huffman[p[0] >> 4][p[0] & 15] = true;
        p += 17 + symbols;
        left -= 17 + symbols;
    }
    return true;
}

bool jpeg_scans_quantisation(struct jpeg_scans *scans, const struct jpeg_segment *segment)
{
    const uint8_t *p = segment->data;
    size_t left = segment->bytes;

    while (left > 0) {
        size_t bytes = p[0] >> 4 ? 129 : 65;
        if (p[0] >> 4 > 1 || (p[0] & 15) > 3 || left < bytes)
            return damaged(scans, segment, "a broken quantisation table");
        scans->quantisation[p[0] & 15] = true;
        p += bytes;
        left -= bytes;
    }
    return true;
}

bool jpeg_scans_restart(struct jpeg_scans *scans, const struct jpeg_segment *segment)
{
    if (segment->bytes != 2)
        return damaged(scans, segment, "a broken restart interval");
    scans->restart_interval = segment->data[0] * 256U + segment->data[1];
    return true;
}

/* The frames that stb_image decodes are baseline, extended and progressive Huffman ones of
 * 8 bits with one or three components. */
static bool check_kind(struct jpeg_scans *scans, const struct jpeg_segment *segment)
{
    unsigned kind = segment->marker & 15;
    const char *what = NULL;

    if (kind > 8)
        what = "arithmetic coding";
    else if (kind == 3 || kind == 7)
        what = "lossless coding";
    else if (kind > 2)
        what = "hierarchical coding";
    else if (segment->data[0] != 8)
        what = "more than 8 bits a sample";
    else if (segment->data[5] == 4)
        what = "CMYK colours";
    else if (segment->data[5] != 1 && segment->data[5] != 3)
        what = "an unknown number of components";
    if (what)
        return error_set(scans->err, EXIT_INPUT,
                         "%s: a JPEG with %s cannot be read: convert it to a common JPEG or a PNG",
                         scans->name, what);
    return true;
}

/* What stb will allocate, in its own way of counting: the picture, and each component as
 * whole MCUs (progressive: and its coefficients, of two bytes). */
static bool check_sizes(struct jpeg_scans *scans)
{
    uint64_t mcus_x =
        ((uint64_t)scans->width + 8U * (unsigned)scans->h_max - 1) / (8U * (unsigned)scans->h_max);
    uint64_t mcus_y =
        ((uint64_t)scans->height + 8U * (unsigned)scans->v_max - 1) / (8U * (unsigned)scans->v_max);
    uint64_t most = (uint64_t)scans->width * (uint64_t)scans->height * (uint64_t)scans->components;
    int i;

    for (i = 0; i < scans->components; i++) {
        const struct jpeg_component *component = &scans->component[i];
        uint64_t plane = mcus_x * mcus_y * 64 * (uint64_t)component->h * (uint64_t)component->v;
        plane *= scans->progressive ? 2 : 1;
        most = plane > most ? plane : most;
    }
    if (most + 16 > STB_MAX_BYTES)
        return error_set(scans->err, EXIT_INPUT,
                         "%s: %d x %d pixels: a JPEG of more than 2 GiB of samples cannot be read",
                         scans->name, scans->width, scans->height);
    return true;
}

bool jpeg_scans_frame(struct jpeg_scans *scans, const struct jpeg_segment *segment)
{
    const uint8_t *p = segment->data;
    int i;

    if (scans->components != 0)
        return damaged(scans, segment, "a second frame");
    if (segment->bytes < 6)
        return damaged(scans, segment, "a frame of the wrong length");
    if (!check_kind(scans, segment))
        return false;
    scans->height = p[1] * 256 + p[2];
    scans->width = p[3] * 256 + p[4];
    if (scans->width == 0 || scans->height == 0)
        return error_set(scans->err, EXIT_INPUT, "%s: damaged JPEG: %d x %d pixels are no picture",
                         scans->name, scans->width, scans->height);
    scans->components = p[5];
    if (segment->bytes != 6 + 3 * (size_t)scans->components)
        return damaged(scans, segment, "a frame of the wrong length");
    scans->progressive = (segment->marker & 15) == 2;
    for (i = 0; i < scans->components; i++) {
        struct jpeg_component *component = &scans->component[i];
        const uint8_t *q = p + 6 + 3 * i;
        *component =
            (struct jpeg_component){.id = q[0], .h = q[1] >> 4, .v = q[1] & 15, .table = q[2]};
        if (component->h < 1 || component->h > 4 || component->v < 1 || component->v > 4 ||
            component->table > 3)
            return damaged(scans, segment, "an impossible component");
        scans->h_max = component->h > scans->h_max ? component->h : scans->h_max;
        scans->v_max = component->v > scans->v_max ? component->v : scans->v_max;
    }
    for (i = 0; i < scans->components; i++)
        if (scans->h_max % scans->component[i].h != 0 || scans->v_max % scans->component[i].v != 0)
            return error_set(scans->err, EXIT_INPUT,
                             "%s: a JPEG whose colours are sampled at a fraction that is not 1/n "
                             "cannot be read: convert it to a common JPEG or a PNG",
                             scans->name);
    return check_sizes(scans);
}

/* MCUs and blocks of a scan of the COUNT components at WHICH. */
static void measure(const struct jpeg_scans *scans, const int *which, int count, uint64_t *mcus,
                    uint64_t *blocks)
{
    uint64_t width = (uint64_t)scans->width, height = (uint64_t)scans->height;
    uint64_t h_max = (uint64_t)scans->h_max, v_max = (uint64_t)scans->v_max;
    int i;

    if (count == 1) {
        uint64_t h = (uint64_t)scans->component[which[0]].h;
        uint64_t v = (uint64_t)scans->component[which[0]].v;
        width = (width * h + h_max - 1) / h_max; /* of the component */
        height = (height * v + v_max - 1) / v_max;
        *blocks = *mcus = (width + 7) / 8 * ((height + 7) / 8);
        return;
    }
    *mcus = (width + 8 * h_max - 1) / (8 * h_max) * ((height + 8 * v_max - 1) / (8 * v_max));
    *blocks = 0;
    for (i = 0; i < count; i++)
        *blocks += *mcus * (uint64_t)(scans->component[which[i]].h * scans->component[which[i]].v);
}

/* Finds the scan's components and whether the tables they name are there. stb_image would
 * decode with whatever lies in the place of a missing one. */
static bool check_tables(struct jpeg_scans *scans, const struct jpeg_segment *segment, bool dc,
                         bool ac, int *which)
{
    int count = segment->data[0], i, k;

    for (i = 0; i < count; i++) {
        const uint8_t *p = segment->data + 1 + 2 * i;
        for (k = 0; k < scans->components && scans->component[k].id != p[0]; k++)
            continue;
        if (k == scans->components)
            return damaged(scans, segment, "an unknown component");
        if (p[1] >> 4 > 3 || (p[1] & 15) > 3 || (dc && !scans->huffman[0][p[1] >> 4]) ||
            (ac && !scans->huffman[1][p[1] & 15]))
            return damaged(scans, segment, "a Huffman table that was not defined");
        if (!scans->quantisation[scans->component[k].table])
            return damaged(scans, segment, "a quantisation table that was not defined");
        which[i] = k;
    }
    return true;
}

bool jpeg_scans_scan(struct jpeg_scans *scans, const struct jpeg_segment *segment,
                     const struct jpeg_data *data)
{
    const uint8_t *p = segment->data;
    uint64_t mcus, blocks, bits;
    bool first_dc, dc, ac;
    int which[3], count, i;

    if (scans->components == 0)
        return damaged(scans, segment, "a scan before the frame");
    if (segment->bytes < 4 || p[0] < 1 || p[0] > scans->components ||
        segment->bytes != 4 + 2 * (size_t)p[0])
        return damaged(scans, segment, "a broken scan header");
    count = p[0];
    dc = !scans->progressive || p[1 + 2 * count] == 0;
    ac = !scans->progressive || p[1 + 2 * count] != 0;
    first_dc = dc && p[3 + 2 * count] >> 4 == 0;
    if (++scans->scans > MAX_SCANS)
        return damaged(scans, segment, "more scans than make sense");
    if (!check_tables(scans, segment, first_dc, ac, which))
        return false;
    measure(scans, which, count, &mcus, &blocks);
    /* The shortest code has one bit. Baseline blocks need two codes, those of a progressive DC
     * scan one (or one bit of refinement); progressive AC scans can skip blocks without any. */
    bits = dc && ac ? 2 * blocks : dc ? blocks : 0;
    if (8 * data->bytes < bits)
        return error_set(scans->err, EXIT_INPUT,
                         "%s: truncated JPEG: the %llu bytes of data at byte %zu cannot hold "
                         "%d x %d pixels",
                         scans->name, (unsigned long long)data->bytes, segment->place, scans->width,
                         scans->height);
    if (scans->restart_interval && data->restarts < (mcus - 1) / scans->restart_interval)
        return error_set(scans->err, EXIT_INPUT,
                         "%s: truncated JPEG: %llu of %llu restart markers in the data at byte %zu",
                         scans->name, (unsigned long long)data->restarts,
                         (unsigned long long)((mcus - 1) / scans->restart_interval),
                         segment->place);
    for (i = 0; i < count; i++)
        scans->component[which[i]].coded |= first_dc;
    return true;
}

bool jpeg_scans_complete(struct jpeg_scans *scans)
{
    int i;

    if (scans->components == 0)
        return error_set(scans->err, EXIT_INPUT, "%s: damaged JPEG: it holds no picture",
                         scans->name);
    for (i = 0; i < scans->components; i++)
        if (!scans->component[i].coded)
            return error_set(scans->err, EXIT_INPUT,
                             "%s: truncated JPEG: %d of %d components have data", scans->name, i,
                             scans->components);
    return true;
}
