/* The headers of PBM, PGM, PPM (P1 to P6) and PAM (P7): see codec/pnm/header.h. They are text and
 * may hold comments, so their length is not known beforehand: they are read byte by byte from what
 * the input lets us peek at, and of the input exactly their bytes are consumed. */
#include "codec/pnm/header.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEEK_BYTES 4096
#define LINE_BYTES 256 /* PAM: the specification's longest line */

/* A comment in a pipe could go on for ever. */
#define MOST_BYTES (1024 * 1024)

static const char *const names[] = {"", "PBM", "PGM", "PPM", "PBM", "PGM", "PPM", "PAM"};

const char *pnm_byte_text(int byte, char text[16])
{
    if (byte > ' ' && byte < 0x7F)
        snprintf(text, 16, "'%c'", byte);
    else
        snprintf(text, 16, "byte 0x%02X", (unsigned)byte & 0xFF);
    return text;
}

bool pnm_recognise(const uint8_t *head, size_t bytes)
{
    if (bytes < 2 || head[0] != 'P' || head[1] < '1' || head[1] > '7')
        return false;
    return bytes == 2 || pnm_is_space(head[2]) || (head[2] == '#' && head[1] != '7');
}

bool pnm_damaged(struct pnm_reader *r, const char *format, ...)
{
    char what[LINE_BYTES + 128];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    r->failed = true;
    return error_set(r->err, EXIT_INPUT, "%s: damaged %s: %s", input_name(r->input), r->name, what);
}

/* ---- bytes ---- */

/* The next byte, comments included, or PNM_END. */
static int next_raw(struct pnm_reader *r)
{
    if (r->at == r->count && !r->failed) {
        input_skip(r->input, r->at);
        r->taken += r->at;
        r->at = r->count = 0;
        if (!input_peek(r->input, PEEK_BYTES, &r->bytes, &r->count, r->err))
            r->failed = true;
        else if (r->taken > r->most)
            pnm_damaged(r, "its header does not end within 1 MiB");
    }
    return r->failed || r->at == r->count ? PNM_END : r->bytes[r->at++];
}

int pnm_next_byte_slowly(struct pnm_reader *r)
{
    int byte = next_raw(r);

    if (byte == '#')
        while (byte != '\n' && byte != '\r' && byte != PNM_END)
            byte = next_raw(r);
    return byte;
}

int pnm_skip_blanks(struct pnm_reader *r)
{
    int byte = pnm_next_byte(r);

    while (pnm_is_space(byte))
        byte = pnm_next_byte(r);
    return byte;
}

uint64_t pnm_number(struct pnm_reader *r, int byte, uint64_t most, int *after)
{
    uint64_t value = 0;

    for (; byte >= '0' && byte <= '9'; byte = pnm_next_byte(r))
        value = value > most ? value : 10 * value + (uint64_t)(byte - '0');
    *after = byte;
    return value;
}

/* ---- P1 to P6 ---- */

static bool ended(struct pnm_reader *r)
{
    if (r->failed)
        return false;
    r->failed = true;
    return error_set(r->err, EXIT_INPUT, "%s: truncated %s: the file ends in its header",
                     input_name(r->input), r->name);
}

static bool check_number(struct pnm_reader *r, const char *what, uint64_t value, uint64_t largest)
{
    if (value == 0)
        return pnm_damaged(r, "the %s is 0", what);
    return value <= largest ||
           pnm_damaged(r, "the %s is above %llu", what, (unsigned long long)largest);
}

/* Blanks, a number, one blank. */
static bool read_number(struct pnm_reader *r, const char *what, uint64_t largest, uint64_t *value)
{
    char shown[16];
    int byte = pnm_skip_blanks(r);

    if (byte == PNM_END)
        return ended(r);
    if (byte < '0' || byte > '9')
        return pnm_damaged(r, "expected the %s, got %s", what, pnm_byte_text(byte, shown));
    *value = pnm_number(r, byte, INT_MAX, &byte);
    if (byte == PNM_END)
        return ended(r);
    if (!pnm_is_space(byte))
        return pnm_damaged(r, "expected blank space after the %s, got %s", what,
                           pnm_byte_text(byte, shown));
    return check_number(r, what, *value, largest);
}

static bool read_numbers(struct pnm_reader *r)
{
    uint64_t width, height, maxval = 1;

    if (!read_number(r, "width", INT_MAX, &width) || !read_number(r, "height", INT_MAX, &height) ||
        (!pnm_is_bitmap(r->kind) && !read_number(r, "maxval", 65535, &maxval)))
        return false;
    r->width = (int)width;
    r->height = (int)height;
    r->maxval = (uint32_t)maxval;
    r->channels = r->kind == 3 || r->kind == 6 ? 3 : 1;
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
static bool read_line(struct pnm_reader *r, char line[LINE_BYTES])
{
    char shown[16];
    size_t length;
    bool comment;

    do {
        length = 0;
        comment = false;
        for (int byte = next_raw(r); byte != '\n'; byte = next_raw(r)) {
            if (byte == PNM_END)
                return ended(r);
            if (length == 0 && (pnm_is_space(byte) || byte == '#' || comment)) {
                comment = comment || byte == '#';
                continue;
            }
            if ((byte < ' ' && !pnm_is_space(byte)) || byte >= 0x7F)
                return pnm_damaged(r, "%s in its header", pnm_byte_text(byte, shown));
            if (length == LINE_BYTES - 1)
                return pnm_damaged(r, "a header line of more than 255 characters");
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

static bool set_number(struct pnm_reader *r, struct pam *pam, int which, const char *digits)
{
    const char *label = pam_numbers[which].label;
    uint64_t value;

    if (pam->number[which] != 0)
        return pnm_damaged(r, "a second %s line", label);
    if (!*digits || digits[strspn(digits, "0123456789")])
        return pnm_damaged(r, "expected a number after %s, got '%s'", label, digits);
    value = strtoull(digits, NULL, 10);    /* which may saturate */
    if (which == PAM_DEPTH && value > 4) { /* sound, but no picture of ours */
        r->failed = true;
        return error_set(r->err, EXIT_INPUT, "%s: a PAM of more than 4 channels",
                         input_name(r->input));
    }
    pam->number[which] = value;
    return check_number(r, label, value, pam_numbers[which].largest);
}

/* Several TUPLTYPE lines make one type, joined by blanks (the specification says so). */
static bool add_tuple_type(struct pnm_reader *r, struct pam *pam, const char *type)
{
    size_t length = strlen(pam->tuple_type), more = strlen(type);

    if (length + 1 + more >= sizeof pam->tuple_type)
        return pnm_damaged(r, "a TUPLTYPE of more than 255 characters");
    if (length > 0)
        pam->tuple_type[length++] = ' ';
    memcpy(pam->tuple_type + length, type, more + 1);
    return true;
}

static bool check_tuple_type(struct pnm_reader *r, const struct pam *pam)
{
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
    if (pam->number[PAM_DEPTH] != tuple_types[i].depth)
        return pnm_damaged(r, "TUPLTYPE %s needs DEPTH %u, not %u", pam->tuple_type,
                           tuple_types[i].depth, (unsigned)pam->number[PAM_DEPTH]);
    if (tuple_types[i].bilevel && pam->number[PAM_MAXVAL] != 1)
        return pnm_damaged(r, "TUPLTYPE %s needs MAXVAL 1, not %u", pam->tuple_type,
                           (unsigned)pam->number[PAM_MAXVAL]);
    return true;
}

static bool read_pam_line(struct pnm_reader *r, struct pam *pam, const char *line)
{
    const char *value = value_of(line, "TUPLTYPE");

    if (value)
        return add_tuple_type(r, pam, value);
    for (int i = 0; i < PAM_NUMBERS; i++) {
        value = value_of(line, pam_numbers[i].label);
        if (value)
            return set_number(r, pam, i, value);
    }
    return pnm_damaged(r, "unknown header line '%s'", line);
}

static bool read_pam(struct pnm_reader *r)
{
    struct pam pam = {0};
    char line[LINE_BYTES];

    for (;;) {
        if (!read_line(r, line))
            return false;
        if (strcmp(line, "ENDHDR") == 0)
            break;
        if (!read_pam_line(r, &pam, line))
            return false;
    }
    for (int i = 0; i < PAM_NUMBERS; i++)
        if (pam.number[i] == 0)
            return pnm_damaged(r, "no %s line in its header", pam_numbers[i].label);
    r->width = (int)pam.number[PAM_WIDTH];
    r->height = (int)pam.number[PAM_HEIGHT];
    r->channels = (int)pam.number[PAM_DEPTH];
    r->maxval = (uint32_t)pam.number[PAM_MAXVAL];
    return check_tuple_type(r, &pam);
}

bool pnm_header_read(struct pnm_reader *r)
{
    int digit;

    r->name = "PNM";
    r->most = MOST_BYTES;
    next_raw(r); /* the P */
    digit = next_raw(r);
    if (digit < '1' || digit > '7')
        return r->failed ? false : pnm_damaged(r, "no P1 to P7 at its beginning");
    r->kind = digit - '0';
    r->name = names[r->kind];
    if (r->kind == 7 ? !read_pam(r) : !read_numbers(r))
        return false;
    r->header_bytes = r->taken + r->at;
    r->most = UINT64_MAX; /* a plain raster goes on */
    if (!pnm_is_plain(r->kind))
        input_skip(r->input, r->at);
    return true;
}
