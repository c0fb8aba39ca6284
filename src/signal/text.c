/* Text samples: exact numbers in, exact numbers out. Every output is S/d plus the offset, not
 * rounded and not clamped; each pass of --repeat takes the exact numbers of the pass before.
 * Separators, lines and comments of the text stay as they are. The text is never copied or indexed:
 * next_number walks over the text again whenever its numbers are needed. */
#include "signal/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "codec/output.h"
#include "kernel/signal_job.h"
#include "plan/rational.h"
#include "signal/audio.h"

/* A byte order mark, as some editors write it. */
#define BOM "\xEF\xBB\xBF"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* NAME:LINE:COLUMN: WHAT[, got 'GOT'], where LENGTH bytes from GOT on are shown. */
static bool fail(const struct signal_text *text, const char *at, const char *what, const char *got,
                 size_t length, struct error *err)
{
    const char *start = text->begin;
    char shown[48] = "";
    long line = 1;

    for (const char *c = text->begin; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    if (got)
        clean_text_copy(shown, sizeof shown, got, length);
    return error_set(err, EXIT_INPUT, "%s:%ld:%ld: %s%s%s%s", text->name, line,
                     (long)(at - start) + 1, what, got ? ", got '" : "", shown, got ? "'" : "");
}

/* ---- walking ---- */

/* Skips blanks, line ends, comments and commas, then a number. Returns the number's first byte, or
 * the text's end; text->at is then after the number. */
static const char *next_number(struct signal_text *text)
{
    const char *at = text->at, *end = text->end, *number;

    text->commas = 0;
    for (; at < end; at++) {
        if (*at == '#') {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline ? newline : end - 1;
        } else if (*at == ',') {
            text->commas++;
            text->comma = at;
        } else if (!is_blank(*at)) {
            break;
        }
    }
    number = at;
    while (at < end && !is_blank(*at) && *at != ',' && *at != '#')
        at++;
    text->at = at;
    return number;
}

/* ---- reading ---- */

bool signal_text_check(const char *name, const void *bytes, size_t size, struct error *err)
{
    return !memchr(bytes, '\0', size) ||
           error_set(err, EXIT_INPUT,
                     "%s: is neither text nor a WAV, FLAC or AIFF file: it holds zero bytes", name);
}

bool signal_text_open(struct signal_text *text, const char *name, const void *bytes, size_t size,
                      struct error *err)
{
    mpq_t value;
    bool good = true;
    const char *number, *why;

    *text = (struct signal_text){
        .name = name, .bytes = bytes, .begin = bytes, .end = (const char *)bytes + size};
    if (size >= 3 && memcmp(bytes, BOM, 3) == 0)
        text->begin += 3;
    if (!signal_text_check(name, bytes, size, err))
        return false;
    mpq_init(value);
    for (text->at = text->begin; good; text->n++) {
        number = next_number(text);
        size_t length = (size_t)(text->at - number);
        /* A number is missing if two commas follow each other, or if a comma comes before the first
         * number. (A comma after the last number of a line or of the text is common.) */
        if (text->commas > (text->n > 0))
            good = fail(text, text->comma, "expected a number", ",", 1, err);
        if (!good || length == 0)
            break;
        if (!rational_parse(value, number, length, &why))
            good = fail(text, number, why, number, length, err);
        else if (text->n == SIGNAL_MAX_CELLS)
            good = fail(text, number, "a signal has at most 1073741824 samples", NULL, 0, err);
    }
    mpq_clear(value);
    if (good && text->n == 0)
        return error_set(err, EXIT_INPUT, "%s: holds no numbers", name);
    return good;
}

void signal_text_get(void *context, int i, mpq_t value)
{
    struct signal_text *text = context;
    const char *number, *why;

    if (i == 0)
        text->at = text->begin;
    number = next_number(text);
    /* signal_text_open has parsed this number already */
    rational_parse(value, number, (size_t)(text->at - number), &why);
}

/* ---- one number as text ---- */

/* number_print has no limit of length; rational_print, for masks, stops at 64 characters. */

/* DIGITS / 10^places, with all PLACES digits after the point. */
static char *print_scaled(const mpz_t digits, size_t places)
{
    int least = (int)places + 1 + (mpz_sgn(digits) < 0); /* 5 over 10^3 is 0.005 */
    char *text;
    int length = gmp_asprintf(&text, "%0*Zd.", least, digits);
    char *point = text + length - 1 - places;

    memmove(point + 1, point, places);
    *point = places > 0 ? '.' : '\0';
    return text;
}

/* The number of decimal places of 1/DENOMINATOR; false if the decimal does not terminate. */
static bool decimal_places(const mpz_t denominator, size_t *places)
{
    mpz_t rest, factor;
    mp_bitcnt_t twos, fives;
    bool terminates;

    mpz_init(rest);
    mpz_init_set_ui(factor, 5);
    twos = mpz_scan1(denominator, 0);
    mpz_fdiv_q_2exp(rest, denominator, twos);
    fives = mpz_remove(rest, rest, factor);
    terminates = mpz_cmp_ui(rest, 1) == 0;
    *places = twos > fives ? twos : fives;
    mpz_clears(rest, factor, NULL);
    return terminates;
}

char *number_print(mpq_srcptr value, int decimals)
{
    size_t places = decimals > 0 ? (size_t)decimals : 0;
    mpz_t digits, twice;
    char *text;

    if (decimals < 0 && !decimal_places(mpq_denref(value), &places))
        return mpq_get_str(NULL, 10, value);
    /* floor(value * 10^places + 1/2) = floor((2 n 10^places + d) / 2d) */
    mpz_inits(digits, twice, NULL);
    mpz_ui_pow_ui(digits, 10, places);
    mpz_mul(digits, digits, mpq_numref(value));
    mpz_mul_2exp(digits, digits, 1);
    mpz_add(digits, digits, mpq_denref(value));
    mpz_mul_2exp(twice, mpq_denref(value), 1);
    mpz_fdiv_q(digits, digits, twice);
    text = print_scaled(digits, places);
    mpz_clears(digits, twice, NULL);
    return text;
}

/* ---- writing ---- */

/* Writes the text with the numbers of VALUES in place of its own. DECIMALS as in number_print. */
static bool write_text(struct signal_text *text, const struct series *values, int decimals,
                       struct output *output, struct error *err)
{
    bool good = output_write(output, text->bytes, (size_t)(text->begin - text->bytes), err);
    mpq_t value;

    mpq_init(value);
    text->at = text->begin;
    for (int i = 0; good && i < text->n; i++) {
        const char *before = text->at, *number = next_number(text);
        series_number(values, i, value);
        char *digits = number_print(value, decimals);
        good = output_write(output, before, (size_t)(number - before), err) &&
               output_write(output, digits, strlen(digits), err);
        free(digits);
    }
    mpq_clear(value);
    return good && output_write(output, text->at, (size_t)(text->end - text->at), err);
}

/* ---- the mask and the ghost cells ---- */

/* A series_get: the weights, divided by the divisor. */
static void get_weight(void *context, int i, mpq_t value)
{
    const struct mask *mask = context;
    mpq_div(value, mask->weight[i], mask->divisor);
}

static bool mask_make(struct signal_mask *made, const struct signal_work *work, struct error *err)
{
    const struct mask *mask = work->mask;

    if (mask->offset_percent)
        return error_set(err, EXIT_USAGE,
                         "an offset of a percentage: text samples have no range to take it of");
    if (!series_make(&made->weights, mask->width, get_weight, (void *)mask, NULL, work->name, err))
        return false;
    mpq_set(made->offset, mask->offset);
    made->anchor = mask->anchor_x;
    made->border = work->request->filter.border.border;
    return true;
}

/* Reads the value of ghost cells, which has no upper bound here. */
static bool ghost_make(mpq_t ghost, const struct border_choice *border, struct error *err)
{
    const char *why;

    if (border->border != BORDER_CONSTANT)
        return true;
    if (border->percent)
        return error_set(err, EXIT_USAGE,
                         "--border constant:%.80s: text samples have no range to take it of",
                         border->value);
    return rational_parse(ghost, border->value, strlen(border->value), &why) ||
           error_set(err, EXIT_USAGE, "--border constant:%.80s: %s", border->value, why);
}

/* ---- passes ---- */

/* Makes the input of the next pass from the output of the last one. */
static bool make_input(struct series *series, mpq_srcptr ghost, const char *name, struct error *err)
{
    struct series made;

    if (series->exact) /* already has the ghost value and includes the offset */
        return true;
    if (mpq_sgn(series->offset) == 0 && mpq_sgn(ghost) == 0) {
        series_measure(series);
        return true;
    }
    if (!series_make(&made, series->n, series_get_number, series, ghost, name, err))
        return false;
    series_free(series);
    *series = made;
    return true;
}

/* Runs all passes. SERIES holds the samples before, and the outputs after. */
static bool run_passes(const struct signal_work *work, const struct signal_mask *mask,
                       struct series *series, mpq_srcptr ghost, struct error *err)
{
    struct signal_choice *choice = &work->report->choice;
    struct series sums;

    for (int pass = 0; pass < work->request->filter.repeat; pass++) {
        if (pass > 0 && !make_input(series, ghost, work->name, err))
            return false;
        if (pass > 0 && choice->sums < SIGNAL_SUM_RATIONAL &&
            signal_sums_type_of(series, &mask->weights) == SIGNAL_SUM_RATIONAL) {
            choice->sums = SIGNAL_SUM_RATIONAL;
            snprintf(choice->note, sizeof choice->note, "the sums pass 62 bits in pass %d",
                     pass + 1);
        }
        if (!signal_sums_exact(&work->runner, series, mask, &sums, err))
            return false;
        series_free(series);
        *series = sums;
    }
    return true;
}

/* ---- the whole ---- */

bool signal_filter_text(struct signal_work *work, struct error *err)
{
    struct signal_report *report = work->report;
    struct signal_text text;
    struct signal_mask mask = {.anchor = 0};
    struct series samples = {0};
    struct output *output;
    mpq_t ghost;
    bool good;

    report->form = "text";
    if (work->output && audio_of_path(work->output) != AUDIO_NONE)
        return error_set(err, EXIT_INPUT,
                         "%s: %s is text, which has no sample rate; write a text file",
                         work->output, work->name);
    mpq_init(ghost);
    mpq_init(mask.offset);
    good = signal_text_open(&text, work->name, work->bytes, work->size, err) &&
           mask_make(&mask, work, err) && ghost_make(ghost, &work->request->filter.border, err) &&
           series_make(&samples, text.n, signal_text_get, &text, ghost, work->name, err);
    struct signal_load load = {.samples = samples.n,
                               .channels = 1,
                               .mask_width = mask.weights.n,
                               .anchor = mask.anchor,
                               .passes = work->request->filter.repeat};
    if (good)
        load.sums = signal_sums_type_of(&samples, &mask.weights);
    good = good && signal_choose(work, &load, err);
    signal_lap(work, &report->read_ms);
    if (good && !work->request->plan) {
        good = run_passes(work, &mask, &samples, ghost, err);
        signal_lap(work, &report->filter_ms);
        good = good && output_open(&output, work->output, err) &&
               output_end(output, write_text(&text, &samples, work->request->decimals, output, err),
                          err);
        signal_lap(work, &report->write_ms);
    }
    series_free(&samples);
    series_free(&mask.weights);
    mpq_clears(ghost, mask.offset, NULL);
    return good;
}
