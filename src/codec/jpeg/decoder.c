/* Reading JPEG: a few rows at a time, with the samples of `djpeg -dct int`. A file of several scans
 * (progressive) is decoded to coefficients first.
 *
 * A JPEG has no checksum, so this code is strict: every warning of the library is an error, and all
 * coefficients and the end marker must be there. Damage that leaves the codes valid still passes.
 *
 * Not read: CMYK, because a filter needs gray or RGB; 12 bits, lossless and hierarchical coding,
 * which the library does not know; and arithmetic coding, because its data may end early and is
 * then continued with zeros, so that a cut file cannot be told from a complete one. */
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "codec/jpeg/jpeg.h"

/* No encoder needs more scans (libjpeg's own script has 10). A hostile file could otherwise use
 * many tiny scans, each of which makes the decoder pass over the whole picture. */
#define MAX_SCANS 100

/* A segment has at most 64 KiB and a marker begins with FF, so a file that has no FF in so many
 * bytes beside its data holds something else there: a hole, perhaps of many gigabytes. */
#define MOST_WITHOUT_MARKER ((size_t)1 << 18)

/* Below this the system is not asked what memory it has. */
#define LARGE_BYTES ((uint64_t)64 << 20)

/* Rows of a call of the library. */
#define CALL_ROWS 16

/* source->state */
struct reader {
    struct jpeg_call call;
    struct jpeg_decompress_struct library;
    struct jpeg_source_mgr bytes;
    struct jpeg_progress_mgr progress;
    struct source *source;
    const uint8_t *piece; /* of the file, handed to the library last */
    size_t piece_bytes;
    size_t without_marker; /* bytes in front of it without FF */
    uint64_t taken;        /* bytes of the file up to the end of the piece */
    bool header_read, started;
    unsigned seen; /* a bit for each kind of segment that has occurred */
    size_t room;   /* of metadata.own */
    int orientation;
    struct image *rows; /* to fill */
    uint8_t segment[JPEG_SEGMENT_BYTES];
};

/* ---- damage ---- */

static unsigned long long place_of(const struct reader *r)
{
    return r->taken - r->bytes.bytes_in_buffer;
}

_Noreturn static void truncated(struct reader *r)
{
    const struct jpeg_decompress_struct *library = &r->library;

    if (r->started && library->output_scanline < library->output_height)
        jpeg_fail(&r->call, "truncated JPEG: %u of %u rows", library->output_scanline,
                  library->output_height);
    jpeg_fail(&r->call, "truncated JPEG: the data ends at byte %llu", place_of(r));
}

/* TOOL: a command that makes a picture of the file; NULL: none is known. */
_Noreturn static void unreadable(struct reader *r, const char *what, const char *tool)
{
    const char *name = r->call.name;

    error_file(r->call.err, name, "a JPEG %s%s", what,
               tool ? "" : " cannot be read: convert it to a common JPEG or a PNG");
    if (tool)
        foreign_append_pipe(r->call.err, tool, strcmp(name, "standard input") == 0 ? "-" : name,
                            "");
    jpeg_give_up(&r->call);
}

#define NEWER_DJPEG " needs djpeg of libjpeg-turbo 3", "djpeg "

/* Writes the sentence for an error or a warning of the library. */
static void explain(j_common_ptr common)
{
    static const char corrupt[] = "Corrupt JPEG data: ";
    struct reader *r = common->client_data;
    unsigned width = r->library.image_width, height = r->library.image_height;
    int code = common->err->msg_code, coding = common->err->msg_parm.i[0] & 15;
    char text[JMSG_LENGTH_MAX], *what = text;

    if (code == JWRN_HIT_MARKER)
        truncated(r);
    if (code == JERR_OUT_OF_MEMORY)
        jpeg_fail(&r->call, "no memory to read it");
    if (code == JERR_IMAGE_TOO_BIG)
        jpeg_fail(&r->call, "%u x %u pixels: more than %d on a side cannot be read", width, height,
                  (int)JPEG_MAX_DIMENSION);
    if (code == JERR_EMPTY_IMAGE)
        jpeg_fail(&r->call, "damaged JPEG: %u x %u pixels are no picture", width, height);
    if (code == JERR_BAD_PRECISION)
        unreadable(r, "with more than 8 bits a sample" NEWER_DJPEG);
    if (code == JERR_SOF_UNSUPPORTED && (coding == 3 || coding == 11))
        unreadable(r, "with lossless coding" NEWER_DJPEG);
    if (code == JERR_SOF_UNSUPPORTED)
        unreadable(r, "with hierarchical coding", NULL);
    if (code == JERR_FRACT_SAMPLE_NOTIMPL)
        unreadable(r, "whose colours are sampled at a fraction that is not 1/n", NULL);
    common->err->format_message(common, text);
    if (strncmp(text, corrupt, sizeof corrupt - 1) == 0)
        what += sizeof corrupt - 1;
    jpeg_fail(&r->call, "damaged JPEG: %s, near byte %llu", what, place_of(r));
}

/* ---- bytes of the file ---- */

static void check_markers(struct reader *r)
{
    const struct jpeg_decompress_struct *library = &r->library;
    bool in_data = r->header_read && library->input_iMCU_row < library->total_iMCU_rows;

    if (in_data || memchr(r->piece, 0xff, r->piece_bytes))
        r->without_marker = 0;
    else
        r->without_marker += r->piece_bytes;
    if (r->without_marker > MOST_WITHOUT_MARKER)
        jpeg_fail(&r->call, "damaged JPEG: there is no marker in front of byte %llu", place_of(r));
}

static boolean fill(j_decompress_ptr library)
{
    struct reader *r = library->client_data;

    r->bytes.bytes_in_buffer = 0;
    if (r->piece)
        check_markers(r);
    if (!input_next(r->source->input, &r->piece, &r->piece_bytes, r->call.err))
        jpeg_give_up(&r->call);
    if (r->piece_bytes == 0)
        truncated(r);
    r->taken += r->piece_bytes;
    r->bytes.next_input_byte = r->piece;
    r->bytes.bytes_in_buffer = r->piece_bytes;
    return TRUE;
}

/* Copies the next bytes to TO, or skips them if TO is NULL. */
static void take_bytes(struct reader *r, uint8_t *to, size_t bytes)
{
    for (size_t done = 0, count; done < bytes; done += count) {
        if (r->bytes.bytes_in_buffer == 0)
            fill(&r->library);
        count = r->bytes.bytes_in_buffer < bytes - done ? r->bytes.bytes_in_buffer : bytes - done;
        if (to)
            memcpy(to + done, r->bytes.next_input_byte, count);
        r->bytes.next_input_byte += count;
        r->bytes.bytes_in_buffer -= count;
    }
}

static void skip(j_decompress_ptr library, long bytes)
{
    take_bytes(library->client_data, NULL, bytes > 0 ? (size_t)bytes : 0);
}

static void do_nothing(j_decompress_ptr library)
{
    (void)library;
}

/* Called by the library while it works. */
static void watch(j_common_ptr library)
{
    struct reader *r = library->client_data;

    if (r->library.input_scan_number > MAX_SCANS)
        jpeg_fail(&r->call, "damaged JPEG: more scans than make sense");
}

/* Called by the library for a segment that may be metadata. Segments behind the first scan are
 * skipped. */
static boolean take_segment(j_decompress_ptr library)
{
    struct reader *r = library->client_data;
    struct source *source = r->source;
    const struct jpeg_segment *known;
    uint8_t length[2];
    size_t bytes;
    enum jpeg_kind kind;

    take_bytes(r, length, sizeof length);
    bytes = length[0] * 256U + length[1];
    if (bytes < 2)
        jpeg_fail(&r->call, "damaged JPEG: an impossible length at byte %llu", place_of(r) - 2);
    bytes -= 2;
    take_bytes(r, r->segment, bytes);
    kind = jpeg_segment_kind(library->unread_marker, r->segment, bytes);
    known = &jpeg_segments[kind];
    if (r->header_read || kind == JPEG_KINDS || (known->single && r->seen & 1U << kind))
        return TRUE;
    r->seen |= 1U << kind;
    if (kind == JPEG_EXIF)
        r->orientation = metadata_exif_upright(r->segment + known->bytes, bytes - known->bytes);
    source->dropped |= known->dropped;
    if (!jpeg_segment_keep(&source->metadata.own, &r->room, known->marker, r->segment, bytes))
        source->lost |= known->dropped;
    return TRUE;
}

/* ---- opening ---- */

static void check_kind(struct reader *r)
{
    const struct jpeg_decompress_struct *library = &r->library;
    int components = library->num_components;

    if (library->data_precision != 8) /* newer libraries leave this to their caller */
        unreadable(r, "with more than 8 bits a sample" NEWER_DJPEG);
    if (!library->progressive_mode && library->Ss != 0)
        unreadable(r, "with lossless coding" NEWER_DJPEG);
    if (library->arith_code)
        unreadable(r, "with arithmetic coding cannot be read", "jpegtran ");
    if (components == 4)
        unreadable(r, "with CMYK colours cannot be read", "djpeg ");
    if (components != 1 && components != 3)
        unreadable(r, "with an unknown number of components", NULL);
    /* The library would use the standard's example of a table in place of a missing one. */
    for (int i = 0; i < library->comps_in_scan && !library->progressive_mode; i++) {
        const jpeg_component_info *c = library->cur_comp_info[i];
        if (c->dc_tbl_no >= NUM_HUFF_TBLS || !library->dc_huff_tbl_ptrs[c->dc_tbl_no] ||
            c->ac_tbl_no >= NUM_HUFF_TBLS || !library->ac_huff_tbl_ptrs[c->ac_tbl_no])
            jpeg_fail(&r->call, "damaged JPEG: a Huffman table was not defined");
    }
}

/* Checks that the file can hold the picture, and that there is memory for the coefficients. */
static void check_sizes(struct reader *r)
{
    struct jpeg_decompress_struct *library = &r->library;
    uint64_t size = input_size(r->source->input), bits = 0, held = 0;

    for (int i = 0; i < library->num_components; i++) {
        const jpeg_component_info *c = &library->comp_info[i];
        /* The shortest code has one bit. A block has a code for DC and one for AC; in progressive
         * files it may have no AC at no cost. */
        bits += (uint64_t)c->width_in_blocks * c->height_in_blocks *
                (library->progressive_mode ? 1 : 2);
        held += (uint64_t)(c->width_in_blocks + 4) * (c->height_in_blocks + 4) * sizeof(JBLOCK);
    }
    if (size < UINT64_MAX && 8 * size < bits)
        jpeg_fail(&r->call, "truncated JPEG: its %llu bytes cannot hold %u x %u pixels",
                  (unsigned long long)size, library->image_width, library->image_height);
    if (!jpeg_has_multiple_scans(library))
        return;
    r->source->held = held;
    if (held >= LARGE_BYTES && held > machine_memory())
        jpeg_fail(&r->call, "no memory for %u x %u pixels: it takes %llu MB", library->image_width,
                  library->image_height, (unsigned long long)(held >> 20));
}

/* How many pixels share their colour along an axis. */
static int shared_by(int luma, int blue, int red)
{
    int shared = luma / (blue > red ? blue : red);
    return shared > 1 ? shared : 1;
}

/* Notes what a JPEG made of this one needs beside the segments; TURNED: the axes are exchanged. */
static void note_settings(const struct reader *r, struct metadata *metadata, bool turned)
{
    const struct jpeg_decompress_struct *library = &r->library;
    const jpeg_component_info *c = library->comp_info;
    unsigned dots_x = library->X_density, dots_y = library->Y_density;
    int x, y;

    /* A ratio of 1:1 says nothing. */
    if (library->saw_JFIF_marker && library->density_unit <= DENSITY_CENTIMETRE &&
        (library->density_unit != DENSITY_RATIO || dots_x != dots_y))
        metadata->density = (struct density){turned ? dots_y : dots_x, turned ? dots_x : dots_y,
                                             (enum density_unit)library->density_unit};
    if (library->num_components != 3)
        return;
    x = shared_by(c[0].h_samp_factor, c[1].h_samp_factor, c[2].h_samp_factor);
    y = shared_by(c[0].v_samp_factor, c[1].v_samp_factor, c[2].v_samp_factor);
    metadata->chroma_x = turned ? y : x;
    metadata->chroma_y = turned ? x : y;
}

static void read_header(void *context)
{
    struct reader *r = context;
    struct jpeg_decompress_struct *library = &r->library;

    jpeg_create_decompress(library);
    library->src = &r->bytes;
    library->progress = &r->progress;
    for (int i = 0; i < JPEG_KINDS; i++)
        jpeg_set_marker_processor(library, jpeg_segments[i].marker, take_segment);
    jpeg_read_header(library, TRUE);
    r->header_read = true;
    check_kind(r);
    check_sizes(r);
}

static bool decoder_open(struct source *source, struct error *err)
{
    struct reader *r = source->state;
    int width, height;
    bool turned;

    r->source = source;
    r->orientation = 1;
    r->bytes = (struct jpeg_source_mgr){.init_source = do_nothing,
                                        .fill_input_buffer = fill,
                                        .skip_input_data = skip,
                                        .resync_to_restart = jpeg_resync_to_restart,
                                        .term_source = do_nothing};
    r->progress.progress_monitor = watch;
    r->library.err = jpeg_call_prepare(&r->call, input_name(source->input), explain);
    r->library.client_data = r;
    if (!jpeg_call(&r->call, read_header, r, err))
        return false;
    width = (int)r->library.image_width;
    height = (int)r->library.image_height;
    turned = r->orientation >= 5;
    source->orientation = r->orientation;
    source_describe(source, turned ? height : width, turned ? width : height,
                    r->library.num_components, 255, FORMAT_JPEG);
    jpeg_metadata_find(&source->metadata, source->info.channels == 1);
    note_settings(r, &source->metadata, turned);
    return true;
}

static bool recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 2 && head[0] == 0xff && head[1] == 0xd8;
}

/* ---- rows ---- */

/* Checks that each component was in a scan and that a progressive file has sent all bits of all
 * coefficients: the library does not warn of missing scans. */
static void check_complete(struct reader *r)
{
    const struct jpeg_decompress_struct *library = &r->library;
    bool complete = true;

    for (int i = 0; i < library->num_components; i++) {
        complete &= library->comp_info[i].quant_table != NULL; /* set by the first scan */
        for (int k = 0; k < DCTSIZE2 && library->progressive_mode; k++)
            complete &= library->coef_bits[i][k] == 0; /* the lowest bit that has come */
    }
    if (!complete)
        jpeg_fail(&r->call, "truncated JPEG: scans are missing (it has %d)",
                  library->input_scan_number);
}

static void read_rows(void *context)
{
    struct reader *r = context;
    struct jpeg_decompress_struct *library = &r->library;
    JSAMPROW row[CALL_ROWS];

    if (!r->started) {
        library->dct_method = JDCT_ISLOW;
        jpeg_start_decompress(library); /* reads all scans if there are several */
        check_complete(r);
        r->started = true;
    }
    for (int y = 0, count; y < r->rows->height; y += count) {
        for (count = 0; count < CALL_ROWS && y + count < r->rows->height; count++)
            row[count] = image_row(r->rows, y + count);
        count = (int)jpeg_read_scanlines(library, row, (JDIMENSION)count);
    }
    if (library->output_scanline == library->output_height)
        jpeg_finish_decompress(library); /* reads up to the end marker, frees the coefficients */
}

static bool decoder_read(struct source *source, struct image *rows, struct error *err)
{
    struct reader *r = source->state;

    r->rows = rows;
    if (jpeg_call(&r->call, read_rows, r, err))
        return true;
    jpeg_destroy_decompress(&r->library); /* no further call can read from it */
    return false;
}

static void decoder_close(struct source *source)
{
    struct reader *r = source->state;

    jpeg_destroy_decompress(&r->library);
}

const struct decoder decoder_jpeg = {
    .name = "JPEG",
    .recognise = recognise,
    .open = decoder_open,
    .read = decoder_read,
    .state_bytes = sizeof(struct reader),
    .close = decoder_close,
};
