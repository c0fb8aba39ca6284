/* The options of filters: a row for each, and the functions that read the values
 * (plan/filter_words.h). */
#include "plan/filter_words.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/did_you_mean.h"

/* ---- words ---- */

static const char *border_plain_word(int index)
{
    return index < BORDER_COUNT ? border_name((enum border)index) : NULL;
}

const char *filter_border_word(int index)
{
    /* The colon shows that a value follows. */
    return index == BORDER_CONSTANT ? "constant:" : border_plain_word(index);
}

const char *filter_alpha_word(int index)
{
    static const char *const words[] = {"weighted", "ignore", "plain"}; /* as enum alpha_mode */
    return index < 3 ? words[index] : NULL;
}

const char *filter_light_word(int index)
{
    return index == 0 ? "encoded" : index == 1 ? "linear" : NULL;
}

static const char *filter_name(int index)
{
    int count;
    const struct filter *filters = filter_table(&count);
    return index < count ? filters[index].name : NULL;
}

/* ---- values ---- */

/* An option as it was given. */
struct given {
    const struct row *row;
    const char *text; /* NULL for a flag */
    struct filter_request *request;
    struct error *err;
};

struct row {
    struct filter_word word;
    bool (*set)(const struct given *given);
    size_t field; /* offset in struct filter_request, for shared setters */
    int min, max; /* for set_int */
    word_function *words;
    const char *expected; /* for set_text: in place of an empty word */
};

static void *field_of(const struct given *given)
{
    return (char *)given->request + given->row->field;
}

static const char *name_of(const struct given *given)
{
    return given->row->word.name;
}

static bool set_flag(const struct given *given)
{
    *(bool *)field_of(given) = true;
    return true;
}

static bool set_text(const struct given *given)
{
    if (*given->text == '\0')
        return word_expected(given->err, name_of(given), "", "%s", given->row->expected);
    *(const char **)field_of(given) = given->text;
    return true;
}

static bool set_int(const struct given *given)
{
    const char *end;
    int number, min = given->row->min, max = given->row->max;
    if (!word_int(given->text, &end, &number) || *end != '\0' || number < min || number > max)
        return word_expected(given->err, name_of(given), given->text,
                             "a whole number from %d to %d", min, max);
    *(int *)field_of(given) = number;
    return true;
}

/* The index of the value in the row's words; -1 with an error if it is none of them. */
static int word_index(const struct given *given)
{
    int index = word_find(given->text, given->row->words);
    if (index < 0)
        word_unknown(given->err, name_of(given), given->text, given->row->words, "");
    return index;
}

static bool set_word(const struct given *given)
{
    if (word_index(given) < 0)
        return false;
    *(const char **)field_of(given) = given->text;
    return true;
}

static bool set_sigma(const struct given *given)
{
    /* A sigma must be a plain decimal; strtod would accept nan, inf, hexadecimal and blanks. */
    char *end = NULL;
    double sigma = 0;
    if (strspn(given->text, "+-.eE0123456789") == strlen(given->text))
        sigma = strtod(given->text, &end);
    if (!end || end == given->text || *end != '\0' || !isfinite(sigma) || !(sigma > 0))
        return word_expected(given->err, "sigma", given->text, "a number greater than 0");
    given->request->sigma = sigma;
    given->request->has_sigma = true;
    return true;
}

static bool set_anchor(const struct given *given)
{
    struct plan_overrides *overrides = &given->request->overrides;
    const char *end;
    int x, y;

    if (!word_int(given->text, &end, &x) || *end != ',' || !word_int(end + 1, &end, &y) ||
        *end != '\0' || x < 0 || x >= MASK_LONGEST || y < 0 || y >= MASK_LONGEST)
        return word_expected(given->err, "anchor", given->text,
                             "X,Y, two whole numbers from 0 to %d with a comma between",
                             MASK_LONGEST - 1);
    overrides->anchor_x = x;
    overrides->anchor_y = y;
    overrides->has_anchor = true;
    return true;
}

#define MOST_SIDE 1000000000 /* of a region; the sum of two fits an int */

static bool set_region(const struct given *given)
{
    const char *at = given->text;
    int number[4];
    bool good = true;

    for (int i = 0; good && i < 4; i++) {
        good = word_int(at, &at, &number[i]) && *at == (i < 3 ? ',' : '\0') && number[i] >= i / 2 &&
               number[i] <= MOST_SIDE;
        at += i < 3;
    }
    if (!good)
        return word_expected(given->err, "region", given->text,
                             "X,Y,W,H: four whole numbers with commas between, W and H at least 1, "
                             "as in 100,50,640,480");
    given->request->region = (struct plan_region){number[0], number[1], number[2], number[3]};
    return true;
}

static bool set_nodata(const struct given *given)
{
    const char *end;
    int number;

    if (!word_int(given->text, &end, &number) || *end != '\0' || number < 0 || number > UINT16_MAX)
        return word_expected(given->err, "nodata", given->text,
                             "a sample, a whole number from 0 to %d", UINT16_MAX);
    given->request->nodata = (uint32_t)number;
    given->request->has_nodata = true;
    return true;
}

static bool set_light(const struct given *given)
{
    int index = word_index(given);
    given->request->light = index == 1;
    return index >= 0;
}

static bool set_alpha(const struct given *given)
{
    int index = word_index(given);
    if (index >= 0)
        given->request->alpha = (enum alpha_mode)index;
    return index >= 0;
}

/* Suggests a name for a mistyped one, since border_parse does not. */
static bool set_border(const struct given *given)
{
    char word[32];
    struct error inner;

    if (border_parse(given->text, &given->request->border, &inner))
        return true;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given->text, ":"), given->text);
    const char *near = word_nearest(word, border_plain_word);
    if (near && strcmp(near, word) != 0)
        return error_set(given->err, EXIT_USAGE,
                         "--border %s: unknown border; did you mean '%s%s'?", given->text, near,
                         strcmp(near, border_name(BORDER_CONSTANT)) == 0 ? ":V" : "");
    return error_set(given->err, inner.code, "--border: %s", inner.text);
}

/* ---- the rows ---- */

#define FIELD(name) offsetof(struct filter_request, name)
static const struct row rows[] = {
    {{'m', "mask", "MASK"}, set_text, FIELD(mask), 0, 0, NULL, "a name, a file or rows of numbers"},
    {{0, "sigma", "S"}, set_sigma, 0, 0, 0, NULL, NULL},
    {{0, "radius", "R"}, set_int, FIELD(radius), 0, 3000, NULL, NULL},
    {{0, "shape", "SHAPE"}, set_word, FIELD(shape), 0, 0, filter_shape_word, NULL},
    {{0, "rank", "P%"}, set_text, FIELD(rank), 0, 0, NULL, "a percentage"},
    {{0, "range", "R"}, set_text, FIELD(range), 0, 0, NULL, "a number or N%"},
    {{0, "amount", "A"}, set_text, FIELD(amount), 0, 0, NULL, "a number"},
    {{0, "divisor", "D"}, set_text, FIELD(overrides.divisor), 0, 0, NULL, "a number"},
    {{0, "normalize", NULL}, set_flag, FIELD(overrides.normalize), 0, 0, NULL, NULL},
    {{0, "offset", "O"}, set_text, FIELD(overrides.offset), 0, 0, NULL, "a number or N%"},
    {{0, "anchor", "X,Y"}, set_anchor, 0, 0, 0, NULL, NULL},
    {{0, "flip", NULL}, set_flag, FIELD(overrides.flip), 0, 0, NULL, NULL},
    {{'b', "border", "BORDER"}, set_border, 0, 0, 0, filter_border_word, NULL},
    {{0, "alpha", "MODE"}, set_alpha, 0, 0, 0, filter_alpha_word, NULL},
    {{0, "channels", "LIST"}, set_text, FIELD(channels), 0, 0, NULL, "letters of rgba or numbers"},
    {{0, "repeat", "N"}, set_int, FIELD(repeat), 1, 1000, NULL, NULL},
    {{0, "light", "LIGHT"}, set_light, 0, 0, 0, filter_light_word, NULL},
    {{0, "region", "X,Y,W,H"}, set_region, 0, 0, 0, NULL, NULL},
    {{0, "where", "PICTURE"}, set_text, FIELD(where), 0, 0, NULL, "the name of a picture"},
    {{0, "nodata", "V"}, set_nodata, 0, 0, 0, NULL, NULL},
};
#define ROWS ((int)(sizeof rows / sizeof *rows))

bool filter_word(int index, struct filter_word *word)
{
    if (index < ROWS)
        *word = rows[index].word;
    return index < ROWS;
}

static const char *option_name(int index)
{
    return index < ROWS ? rows[index].word.name : NULL;
}

bool filter_word_set(struct filter_request *request, const char *name, const char *text,
                     struct error *err)
{
    const int index = word_find(name, option_name);
    const struct given given = {&rows[index < 0 ? 0 : index], text, request, err};

    return index >= 0 ? given.row->set(&given)
                      : error_set(err, EXIT_USAGE, "--%s is no option of filters", name);
}

/* ---- a filter ---- */

struct parse {
    struct filter_request *request;
    filter_unknown *unknown;
};

static bool find_option(char letter, const char *name, size_t length, struct word_option *option)
{
    for (int i = 0; i < ROWS; i++) {
        const struct filter_word *word = &rows[i].word;
        if ((letter && word->letter == letter) ||
            (name && strlen(word->name) == length && memcmp(word->name, name, length) == 0)) {
            *option = (struct word_option){&rows[i], word->name, word->argument};
            return true;
        }
    }
    return false;
}

static bool take_option(void *context, const struct word_option *option, const char *value,
                        struct error *err)
{
    const struct parse *parse = context;
    const struct given given = {option->row, value, parse->request, err};

    return given.row->set(&given);
}

static bool say_unknown(const char *word, bool option, struct error *err)
{
    const char *what = option ? "option" : "filter", *dashes = option ? "--" : "";
    const char *near = word_nearest(word + strspn(word, "-"), option ? option_name : filter_name);

    if (near)
        return error_set(err, EXIT_USAGE, "unknown %s '%s'; did you mean '%s%s'?", what, word,
                         dashes, near);
    return error_set(err, EXIT_USAGE, "unknown %s '%s'", what, word);
}

static bool take_unknown(void *context, const char *typed, struct error *err)
{
    const struct parse *parse = context;
    return parse->unknown(typed, true, err);
}

/* The first word that is no option is the filter; there is no other. */
static bool take_word(void *context, char *word, struct error *err)
{
    const struct parse *parse = context;

    if (parse->request->filter)
        return error_set(err, EXIT_USAGE, "unexpected '%s': a step is a filter and its options",
                         word);
    parse->request->filter = filter_find(word);
    return parse->request->filter || parse->unknown(word, false, err);
}

bool filter_parse(struct filter_request *request, char *text, filter_unknown *unknown,
                  struct error *err)
{
    const struct parse parse = {request, unknown ? unknown : say_unknown};
    const struct word_reader reader = {(void *)&parse, find_option, take_option, take_word,
                                       take_unknown};
    char *words[FILTER_WORDS_MOST];
    const int count = words_split(text, words, FILTER_WORDS_MOST);

    *request = (struct filter_request)FILTER_DEFAULTS;
    if (count < 0)
        return error_set(err, EXIT_USAGE, "a quote has no end, or there are too many words");
    if (!words_read(&reader, count, words, err))
        return false;
    if (!request->filter)
        return error_set(err, EXIT_USAGE, "expected a filter and its options");
    if (request->mask && strcmp(request->mask, "-") == 0)
        return error_set(err, EXIT_USAGE,
                         "a step cannot read its mask from standard input: name a file");
    return true;
}
