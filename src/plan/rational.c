/* Reads and writes exact numbers as people write them.
 *
 * A number is either a decimal (digits, one point, an exponent) or a fraction of two whole
 * numbers. The two do not mix (1.5/2 is no number), so that every number that was read can
 * be written again in 64 characters. mask_print relies on this. */
#include "plan/rational.h"

#include <stdio.h>
#include <string.h>

static const char *const expected_number = "expected a number";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && is_digit(text[n]))
        n++;
    return n;
}

/* LENGTH decimal digits, at most RATIONAL_MAX_CHARS. */
static void set_digits(mpz_t value, const char *digits, size_t length)
{
    char text[RATIONAL_MAX_CHARS + 1];
    memcpy(text, digits, length);
    text[length] = '\0';
    mpz_set_str(value, text, 10);
}

/* `12/34`, without a sign; SLASH is the length of what stands before the '/'. */
static bool parse_fraction(mpq_t value, const char *text, size_t length, size_t slash,
                           const char **why)
{
    const char *below = text + slash + 1;
    size_t below_length = length - slash - 1;

    *why = expected_number;
    if (slash == 0 || below_length == 0 || count_digits(text, slash) != slash ||
        count_digits(below, below_length) != below_length)
        return false;
    set_digits(mpq_numref(value), text, slash);
    set_digits(mpq_denref(value), below, below_length);
    if (mpz_sgn(mpq_denref(value)) == 0) {
        mpz_set_ui(mpq_denref(value), 1); /* canonical for whoever clears it */
        *why = "division by zero";
        return false;
    }
    return true;
}

/* The exponent after an 'e': a sign and digits, all of the LENGTH bytes. */
static bool parse_exponent(const char *text, size_t length, long *exponent, const char **why)
{
    bool negative = length > 0 && text[0] == '-';
    size_t i = length > 0 && (text[0] == '-' || text[0] == '+');
    long value = 0;

    if (i == length || count_digits(text + i, length - i) != length - i)
        return false;
    /* VALUE stops growing when it is too large: 60 digits would overflow it. */
    for (; i < length; i++)
        value = value > RATIONAL_MAX_EXPONENT ? value : value * 10 + (text[i] - '0');
    if (value > RATIONAL_MAX_EXPONENT) {
        *why = "an exponent lies within -64 and 64";
        return false;
    }
    *exponent = negative ? -value : value;
    return true;
}

/* `12.5e-3`, without a sign */
static bool parse_decimal(mpq_t value, const char *text, size_t length, const char **why)
{
    char digits[RATIONAL_MAX_CHARS];
    size_t count = count_digits(text, length), pos = count;
    long exponent = 0, after_point = 0;

    *why = expected_number;
    memcpy(digits, text, count);
    if (pos < length && text[pos] == '.') {
        size_t more = count_digits(text + pos + 1, length - pos - 1);
        memcpy(digits + count, text + pos + 1, more);
        count += more;
        pos += 1 + more;
        after_point = (long)more;
    }
    if (count == 0)
        return false;
    if (pos < length) {
        if (text[pos] != 'e' && text[pos] != 'E')
            return false;
        if (!parse_exponent(text + pos + 1, length - pos - 1, &exponent, why))
            return false;
    }
    exponent -= after_point;
    set_digits(mpq_numref(value), digits, count);
    mpz_set_ui(mpq_denref(value), 1);
    mpz_t scale;
    mpz_init(scale);
    mpz_ui_pow_ui(scale, 10, (unsigned long)(exponent < 0 ? -exponent : exponent));
    if (exponent < 0)
        mpz_set(mpq_denref(value), scale);
    else
        mpz_mul(mpq_numref(value), mpq_numref(value), scale);
    mpz_clear(scale);
    return true;
}

bool rational_parse(mpq_t value, const char *text, size_t length, const char **why)
{
    *why = expected_number;
    if (length == 0 || (!is_digit(*text) && !memchr("+-.", *text, 3)))
        return false;
    if (length > RATIONAL_MAX_CHARS) {
        *why = "a number has at most 64 characters";
        return false;
    }
    bool negative = *text == '-';
    if (*text == '-' || *text == '+') {
        text++;
        length--;
    }
    const char *slash = memchr(text, '/', length);
    if (slash ? !parse_fraction(value, text, length, (size_t)(slash - text), why)
              : !parse_decimal(value, text, length, why))
        return false;
    mpq_canonicalize(value);
    if (negative)
        mpq_neg(value, value);
    return true;
}

bool rational_parse_percent(mpq_t value, const char *text, size_t length, bool *percent,
                            const char **why)
{
    *percent = length > 0 && text[length - 1] == '%';
    if (!rational_parse(value, text, length - *percent, why))
        return false;
    if (*percent) {
        mpz_mul_ui(mpq_denref(value), mpq_denref(value), 100);
        mpq_canonicalize(value);
    }
    return true;
}

bool rational_option(mpq_t value, const char *name, const char *text, bool *percent,
                     struct error *err)
{
    const char *why;
    size_t length = strlen(text);

    if (percent ? rational_parse_percent(value, text, length, percent, &why)
                : rational_parse(value, text, length, &why))
        return true;
    return error_set(err, EXIT_USAGE, "%s %.80s: %s", name, text, why);
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
    /* floor(n/d + 1/2) = floor((2n + d) / 2d) */
    mpz_t twice;
    mpz_init(twice);
    mpz_mul_2exp(twice, mpq_denref(value), 1);
    mpz_mul_2exp(result, mpq_numref(value), 1);
    mpz_add(result, result, mpq_denref(value));
    mpz_fdiv_q(result, result, twice);
    mpz_clear(twice);
}

/* ---- writing ---- */

/* |value| = 0.DIGITS * 10^point: no zeros at either end of DIGITS. */
struct decimal {
    char digits[RATIONAL_MAX_CHARS + 1];
    int count, point;
};

/* 10^140 is above the largest number that can be read (64 characters, exponent 64); in bits it
 * takes 466. */
#define DECIMAL_MAX_DIGITS 140
#define DECIMAL_MAX_BITS   512

/* False if VALUE (> 0) has no finite decimal of at most 64 digits. */
static bool decimal_make(struct decimal *decimal, mpq_srcptr value)
{
    char text[2 * DECIMAL_MAX_DIGITS + 3];
    bool made = false;
    mpz_t n, rest, factor;
    mpz_inits(n, rest, factor, NULL);

    /* The denominator 2^a * 5^b needs max(a, b) digits after the point. */
    mpz_set_ui(factor, 2);
    mp_bitcnt_t twos = mpz_remove(rest, mpq_denref(value), factor);
    mpz_set_ui(factor, 5);
    mp_bitcnt_t fives = mpz_remove(rest, rest, factor);
    mp_bitcnt_t places = twos > fives ? twos : fives;
    if (mpz_cmp_ui(rest, 1) != 0 || places > DECIMAL_MAX_DIGITS ||
        mpz_sizeinbase(mpq_numref(value), 10) > DECIMAL_MAX_DIGITS)
        goto out;
    mpz_ui_pow_ui(n, 10, (unsigned long)places);
    mpz_mul(n, n, mpq_numref(value));
    mpz_divexact(n, n, mpq_denref(value));
    mpz_get_str(text, 10, n);

    int length = (int)strlen(text), count = length;
    while (count > 1 && text[count - 1] == '0')
        count--;
    if (count > RATIONAL_MAX_CHARS)
        goto out;
    memcpy(decimal->digits, text, (size_t)count);
    decimal->digits[count] = '\0';
    decimal->count = count;
    decimal->point = length - (int)places;
    made = true;
out:
    mpz_clears(n, rest, factor, NULL);
    return made;
}

static int zeros(char *text, int n)
{
    memset(text, '0', (size_t)n);
    return n;
}

/* Without an exponent: 1200, 1.25, 0.0625. Returns the length, 0 if it is too long. */
static int write_plain(char *text, int room, const struct decimal *d)
{
    int behind = d->count > d->point ? d->count - d->point : 0;
    int before = d->point > 0 ? d->point : 0, n = 0;
    if (before + behind + (behind > 0) > room)
        return 0;
    /* The zero before the point is left out where there is no room for it. */
    if (before == 0 && behind + 2 <= room)
        text[n++] = '0';
    for (int i = 0; i < before; i++)
        text[n++] = i < d->count ? d->digits[i] : '0';
    if (behind > 0) {
        text[n++] = '.';
        if (d->point < 0)
            n += zeros(text + n, -d->point);
        for (int i = before; i < d->count; i++)
            text[n++] = d->digits[i];
    }
    text[n] = '\0';
    return n;
}

/* With an exponent: as a whole number (12e-7) where that is in range, else behind a point
 * (.12e-64), with zeros where even that leaves the range of exponents. */
static int write_exponent(char *text, int room, const struct decimal *d)
{
    int whole = d->point - d->count, n = 0, exponent;
    int pad = whole > RATIONAL_MAX_EXPONENT ? whole - RATIONAL_MAX_EXPONENT
                                            : -RATIONAL_MAX_EXPONENT - d->point;
    if (pad < 0)
        pad = 0;
    if (1 + d->count + pad > RATIONAL_MAX_CHARS)
        return 0;
    bool point = whole < -RATIONAL_MAX_EXPONENT;
    if (point)
        text[n++] = '.';
    if (point)
        n += zeros(text + n, pad);
    memcpy(text + n, d->digits, (size_t)d->count);
    n += d->count;
    if (!point)
        n += zeros(text + n, pad);
    exponent = point ? d->point + pad : whole - pad;
    n += snprintf(text + n, 5, "e%d", exponent);
    return n <= room ? n : 0;
}

bool rational_print(char text[RATIONAL_MAX_CHARS + 1], mpq_srcptr value)
{
    char plain[RATIONAL_MAX_CHARS + 8], fraction[RATIONAL_MAX_CHARS + 8];
    char exponent[RATIONAL_MAX_CHARS + 8];
    int sign = mpq_sgn(value) < 0, room = RATIONAL_MAX_CHARS - sign;
    int plain_length = 0, fraction_length = 0, exponent_length = 0;
    struct decimal decimal;
    mpq_t size;

    /* A sum may have millions of digits: such numbers are refused at once. */
    if (mpz_sizeinbase(mpq_numref(value), 2) > DECIMAL_MAX_BITS ||
        mpz_sizeinbase(mpq_denref(value), 2) > DECIMAL_MAX_BITS)
        return false;
    mpq_init(size);
    mpq_abs(size, value);
    if (mpq_sgn(size) == 0) {
        plain_length = snprintf(plain, sizeof plain, "0");
    } else if (decimal_make(&decimal, size)) {
        plain_length = write_plain(plain, room, &decimal);
        exponent_length = write_exponent(exponent, room, &decimal);
    }
    /* sizeinbase may be one too large: leave it room, and look again. */
    if (mpz_sizeinbase(mpq_numref(size), 10) + mpz_sizeinbase(mpq_denref(size), 10) <=
        RATIONAL_MAX_CHARS + 2) {
        fraction_length = gmp_snprintf(fraction, sizeof fraction, "%Qd", size);
        if (fraction_length > room)
            fraction_length = 0;
    }
    mpq_clear(size);

    /* The shortest form, where plain digits are worth some more characters. */
    const char *best = plain;
    int length = plain_length;
    if (fraction_length > 0 && (length == 0 || fraction_length + 2 < length)) {
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
