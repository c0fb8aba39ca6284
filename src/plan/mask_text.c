/* Parses mask text; messages name line and column of a mistake.
 *
 * The text is parsed row by row. A row ends at a newline or a ';' (rows in place), a
 * comment at the newline only. The parser keeps pointers into the text and counts lines
 * and columns only when it writes a message. A byte order mark, CRLF, tabs, and commas
 * between numbers are allowed: spreadsheets and NumPy write them. */
#include "plan/mask.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/did_you_mean.h"

enum { DIVISOR, OFFSET, ANCHOR, NORMALIZE, KEYWORDS };

struct parser {
    struct mask *mask;
    const char *name;
    const char *text, *end;     /* the whole text, after a byte order mark */
    const char *at;             /* what has not been read yet */
    size_t cells;               /* weights in mask->weight */
    const char *seen[KEYWORDS]; /* where the keywords stand; NULL: not yet seen */
    bool has_content;           /* a row or keyword was seen: comments are no title any more */
    struct error *err;
};

static const char *const keywords[KEYWORDS] = {"divisor", "offset", "anchor", "normalize"};

/* ---- messages ---- */

/* NAME:LINE:COLUMN: WHAT[, got 'TOKEN'] for the token of LENGTH bytes at AT; 0: without it. */
__attribute__((format(printf, 4, 5))) static bool fail(struct parser *p, const char *at,
                                                       size_t length, const char *format, ...)
{
    int line = 1;
    const char *start = p->text;
    char what[128], got[48];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    for (const char *c = p->text; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    clean_text_copy(got, sizeof got, at, length);
    return error_set(p->err, EXIT_USAGE, "%s:%d:%d: %s%s%s%s", p->name, line, (int)(at - start) + 1,
                     what, length ? ", got '" : "", got, length ? "'" : "");
}

/* ---- tokens ---- */

#define BLANKS " \t\r"

static void skip_blanks(struct parser *p)
{
    p->at += strspn(p->at, BLANKS);
}

/* At the end of a row, of the text (its zero byte) or before a comment? */
static bool at_row_end(const struct parser *p)
{
    return strchr("\n;#", *p->at) != NULL;
}

/* The bytes up to the next separator; moves on. */
static size_t take_token(struct parser *p, const char **token)
{
    *token = p->at;
    p->at += strcspn(p->at, BLANKS ",\n;#");
    return (size_t)(p->at - *token);
}

/* Reads a number, or a percentage unless PERCENT is NULL; fails with a message about the text that
 * is there instead. */
static bool take_number(struct parser *p, mpq_t value, bool *percent)
{
    const char *token, *why;
    size_t length = take_token(p, &token);

    if (length == 0)
        return at_row_end(p) ? fail(p, token, 0, "expected a number before the end of the row")
                             : fail(p, token, 1, "expected a number");
    return rational_parse_percent(value, token, length, percent, &why) ||
           fail(p, token, length, "%s", why);
}

/* Skips blanks, or a comma with or without blanks around it. */
static bool skip_separator(struct parser *p)
{
    skip_blanks(p);
    if (*p->at != ',')
        return true;
    p->at++;
    skip_blanks(p);
    return !at_row_end(p) || fail(p, p->at, 0, "expected a number after the comma");
}

static void take_comment(struct parser *p)
{
    const char *start = p->at + strspn(p->at, "#" BLANKS);
    p->at += strcspn(p->at, "\n");
    const char *stop = p->at;
    while (stop > start && strchr(BLANKS, stop[-1]))
        stop--;
    if (p->has_content || p->mask->title || start == stop)
        return;
    /* Of a title longer than 200 bytes only the beginning is kept. */
    char title[204];
    clean_text_copy(title, sizeof title, start, (size_t)(stop - start));
    p->mask->title = strdup(title);
}

/* ---- rows ---- */

static bool take_row(struct parser *p)
{
    struct mask *mask = p->mask;
    int count = 0;

    if (mask->height == MASK_LONGEST)
        return fail(p, p->at, 0, "a mask has at most %d rows", MASK_LONGEST);
    if (mask->height >= MASK_MAX_SIDE && mask->width > 1)
        return fail(p, p->at, 0, "a mask of several columns has at most %d rows", MASK_MAX_SIDE);
    if (mask->height >= 1 && mask->width > MASK_MAX_SIDE)
        return fail(p, p->at, 0, "a mask of several rows has at most %d columns", MASK_MAX_SIDE);
    while (!at_row_end(p)) {
        const char *place = p->at;
        if (count == MASK_LONGEST)
            return fail(p, place, 0, "a mask has at most %d columns", MASK_LONGEST);
        mpq_init(mask->weight[p->cells]);
        if (!take_number(p, mask->weight[p->cells++], NULL))
            return false;
        /* Checked after the number was read: a word in its place gets its own message. */
        if (mask->height > 0 && count == mask->width)
            return fail(p, place, 0, "expected %d numbers as in the rows before, got more",
                        mask->width);
        count++;
        if (!skip_separator(p))
            return false;
    }
    if (mask->height > 0 && count < mask->width)
        return fail(p, p->at, 0, "expected %d numbers as in the rows before, got %d", mask->width,
                    count);
    mask->width = count;
    mask->height++;
    return true;
}

/* ---- keywords ---- */

/* Reads one of the anchor's two numbers; finish() checks that it is inside the mask. */
static bool take_place(struct parser *p, int *place)
{
    const char *token;
    size_t length = take_token(p, &token);

    if (length == 0)
        return fail(p, token, 0, "expected two whole numbers, X and Y");
    if (strspn(token, "0123456789") != length)
        return fail(p, token, length, "expected a whole number");
    long value = strtol(token, NULL, 10);
    *place = value < MASK_LONGEST ? (int)value : MASK_LONGEST;
    return true;
}

/* Reads the value after a keyword. */
static bool take_value(struct parser *p, int keyword)
{
    struct mask *mask = p->mask;
    const char *place = p->at;

    if (keyword == OFFSET)
        return take_number(p, mask->offset, &mask->offset_percent);
    if (keyword == ANCHOR)
        return take_place(p, &mask->anchor_x) && skip_separator(p) &&
               take_place(p, &mask->anchor_y);
    return keyword != DIVISOR ||
           (take_number(p, mask->divisor, NULL) &&
            (mpq_sgn(mask->divisor) != 0 || fail(p, place, 0, "a divisor cannot be 0")));
}

static bool unknown_word(struct parser *p, const char *token, size_t length)
{
    char word[40];
    const char *near = NULL;

    if (length < sizeof word) {
        snprintf(word, sizeof word, "%.*s", (int)length, token);
        near = did_you_mean(word, keywords, KEYWORDS);
    }
    return near ? fail(p, token, 0, "unknown word '%s'; did you mean '%s'?", word, near)
                : fail(p, token, length, "expected a number");
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
        return fail(p, token, length, "expected each keyword once");
    p->seen[which] = token;
    if (p->seen[DIVISOR] && p->seen[NORMALIZE])
        return fail(p, token, 0, "'divisor' and 'normalize' exclude each other");

    skip_blanks(p);
    if (!take_value(p, which))
        return false;
    skip_blanks(p);
    if (at_row_end(p))
        return true;
    length = take_token(p, &rest);
    return fail(p, rest, length ? length : 1, "expected the end of the line");
}

/* ---- the whole text ---- */

/* Refuses control bytes, so that a picture given as a mask gets a clear message. A lone carriage
 * return would silently make one row of many. */
static bool check_bytes(struct parser *p)
{
    for (const char *c = p->text; c < p->end; c++) {
        unsigned char byte = (unsigned char)*c;
        bool ends_line = byte == '\n' || (byte == '\r' && (c + 1 == p->end || c[1] == '\n'));
        if (ends_line || byte == '\t' || (byte >= 0x20 && byte != 0x7f))
            continue;
        if (byte == '\r')
            return fail(p, c, 0, "expected lines that end in LF or CRLF, got a lone CR");
        return fail(p, c, 0, "not a text file: byte 0x%02X", byte);
    }
    return true;
}

static bool parse_rows(struct parser *p)
{
    while (p->at < p->end) {
        if (*p->at == '#') {
            take_comment(p);
        } else if (strchr(BLANKS "\n;", *p->at)) {
            p->at++;
        } else {
            p->has_content = true;
            if (isalpha((unsigned char)*p->at) ? !take_keyword(p) : !take_row(p))
                return false;
        }
    }
    return true;
}

/* Makes the checks that need all rows. */
static bool finish(struct parser *p)
{
    struct mask *mask = p->mask;
    const char *why;

    if (mask->height == 0)
        return fail(p, p->end, 0, "expected a row of numbers, got the end of the mask");
    if (!p->seen[ANCHOR]) {
        mask->anchor_x = mask->width / 2;
        mask->anchor_y = mask->height / 2;
    } else if (mask->anchor_x >= mask->width || mask->anchor_y >= mask->height) {
        return fail(p, p->seen[ANCHOR], 0, "the anchor lies outside the mask of %d x %d",
                    mask->width, mask->height);
    }
    if (!p->seen[NORMALIZE])
        return true;
    why = mask_normalize(mask);
    return !why || fail(p, p->seen[NORMALIZE], 0, "%s", why);
}

bool mask_parse(struct mask *mask, const char *name, const char *text, size_t length,
                struct error *err)
{
    struct parser p = {.mask = mask, .name = name, .text = text, .end = text + length, .err = err};
    /* A weight takes at least a byte and a separator; a missing weight takes no byte. */
    size_t most = length / 2 + 2, largest = (size_t)MASK_MAX_SIDE * MASK_MAX_SIDE;

    memset(mask, 0, sizeof *mask);
    mask->weight = malloc((most < largest ? most : largest) * sizeof *mask->weight);
    if (!mask->weight)
        return error_set(err, EXIT_INPUT, "%s: no memory for the mask", name);
    mpq_inits(mask->divisor, mask->offset, mask->centre, NULL);
    mpq_set_ui(mask->divisor, 1, 1);
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        p.text += 3;
    p.at = p.text;
    if (check_bytes(&p) && parse_rows(&p) && finish(&p)) {
        mask->name = strdup(name);
        return true;
    }
    /* The last row may be incomplete. */
    mask->width = (int)p.cells;
    mask->height = 1;
    mask_free(mask);
    return false;
}
