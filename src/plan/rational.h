/* Numbers as people write them in masks: exact rationals on top of GMP.
 *
 *   4   -1/2   0.0625   1e-3   +.5   -12.5e+2   3/4
 *
 * At most 64 characters, an exponent within -64..64; anything else (nan, inf,
 * 0x10, 1/0, two signs) is no number. */
#ifndef STENCIL_PLAN_RATIONAL_H
#define STENCIL_PLAN_RATIONAL_H

#include <gmp.h>
#include <stdint.h>

#include "base/error.h"

#define RATIONAL_MAX_CHARS    64
#define RATIONAL_MAX_EXPONENT 64

/* Parses exactly the LENGTH bytes at TEXT into VALUE (initialised by the caller, canonical
 * afterwards). On failure returns false and points *why at a static half-sentence that says what
 * was expected, to follow a place ("expected a number", "division by zero", "a number has at most
 * 64 characters", "an exponent lies within -64 and 64"). */
bool rational_parse(mpq_t value, const char *text, size_t length, const char **why);

/* Like rational_parse, but also accepts `N%` unless PERCENT is NULL: *percent is then true and
 * VALUE is N/100. */
bool rational_parse_percent(mpq_t value, const char *text, size_t length, bool *percent,
                            const char **why);

/* Like rational_parse_percent, for the value of the option NAME; wrong text is EXIT_USAGE. */
bool rational_option(mpq_t value, const char *name, const char *text, bool *percent,
                     struct error *err);

/* Makes D, a whole number, the least common multiple of itself and of the denominators of all
 * value[k] / divisor. False as soon as D has more than MOST_BITS bits. */
bool rational_common_denominator(mpz_t d, mpq_srcptr value, size_t count, const mpq_t divisor,
                                 size_t most_bits);

/* The greatest common divisor, >= 0; 0 only of 0 and 0. */
int64_t greatest_common_divisor(int64_t a, int64_t b);

/* floor(value + 1/2). RESULT may be the numerator of VALUE. */
void rational_round(mpz_t result, const mpq_t value);

/* Writes VALUE so that rational_parse reads it back: 4, 0.0625, 1/3, 1e-30. Every number that
 * rational_parse ever read fits; false for others that need more than 64 characters. */
bool rational_print(char text[RATIONAL_MAX_CHARS + 1], mpq_srcptr value);

#endif
