/* Exact numbers: reads and writes them as people write them, rounds them, and finds greatest common
 * divisors and common denominators.
 *
 * A number is either a decimal (digits, one point, an exponent) or a fraction of two whole
 * numbers. The two do not mix (1.5/2 is no number), so that every number that was read can
 * be written again in 64 characters. mask_print relies on this. */
#include "plan/rational.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

/* ---- reading ---- */

/* `12/34`, without a sign, up to END. */
static bool parse_fraction(mpq_t value, const char *at, const char *end, const char **why)
{
    const char *below = strchr(at, '/') + 1;

    if (*at == '/' || below == end || strspn(at, DIGITS "/") != (size_t)(end - at) ||
        strchr(below, '/'))
        return false;
    mpq_set_str(value, at, 10);
    if (mpz_sgn(mpq_denref(value)) != 0)
        return true;
    mpz_set_ui(mpq_denref(value), 1); /* canonical for the caller, who clears it */
    *why = "division by zero";
    return false;
}

/* `12.5e-3`, without a sign, up to END. There is room for RATIONAL_MAX_EXPONENT zeros more. */
static bool parse_decimal(mpq_t value, char *at, const char *end, const char **why)
{
    size_t count = strspn(at, DIGITS);
    char *rest = at + count;
    long exponent = 0, after_point = 0;

    if (*rest == '.') {
        after_point = (long)strspn(rest + 1, DIGITS);
        memmove(rest, rest + 1, (size_t)after_point);
        count += (size_t)after_point;
        rest += after_point + 1;
    }
    if (count > 0 && (*rest == 'e' || *rest == 'E') &&
        strspn(rest + 1 + (rest[1] == '-' || rest[1] == '+'), DIGITS) > 0)
        exponent = strtol(rest + 1, &rest, 10);
    if (count == 0 || rest != end)
        return false;
    if (exponent < -RATIONAL_MAX_EXPONENT || exponent > RATIONAL_MAX_EXPONENT) {
        *why = "an exponent lies within -64 and 64";
        return false;
    }
    exponent -= after_point;
    for (; exponent > 0; exponent--)
        at[count++] = '0';
    at[count] = '\0';
    mpz_set_str(mpq_numref(value), at, 10);
    mpz_ui_pow_ui(mpq_denref(value), 10, (unsigned long)-exponent);
    return true;
}

bool rational_parse(mpq_t value, const char *text, size_t length, const char **why)
{
    char copy[RATIONAL_MAX_CHARS + RATIONAL_MAX_EXPONENT + 1];

    *why = "expected a number";
    if (length == 0 || !memchr(DIGITS "+-.", *text, strlen(DIGITS "+-.")))
        return false;
    if (length > RATIONAL_MAX_CHARS) {
        *why = "a number has at most 64 characters";
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *start = copy + (*copy == '-' || *copy == '+');
    if (strchr(start, '/') ? !parse_fraction(value, start, copy + length, why)
                           : !parse_decimal(value, start, copy + length, why))
        return false;
    mpq_canonicalize(value);
    if (*copy == '-')
        mpq_neg(value, value);
    return true;
}

bool rational_parse_percent(mpq_t value, const char *text, size_t length, bool *percent,
                            const char **why)
{
    bool found = percent && length > 0 && text[length - 1] == '%';

    if (percent)
        *percent = found;
    if (!rational_parse(value, text, length - found, why))
        return false;
    mpz_mul_ui(mpq_denref(value), mpq_denref(value), found ? 100 : 1);
    mpq_canonicalize(value);
    return true;
}

bool rational_option(mpq_t value, const char *name, const char *text, bool *percent,
                     struct error *err)
{
    const char *why;
    return rational_parse_percent(value, text, strlen(text), percent, &why) ||
           error_set(err, EXIT_USAGE, "%s %.80s: %s", name, text, why);
}

/* ---- arithmetic ---- */

bool rational_common_denominator(mpz_t d, mpq_srcptr value, size_t count, const mpq_t divisor,
                                 size_t most_bits)
{
    mpq_t v;
    bool fits = true;

    mpq_init(v);
    for (size_t k = 0; k < count && fits; k++) {
        mpq_div(v, value + k, divisor);
        if (!mpz_divisible_p(d, mpq_denref(v)))
            mpz_lcm(d, d, mpq_denref(v));
        fits = mpz_sizeinbase(d, 2) <= most_bits;
    }
    mpq_clear(v);
    return fits;
}

int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

void rational_round(mpz_t result, const mpq_t value)
{
    /* floor(n/d + 1/2) = floor(floor((2n + d) / d) / 2) */
    mpz_mul_2exp(result, mpq_numref(value), 1);
    mpz_add(result, result, mpq_denref(value));
    mpz_fdiv_q(result, result, mpq_denref(value));
    mpz_fdiv_q_2exp(result, result, 1);
}

/* ---- writing ---- */

/* |value| = 0.DIGITS * 10^point: no zeros at either end of DIGITS. */
struct decimal {
    char digits[RATIONAL_MAX_CHARS + 1];
    int count, point;
};

/* Numbers of more bits are refused at once: a sum may have millions of digits. The largest number
 * that can be read is below 10^128, and the smallest has a denominator below 10^128: 426 bits. */
#define MOST_BITS 512

/* Room for one form of a number; a longer form is cut and not used. */
#define NUMBER_ROOM (RATIONAL_MAX_CHARS + 8)

/* False if VALUE (> 0) has no finite decimal of at most 64 digits. */
static bool decimal_make(struct decimal *decimal, mpq_srcptr value)
{
    char text[2 * MOST_BITS]; /* 155 digits before the point and 512 after it */
    mpz_t n, factor;
    int length, count;
    bool finite;

    /* The denominator 2^a * 5^b needs max(a, b) digits after the point. */
    mpz_init(n);
    mpz_init_set_ui(factor, 5);
    mp_bitcnt_t twos = mpz_scan1(mpq_denref(value), 0);
    mp_bitcnt_t fives = mpz_remove(n, mpq_denref(value), factor);
    mp_bitcnt_t places = twos > fives ? twos : fives;
    finite = mpz_sizeinbase(n, 2) == twos + 1;
    mpz_ui_pow_ui(n, 10, (unsigned long)places);
    mpz_mul(n, n, mpq_numref(value));
    mpz_fdiv_q(n, n, mpq_denref(value));
    mpz_get_str(text, 10, n);
    mpz_clears(n, factor, NULL);

    length = count = (int)strlen(text);
    while (count > 1 && text[count - 1] == '0')
        count--;
    decimal->count = count;
    decimal->point = length - (int)places;
    snprintf(decimal->digits, sizeof decimal->digits, "%.*s", count, text);
    return finite && count <= RATIONAL_MAX_CHARS;
}

/* Without an exponent: 1200, 1.25, 0.0625. Returns the length, 0 if it is too long. "%.*d" of 0
 * writes as many zeros as its precision says. */
static int write_plain(char *text, int room, const struct decimal *d)
{
    int n, behind = d->count - d->point;

    /* The zero before the point is left out if there is no room for it. */
    if (d->point <= 0)
        n = snprintf(text, NUMBER_ROOM, "%s.%.*d%s", behind + 1 < room ? "0" : "", -d->point, 0,
                     d->digits);
    else if (behind > 0)
        n = snprintf(text, NUMBER_ROOM, "%.*s.%s", d->point, d->digits, d->digits + d->point);
    else
        n = snprintf(text, NUMBER_ROOM, "%s%.*d", d->digits, -behind, 0);
    return n <= room ? n : 0;
}

/* With an exponent: as a whole number (12e-7) if the exponent is in range, else after a point
 * (.12e-64), with added zeros if the exponent is still out of range. */
static int write_exponent(char *text, int room, const struct decimal *d)
{
    int n, pad, whole = d->point - d->count;

    if (whole >= -RATIONAL_MAX_EXPONENT) {
        pad = whole > RATIONAL_MAX_EXPONENT ? whole - RATIONAL_MAX_EXPONENT : 0;
        n = snprintf(text, NUMBER_ROOM, "%s%.*de%d", d->digits, pad, 0, whole - pad);
    } else {
        pad = d->point < -RATIONAL_MAX_EXPONENT ? -RATIONAL_MAX_EXPONENT - d->point : 0;
        n = snprintf(text, NUMBER_ROOM, ".%.*d%se%d", pad, 0, d->digits, d->point + pad);
    }
    return n <= room ? n : 0;
}

bool rational_print(char text[RATIONAL_MAX_CHARS + 1], mpq_srcptr value)
{
    char plain[NUMBER_ROOM] = "0", fraction[NUMBER_ROOM], exponent[NUMBER_ROOM];
    int sign = mpq_sgn(value) < 0, room = RATIONAL_MAX_CHARS - sign;
    int plain_length = mpq_sgn(value) == 0, fraction_length, exponent_length = 0;
    struct decimal decimal;
    mpq_t size;

    if (mpz_sizeinbase(mpq_numref(value), 2) > MOST_BITS ||
        mpz_sizeinbase(mpq_denref(value), 2) > MOST_BITS)
        return false;
    mpq_init(size);
    mpq_abs(size, value);
    if (mpq_sgn(size) != 0 && decimal_make(&decimal, size)) {
        plain_length = write_plain(plain, room, &decimal);
        exponent_length = write_exponent(exponent, room, &decimal);
    }
    fraction_length = gmp_snprintf(fraction, sizeof fraction, "%Qd", size);
    mpq_clear(size);

    /* The shortest form; but plain digits may be a few characters longer. */
    const char *best = plain;
    int length = plain_length;
    if (fraction_length <= room && (length == 0 || fraction_length + 2 < length)) {
        best = fraction;
        length = fraction_length;
    }
    if (exponent_length > 0 && (length == 0 || exponent_length + 8 < length)) {
        best = exponent;
        length = exponent_length;
    }
    text[0] = '-';
    memcpy(text + sign, best, (size_t)length);
    text[sign + length] = '\0';
    return length > 0;
}
