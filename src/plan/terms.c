/* Finds the columns and rows whose products add up to a mask.
 *
 * Why elimination finds them: let R be the rest of the mask and R[p][q] not 0. Subtracting the
 * product of column q and row p over R[p][q] makes row p and column q zero and the rank smaller
 * by one. The factors are whole numbers in one of two cases:
 *
 *   - row p is g times a row without a common factor, and column q is a multiple of that row's q-th
 *     number. The parts of unsharp and of sums of boxes are so, and their numbers stay small;
 *   - else modulo 2^64, where every number can be divided by an odd one: it is enough that column q
 *     and row p together have as many factors 2 as R[p][q]. The factors are then arbitrary large
 *     numbers, but sums of 32 bits are right modulo 2^32, and the plan's bound says that they fit.
 *
 * Pivots are searched from the top left, so that a part which is smaller than the mask and inside
 * it, as the identity in unsharp, remains as a term of its own smaller size. */
#include "plan/steps.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 int128;

struct rest {
    int width, height;
    uint64_t mask; /* the bits that matter */
    bool exact;    /* the numbers are the integers themselves, and below 2^62 */
    uint64_t *cell;
    int *row_twos, *column_twos; /* factors 2 that all numbers of a row or column have */
};

static int twos(const struct rest *rest, uint64_t cell)
{
    return (cell & rest->mask) == 0 ? 64 : __builtin_ctzll(cell);
}

/* The first cell in row-major order that can be divided by; false: nothing is left. */
static bool find_pivot(struct rest *rest, int *p, int *q)
{
    for (int i = 0; i < rest->height; i++)
        rest->row_twos[i] = 64;
    for (int j = 0; j < rest->width; j++)
        rest->column_twos[j] = 64;
    for (int i = 0; i < rest->height; i++)
        for (int j = 0; j < rest->width; j++) {
            int v = twos(rest, rest->cell[i * rest->width + j]);
            rest->row_twos[i] = v < rest->row_twos[i] ? v : rest->row_twos[i];
            rest->column_twos[j] = v < rest->column_twos[j] ? v : rest->column_twos[j];
        }
    for (int i = 0; i < rest->height; i++)
        for (int j = 0; j < rest->width; j++) {
            int v = twos(rest, rest->cell[i * rest->width + j]);
            if (v < 64 && v <= rest->row_twos[i] + rest->column_twos[j]) {
                *p = i;
                *q = j;
                return true;
            }
        }
    return false;
}

/* The factors as small integers. */
static bool split_exactly(const struct rest *rest, int p, int q, int64_t *column, int64_t *row)
{
    const int64_t *cell = (const int64_t *)rest->cell;
    int64_t gcd = 0;

    for (int j = 0; j < rest->width; j++)
        gcd = plan_gcd(gcd, cell[p * rest->width + j]);
    for (int j = 0; j < rest->width; j++)
        row[j] = cell[p * rest->width + j] / gcd;
    for (int i = 0; i < rest->height; i++) {
        if (cell[i * rest->width + q] % row[q] != 0)
            return false;
        column[i] = cell[i * rest->width + q] / row[q];
    }
    return true;
}

static void split_modulo(const struct rest *rest, int p, int q, int64_t *column, int64_t *row)
{
    const int64_t *cell = (const int64_t *)rest->cell;
    uint64_t pivot = rest->cell[p * rest->width + q], inverse;
    int shift = __builtin_ctzll(pivot);
    int of_column = shift < rest->column_twos[q] ? shift : rest->column_twos[q];

    pivot >>= shift;
    inverse = pivot; /* right to 3 bits; each step doubles them */
    for (int i = 0; i < 5; i++)
        inverse *= 2 - pivot * inverse;
    for (int i = 0; i < rest->height; i++)
        column[i] = (int64_t)((uint64_t)(cell[i * rest->width + q] >> of_column) * inverse);
    for (int j = 0; j < rest->width; j++)
        row[j] = cell[p * rest->width + j] >> (shift - of_column);
}

static void subtract(struct rest *rest, const int64_t *column, const int64_t *row)
{
    for (int i = 0; i < rest->height; i++)
        for (int j = 0; j < rest->width; j++) {
            uint64_t *cell = &rest->cell[i * rest->width + j];
            if (rest->exact) {
                int128 left = (int64_t)*cell - (int128)column[i] * row[j];
                rest->exact = left < (int128)1 << 62 && left > -((int128)1 << 62);
            }
            *cell -= (uint64_t)column[i] * (uint64_t)row[j];
        }
}

/* How many of the numbers come first that are 0; n: all are. */
static int zeros(const struct rest *rest, const int64_t *values, int n, bool from_end)
{
    int k = 0;
    while (k < n && ((uint64_t)values[from_end ? n - 1 - k : k] & rest->mask) == 0)
        k++;
    return k;
}

/* Without the zeros at the ends, in a block of its own. */
static bool keep(struct plan_term *term, const struct rest *rest, const int64_t *column,
                 const int64_t *row)
{
    term->top = zeros(rest, column, rest->height, false);
    term->left = zeros(rest, row, rest->width, false);
    term->height = rest->height - term->top - zeros(rest, column, rest->height, true);
    term->width = rest->width - term->left - zeros(rest, row, rest->width, true);
    term->column = malloc((size_t)(term->height + term->width) * sizeof *term->column);
    if (!term->column)
        return false;
    term->row = term->column + term->height;
    memcpy(term->column, column + term->top, (size_t)term->height * sizeof *column);
    memcpy(term->row, row + term->left, (size_t)term->width * sizeof *row);
    return true;
}

/* False: no memory. */
static bool eliminate(struct plan_mask *m, struct rest *rest, int64_t *column, int64_t *row,
                      int most)
{
    int p, q;

    while (find_pivot(rest, &p, &q)) {
        bool exact = rest->exact && split_exactly(rest, p, q, column, row);
        if (!exact)
            split_modulo(rest, p, q, column, row);
        rest->exact = exact;
        subtract(rest, column, row);
        if (m->terms == most || (!rest->exact && m->accumulator == ACCUMULATOR_I64)) {
            plan_terms_free(m);
            return true;
        }
        if (!keep(&m->term[m->terms], rest, column, row))
            return false;
        m->terms++;
    }
    m->terms_exact = rest->exact;
    return true;
}

bool plan_terms_make(struct plan_mask *m)
{
    size_t cells = (size_t)m->width * (size_t)m->height, sides = (size_t)(m->width + m->height);
    int most = PLAN_MOST_TERM_TAPS / (m->width + m->height);
    struct rest rest = {.width = m->width, .height = m->height, .exact = true};
    int64_t *room;
    bool ok;

    most = most > PLAN_MOST_TERMS ? PLAN_MOST_TERMS : most;
    if (m->row || most < 2 || m->width == 1 || m->height == 1)
        return true;
    rest.mask = m->accumulator == ACCUMULATOR_I32 ? UINT32_MAX : UINT64_MAX;
    rest.cell = malloc(cells * sizeof *rest.cell);
    rest.row_twos = malloc(sides * sizeof *rest.row_twos);
    room = malloc(sides * sizeof *room);
    m->term = calloc((size_t)most, sizeof *m->term);
    ok = rest.cell && rest.row_twos && room && m->term;
    if (ok) {
        rest.column_twos = rest.row_twos + m->height;
        memcpy(rest.cell, m->weight, cells * sizeof *rest.cell);
        ok = eliminate(m, &rest, room, room + m->height, most);
    }
    free(rest.cell);
    free(rest.row_twos);
    free(room);
    return ok;
}

void plan_terms_free(struct plan_mask *m)
{
    for (int k = 0; k < m->terms; k++)
        free(m->term[k].column);
    free(m->term);
    m->term = NULL;
    m->terms = 0;
}
