/* Mask text -> struct mask, with the place of whatever is wrong.
 *
 * The text is taken row by row; a row ends at a newline or a ';' (rows in place),
 * a comment at the newline only. The parser remembers pointers into the text;
 * line and column are counted when a sentence is written and not before. A byte
 * order mark, CRLF, tabs, and commas between numbers are taken as they come:
 * spreadsheets and NumPy write them. */
#include "plan/mask.h"

#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/did_you_mean.h"

/* The sum behind `normalize` is a fraction that every weight is divided by. Past so many bits the
 * plan of a 255x255 mask would take seconds; only hundreds of unrelated denominators get there. */
#define NORMALIZE_MAX_BITS 32768

struct parser {
    struct mask *mask;
    const char *name;
    const char *text, *end; /* the whole text, after a byte order mark */
    const char *at;         /* what has not been read yet */
    size_t cells, capacity; /* weights in mask->weight, and how many fit */
    /* Where the keywords stand, NULL until one is seen. */
    const char *divisor, *offset, *anchor, *normalize;
    bool has_content; /* a row or keyword was seen: comments are no title any more */
    struct error *err;
};

static const char *const keywords[] = {"divisor", "offset", "anchor", "normalize"};
#define KEYWORD_COUNT 4

/* ---- sentences ---- */

/* NAME:LINE:COLUMN: WHAT[, got 'TOKEN'] */
static bool fail(struct parser *p, const char *at, const char *what, const char *token,
                 size_t length)
{
    int line = 1;
    const char *start = p->text;
    char got[48];

    for (const char *c = p->text; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    int column = (int)(at - start) + 1;
    if (!token)
        return error_set(p->err, EXIT_USAGE, "%s:%d:%d: %s", p->name, line, column, what);
    clean_text_copy(got, sizeof got, token, length);
    return error_set(p->err, EXIT_USAGE, "%s:%d:%d: %s, got '%s'", p->name, line, column, what,
                     got);
}

static bool fail_at(struct parser *p, const char *at, const char *what)
{
    return fail(p, at, what, NULL, 0);
}

/* ---- tokens ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && is_blank(*p->at))
        p->at++;
}

/* At the end of a row or before a comment? */
static bool at_row_end(const struct parser *p)
{
    return p->at == p->end || *p->at == '\n' || *p->at == ';' || *p->at == '#';
}

/* The bytes up to the next separator; moves on. */
static size_t take_token(struct parser *p, const char **token)
{
    *token = p->at;
    while (!at_row_end(p) && !is_blank(*p->at) && *p->at != ',')
        p->at++;
    return (size_t)(p->at - *token);
}

/* A number, or a sentence about what stands there instead. */
static bool take_number(struct parser *p, mpq_t value)
{
    const char *token, *why;
    size_t length = take_token(p, &token);

    if (length == 0)
        return at_row_end(p) ? fail_at(p, token, "expected a number before the end of the row")
                             : fail(p, token, "expected a number", token, 1);
    if (!rational_parse(value, token, length, &why))
        return fail(p, token, why, token, length);
    return true;
}

/* Blanks, or a comma with or without blanks around it. */
static bool skip_separator(struct parser *p)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != ',')
        return true;
    p->at++;
    skip_blanks(p);
    if (at_row_end(p))
        return fail_at(p, p->at, "expected a number after the comma");
    return true;
}

static void take_comment(struct parser *p)
{
    const char *start = p->at;
    while (p->at < p->end && *p->at != '\n')
        p->at++;
    if (p->has_content || p->mask->title)
        return;
    const char *stop = p->at;
    while (start < stop && (*start == '#' || is_blank(*start)))
        start++;
    while (stop > start && is_blank(stop[-1]))
        stop--;
    if (start == stop)
        return;
    /* A title past 200 bytes is a text: its beginning is title enough. */
    char title[204];
    clean_text_copy(title, sizeof title, start, (size_t)(stop - start));
    p->mask->title = strdup(title);
}

/* ---- rows ---- */

static bool take_weight(struct parser *p)
{
    struct mask *mask = p->mask;
    if (p->cells == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 64;
        mpq_t *weight = realloc(mask->weight, capacity * sizeof *weight);
        if (!weight)
            return error_set(p->err, EXIT_USAGE, "%s: no memory for the mask", p->name);
        mask->weight = weight;
        p->capacity = capacity;
    }
    mpq_init(mask->weight[p->cells]);
    return take_number(p, mask->weight[p->cells++]);
}

static bool take_row(struct parser *p)
{
    struct mask *mask = p->mask;
    char what[80];
    int count = 0;

    if (mask->height == MASK_MAX_SIDE)
        return fail_at(p, p->at, "a mask has at most 255 rows");
    while (!at_row_end(p)) {
        const char *place = p->at;
        if (count == MASK_MAX_SIDE)
            return fail_at(p, place, "a mask has at most 255 columns");
        if (!take_weight(p))
            return false;
        /* After the number was read: a word in the surplus place is the nearer mistake. */
        if (mask->height > 0 && count == mask->width) {
            snprintf(what, sizeof what, "expected %d numbers as in the rows before, got more",
                     mask->width);
            return fail_at(p, place, what);
        }
        count++;
        if (!skip_separator(p))
            return false;
    }
    if (mask->height > 0 && count < mask->width) {
        snprintf(what, sizeof what, "expected %d numbers as in the rows before, got %d",
                 mask->width, count);
        return fail_at(p, p->at, what);
    }
    mask->width = count;
    mask->height++;
    return true;
}

/* ---- keywords ---- */

static bool take_divisor(struct parser *p)
{
    const char *place = p->at;
    if (!take_number(p, p->mask->divisor))
        return false;
    if (mpq_sgn(p->mask->divisor) == 0)
        return fail_at(p, place, "a divisor cannot be 0");
    return true;
}

static bool take_offset(struct parser *p)
{
    struct mask *mask = p->mask;
    const char *token, *why;
    size_t length = take_token(p, &token);

    if (rational_parse_percent(mask->offset, token, length, &mask->offset_percent, &why))
        return true;
    p->at = token;
    return length == 0 ? take_number(p, mask->offset) : fail(p, token, why, token, length);
}

/* One of the anchor's two places; whether it lies inside is known after the last row. */
static bool take_place(struct parser *p, int *place)
{
    const char *token;
    size_t length = take_token(p, &token);
    int value = 0;

    for (size_t i = 0; i < length; i++) {
        if (token[i] < '0' || token[i] > '9')
            return fail(p, token, "expected a whole number", token, length);
        if (value <= MASK_MAX_SIDE)
            value = value * 10 + (token[i] - '0');
    }
    if (length == 0)
        return fail_at(p, token, "expected two whole numbers, X and Y");
    *place = value;
    return true;
}

static bool take_anchor(struct parser *p)
{
    return take_place(p, &p->mask->anchor_x) && skip_separator(p) &&
           take_place(p, &p->mask->anchor_y);
}

static bool unknown_word(struct parser *p, const char *token, size_t length)
{
    char word[40], what[96];
    const char *near = NULL;

    if (length < sizeof word) {
        memcpy(word, token, length);
        word[length] = '\0';
        near = did_you_mean(word, keywords, KEYWORD_COUNT);
    }
    if (!near)
        return fail(p, token, "expected a number", token, length);
    snprintf(what, sizeof what, "unknown word '%s'; did you mean '%s'?", word, near);
    return fail_at(p, token, what);
}

static bool take_keyword(struct parser *p)
{
    const char **places[KEYWORD_COUNT] = {&p->divisor, &p->offset, &p->anchor, &p->normalize};
    const char *token, *rest;
    size_t length = take_token(p, &token);
    int which = 0;
    bool good = true;

    while (which < KEYWORD_COUNT &&
           (strlen(keywords[which]) != length || memcmp(keywords[which], token, length) != 0))
        which++;
    if (which == KEYWORD_COUNT)
        return unknown_word(p, token, length);
    if (*places[which])
        return fail(p, token, "expected each keyword once", token, length);
    *places[which] = token;
    if (p->divisor && p->normalize)
        return fail_at(p, token, "'divisor' and 'normalize' exclude each other");

    skip_blanks(p);
    if (token == p->divisor)
        good = take_divisor(p);
    else if (token == p->offset)
        good = take_offset(p);
    else if (token == p->anchor)
        good = take_anchor(p);
    if (!good)
        return false;
    skip_blanks(p);
    if (at_row_end(p))
        return true;
    length = take_token(p, &rest);
    return fail(p, rest, "expected the end of the line", rest, length ? length : 1);
}

/* ---- the whole text ---- */

/* Control bytes are no part of a text; who passes a picture as a mask reads so at once. A lone
 * carriage return would make one row of many, silently. */
static bool check_bytes(struct parser *p)
{
    for (const char *c = p->text; c < p->end; c++) {
        unsigned char byte = (unsigned char)*c;
        char what[48];
        if (byte == '\r' && (c + 1 == p->end || c[1] == '\n'))
            continue;
        if ((byte >= 0x20 && byte != 0x7f) || byte == '\t' || byte == '\n')
            continue;
        if (byte == '\r')
            return fail_at(p, c, "expected lines that end in LF or CRLF, got a lone CR");
        snprintf(what, sizeof what, "not a text file: byte 0x%02X", byte);
        return fail_at(p, c, what);
    }
    return true;
}

static bool parse_rows(struct parser *p)
{
    while (p->at < p->end) {
        skip_blanks(p);
        if (p->at == p->end)
            break;
        if (*p->at == '#') {
            take_comment(p);
        } else if (*p->at == '\n' || *p->at == ';') {
            p->at++;
        } else {
            bool is_word = (*p->at >= 'a' && *p->at <= 'z') || (*p->at >= 'A' && *p->at <= 'Z');
            p->has_content = true;
            if (is_word ? !take_keyword(p) : !take_row(p))
                return false;
        }
    }
    return true;
}

/* What can be checked only when all rows are known. */
static bool finish(struct parser *p)
{
    struct mask *mask = p->mask;
    char what[80];

    if (mask->height == 0)
        return fail_at(p, p->end, "expected a row of numbers, got the end of the mask");
    if (!p->anchor) {
        mask->anchor_x = mask->width / 2;
        mask->anchor_y = mask->height / 2;
    } else if (mask->anchor_x >= mask->width || mask->anchor_y >= mask->height) {
        snprintf(what, sizeof what, "the anchor lies outside the mask of %d x %d", mask->width,
                 mask->height);
        return fail_at(p, p->anchor, what);
    }
    if (!p->normalize)
        return true;
    mask_sum(mask->divisor, mask);
    if (mpz_sizeinbase(mpq_numref(mask->divisor), 2) > NORMALIZE_MAX_BITS ||
        mpz_sizeinbase(mpq_denref(mask->divisor), 2) > NORMALIZE_MAX_BITS)
        return fail_at(p, p->normalize,
                       "the weights' denominators have too little in common to be summed: "
                       "write decimals");
    if (mpq_sgn(mask->divisor) == 0)
        return fail_at(p, p->normalize, "cannot normalize: the weights sum to 0");
    return true;
}

bool mask_parse(struct mask *mask, const char *name, const char *text, size_t length,
                struct error *err)
{
    struct parser p = {.mask = mask, .name = name, .text = text, .end = text + length, .err = err};

    memset(mask, 0, sizeof *mask);
    mpq_inits(mask->divisor, mask->offset, NULL);
    mpq_set_ui(mask->divisor, 1, 1);
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        p.text += 3;
    p.at = p.text;
    if (check_bytes(&p) && parse_rows(&p) && finish(&p)) {
        mask->name = strdup(name);
        return true;
    }

    /* Not mask_free: the last row may be incomplete. */
    for (size_t i = 0; i < p.cells; i++)
        mpq_clear(mask->weight[i]);
    mpq_clears(mask->divisor, mask->offset, NULL);
    free(mask->weight);
    free(mask->title);
    memset(mask, 0, sizeof *mask);
    return false;
}
