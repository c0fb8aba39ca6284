/* The rank of a mask's integers: the factors of masks of rank 1, which may run as a row
 * pass and a column pass, and the exact rank of any mask, for printing.
 *
 * Proof that the printed rank is exact: the rank modulo a prime is never larger than
 * the true rank, so full rank modulo one prime is full rank. Otherwise, if the rank is
 * r modulo primes whose product is larger than any (r+1) x (r+1) minor can be
 * (Hadamard), all these minors are 0 and the rank is r. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/steps.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

int64_t plan_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Divides a row by its gcd and makes its first non-zero entry positive. Returns what it was
 * divided by, 0 for a row of zeros. */
static int64_t make_primitive(int64_t *row, int n)
{
    int64_t gcd = 0, first = 0;
    for (int j = 0; j < n; j++) {
        gcd = plan_gcd(gcd, row[j]);
        if (first == 0)
            first = row[j];
    }
    if (first < 0)
        gcd = -gcd;
    for (int j = 0; j < n && gcd != 0; j++)
        row[j] /= gcd;
    return gcd;
}

/* ---- rank 1 ---- */

/* Rank 1 over the rationals means: every row is a multiple of one primitive row, and (Gauss's
 * lemma) an integer multiple. */
static bool split(const struct plan_mask *plan, int64_t *column, int64_t *row)
{
    int width = plan->width, pivot = 0, first = 0;
    const int64_t *w = plan->weight;

    while (first < width * plan->height && w[first] == 0)
        first++;
    if (first == width * plan->height)
        return false;
    pivot = first % width;
    memcpy(row, w + first - pivot, (size_t)width * sizeof *row);
    make_primitive(row, width);
    for (int i = 0; i < plan->height; i++) {
        const int64_t *line = w + i * width;
        column[i] = line[pivot] / row[pivot];
        for (int j = 0; j < width; j++)
            if ((int128)column[i] * row[j] != line[j])
                return false;
    }
    return true;
}

bool plan_mask_factor(struct plan_mask *plan)
{
    int64_t *column = malloc((size_t)plan->height * sizeof *column);
    int64_t *row = malloc((size_t)plan->width * sizeof *row);
    bool memory = column && row;

    if (memory && split(plan, column, row)) {
        plan->column = column;
        plan->row = row;
    } else {
        free(column);
        free(row);
    }
    return memory;
}

/* ---- any rank ---- */

struct matrix {
    int rows, columns;
    int64_t *cell; /* row-major, without gaps */
};

/* Makes the rows primitive and drops zeros and repetitions: the rank stays, and a symmetric mask
 * shrinks to its half, mostly to one of full rank. */
static void drop_rows(struct matrix *m)
{
    size_t bytes = (size_t)m->columns * sizeof *m->cell;
    int kept = 0;

    for (int i = 0; i < m->rows; i++) {
        int64_t *row = m->cell + (size_t)i * (size_t)m->columns;
        bool fresh = make_primitive(row, m->columns) != 0;
        for (int k = 0; k < kept && fresh; k++)
            fresh = memcmp(m->cell + (size_t)k * (size_t)m->columns, row, bytes) != 0;
        if (fresh)
            memmove(m->cell + (size_t)kept++ * (size_t)m->columns, row, bytes);
    }
    m->rows = kept;
}

static void transpose(struct matrix *m, int64_t *room)
{
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->columns; j++)
            room[j * m->rows + i] = m->cell[i * m->columns + j];
    memcpy(m->cell, room, (size_t)m->rows * (size_t)m->columns * sizeof *room);
    *m = (struct matrix){m->columns, m->rows, m->cell};
}

/* X modulo P without a division: with INVERSE = floor((2^64 - 1) / P) the quotient is at most one
 * too small. */
static inline uint64_t reduce(uint64_t x, uint64_t p, uint64_t inverse)
{
    uint64_t rest = x - (uint64_t)((uint128)x * inverse >> 64) * p;
    return rest >= p ? rest - p : rest;
}

/* 1/a = a^(p-2) modulo the prime P. */
static uint64_t invert(uint64_t a, uint64_t p)
{
    uint64_t result = 1;
    for (uint64_t e = p - 2; e > 0; e >>= 1) {
        if (e & 1)
            result = result * a % p;
        a = a * a % p;
    }
    return result;
}

/* Gauss's elimination modulo a prime P below 2^31; A is room for the residues. */
static int rank_modulo(const struct matrix *m, uint64_t p, uint64_t *a)
{
    int rank = 0, n = m->columns;

    for (int k = 0; k < m->rows * n; k++) {
        int64_t rest = m->cell[k] % (int64_t)p;
        a[k] = rest < 0 ? (uint64_t)rest + p : (uint64_t)rest;
    }
    for (int c = 0; c < n && rank < m->rows; c++) {
        uint64_t *top = a + rank * n;
        int pivot = rank;
        while (pivot < m->rows && a[pivot * n + c] == 0)
            pivot++;
        if (pivot == m->rows)
            continue;
        for (int j = c; j < n && pivot != rank; j++) {
            uint64_t other = a[pivot * n + j];
            a[pivot * n + j] = top[j];
            top[j] = other;
        }
        uint64_t inverse = invert(top[c], p);
        for (int i = rank + 1; i < m->rows; i++) {
            uint64_t *row = a + i * n;
            /* minus the factor, so that the inner loop adds */
            uint64_t factor = row[c] ? p - row[c] * inverse % p : 0;
            for (int j = c; j < n && factor != 0; j++)
                row[j] = reduce(row[j] + factor * top[j], p, UINT64_MAX / p);
        }
        rank++;
    }
    return rank;
}

static int compare_falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* SIZE[k] = the bits of the k-th longest row's Euclidean length, rounded up by far more than the
 * doubles can be wrong. */
static void measure_rows(const struct matrix *m, double *size)
{
    for (int i = 0; i < m->rows; i++) {
        double squares = 0;
        for (int j = 0; j < m->columns; j++) {
            double cell = (double)m->cell[i * m->columns + j];
            squares += cell * cell;
        }
        size[i] = log2(squares) / 2 + 1e-6;
    }
    qsort(size, (size_t)m->rows, sizeof *size, compare_falling);
}

static int rank_exactly(const struct matrix *m, uint64_t *room)
{
    int rank = 0, full = m->rows < m->columns ? m->rows : m->columns;
    double size[MASK_MAX_SIDE], known = 0, needed = 0;
    mpz_t prime;

    measure_rows(m, size);
    mpz_init_set_ui(prime, 1 << 30);
    while (rank < full && known <= needed) {
        mpz_nextprime(prime, prime);
        int found = rank_modulo(m, mpz_get_ui(prime), room);
        rank = found > rank ? found : rank;
        known += 30;
        needed = 0;
        for (int i = 0; i <= rank && i < full; i++)
            needed += size[i];
    }
    mpz_clear(prime);
    return rank;
}

int plan_mask_rank(const struct plan_mask *plan)
{
    size_t cells = (size_t)plan->width * (size_t)plan->height;
    struct matrix m = {plan->height, plan->width, malloc(cells * sizeof *m.cell)};
    uint64_t *room = malloc(cells * sizeof *room);
    int rank = -1;

    if (plan->row) {
        rank = 1;
    } else if (m.cell && room) {
        memcpy(m.cell, plan->weight, cells * sizeof *m.cell);
        drop_rows(&m);
        transpose(&m, (int64_t *)room);
        drop_rows(&m);
        rank = rank_exactly(&m, room);
    }
    free(m.cell);
    free(room);
    return rank;
}
