/* Samples as text: see signal/text.h. The text is never copied or indexed: it is
 * walked again whenever its numbers are needed, by one function that knows what a
 * number's end is. */
#include "signal/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernel/signal_job.h"
#include "plan/rational.h"

/* A byte order mark, as some editors write it. */
#define BOM "\xEF\xBB\xBF"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* NAME:LINE:COLUMN: WHAT[, got 'GOT'] */
static bool fail(const struct signal_text *text, const char *at, const char *what, const char *got,
                 size_t length, struct error *err)
{
    char shown[48];
    long line = 1;
    const char *start = text->begin;

    for (const char *c = text->begin; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    long column = (long)(at - start) + 1;
    if (!got)
        return error_set(err, EXIT_INPUT, "%s:%ld:%ld: %s", text->name, line, column, what);
    clean_text_copy(shown, sizeof shown, got, length);
    return error_set(err, EXIT_INPUT, "%s:%ld:%ld: %s, got '%s'", text->name, line, column, what,
                     shown);
}

/* ---- walking ---- */

/* What separates two numbers, from AT on: blanks, line ends, comments, and *commas of them. The
 * place of the last comma is in *comma. */
static const char *skip_separators(const char *at, const char *end, int *commas, const char **comma)
{
    *commas = 0;
    for (; at < end; at++) {
        if (*at == '#') {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline ? newline : end - 1;
        } else if (*at == ',') {
            ++*commas;
            *comma = at;
        } else if (!is_blank(*at)) {
            break;
        }
    }
    return at;
}

static const char *number_end(const char *at, const char *end)
{
    while (at < end && !is_blank(*at) && *at != ',' && *at != '#')
        at++;
    return at;
}

/* ---- reading ---- */

/* Two commas in a row, or one before the first number, are a number that is not there. (One behind
 * the last number of a line, or of the text, is common and harmless.) */
static bool check_commas(const struct signal_text *text, int commas, const char *comma,
                         struct error *err)
{
    if (commas > (text->n > 0))
        return fail(text, comma, "expected a number", ",", 1, err);
    return true;
}

bool signal_text_open(struct signal_text *text, const char *name, const void *bytes, size_t size,
                      struct error *err)
{
    mpq_t value;
    bool good = true;
    const char *at, *comma = NULL, *why;
    int commas;

    *text = (struct signal_text){
        .name = name, .bytes = bytes, .begin = bytes, .end = (const char *)bytes + size};
    if (size >= 3 && memcmp(bytes, BOM, 3) == 0)
        text->begin += 3;
    if (memchr(bytes, '\0', size))
        return error_set(err, EXIT_INPUT,
                         "%s: is neither text nor a WAV, FLAC or AIFF file: it holds zero bytes",
                         name);
    mpq_init(value);
    for (at = text->begin; good; text->n++) {
        at = skip_separators(at, text->end, &commas, &comma);
        good = check_commas(text, commas, comma, err);
        if (!good || at == text->end)
            break;
        const char *end = number_end(at, text->end);
        if (!rational_parse(value, at, (size_t)(end - at), &why))
            good = fail(text, at, why, at, (size_t)(end - at), err);
        else if (text->n == SIGNAL_MAX_CELLS)
            good = fail(text, at, "a signal has at most 1073741824 samples", NULL, 0, err);
        at = end;
    }
    mpq_clear(value);
    if (good && text->n == 0)
        return error_set(err, EXIT_INPUT, "%s: holds no numbers", name);
    return good;
}

void signal_text_get(void *context, int i, mpq_t value)
{
    struct signal_text *text = context;
    const char *at = i == 0 ? text->begin : text->at, *comma, *why;
    int commas;

    if (i == text->n) {
        if (text->ghost_value)
            mpq_set(value, text->ghost_value);
        else
            mpq_set_ui(value, 0, 1);
        return;
    }
    at = skip_separators(at, text->end, &commas, &comma);
    text->at = number_end(at, text->end);
    rational_parse(value, at, (size_t)(text->at - at), &why); /* was parsed once: it is a number */
}

/* ---- writing ---- */

bool signal_text_write(const struct signal_text *text, const struct series *values, int decimals,
                       struct output *output, struct error *err)
{
    mpq_t value;
    const char *at = text->begin, *comma;
    bool good = output_write(output, text->bytes, (size_t)(at - text->bytes), err);
    int commas;

    mpq_init(value);
    for (int i = 0; good && i < text->n; i++) {
        const char *number = skip_separators(at, text->end, &commas, &comma);
        good = output_write(output, at, (size_t)(number - at), err);
        series_number(values, i, value);
        char *digits = good ? number_print(value, decimals) : NULL;
        if (good && !digits)
            good = error_set(err, EXIT_INPUT, "%s: no memory to print its numbers", text->name);
        good = good && output_write(output, digits, strlen(digits), err);
        free(digits);
        at = number_end(number, text->end);
    }
    mpq_clear(value);
    return good && output_write(output, at, (size_t)(text->end - at), err);
}
