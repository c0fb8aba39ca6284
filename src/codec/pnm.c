/* PNM, read and written. PBM, PGM, PPM (P1 to P6, plain and binary) and PAM (P7) become gray, RGB
 * and their alpha forms with the file's own maxval; bitmaps become gray of 0 and 255.
 *
 * Headers are text and may contain comments, so their length is unknown beforehand: the decoder
 * peeks at the input, reads the header byte by byte, and consumes exactly the header's bytes.
 * Binary rows are read on demand, straight into the caller's memory. Plain rasters are text:
 * numbers between blanks, or for P1 bare digits, with comments as in the header. They need no
 * buffer, so a pipe whose header promises a huge picture costs no memory.
 *
 * Binary pictures may follow each other: each is a page. If something else follows the last one, a
 * warning says so where the file's length is known.
 *
 * The encoder writes P5, P6 and P7 with the picture's own maximum as maxval; codec/sink.c has
 * converted the rows to fit. */
#include <endian.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/format.h"

#define PEEK_BYTES 4096
#define LINE_BYTES 256 /* the longest line that the PAM specification allows */

/* The limit for a header: a comment in a pipe could be endless. */
#define MOST_BYTES (1024 * 1024)

/* Rows without gaps between them are read in groups of about this size: few system calls, and the
 * following pass over the samples finds them in cache. */
#define GROUP_BYTES ((size_t)256 * 1024)

/* Decimal samples saturate at this value. */
#define HUGE_SAMPLE 1000000

/* source->state */
struct pnm {
    struct input *input;
    struct error *err; /* of the current call */
    bool failed;       /* err is set */
    const uint8_t *bytes;
    size_t at, count;     /* in the peeked text */
    uint64_t taken, most; /* bytes before it; a header of more than `most` bytes is refused */
    /* the header: */
    int kind;         /* 1 to 7: the digit after the P */
    char name[48];    /* "PBM", "PGM", "PPM", "PAM"; of later pictures "PGM (picture 2)" */
    uint64_t picture; /* its number, from 1 */
    struct image_info *info;
    uint32_t maxval;       /* 1 for P1 and P4 */
    uint64_t header_bytes; /* before the first sample, counted from the start of the input */
    uint64_t end;          /* the place behind the last sample; binary formats only */
    size_t file_row_bytes; /* a row in the file; binary formats only */
    uint8_t *packed;       /* one row of a P4 */
};

/* True for kinds whose samples are decimal text. */
static bool is_plain(const struct pnm *pnm)
{
    return pnm->kind <= 3;
}

/* White space as the PNM specification defines it. */
static bool is_space(int byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

#define RECOGNISE_BYTES 3

static bool recognise(const uint8_t *head, size_t bytes)
{
    if (bytes < 2 || head[0] != 'P' || head[1] < '1' || head[1] > '7')
        return false;
    return bytes == 2 || is_space(head[2]) || (head[2] == '#' && head[1] != '7');
}

/* "NAME: damaged PGM: ..." */
__attribute__((format(printf, 2, 3))) static bool damaged(struct pnm *pnm, const char *format, ...)
{
    char what[LINE_BYTES + 128];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    pnm->failed = true;
    return error_file(pnm->err, input_name(pnm->input), "damaged %s: %s", pnm->name, what);
}

/* ---- text ---- */

#define END (-1) /* returned in place of a byte at the end of the file, or if `failed` */

/* The next byte, including bytes of comments. */
static int next_raw(struct pnm *pnm)
{
    if (pnm->at == pnm->count && !pnm->failed) {
        input_skip(pnm->input, pnm->at);
        pnm->taken += pnm->at;
        pnm->at = pnm->count = 0;
        if (!input_peek(pnm->input, PEEK_BYTES, &pnm->bytes, &pnm->count, pnm->err))
            pnm->failed = true;
        else if (pnm->taken > pnm->most)
            damaged(pnm, "its header does not end within 1 MiB");
    }
    return pnm->failed || pnm->at == pnm->count ? END : pnm->bytes[pnm->at++];
}

/* The next byte of text. A comment counts as the line break that ends it, as in netpbm: `12#c\n34`
 * are two numbers, and the line break of `255#c\n` is the one blank before the samples. */
static inline int next_byte(struct pnm *pnm)
{
    int byte = pnm->at < pnm->count ? pnm->bytes[pnm->at++] : next_raw(pnm);

    if (byte == '#')
        while (byte != '\n' && byte != '\r' && byte != END)
            byte = next_raw(pnm);
    return byte;
}

static int skip_blanks(struct pnm *pnm)
{
    int byte = next_byte(pnm);

    while (is_space(byte))
        byte = next_byte(pnm);
    return byte;
}

/* Reads the number that begins with the digit BYTE; values above MOST (at most 2^31) saturate.
 * *after is the byte after the number. */
static uint64_t read_digits(struct pnm *pnm, int byte, uint64_t most, int *after)
{
    uint64_t value = 0;

    for (; byte >= '0' && byte <= '9'; byte = next_byte(pnm))
        value = value > most ? value : 10 * value + (uint64_t)(byte - '0');
    *after = byte;
    return value;
}

/* 'x' or byte 0x00, for error messages. */
static const char *byte_text(int byte, char text[16])
{
    if (byte > ' ' && byte < 0x7F)
        snprintf(text, 16, "'%c'", byte);
    else
        snprintf(text, 16, "byte 0x%02X", (unsigned)byte & 0xFF);
    return text;
}

/* ---- the headers of P1 to P6 ---- */

static bool ended(struct pnm *pnm)
{
    return !pnm->failed && error_file(pnm->err, input_name(pnm->input),
                                      "truncated %s: the file ends in its header", pnm->name);
}

static bool check_number(struct pnm *pnm, const char *what, uint64_t value, uint64_t largest)
{
    if (value == 0)
        return damaged(pnm, "the %s is 0", what);
    return value <= largest ||
           damaged(pnm, "the %s is above %llu", what, (unsigned long long)largest);
}

/* Reads blanks, a number and one blank. */
static bool read_number(struct pnm *pnm, const char *what, int largest, int *number)
{
    char shown[16];
    int byte = skip_blanks(pnm);
    uint64_t value;

    if (byte == END)
        return ended(pnm);
    if (byte < '0' || byte > '9')
        return damaged(pnm, "expected the %s, got %s", what, byte_text(byte, shown));
    value = read_digits(pnm, byte, INT_MAX, &byte);
    if (byte == END)
        return ended(pnm);
    if (!is_space(byte))
        return damaged(pnm, "expected blank space after the %s, got %s", what,
                       byte_text(byte, shown));
    *number = (int)value;
    return check_number(pnm, what, value, (uint64_t)largest);
}

static bool read_numbers(struct pnm *pnm)
{
    int maxval = 1;

    if (!read_number(pnm, "width", INT_MAX, &pnm->info->width) ||
        !read_number(pnm, "height", INT_MAX, &pnm->info->height) ||
        (pnm->kind != 1 && pnm->kind != 4 && !read_number(pnm, "maxval", 65535, &maxval)))
        return false;
    pnm->maxval = (uint32_t)maxval;
    pnm->info->channels = pnm->kind == 3 || pnm->kind == 6 ? 3 : 1;
    return true;
}

/* ---- the header of P7 ---- */

/* The tuple types that are pictures. Other types (CMYK, say) are refused, since their last channel
 * must not be treated as alpha. The encoder writes those that are not bilevel. */
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
    uint64_t number[PAM_NUMBERS]; /* 0: not seen yet */
    char tuple_type[LINE_BYTES];
};

/* Reads the next line that is neither blank nor a comment; strips the blanks around it. */
static bool read_line(struct pnm *pnm, char line[LINE_BYTES])
{
    char shown[16];
    size_t length;
    bool comment;

    do {
        length = 0;
        comment = false;
        for (int byte = next_raw(pnm); byte != '\n'; byte = next_raw(pnm)) {
            if (byte == END)
                return ended(pnm);
            if (length == 0 && (is_space(byte) || byte == '#' || comment)) {
                comment = comment || byte == '#';
                continue;
            }
            if ((byte < ' ' && !is_space(byte)) || byte >= 0x7F)
                return damaged(pnm, "%s in its header", byte_text(byte, shown));
            if (length == LINE_BYTES - 1)
                return damaged(pnm, "a header line of more than 255 characters");
            line[length++] = (char)byte;
        }
    } while (length == 0);
    while (is_space(line[length - 1]))
        length--;
    line[length] = '\0';
    return true;
}

/* The text after LABEL and blanks in LINE; NULL if LINE does not begin with LABEL. */
static const char *value_of(const char *line, const char *label)
{
    size_t length = strlen(label);

    if (strncmp(line, label, length) != 0 || (line[length] && !is_space(line[length])))
        return NULL;
    for (line += length; is_space(*line);)
        line++;
    return line;
}

static bool set_number(struct pnm *pnm, struct pam *pam, int which, const char *digits)
{
    const char *label = pam_numbers[which].label;
    uint64_t value;

    if (pam->number[which] != 0)
        return damaged(pnm, "a second %s line", label);
    if (!*digits || digits[strspn(digits, "0123456789")])
        return damaged(pnm, "expected a number after %s, got '%s'", label, digits);
    value = strtoull(digits, NULL, 10);  /* strtoull may saturate */
    if (which == PAM_DEPTH && value > 4) /* valid, but not readable here */
        return error_file(pnm->err, input_name(pnm->input), "a PAM of more than 4 channels");
    pam->number[which] = value;
    return check_number(pnm, label, value, pam_numbers[which].largest);
}

/* Several TUPLTYPE lines make one type, joined by blanks (the specification says so). */
static bool add_tuple_type(struct pnm *pnm, struct pam *pam, const char *line)
{
    const char *type = value_of(line, "TUPLTYPE");
    size_t length = strlen(pam->tuple_type), room = sizeof pam->tuple_type - length;

    if (!type)
        return damaged(pnm, "unknown header line '%s'", line);
    if (strlen(type) + 1 >= room)
        return damaged(pnm, "a TUPLTYPE of more than 255 characters");
    snprintf(pam->tuple_type + length, room, "%s%s", length > 0 ? " " : "", type);
    return true;
}

static bool check_tuple_type(struct pnm *pnm, const struct pam *pam)
{
    size_t i = 0;

    if (!pam->tuple_type[0])
        return true; /* optional: DEPTH alone decides */
    while (i < TUPLE_TYPES && strcmp(pam->tuple_type, tuple_types[i].name) != 0)
        i++;
    if (i == TUPLE_TYPES)
        return error_file(
            pnm->err, input_name(pnm->input),
            "unknown tuple type '%s' (known: BLACKANDWHITE GRAYSCALE RGB, each also with _ALPHA)",
            pam->tuple_type);
    if (pam->number[PAM_DEPTH] != tuple_types[i].depth)
        return damaged(pnm, "TUPLTYPE %s needs DEPTH %u, not %u", pam->tuple_type,
                       tuple_types[i].depth, (unsigned)pam->number[PAM_DEPTH]);
    if (tuple_types[i].bilevel && pam->number[PAM_MAXVAL] != 1)
        return damaged(pnm, "TUPLTYPE %s needs MAXVAL 1, not %u", pam->tuple_type,
                       (unsigned)pam->number[PAM_MAXVAL]);
    return true;
}

static bool read_pam(struct pnm *pnm)
{
    struct pam pam = {0};
    char line[LINE_BYTES];

    for (;;) {
        const char *value = NULL;
        int i = 0;
        if (!read_line(pnm, line))
            return false;
        if (strcmp(line, "ENDHDR") == 0)
            break;
        while (i < PAM_NUMBERS && !(value = value_of(line, pam_numbers[i].label)))
            i++;
        if (value ? !set_number(pnm, &pam, i, value) : !add_tuple_type(pnm, &pam, line))
            return false;
    }
    for (int i = 0; i < PAM_NUMBERS; i++)
        if (pam.number[i] == 0)
            return damaged(pnm, "no %s line in its header", pam_numbers[i].label);
    pnm->info->width = (int)pam.number[PAM_WIDTH];
    pnm->info->height = (int)pam.number[PAM_HEIGHT];
    pnm->info->channels = (int)pam.number[PAM_DEPTH];
    pnm->maxval = (uint32_t)pam.number[PAM_MAXVAL];
    return check_tuple_type(pnm, &pam);
}

static void name_picture(struct pnm *pnm, const char *name)
{
    const int used = snprintf(pnm->name, sizeof pnm->name, "%s", name);

    if (pnm->picture > 1)
        snprintf(pnm->name + used, sizeof pnm->name - (size_t)used, " (picture %llu)",
                 (unsigned long long)pnm->picture);
}

/* Reads the header of a recognised file. Afterwards the input stands at the first sample; for plain
 * rasters PNM does. */
static bool read_header(struct pnm *pnm)
{
    static const char *const names[] = {"PNM", "PBM", "PGM", "PPM", "PBM", "PGM", "PPM", "PAM"};
    int digit;

    name_picture(pnm, names[0]);
    pnm->most = pnm->taken + MOST_BYTES;
    next_raw(pnm); /* the P */
    digit = next_raw(pnm);
    if (digit < '1' || digit > '7')
        return !pnm->failed && damaged(pnm, "no P1 to P7 at its beginning");
    pnm->kind = digit - '0';
    name_picture(pnm, names[pnm->kind]);
    if (pnm->kind == 7 ? !read_pam(pnm) : !read_numbers(pnm))
        return false;
    pnm->header_bytes = pnm->taken + pnm->at;
    pnm->most = UINT64_MAX; /* no limit for a plain raster */
    if (!is_plain(pnm))
        input_skip(pnm->input, pnm->at);
    return true;
}

/* ---- opening ---- */

/* The least number of bytes of samples in an undamaged file with this header. False: more than 64
 * bits can count. */
static bool promised_bytes(const struct pnm *pnm, uint64_t *bytes)
{
    /* width < 2^31, channels <= 4, sample <= 2: a row is below 2^34. */
    uint64_t row = (uint64_t)pnm->info->width * (uint64_t)pnm->info->channels;

    if (pnm->kind == 4)
        row = (row + 7) / 8;
    else if (!is_plain(pnm))
        row *= pnm->maxval > 255 ? 2 : 1;
    else if (pnm->kind != 1)
        row *= 2; /* a digit and a blank; the last blank is optional (see below) */
    if (__builtin_mul_overflow(row, (uint64_t)pnm->info->height, bytes))
        return false;
    if (pnm->kind == 2 || pnm->kind == 3)
        --*bytes;
    return true;
}

/* Looks what follows a picture in a file, LEFT bytes. Two bytes may be a line break. */
static bool look_behind(struct source *source, const struct pnm *pnm, uint64_t left,
                        struct error *err)
{
    const char *name = input_name(source->input);
    uint8_t head[RECOGNISE_BYTES];
    size_t got;

    if (!input_read_at(source->input, pnm->end, head, sizeof head, &got, err))
        return false;
    source->more = recognise(head, got);
    if (left > 2 && pnm->picture == 1)
        snprintf(source->warning, sizeof source->warning,
                 "%s: only the first picture is read; %llu bytes follow it", name,
                 (unsigned long long)left);
    else if (left > 2)
        snprintf(source->warning, sizeof source->warning,
                 "%s: %llu bytes that follow picture %llu are not read", name,
                 (unsigned long long)left, (unsigned long long)pnm->picture);
    return true;
}

/* Checks the header's promise against the length of the file. */
static bool check_length(struct source *source, struct pnm *pnm, struct error *err)
{
    const char *name = input_name(source->input);
    uint64_t size = input_size(source->input), promised, held;

    if (!promised_bytes(pnm, &promised))
        return error_file(err, name, "damaged %s: %d x %d pixels are more than a file holds",
                          pnm->name, pnm->info->width, pnm->info->height);
    if (__builtin_add_overflow(pnm->header_bytes, promised, &pnm->end))
        pnm->end = UINT64_MAX;
    if (size == UINT64_MAX)
        return true;
    held = size > pnm->header_bytes ? size - pnm->header_bytes : 0;
    if (held < promised)
        return error_file(
            err, name,
            "truncated %s: the header promises %s%llu bytes of samples, the file holds %llu",
            pnm->name, is_plain(pnm) ? "at least " : "", (unsigned long long)promised,
            (unsigned long long)held);
    /* Plain text may have more blanks anywhere. */
    return is_plain(pnm) || look_behind(source, pnm, held - promised, err);
}

static bool open_picture(struct source *source, struct error *err)
{
    struct pnm *pnm = source->state;
    struct image_info *info = &source->info;

    pnm->picture++;
    pnm->input = source->input;
    pnm->info = info;
    pnm->err = err;
    pnm->failed = false;
    pnm->at = pnm->count = 0;
    pnm->taken = pnm->end;
    if (!read_header(pnm) || !check_length(source, pnm, err))
        return false;
    info->max = pnm->kind == 1 || pnm->kind == 4 ? 255 : pnm->maxval;
    info->type = info->max > 255 ? SAMPLE_U16 : SAMPLE_U8;
    info->format = pnm->kind == 7 ? FORMAT_PAM : pnm->info->channels == 3 ? FORMAT_PPM : FORMAT_PGM;
    pnm->file_row_bytes =
        (size_t)pnm->info->width * (size_t)pnm->info->channels * (size_t)info->type;
    free(pnm->packed);
    pnm->packed = NULL;
    if (pnm->kind != 4)
        return true;
    pnm->file_row_bytes = ((size_t)pnm->info->width + 7) / 8;
    pnm->packed = malloc(pnm->file_row_bytes);
    return pnm->packed || error_file(err, input_name(source->input), "no memory to read it");
}

/* Whether another picture's header follows. */
static bool decoder_follows(struct source *source, bool *more, struct error *err)
{
    const struct pnm *pnm = source->state;
    const uint8_t *head;
    size_t got;

    *more = false;
    if (is_plain(pnm) || input_size(source->input) != UINT64_MAX)
        return true;
    if (!input_peek(source->input, RECOGNISE_BYTES, &head, &got, err))
        return false;
    *more = recognise(head, got);
    return true;
}

static void decoder_close(struct source *source)
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

/* SAMPLE counts from 0 in row Y; the message counts from 1. */
static bool above_maxval(struct pnm *pnm, uint32_t value, int y, size_t sample)
{
    return damaged(pnm, "sample %u%s at row %d, column %zu is above the maxval %u", value,
                   value < HUGE_SAMPLE ? "" : " or more", y + 1,
                   sample / (size_t)pnm->info->channels + 1, pnm->maxval);
}

/* Converts the bytes of COUNT rows from row Y on, without gaps, from file order to samples, in
 * place, and checks them. */
static bool finish_rows(struct pnm *pnm, void *rows, int y, int count)
{
    size_t row = (size_t)pnm->info->width * (size_t)pnm->info->channels, i;
    size_t samples = row * (size_t)count;
    uint8_t *bytes = rows, top = 0;
    uint16_t *wide = rows, wide_top = 0;

    if (pnm->packed) {
        unpack_bits(pnm->packed, rows, pnm->info->width);
        return true;
    }
    for (i = 0; i < samples && pnm->info->type == SAMPLE_U16; i++) {
        wide[i] = be16toh(wide[i]);
        wide_top = wide[i] > wide_top ? wide[i] : wide_top;
    }
    for (i = 0; i < samples && pnm->info->max < 255; i++)
        top = bytes[i] > top ? bytes[i] : top;
    if (top <= pnm->info->max && wide_top <= pnm->info->max)
        return true;
    for (i = 0; image_sample(rows, pnm->info->type, i) <= pnm->info->max;)
        i++;
    return above_maxval(pnm, image_sample(rows, pnm->info->type, i), y + (int)(i / row), i % row);
}

/* ---- binary rows ---- */

static bool truncated(struct pnm *pnm, int y)
{
    return error_file(pnm->err, input_name(pnm->input), "truncated %s: %d of %d rows", pnm->name, y,
                      pnm->info->height);
}

/* How many rows one input_read may fill: several only if no gaps lie between them. */
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
    int group = group_rows(pnm, rows), count;

    for (int y = 0; y < rows->height; y += count) {
        count = group < rows->height - y ? group : rows->height - y;
        size_t bytes = (size_t)count * pnm->file_row_bytes, got;
        void *into = pnm->packed ? pnm->packed : image_row(rows, y);
        if (!input_read(source->input, into, bytes, &got, err))
            return false;
        if (got < bytes)
            return truncated(pnm, source->next_row + y + (int)(got / pnm->file_row_bytes));
        if (!finish_rows(pnm, image_row(rows, y), source->next_row + y, count))
            return false;
    }
    return true;
}

/* ---- plain rows ---- */

/* Reports that WANTED was expected for sample I of row Y, and BYTE was found. */
static bool unexpected(struct pnm *pnm, const char *wanted, int byte, int y, size_t i)
{
    char shown[16];

    return damaged(pnm, "expected %s at row %d, column %zu, got %s", wanted, y + 1,
                   i / (size_t)pnm->info->channels + 1, byte_text(byte, shown));
}

static bool next_sample(struct pnm *pnm, int y, size_t i, uint32_t *value)
{
    int byte = skip_blanks(pnm);
    uint64_t number;

    if (byte == END)
        return pnm->failed ? false : truncated(pnm, y);
    if (pnm->kind == 1) {
        *value = byte == '1' ? 0 : 255; /* 1 is ink */
        return byte == '0' || byte == '1' || unexpected(pnm, "0 or 1", byte, y, i);
    }
    if (byte < '0' || byte > '9')
        return unexpected(pnm, "a sample", byte, y, i);
    number = read_digits(pnm, byte, HUGE_SAMPLE, &byte);
    *value = number < HUGE_SAMPLE ? (uint32_t)number : HUGE_SAMPLE;
    if (pnm->failed)
        return false;
    if (byte != END && !is_space(byte))
        return unexpected(pnm, "blank space after the sample", byte, y, i);
    return *value <= pnm->maxval || above_maxval(pnm, *value, y, i);
}

static bool read_plain_row(struct pnm *pnm, enum sample_type type, void *row, int y)
{
    size_t samples = (size_t)pnm->info->width * (size_t)pnm->info->channels, i;
    uint32_t value = 0;

    for (i = 0; i < samples; i++) {
        if (!next_sample(pnm, y, i, &value))
            return false;
        image_put_sample(row, type, i, value);
    }
    return true;
}

static bool decoder_read(struct source *source, struct image *rows, struct error *err)
{
    struct pnm *pnm = source->state;

    pnm->err = err;
    if (!is_plain(pnm))
        return read_binary(source, rows, err);
    for (int y = 0; y < rows->height; y++)
        if (!read_plain_row(pnm, source->info.type, image_row(rows, y), source->next_row + y))
            return false;
    return true;
}

#define DECODER                                                                                    \
    {                                                                                              \
        .name = "PNM", .recognise = recognise, .open = open_picture, .read = decoder_read,         \
        .next = open_picture, .follows = decoder_follows, .state_bytes = sizeof(struct pnm),       \
        .close = decoder_close                                                                     \
    }
const struct decoder decoder_pnm = DECODER, decoder_pbm = DECODER;
const struct encoder encoder_pbm; /* empty: it is not written */

/* ---- writing ---- */

/* Byte-swapped rows are made in pieces of this many samples (256 KiB): large enough to bypass the
 * output's buffer, small enough to stay in cache. */
#define PIECE_SAMPLES ((size_t)128 * 1024)

static bool encoder_open(struct sink *sink, struct error *err)
{
    const struct image_info *info = &sink->info;
    uint64_t bytes;
    char header[160];
    int length;

    if (info->format == FORMAT_PAM)
        length = snprintf(header, sizeof header,
                          "P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
                          info->width, info->height, info->channels, info->max,
                          tuple_types[info->channels + 1].name);
    else
        length = snprintf(header, sizeof header, "P%d\n%d %d\n%u\n",
                          info->format == FORMAT_PPM ? 6 : 5, info->width, info->height, info->max);
    if (__builtin_mul_overflow((uint64_t)info->width * (uint64_t)info->channels * info->type,
                               (uint64_t)info->height, &bytes) ||
        __builtin_add_overflow(bytes, (uint64_t)length, &bytes))
        bytes = UINT64_MAX;
    return output_expect(sink->output, bytes, err) &&
           output_write(sink->output, header, (size_t)length, err);
}

/* Swaps the bytes in a copy, since the caller's rows must not change. */
static bool write_swapped(struct sink *sink, const uint16_t *row, size_t samples, struct error *err)
{
    uint16_t *piece = sink->state;

    while (samples > 0) {
        size_t count = samples < PIECE_SAMPLES ? samples : PIECE_SAMPLES;
        for (size_t i = 0; i < count; i++)
            piece[i] = htobe16(row[i]);
        if (!output_write(sink->output, piece, count * sizeof *piece, err))
            return false;
        row += count;
        samples -= count;
    }
    return true;
}

static bool encoder_write(struct sink *sink, const struct image *rows, struct error *err)
{
    size_t bytes = image_row_bytes(rows);
    int count = rows->height;

    if (rows->pitch == bytes) { /* without gaps, all rows form one long row */
        bytes *= (size_t)count;
        count = 1;
    }
    for (int y = 0; y < count; y++) {
        const void *row = image_row(rows, y);
        if (rows->type == SAMPLE_U16 ? !write_swapped(sink, row, bytes / 2, err)
                                     : !output_write(sink->output, row, bytes, err))
            return false;
    }
    return true;
}

const struct encoder encoder_pnm = {
    .open = encoder_open,
    .write = encoder_write,
    .state_bytes = PIECE_SAMPLES * sizeof(uint16_t),
};
