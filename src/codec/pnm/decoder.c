/* The PNM decoder: PBM, PGM, PPM (plain and binary) and PAM become gray, RGB and
 * their alpha forms with the file's own maxval; bitmaps become gray of 0 and 255.
 * Binary rows are read as they are asked for, straight into the caller's memory. Plain rasters are
 * text: numbers between blanks, or for P1 bare digits, with comments as in the header; nothing is
 * allocated for them, so that a picture that a pipe only promises costs nothing.
 *
 * Of several pictures in one file the first is taken, with a warning where the
 * file's length tells. */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

#include "codec/format.h"
#include "codec/pnm/header.h"

/* Rows that lie close together are read in groups of about this size: few system
 * calls, and the pass over the samples that follows finds them in cache. */
#define GROUP_BYTES ((size_t)256 * 1024)

/* A sample of text that is not below this is not counted further. */
#define HUGE_SAMPLE 1000000

struct pnm {
    struct pnm_reader reader; /* the header, and the text of P1 to P3 */
    size_t file_row_bytes;    /* a row in the file; binary formats only */
    uint8_t *packed;          /* one row of a P4 */
};

/* ---- opening ---- */

/* The bytes of samples that a sound file of this header has at least. False: they
 * cannot be counted in 64 bits. */
static bool promised_bytes(const struct pnm_reader *header, uint64_t *bytes)
{
    /* width < 2^31, channels <= 4, sample <= 2: a row is below 2^34. */
    uint64_t row = (uint64_t)header->width * (uint64_t)header->channels;

    if (header->kind == 4)
        row = (row + 7) / 8;
    else if (!pnm_is_plain(header->kind))
        row *= header->maxval > 255 ? 2 : 1;
    else if (header->kind != 1)
        row *= 2; /* a digit and a blank, and the last blank may be missing: below */
    if (__builtin_mul_overflow(row, (uint64_t)header->height, bytes))
        return false;
    if (header->kind == 2 || header->kind == 3)
        --*bytes;
    return true;
}

/* A header is believed only as far as its file is long. */
static bool check_length(struct source *source, const struct pnm_reader *header, struct error *err)
{
    const char *name = input_name(source->input);
    uint64_t size = input_size(source->input), promised, held;

    if (!promised_bytes(header, &promised))
        return error_set(err, EXIT_INPUT,
                         "%s: damaged %s: %d x %d pixels are more than a file holds", name,
                         header->name, header->width, header->height);
    if (size == UINT64_MAX)
        return true;
    held = size > header->header_bytes ? size - header->header_bytes : 0;
    if (held < promised)
        return error_set(err, EXIT_INPUT,
                         "%s: truncated %s: the header promises %s%llu bytes of samples, the file "
                         "holds %llu",
                         name, header->name, pnm_is_plain(header->kind) ? "at least " : "",
                         (unsigned long long)promised, (unsigned long long)held);
    /* A line break at the end is no second picture. Text may always be spaced more widely. */
    if (held > promised + 2 && !pnm_is_plain(header->kind))
        snprintf(source->warning, sizeof source->warning,
                 "%s: only the first picture is read; %llu bytes follow it", name,
                 (unsigned long long)(held - promised));
    return true;
}

static bool pnm_open(struct source *source, struct error *err)
{
    struct pnm *pnm = source->state;
    struct pnm_reader *header = &pnm->reader;
    struct image_info *info = &source->info;

    header->input = source->input;
    header->err = err;
    if (!pnm_header_read(header) || !check_length(source, header, err))
        return false;
    info->width = header->width;
    info->height = header->height;
    info->channels = header->channels;
    info->max = pnm_is_bitmap(header->kind) ? 255 : header->maxval;
    info->type = info->max > 255 ? SAMPLE_U16 : SAMPLE_U8;
    info->format = header->kind == 7 ? FORMAT_PAM : header->channels == 3 ? FORMAT_PPM : FORMAT_PGM;
    pnm->file_row_bytes = (size_t)header->width * (size_t)header->channels * (size_t)info->type;
    if (header->kind != 4)
        return true;
    pnm->file_row_bytes = ((size_t)header->width + 7) / 8;
    pnm->packed = malloc(pnm->file_row_bytes);
    return pnm->packed ||
           error_set(err, EXIT_INPUT, "%s: no memory to read it", input_name(source->input));
}

static void pnm_close(struct source *source)
{
    struct pnm *pnm = source->state;

    free(pnm->packed);
}

/* ---- samples ---- */

static void unpack_bits(const uint8_t *packed, uint8_t *row, int width)
{
    for (int x = 0; x < width; x++)
        row[x] = packed[x / 8] >> (7 - x % 8) & 1 ? 0 : 255; /* 1 is ink */
}

static uint32_t largest_u8(const uint8_t *row, size_t samples)
{
    uint8_t top = 0;

    for (size_t i = 0; i < samples; i++)
        top = row[i] > top ? row[i] : top;
    return top;
}

/* The file's byte order is big-endian, whatever the machine's. */
static uint32_t swap_and_largest_u16(uint16_t *row, size_t samples)
{
    uint16_t top = 0;

    for (size_t i = 0; i < samples; i++) {
        row[i] = be16toh(row[i]);
        top = row[i] > top ? row[i] : top;
    }
    return top;
}

/* SAMPLE counts from 0 in row Y; people count from 1. */
static bool above_maxval(struct pnm *pnm, uint32_t value, int y, size_t sample)
{
    return pnm_damaged(&pnm->reader, "sample %u%s at row %d, column %zu is above the maxval %u",
                       value, value < HUGE_SAMPLE ? "" : " or more", y + 1,
                       sample / (size_t)pnm->reader.channels + 1, pnm->reader.maxval);
}

/* Finds the sample; the fast pass only knew that there is one. */
static bool find_above_maxval(struct source *source, const void *row, int y)
{
    const struct image_info *info = &source->info;
    uint32_t value = 0;
    size_t i;

    for (i = 0; value <= info->max; i++)
        value = info->type == SAMPLE_U8 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
    return above_maxval(source->state, value, y, i - 1);
}

/* Turns the bytes of a row, as they stand in the file, into samples in place, and checks them. */
static bool finish_row(struct source *source, void *row, int y)
{
    const struct pnm *pnm = source->state;
    const struct image_info *info = &source->info;
    size_t samples = (size_t)info->width * (size_t)info->channels;
    uint32_t top = 0;

    if (pnm->packed)
        unpack_bits(pnm->packed, row, info->width);
    else if (info->type == SAMPLE_U16)
        top = swap_and_largest_u16(row, samples);
    else if (info->max < 255)
        top = largest_u8(row, samples);
    return top <= info->max || find_above_maxval(source, row, y);
}

/* ---- binary rows ---- */

static bool truncated(struct pnm *pnm, int y)
{
    return error_set(pnm->reader.err, EXIT_INPUT, "%s: truncated %s: %d of %d rows",
                     input_name(pnm->reader.input), pnm->reader.name, y, pnm->reader.height);
}

/* How many rows one input_read may fill: several where no gap lies between them. */
static int group_rows(const struct pnm *pnm, const struct image *rows)
{
    size_t group = GROUP_BYTES / pnm->file_row_bytes;

    if (pnm->packed || rows->pitch != pnm->file_row_bytes || group < 1)
        return 1;
    return group < (size_t)rows->height ? (int)group : rows->height;
}

static bool read_binary(struct source *source, struct image *rows, struct error *err)
{
    struct pnm *pnm = source->state;
    int group = group_rows(pnm, rows), y = 0, end;

    while (y < rows->height) {
        int count = group < rows->height - y ? group : rows->height - y;
        size_t bytes = (size_t)count * pnm->file_row_bytes, got;
        void *into = pnm->packed ? pnm->packed : image_row(rows, y);
        if (!input_read(source->input, into, bytes, &got, err))
            return false;
        if (got < bytes)
            return truncated(pnm, source->next_row + y + (int)(got / pnm->file_row_bytes));
        for (end = y + count; y < end; y++)
            if (!finish_row(source, image_row(rows, y), source->next_row + y))
                return false;
    }
    return true;
}

/* ---- plain rows ---- */

/* WANTED was expected for sample I of row Y, not BYTE. */
static bool unexpected(struct pnm *pnm, const char *wanted, int byte, int y, size_t i)
{
    char shown[16];

    return pnm_damaged(&pnm->reader, "expected %s at row %d, column %zu, got %s", wanted, y + 1,
                       i / (size_t)pnm->reader.channels + 1, pnm_byte_text(byte, shown));
}

static bool next_sample(struct pnm *pnm, int y, size_t i, uint32_t *value)
{
    struct pnm_reader *reader = &pnm->reader;
    int byte = pnm_skip_blanks(reader);
    uint64_t number;

    if (byte == PNM_END)
        return reader->failed ? false : truncated(pnm, y);
    if (reader->kind == 1) {
        *value = byte == '1' ? 0 : 255; /* 1 is ink */
        return byte == '0' || byte == '1' || unexpected(pnm, "0 or 1", byte, y, i);
    }
    if (byte < '0' || byte > '9')
        return unexpected(pnm, "a sample", byte, y, i);
    number = pnm_number(reader, byte, HUGE_SAMPLE, &byte);
    *value = number < HUGE_SAMPLE ? (uint32_t)number : HUGE_SAMPLE;
    if (reader->failed)
        return false;
    if (byte != PNM_END && !pnm_is_space(byte))
        return unexpected(pnm, "blank space after the sample", byte, y, i);
    return *value <= reader->maxval || above_maxval(pnm, *value, y, i);
}

static bool read_plain_row(struct pnm *pnm, enum sample_type type, void *row, int y)
{
    size_t samples = (size_t)pnm->reader.width * (size_t)pnm->reader.channels, i;
    uint32_t value = 0;

    for (i = 0; i < samples; i++) {
        if (!next_sample(pnm, y, i, &value))
            return false;
        if (type == SAMPLE_U8)
            ((uint8_t *)row)[i] = (uint8_t)value;
        else
            ((uint16_t *)row)[i] = (uint16_t)value;
    }
    return true;
}

static bool pnm_read(struct source *source, struct image *rows, struct error *err)
{
    struct pnm *pnm = source->state;

    pnm->reader.err = err;
    if (!pnm_is_plain(pnm->reader.kind))
        return read_binary(source, rows, err);
    for (int y = 0; y < rows->height; y++)
        if (!read_plain_row(pnm, source->info.type, image_row(rows, y), source->next_row + y))
            return false;
    return true;
}

const struct decoder decoder_pnm = {
    .name = "PNM",
    .recognise = pnm_recognise,
    .open = pnm_open,
    .read = pnm_read,
    .state_bytes = sizeof(struct pnm),
    .close = pnm_close,
};
