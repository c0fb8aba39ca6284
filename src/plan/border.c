/* Maps ghost cells to cells of the picture, and parses borders. This file knows positions
 * only; plan_ghost says which value a ghost cell of zero or constant has in a channel. */
#include "plan/border.h"

#include <string.h>

#include "plan/rational.h"

/* In the order of the enum. */
static const char *const names[BORDER_COUNT] = {"replicate", "zero",   "constant",
                                                "reflect",   "mirror", "wrap"};

/* i modulo n, in 0..n-1 for negative i too. 64 bits, because a period of 2n may exceed an int. */
static int64_t modulo(int64_t i, int64_t n)
{
    int64_t rest = i % n;
    return rest < 0 ? rest + n : rest;
}

int border_fold_ghost(enum border border, int i, int n)
{
    int64_t twice = 2 * (int64_t)n, place;

    switch (border) {
    case BORDER_REPLICATE:
        return i < 0 ? 0 : n - 1;
    case BORDER_WRAP:
        return (int)modulo(i, n);
    case BORDER_REFLECT:
        /* a b c d d c b a, again and again */
        place = modulo(i, twice);
        return (int)(place < n ? place : twice - 1 - place);
    case BORDER_MIRROR:
        /* a b c d c b, again and again; a single cell has no neighbour to mirror */
        place = n == 1 ? 0 : modulo(i, twice - 2);
        return (int)(place < n ? place : twice - 2 - place);
    case BORDER_ZERO:
    case BORDER_CONSTANT:
        break;
    }
    return BORDER_OUTSIDE;
}

const char *border_name(enum border border)
{
    return names[border];
}

/* The number of constant:V, or N/100 of constant:N% (*percent): a rational >= 0. */
static bool parse_constant(mpq_t number, const char *text, bool *percent, struct error *err)
{
    const char *why;

    if (!rational_parse_percent(number, text, strlen(text), percent, &why))
        return error_set(err, EXIT_USAGE, "%s after 'constant:', got '%.80s'", why, text);
    if (*percent && (mpq_sgn(number) < 0 || mpq_cmp_ui(number, 1, 1) > 0))
        return error_set(err, EXIT_USAGE, "expected 0%% to 100%% of the range, got '%.80s'", text);
    if (!*percent && (mpq_sgn(number) < 0 || mpz_cmp_ui(mpq_denref(number), 1) != 0))
        return error_set(err, EXIT_USAGE,
                         "expected a whole sample value or a percentage, got '%.80s'", text);
    return true;
}

/* The messages name no option: the command line puts the option's name in front. */
bool border_parse(const char *text, struct border_choice *choice, struct error *err)
{
    size_t length = strcspn(text, ":");
    const char *value = text[length] == ':' ? text + length + 1 : NULL;
    int i = 0;

    while (i < BORDER_COUNT && (strlen(names[i]) != length || memcmp(names[i], text, length) != 0))
        i++;
    if (i == BORDER_COUNT)
        return error_set(err, EXIT_USAGE,
                         "expected replicate, zero, constant:V, constant:N%%, reflect, mirror or "
                         "wrap, got '%.80s'",
                         text);
    if (i != BORDER_CONSTANT && value)
        return error_set(err, EXIT_USAGE, "'%s' takes no value; only constant:V does", names[i]);
    if (i == BORDER_CONSTANT && (!value || *value == '\0'))
        return error_set(err, EXIT_USAGE, "constant needs a value: constant:V or constant:N%%");
    *choice = (struct border_choice){(enum border)i, false, value};
    if (!value)
        return true;
    mpq_t number;
    mpq_init(number);
    bool good = parse_constant(number, value, &choice->percent, err);
    mpq_clear(number);
    return good;
}

bool border_value(const struct border_choice *choice, uint32_t max, uint32_t *value,
                  struct error *err)
{
    mpq_t number;
    bool good, percent;

    *value = 0;
    if (choice->border != BORDER_CONSTANT)
        return true;
    mpq_init(number);
    good = parse_constant(number, choice->value, &percent, err);
    if (good && percent) {
        mpz_mul_ui(mpq_numref(number), mpq_numref(number), max);
        rational_round(mpq_numref(number), number);
    }
    if (good && mpz_cmp_ui(mpq_numref(number), max) > 0)
        good = error_set(err, EXIT_USAGE, "--border constant:%.80s: the largest sample value is %u",
                         choice->value, (unsigned)max);
    if (good)
        *value = (uint32_t)mpz_get_ui(mpq_numref(number));
    mpq_clear(number);
    return good;
}
