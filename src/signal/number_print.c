/* An exact number as text of any length: what masks print is held to 64 characters
 * (rational_print), samples are not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signal/text.h"

/* DIGITS / 10^places, with all PLACES digits behind the point. */
static char *print_scaled(const mpz_t digits, size_t places)
{
    size_t length = mpz_sizeinbase(digits, 10), used = 0, zeros;
    char *whole = malloc(length + 2), *text = malloc(length + places + 4);

    if (!whole || !text) {
        free(whole);
        free(text);
        return NULL;
    }
    mpz_get_str(whole, 10, digits);
    const char *digit = whole;
    if (*digit == '-')
        text[used++] = *digit++;
    length = strlen(digit);
    zeros = places >= length ? places + 1 - length : 0; /* 5 over 10^3: 0.005 */
    for (size_t left = zeros + length; left > 0; left--) {
        if (left == places)
            text[used++] = '.';
        text[used++] = zeros > 0 ? '0' : *digit++;
        zeros -= zeros > 0;
    }
    text[used] = '\0';
    free(whole);
    return text;
}

static char *print_rounded(mpq_srcptr value, int decimals)
{
    mpz_t digits, twice;
    char *text;

    /* floor(value * 10^decimals + 1/2) = floor((2 n 10^decimals + d) / 2d) */
    mpz_inits(digits, twice, NULL);
    mpz_ui_pow_ui(digits, 10, (unsigned long)decimals);
    mpz_mul(digits, digits, mpq_numref(value));
    mpz_mul_2exp(digits, digits, 1);
    mpz_add(digits, digits, mpq_denref(value));
    mpz_mul_2exp(twice, mpq_denref(value), 1);
    mpz_fdiv_q(digits, digits, twice);
    text = print_scaled(digits, (size_t)decimals);
    mpz_clears(digits, twice, NULL);
    return text;
}

/* The places that the decimal of 1/DENOMINATOR takes; false where it does not terminate. */
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

static char *print_fraction(mpq_srcptr value)
{
    size_t bytes =
        mpz_sizeinbase(mpq_numref(value), 10) + mpz_sizeinbase(mpq_denref(value), 10) + 3;
    char *text = malloc(bytes);
    return text ? mpq_get_str(text, 10, value) : NULL;
}

char *number_print(mpq_srcptr value, int decimals)
{
    size_t places;
    mpz_t digits;
    char *text;

    if (decimals >= 0)
        return print_rounded(value, decimals);
    if (!decimal_places(mpq_denref(value), &places))
        return print_fraction(value);
    mpz_init(digits);
    mpz_ui_pow_ui(digits, 10, places);
    mpz_mul(digits, digits, mpq_numref(value));
    mpz_divexact(digits, digits, mpq_denref(value));
    text = print_scaled(digits, places);
    mpz_clear(digits);
    return text;
}
