/* Parses mask text; messages name line and column of a mistake.
 *
 * The text is parsed row by row. A row ends at a newline or a ';' (rows in place), a
 * comment at the newline only. The parser keeps pointers into the text and counts lines
 * and columns only when it writes a message. A byte order mark, CRLF, tabs, and commas
 * between numbers are allowed: spreadsheets and NumPy write them. */
#include "plan/mask.h"

#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/did_you_mean.h"

/* `normalize` divides every weight by their sum, a fraction. If it had more bits than this, the
 * plan of a 255x255 mask would take seconds; only hundreds of unrelated denominators make it so
 * long. */
#define NORMALIZE_MAX_BITS 32768

enum { DIVISOR, OFFSET, ANCHOR, NORMALIZE, KEYWORDS };

struct parser {
    struct mask *mask;
    const char *name;
    const char *text, *end;     /* the whole text, after a byte order mark */
    const char *at;             /* what has not been read yet */
    size_t cells, capacity;     /* weights in mask->weight, and how many fit */
    const char *seen[KEYWORDS]; /* where the keywords stand; NULL: not yet seen */
    bool has_content;           /* a row or keyword was seen: comments are no title any more */
    struct error *err;
};

static const char *const keywords[KEYWORDS] = {"divisor", "offset", "anchor", "normalize"};

/* ---- messages ---- */

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

/* Reads a number; fails with a message about the text that is there instead. */
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

/* Skips blanks, or a comma with or without blanks around it. */
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
    /* Of a title longer than 200 bytes only the beginning is kept. */
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
        /* Checked after the number was read: a word in its place gets its own message. */
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

/* Reads one of the anchor's two numbers; finish() checks that it is inside the mask. */
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
        near = did_you_mean(word, keywords, KEYWORDS);
    }
    if (!near)
        return fail(p, token, "expected a number", token, length);
    snprintf(what, sizeof what, "unknown word '%s'; did you mean '%s'?", word, near);
    return fail_at(p, token, what);
}

static bool take_keyword(struct parser *p)
{
    const char *token, *rest;
    size_t length = take_token(p, &token);
    int which = 0;

    while (which < KEYWORDS &&
           (strlen(keywords[which]) != length || memcmp(keywords[which], token, length) != 0))
        which++;
    if (which == KEYWORDS)
        return unknown_word(p, token, length);
    if (p->seen[which])
        return fail(p, token, "expected each keyword once", token, length);
    p->seen[which] = token;
    if (p->seen[DIVISOR] && p->seen[NORMALIZE])
        return fail_at(p, token, "'divisor' and 'normalize' exclude each other");

    skip_blanks(p);
    if ((which == DIVISOR && !take_divisor(p)) || (which == OFFSET && !take_offset(p)) ||
        (which == ANCHOR && !take_anchor(p)))
        return false;
    skip_blanks(p);
    if (at_row_end(p))
        return true;
    length = take_token(p, &rest);
    return fail(p, rest, "expected the end of the line", rest, length ? length : 1);
}

/* ---- the whole text ---- */

/* Refuses control bytes, so that a picture given as a mask gets a clear message. A lone carriage
 * return would silently make one row of many. */
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
        if (*p->at == '#') {
            take_comment(p);
        } else if (is_blank(*p->at) || *p->at == '\n' || *p->at == ';') {
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

/* Makes the checks that need all rows. */
static bool finish(struct parser *p)
{
    struct mask *mask = p->mask;
    char what[80];

    if (mask->height == 0)
        return fail_at(p, p->end, "expected a row of numbers, got the end of the mask");
    if (!p->seen[ANCHOR]) {
        mask->anchor_x = mask->width / 2;
        mask->anchor_y = mask->height / 2;
    } else if (mask->anchor_x >= mask->width || mask->anchor_y >= mask->height) {
        snprintf(what, sizeof what, "the anchor lies outside the mask of %d x %d", mask->width,
                 mask->height);
        return fail_at(p, p->seen[ANCHOR], what);
    }
    if (!p->seen[NORMALIZE])
        return true;
    mask_sum(mask->divisor, mask);
    if (mpz_sizeinbase(mpq_numref(mask->divisor), 2) > NORMALIZE_MAX_BITS ||
        mpz_sizeinbase(mpq_denref(mask->divisor), 2) > NORMALIZE_MAX_BITS)
        return fail_at(p, p->seen[NORMALIZE],
                       "the weights' denominators have too little in common to be summed: "
                       "write decimals");
    if (mpq_sgn(mask->divisor) == 0)
        return fail_at(p, p->seen[NORMALIZE], "cannot normalize: the weights sum to 0");
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
