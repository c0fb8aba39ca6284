/* A row of exact numbers as the 1D kernels can take it: integers over one common
 * unit where they fit, plain rationals where they do not. Samples of a text, the
 * weights of their mask and the outputs are series.
 *
 *      number i = cell[i] * unit + offset            every cell below 2^62
 *               = exact[i]                           else
 */
#ifndef STENCIL_SIGNAL_SERIES_H
#define STENCIL_SIGNAL_SERIES_H

#include <gmp.h>
#include <stdint.h>

#include "base/error.h"

__extension__ typedef unsigned __int128 uint128;

struct series {
    int n;
    /* n+1 places: behind the numbers stands one that belongs to them, the value of their ghost
     * cells, so that it is an integer over the same unit. */
    int64_t *cell; /* NULL: the numbers are exact[] */
    mpq_t *exact;  /* NULL: the numbers are cell[] */
    mpq_t unit, offset;
    uint64_t largest; /* |cell|, the ghost value's too */
    uint128 size;     /* sum of |cell| without it: with the largest |sample| it bounds the sums */
};

/* Number I of those that a series is made of; I runs from 0 to n, once or more than once. */
typedef void series_get(void *context, int i, mpq_t value);

/* The series of N numbers and their ghost value, with the largest unit that makes integers of all;
 * the offset is 0. NAME is the file's, for sentences. Free with series_free. */
bool series_make(struct series *series, int n, series_get *get, void *context, const char *name,
                 struct error *err);

/* An empty one: N+1 cells (or rationals), which are 0; unit 1, offset 0. */
bool series_alloc(struct series *series, int n, bool exact, const char *name, struct error *err);
void series_free(struct series *series); /* harmless on a zeroed one */

/* The largest unit of the numbers: gcd of the numerators over lcm of the denominators. False, with
 * UNIT undefined, where it is certain that an integer over it passes BITS. */
bool series_unit(mpq_t unit, int n, series_get *get, void *context, size_t bits);

/* Number I as a rational (VALUE is initialised by the caller). */
void series_number(const struct series *series, int i, mpq_t value);

/* series_number as a series_get; the context is the series. */
void series_get_number(void *series, int i, mpq_t value);

/* largest and size, from the cells. */
void series_measure(struct series *series);

#endif
