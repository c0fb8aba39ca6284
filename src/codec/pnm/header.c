/* The headers of PBM, PGM, PPM (P1 to P6) and PAM (P7): see codec/pnm/header.h. They
 * are text and may hold comments, so that they have no length that is known
 * beforehand; they are read byte by byte from what the input lets us peek at, and
 * exactly their bytes are consumed.
 *
 * Comments in P1 to P6 run from a '#' anywhere, even inside a number, to the end of
 * the line, and count as that line break: `12#c\n34` are two numbers, and the line
 * break of `255#c\n` is the one blank before the samples. netpbm reads it so. */
#include "codec/pnm/header.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define PEEK_BYTES 4096
#define LINE_BYTES 256 /* PAM: the specification's longest line */

#define END (-1) /* in place of a byte: the end, or a failure that is in err already */

struct reader {
    struct input *input;
    struct pnm_header *header;
    struct error *err;
    bool failed; /* err is set */
    const uint8_t *bytes;
    size_t at, count; /* in what was peeked */
};

static const char *const names[] = {"", "PBM", "PGM", "PPM", "PBM", "PGM", "PPM", "PAM"};

const char *pnm_byte_text(int byte, char text[16])
{
    if (byte > ' ' && byte < 0x7F)
        snprintf(text, 16, "'%c'", byte);
    else
        snprintf(text, 16, "byte 0x%02X", (unsigned)byte & 0xFF);
    return text;
}

bool pnm_header_recognise(const uint8_t *head, size_t bytes)
{
    if (bytes < 2 || head[0] != 'P' || head[1] < '1' || head[1] > '7')
        return false;
    return bytes == 2 || pnm_is_space(head[2]) || (head[2] == '#' && head[1] != '7');
}

/* ---- bytes ---- */

/* Opens the sentences about damage. */
static bool damaged(struct reader *r, const char *what)
{
    r->failed = true;
    return error_set(r->err, EXIT_INPUT, "%s: damaged %s: %s", input_name(r->input),
                     r->header->name, what);
}

static bool consume(struct reader *r)
{
    uint8_t scratch[PEEK_BYTES];
    size_t got;

    r->header->bytes += r->at;
    if (!input_read(r->input, scratch, r->at, &got, r->err))
        return false;
    r->at = 0;
    r->count = 0;
    return true;
}

/* The next byte, comments included, or END. */
static int next_raw(struct reader *r)
{
    if (r->at == r->count && !r->failed) {
        if (!consume(r) || !input_peek(r->input, PEEK_BYTES, &r->bytes, &r->count, r->err))
            r->failed = true;
        else if (r->header->bytes > PNM_HEADER_MAX_BYTES)
            damaged(r, "its header does not end within 1 MiB");
    }
    if (r->failed || r->at == r->count)
        return END;
    return r->bytes[r->at++];
}

/* The next byte, a comment standing for the line break that ends it. */
static int next_byte(struct reader *r)
{
    int byte = next_raw(r);

    if (byte == '#')
        while (byte != '\n' && byte != '\r' && byte != END)
            byte = next_raw(r);
    return byte;
}

static bool ended(struct reader *r)
{
    if (r->failed)
        return false;
    r->failed = true;
    return error_set(r->err, EXIT_INPUT, "%s: truncated %s: the file ends in its header",
                     input_name(r->input), r->header->name);
}

/* ---- numbers ---- */

/* Saturates just above what any number here may be. */
static uint64_t append_digit(uint64_t value, int digit)
{
    return value > INT_MAX ? value : 10 * value + (uint64_t)(digit - '0');
}

static bool check_number(struct reader *r, const char *what, uint64_t value, uint64_t largest)
{
    char text[96];

    if (value >= 1 && value <= largest)
        return true;
    if (value == 0)
        snprintf(text, sizeof text, "the %s is 0", what);
    else
        snprintf(text, sizeof text, "the %s is above %llu", what, (unsigned long long)largest);
    return damaged(r, text);
}

/* P1 to P6: blanks, a number, one blank. */
static bool read_number(struct reader *r, const char *what, uint64_t largest, uint64_t *value)
{
    char text[96], shown[16];
    int byte = next_byte(r);

    while (pnm_is_space(byte))
        byte = next_byte(r);
    if (byte == END)
        return ended(r);
    if (byte < '0' || byte > '9') {
        snprintf(text, sizeof text, "expected the %s, got %s", what, pnm_byte_text(byte, shown));
        return damaged(r, text);
    }
    for (*value = 0; byte >= '0' && byte <= '9'; byte = next_byte(r))
        *value = append_digit(*value, byte);
    if (byte == END)
        return ended(r);
    if (!pnm_is_space(byte)) {
        snprintf(text, sizeof text, "expected blank space after the %s, got %s", what,
                 pnm_byte_text(byte, shown));
        return damaged(r, text);
    }
    return check_number(r, what, *value, largest);
}

static bool read_numbers(struct reader *r)
{
    struct pnm_header *header = r->header;
    uint64_t width, height, maxval = 1;

    if (!read_number(r, "width", INT_MAX, &width) || !read_number(r, "height", INT_MAX, &height) ||
        (!pnm_is_bitmap(header->kind) && !read_number(r, "maxval", 65535, &maxval)))
        return false;
    header->width = (int)width;
    header->height = (int)height;
    header->maxval = (uint32_t)maxval;
    header->channels = header->kind == 3 || header->kind == 6 ? 3 : 1;
    return true;
}

/* ---- PAM ---- */

/* The tuple types that are pictures. A type that is not here (CMYK, say) must not be
 * filtered as if its last channel were alpha. */
static const struct {
    const char *name;
    uint32_t depth;
    bool bilevel;
} tuple_types[] = {{"BLACKANDWHITE", 1, true}, {"BLACKANDWHITE_ALPHA", 2, true},
                   {"GRAYSCALE", 1, false},    {"GRAYSCALE_ALPHA", 2, false},
                   {"RGB", 3, false},          {"RGB_ALPHA", 4, false}};
#define TUPLE_TYPES (sizeof tuple_types / sizeof *tuple_types)

enum { PAM_WIDTH, PAM_HEIGHT, PAM_DEPTH, PAM_MAXVAL, PAM_NUMBERS };

static const struct {
    const char *label;
    uint64_t largest;
} pam_numbers[PAM_NUMBERS] = {
    {"WIDTH", INT_MAX}, {"HEIGHT", INT_MAX}, {"DEPTH", 4}, {"MAXVAL", 65535}};

struct pam {
    uint64_t number[PAM_NUMBERS]; /* 0: has not come yet */
    char tuple_type[LINE_BYTES];
};

/* The next line that is neither blank nor a comment, without the blanks around it. */
static bool read_line(struct reader *r, char line[LINE_BYTES])
{
    char text[64], shown[16];
    size_t length;
    bool comment;
    int byte;

    do {
        length = 0;
        comment = false;
        for (byte = next_raw(r); byte != '\n'; byte = next_raw(r)) {
            if (byte == END)
                return ended(r);
            if (length == 0 && (pnm_is_space(byte) || byte == '#' || comment)) {
                comment = comment || byte == '#';
                continue;
            }
            if ((byte < ' ' && !pnm_is_space(byte)) || byte >= 0x7F) {
                snprintf(text, sizeof text, "%s in its header", pnm_byte_text(byte, shown));
                return damaged(r, text);
            }
            if (length == LINE_BYTES - 1)
                return damaged(r, "a header line of more than 255 characters");
            line[length++] = (char)byte;
        }
    } while (length == 0);
    while (pnm_is_space(line[length - 1]))
        length--;
    line[length] = '\0';
    return true;
}

/* What follows LABEL and blanks in LINE, or NULL if LINE is not about LABEL. */
static const char *value_of(const char *line, const char *label)
{
    size_t length = strlen(label);

    if (strncmp(line, label, length) != 0 || (line[length] && !pnm_is_space(line[length])))
        return NULL;
    for (line += length; pnm_is_space(*line);)
        line++;
    return line;
}

static bool set_number(struct reader *r, struct pam *pam, int which, const char *digits)
{
    const char *label = pam_numbers[which].label;
    uint64_t value = 0;
    char text[LINE_BYTES + 64];

    if (pam->number[which] != 0) {
        snprintf(text, sizeof text, "a second %s line", label);
        return damaged(r, text);
    }
    if (!*digits || digits[strspn(digits, "0123456789")]) {
        snprintf(text, sizeof text, "expected a number after %s, got '%s'", label, digits);
        return damaged(r, text);
    }
    for (; *digits; digits++)
        value = append_digit(value, *digits);
    if (which == PAM_DEPTH && value > 4) { /* sound, but no picture of ours */
        r->failed = true;
        return error_set(r->err, EXIT_INPUT, "%s: a PAM of more than 4 channels",
                         input_name(r->input));
    }
    pam->number[which] = value;
    return check_number(r, label, value, pam_numbers[which].largest);
}

/* Several TUPLTYPE lines make one type, joined by blanks (the specification says so). */
static bool add_tuple_type(struct reader *r, struct pam *pam, const char *type)
{
    size_t length = strlen(pam->tuple_type), more = strlen(type);

    if (length + 1 + more >= sizeof pam->tuple_type)
        return damaged(r, "a TUPLTYPE of more than 255 characters");
    if (length > 0)
        pam->tuple_type[length++] = ' ';
    memcpy(pam->tuple_type + length, type, more + 1);
    return true;
}

static bool check_tuple_type(struct reader *r, const struct pam *pam)
{
    char text[LINE_BYTES + 96];
    size_t i;

    if (!pam->tuple_type[0])
        return true; /* optional: DEPTH alone decides */
    for (i = 0; i < TUPLE_TYPES && strcmp(pam->tuple_type, tuple_types[i].name) != 0;)
        i++;
    if (i == TUPLE_TYPES) {
        r->failed = true;
        return error_set(r->err, EXIT_INPUT,
                         "%s: unknown tuple type '%s' (known: BLACKANDWHITE GRAYSCALE RGB, each "
                         "also with _ALPHA)",
                         input_name(r->input), pam->tuple_type);
    }
    if (pam->number[PAM_DEPTH] != tuple_types[i].depth) {
        snprintf(text, sizeof text, "TUPLTYPE %s needs DEPTH %u, not %u", pam->tuple_type,
                 tuple_types[i].depth, (unsigned)pam->number[PAM_DEPTH]);
        return damaged(r, text);
    }
    if (tuple_types[i].bilevel && pam->number[PAM_MAXVAL] != 1) {
        snprintf(text, sizeof text, "TUPLTYPE %s needs MAXVAL 1, not %u", pam->tuple_type,
                 (unsigned)pam->number[PAM_MAXVAL]);
        return damaged(r, text);
    }
    return true;
}

static bool read_pam_line(struct reader *r, struct pam *pam, const char *line)
{
    const char *value = value_of(line, "TUPLTYPE");
    char text[LINE_BYTES + 64];
    int i;

    if (value)
        return add_tuple_type(r, pam, value);
    for (i = 0; i < PAM_NUMBERS; i++) {
        value = value_of(line, pam_numbers[i].label);
        if (value)
            return set_number(r, pam, i, value);
    }
    snprintf(text, sizeof text, "unknown header line '%s'", line);
    return damaged(r, text);
}

static bool read_pam(struct reader *r)
{
    struct pam pam = {0};
    char line[LINE_BYTES], text[64];
    int i;

    for (;;) {
        if (!read_line(r, line))
            return false;
        if (strcmp(line, "ENDHDR") == 0)
            break;
        if (!read_pam_line(r, &pam, line))
            return false;
    }
    for (i = 0; i < PAM_NUMBERS; i++)
        if (pam.number[i] == 0) {
            snprintf(text, sizeof text, "no %s line in its header", pam_numbers[i].label);
            return damaged(r, text);
        }
    r->header->width = (int)pam.number[PAM_WIDTH];
    r->header->height = (int)pam.number[PAM_HEIGHT];
    r->header->channels = (int)pam.number[PAM_DEPTH];
    r->header->maxval = (uint32_t)pam.number[PAM_MAXVAL];
    return check_tuple_type(r, &pam);
}

bool pnm_header_read(struct pnm_header *header, struct input *input, struct error *err)
{
    struct reader r = {.input = input, .header = header, .err = err};
    int digit;

    memset(header, 0, sizeof *header);
    header->name = "PNM";
    next_raw(&r); /* the P */
    digit = next_raw(&r);
    if (digit < '1' || digit > '7')
        return r.failed ? false : damaged(&r, "no P1 to P7 at its beginning");
    header->kind = digit - '0';
    header->name = names[header->kind];
    return (header->kind == 7 ? read_pam(&r) : read_numbers(&r)) && consume(&r);
}
