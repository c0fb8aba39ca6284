/* Plain rasters: numbers between blanks, or for P1 bare digits. Comments are
 * allowed as in the header: netpbm reads both with the same function. Nothing is
 * allocated here, so that a picture that a pipe only promises costs nothing. */
#include "codec/pnm/plain.h"

#include <stdio.h>

#define END  (-1) /* in place of a byte */
#define FAIL (-2) /* the same, err is set */

/* A sample that is not below this is not counted further. */
#define HUGE_SAMPLE 1000000

/* One row on its way. */
struct row {
    struct pnm_plain *plain;
    struct input *input;
    const struct pnm_header *header;
    int y;
    size_t sample; /* in the row, from 0 */
    struct error *err;
};

static int refill(struct row *row)
{
    struct pnm_plain *plain = row->plain;

    plain->at = 0;
    if (!input_read(row->input, plain->bytes, PNM_PLAIN_BYTES, &plain->count, row->err)) {
        plain->count = 0;
        return FAIL;
    }
    return plain->count > 0 ? plain->bytes[plain->at++] : END;
}

static inline int next_byte(struct row *row)
{
    struct pnm_plain *plain = row->plain;

    return plain->at < plain->count ? plain->bytes[plain->at++] : refill(row);
}

/* The first byte that is neither blank nor in a comment. */
static int skip_blanks(struct row *row)
{
    int byte = next_byte(row);

    for (;;) {
        if (byte == '#')
            while (byte >= 0 && byte != '\n' && byte != '\r')
                byte = next_byte(row);
        if (!pnm_is_space(byte))
            return byte;
        byte = next_byte(row);
    }
}

/* "row 3, column 5", counted from 1 as people do. */
static const char *place(const struct row *row, char text[64])
{
    snprintf(text, 64, "row %d, column %zu", row->y + 1,
             row->sample / (size_t)row->header->channels + 1);
    return text;
}

static bool truncated(struct row *row, int byte)
{
    return byte == FAIL
               ? false
               : error_set(row->err, EXIT_INPUT, "%s: truncated %s: %d of %d rows",
                           input_name(row->input), row->header->name, row->y, row->header->height);
}

static bool unexpected(struct row *row, const char *wanted, int byte)
{
    char shown[16], where[64];

    return error_set(row->err, EXIT_INPUT, "%s: damaged %s: expected %s at %s, got %s",
                     input_name(row->input), row->header->name, wanted, place(row, where),
                     pnm_byte_text(byte, shown));
}

static bool above_maxval(struct row *row, uint32_t value)
{
    char where[64];

    return error_set(row->err, EXIT_INPUT,
                     "%s: damaged %s: sample %u%s at %s is above the maxval %u",
                     input_name(row->input), row->header->name, value,
                     value < HUGE_SAMPLE ? "" : " or more", place(row, where), row->header->maxval);
}

static bool next_bit(struct row *row, uint32_t *value)
{
    int byte = skip_blanks(row);

    if (byte < 0)
        return truncated(row, byte);
    if (byte != '0' && byte != '1')
        return unexpected(row, "0 or 1", byte);
    *value = byte == '1' ? 0 : 255; /* 1 is ink */
    return true;
}

static bool next_number(struct row *row, uint32_t *value)
{
    int byte = skip_blanks(row);

    if (byte < 0)
        return truncated(row, byte);
    if (byte < '0' || byte > '9')
        return unexpected(row, "a sample", byte);
    for (*value = 0; byte >= '0' && byte <= '9'; byte = next_byte(row))
        *value = *value >= HUGE_SAMPLE / 10 ? HUGE_SAMPLE : 10 * *value + (uint32_t)(byte - '0');
    if (byte == FAIL)
        return false;
    if (byte == '#')
        row->plain->at--; /* skip_blanks knows comments */
    else if (byte != END && !pnm_is_space(byte))
        return unexpected(row, "blank space after the sample", byte);
    return *value <= row->header->maxval || above_maxval(row, *value);
}

bool pnm_plain_read_row(struct pnm_plain *plain, struct input *input,
                        const struct pnm_header *header, enum sample_type type, void *row, int y,
                        struct error *err)
{
    struct row r = {.plain = plain, .input = input, .header = header, .y = y, .err = err};
    size_t samples = (size_t)header->width * (size_t)header->channels;
    bool bitmap = pnm_is_bitmap(header->kind);
    uint32_t value = 0;

    for (; r.sample < samples; r.sample++) {
        if (bitmap ? !next_bit(&r, &value) : !next_number(&r, &value))
            return false;
        if (type == SAMPLE_U8)
            ((uint8_t *)row)[r.sample] = (uint8_t)value;
        else
            ((uint16_t *)row)[r.sample] = (uint16_t)value;
    }
    return true;
}
