/* The rank of a mask's integers. Masks of low rank run as columns and rows, which is faster: masks
 * of rank 1 as one column and one row, masks of rank 2 to 4 as a sum of terms (unsharp, differences
 * of Gaussians, sums of boxes). For printing, this file finds the exact rank of any mask.
 *
 * Why elimination finds the columns and rows: let R be the rest of the mask and R[p][q] not 0.
 * Subtracting (column q) * (row p) / R[p][q] from R makes row p and column q zero and lowers the
 * rank by one. The factors are whole numbers in one of two cases:
 *
 *   - row p is g times a row without a common factor, and column q is a multiple of that row's q-th
 *     number. This holds for all masks of rank 1 (Gauss's lemma), and for the parts of unsharp and
 *     of sums of boxes, whose numbers stay small;
 *   - else modulo 2^64, where any number can be divided by an odd number, if column q
 *     and row p together have as many factors 2 as R[p][q]. Such factors are arbitrary large
 *     numbers, but sums of 32 bits are right modulo 2^32, and the plan's bound says that they fit.
 *
 * Pivots are searched from the top left, so that a small part inside the mask, such as the identity
 * in unsharp, becomes a term of its own small size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/steps.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* Divides a row by its gcd and makes its first non-zero entry positive. Returns the divisor, 0 for
 * a row of zeros. */
static int64_t make_primitive(int64_t *row, int n)
{
    int64_t gcd = 0, first = 0;
    for (int j = 0; j < n; j++) {
        gcd = greatest_common_divisor(gcd, row[j]);
        if (first == 0)
            first = row[j];
    }
    if (first < 0)
        gcd = -gcd;
    for (int j = 0; j < n && gcd != 0; j++)
        row[j] /= gcd;
    return gcd;
}

/* ---- columns and rows ---- */

/* The mask minus the terms found so far. */
struct rest {
    int width, height;
    bool exact; /* the numbers are the integers themselves, and below 2^62; else modulo 2^32 */
    uint64_t *cell;
    int row_twos[MASK_MAX_SIDE]; /* factors 2 that all numbers of a row or column have */
    int column_twos[MASK_MAX_SIDE];
};

/* How many factors 2 a number has; 64: the number is 0. */
static int twos(const struct rest *rest, uint64_t number)
{
    uint64_t value = rest->exact ? number : (uint32_t)number;
    return value == 0 ? 64 : __builtin_ctzll(value);
}

/* Finds the first cell, in row-major order, that can be the divisor; false: nothing is left. */
static bool find_pivot(struct rest *rest, int *p, int *q)
{
    for (int k = 0; k < MASK_MAX_SIDE; k++)
        rest->row_twos[k] = rest->column_twos[k] = 64;
    for (int k = 0; k < rest->width * rest->height; k++) {
        int v = twos(rest, rest->cell[k]);
        int *row = &rest->row_twos[k / rest->width], *column = &rest->column_twos[k % rest->width];
        *row = v < *row ? v : *row;
        *column = v < *column ? v : *column;
    }
    for (int k = 0; k < rest->width * rest->height; k++) {
        int v = twos(rest, rest->cell[k]);
        *p = k / rest->width;
        *q = k % rest->width;
        if (v < 64 && v <= rest->row_twos[*p] + rest->column_twos[*q])
            return true;
    }
    return false;
}

/* Makes column and row as small integers; false if they are not whole numbers. */
static bool split_exactly(const struct rest *rest, int p, int q, int64_t *column, int64_t *row)
{
    const int64_t *cell = (const int64_t *)rest->cell;

    memcpy(row, cell + p * rest->width, (size_t)rest->width * sizeof *row);
    make_primitive(row, rest->width);
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
    inverse = pivot; /* correct to 3 bits; each step doubles the correct bits */
    for (int i = 0; i < 5; i++)
        inverse *= 2 - pivot * inverse;
    for (int i = 0; i < rest->height; i++)
        column[i] = (int64_t)((uint64_t)(cell[i * rest->width + q] >> of_column) * inverse);
    for (int j = 0; j < rest->width; j++)
        row[j] = cell[p * rest->width + j] >> (shift - of_column);
}

static void subtract(struct rest *rest, const int64_t *column, const int64_t *row)
{
    for (int k = 0; k < rest->width * rest->height; k++) {
        int128 left =
            (int64_t)rest->cell[k] - (int128)column[k / rest->width] * row[k % rest->width];
        rest->exact = rest->exact && left < (int128)1 << 62 && left > -((int128)1 << 62);
        rest->cell[k] = (uint64_t)left;
    }
}

/* How many zeros stand at the beginning of the values, or at their end; n: all are 0. */
static int zeros(const struct rest *rest, const int64_t *values, int n, bool from_end)
{
    int k = 0;
    while (k < n && twos(rest, (uint64_t)values[from_end ? n - 1 - k : k]) == 64)
        k++;
    return k;
}

/* Copies the term, without the zeros at its ends, to a block of its own. */
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

void plan_terms_free(struct plan_mask *m)
{
    while (m->terms > 0)
        free(m->term[--m->terms].column);
}

static int64_t *copy(const int64_t *values, int n)
{
    int64_t *made = malloc((size_t)n * sizeof *made);
    return made ? memcpy(made, values, (size_t)n * sizeof *made) : NULL;
}

/* False: no memory. */
static bool eliminate(struct plan_mask *m, struct rest *rest)
{
    int64_t column[MASK_MAX_SIDE], row[MASK_MAX_SIDE];
    int p, q, most = PLAN_MOST_TERM_TAPS / (m->width + m->height);

    most = most > PLAN_MOST_TERMS ? PLAN_MOST_TERMS : most;
    while (find_pivot(rest, &p, &q)) {
        rest->exact = rest->exact && split_exactly(rest, p, q, column, row);
        if (!rest->exact)
            split_modulo(rest, p, q, column, row);
        subtract(rest, column, row);
        /* The largest masks are factored only if their rank is 1, which is always exact. */
        if ((m->terms > 0 && m->terms >= most) ||
            (!rest->exact && (most < 2 || m->accumulator == ACCUMULATOR_I64))) {
            plan_terms_free(m);
            return true;
        }
        if (!keep(&m->term[m->terms], rest, column, row))
            return false;
        m->terms++;
    }
    m->terms_exact = rest->exact;
    if (m->terms != 1 || !rest->exact)
        return true;
    plan_terms_free(m);
    m->column = copy(column, m->height);
    m->row = copy(row, m->width);
    return m->column && m->row;
}

bool plan_mask_factor(struct plan_mask *m)
{
    struct rest rest = {m->width, m->height, .exact = true};
    bool ok;

    rest.cell = (uint64_t *)copy(m->weight, m->width * m->height);
    ok = rest.cell && eliminate(m, &rest);
    free(rest.cell);
    return ok;
}

/* ---- the rank, for printing ---- */

/* Makes the rows primitive and drops zero and repeated rows. The rank stays. A symmetric mask
 * shrinks to its half, which mostly has full rank. */
static void drop_rows(struct plan_mask *m)
{
    size_t bytes = (size_t)m->width * sizeof *m->weight;
    int given = m->height;

    m->height = 0;
    for (int i = 0; i < given; i++) {
        int64_t *row = m->weight + i * m->width;
        bool fresh = make_primitive(row, m->width) != 0;
        for (int k = 0; k < m->height && fresh; k++)
            fresh = memcmp(m->weight + k * m->width, row, bytes) != 0;
        if (fresh)
            memmove(m->weight + m->height++ * m->width, row, bytes);
    }
}

/* X modulo P without a division: with INVERSE = floor((2^64 - 1) / P) the quotient is at most one
 * too small. */
static inline uint64_t reduce(uint64_t x, uint64_t p, uint64_t inverse)
{
    uint64_t rest = x - (uint64_t)((uint128)x * inverse >> 64) * p;
    return rest >= p ? rest - p : rest;
}

/* Gauss's elimination modulo a prime P below 2^31; A is room for the residues. */
static int rank_modulo(const struct plan_mask *m, uint64_t p, uint64_t *a)
{
    int rank = 0, n = m->width;

    for (int k = 0; k < m->height * n; k++)
        a[k] = (uint64_t)(m->weight[k] % (int64_t)p + (int64_t)p) % p;
    for (int c = 0; c < n && rank < m->height; c++) {
        uint64_t *top = a + rank * n;
        int pivot = rank;
        while (pivot < m->height && a[pivot * n + c] == 0)
            pivot++;
        if (pivot == m->height)
            continue;
        for (int j = c; j < n && pivot != rank; j++)
            top[j] = reduce(top[j] + a[pivot * n + j], p, UINT64_MAX / p);
        /* The row times the pivot, minus the top row times the row's first number: no division. */
        for (int i = rank + 1; i < m->height; i++) {
            uint64_t *row = a + i * n, minus = p - row[c];
            for (int j = c; j < n && minus != p; j++)
                row[j] = reduce(row[j] * top[c] + minus * top[j], p, UINT64_MAX / p);
        }
        rank++;
    }
    return rank;
}

/* Proof that the rank is exact: the rank modulo a prime is never larger than the true rank, so full
 * rank modulo one prime is full rank. Otherwise, if the rank is r modulo primes whose product is
 * larger than any (r+1) x (r+1) minor can be (Hadamard: the product of its rows' lengths), all
 * these minors are 0 and the rank is r. */
static int rank_exactly(const struct plan_mask *m, uint64_t *room)
{
    int rank = 0, full = m->height < m->width ? m->height : m->width;
    double longest = 0; /* longest row in bits, rounded up by far more than the error of doubles */
    mpz_t prime;

    for (int i = 0; i < m->height; i++) {
        double squares = 0;
        for (int j = 0; j < m->width; j++)
            squares += pow((double)m->weight[i * m->width + j], 2);
        longest = fmax(longest, log2(squares) / 2 + 1e-6);
    }
    mpz_init_set_ui(prime, 1 << 30);
    for (int primes = 0; rank < full && 30 * primes <= (rank + 1) * longest; primes++) {
        mpz_nextprime(prime, prime);
        int found = rank_modulo(m, mpz_get_ui(prime), room);
        rank = found > rank ? found : rank;
    }
    mpz_clear(prime);
    return rank;
}

int plan_mask_rank(const struct plan_mask *plan)
{
    if (!plan->weight)
        return plan->centre ? 2 : 1;
    int cells = plan->width * plan->height;
    struct plan_mask m = {
        .width = plan->width, .height = plan->height, .weight = copy(plan->weight, cells)};
    uint64_t *room = malloc((size_t)cells * sizeof *room);
    int rank = -1;

    if (m.weight && room) {
        drop_rows(&m);
        rank = rank_exactly(&m, room);
    }
    free(m.weight);
    free(room);
    return rank;
}
