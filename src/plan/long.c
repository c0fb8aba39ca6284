/* Long masks: a column times a row as integers. The mask's cells are never listed, because a
 * Gaussian of sigma 1000 has 36 million of them. */
#include <stdlib.h>
#include <string.h>

#include "plan/steps.h"

__extension__ typedef __int128 int128;

/* Room for denominators that are reduced afterwards. */
#define MOST_DENOMINATOR_BITS 1024

/* Writes VALUES as factor * NUMBERS, whole numbers without a common divisor. False: they are too
 * large. */
static bool take_factor(int64_t *number, mpq_t *value, int count, mpq_t factor)
{
    mpq_t one, scaled;
    mpz_t gcd;
    bool good;

    mpq_inits(one, scaled, NULL);
    mpz_init(gcd);
    mpq_set_ui(one, 1, 1);
    mpq_set(factor, one);
    good = rational_common_denominator(mpq_denref(factor), value[0], (size_t)count, one,
                                       MOST_DENOMINATOR_BITS);
    for (int pass = 0; pass < 2 && good; pass++) { /* the divisor first, then the numbers */
        for (int k = 0; k < count && good; k++) {
            mpq_div(scaled, value[k], factor);
            if (pass == 0)
                mpz_gcd(gcd, gcd, mpq_numref(scaled));
            else
                good = plan_store(&number[k], mpq_numref(scaled));
        }
        if (pass == 0 && mpz_sgn(gcd) != 0) {
            mpz_set(mpq_numref(factor), gcd);
            mpq_canonicalize(factor);
        }
    }
    mpq_clears(one, scaled, NULL);
    mpz_clear(gcd);
    return good;
}

/* The sum and the sum of the absolute values; false: not below 2^62. */
static bool add_up(const int64_t *number, int count, int64_t *sum, int64_t *sum_abs)
{
    int128 total = 0, total_abs = 0;

    for (int k = 0; k < count; k++) {
        total += number[k];
        total_abs += number[k] < 0 ? -number[k] : number[k];
    }
    *sum = (int64_t)total;
    *sum_abs = (int64_t)total_abs;
    return total_abs < (int128)1 << PLAN_BITS;
}

/* Has any cell a weight below 0? */
static bool has_negative(const struct plan_mask *m)
{
    int64_t low[2] = {m->column[0], m->row[0]}, high[2] = {low[0], low[1]};
    int128 middle = (int128)m->column[m->height / 2] * m->row[m->width / 2] + m->centre;

    for (int i = 0; i < m->height + m->width; i++) {
        int axis = i >= m->height;
        int64_t w = axis ? m->row[i - m->height] : m->column[i];
        low[axis] = w < low[axis] ? w : low[axis];
        high[axis] = w > high[axis] ? w : high[axis];
    }
    return middle < 0 || (low[0] < 0 && high[1] > 0) || (high[0] > 0 && low[1] < 0);
}

/* As plan_mask_settle. The sum of the absolute weights may be too large by twice the centre: a
 * bound all the same. */
static bool settle(struct plan_mask *m, uint32_t max)
{
    int64_t column, column_abs, row, row_abs;
    int128 sum_abs, reach;

    if (!add_up(m->column, m->height, &column, &column_abs) ||
        !add_up(m->row, m->width, &row, &row_abs))
        return false;
    sum_abs = (int128)column_abs * row_abs;
    if (sum_abs >= (int128)1 << PLAN_BITS)
        return false;
    sum_abs += llabs(m->centre);
    reach = sum_abs * max + llabs(m->offset);
    if (reach + m->divisor >= (int128)1 << PLAN_BITS)
        return false;
    m->sum = column * row + m->centre;
    m->sum_abs = (int64_t)sum_abs;
    m->bound = (int64_t)(reach + m->divisor);
    m->accumulator = m->bound < (int64_t)1 << 31 ? ACCUMULATOR_I32 : ACCUMULATOR_I64;
    m->float_exact = reach < 1 << 24;
    m->has_negative = has_negative(m);
    return true;
}

/* Multiplies by the common denominator: f * d goes into the column, g * d is the centre. */
static bool store_all(struct plan_mask *m, const mpq_t f, const mpq_t g, const mpq_t offset)
{
    mpz_t d, v;
    int64_t factor;
    bool good;

    mpz_inits(d, v, NULL);
    mpz_lcm(d, mpq_denref(f), mpq_denref(g));
    mpz_lcm(d, d, mpq_denref(offset));
    mpz_divexact(v, d, mpq_denref(f));
    mpz_mul(v, v, mpq_numref(f));
    good = plan_store(&m->divisor, d) && plan_store(&factor, v);
    for (int i = 0; i < m->height && good; i++)
        good = !__builtin_mul_overflow(m->column[i], factor, &m->column[i]);
    mpz_divexact(v, d, mpq_denref(g));
    mpz_mul(v, v, mpq_numref(g));
    good = good && plan_store(&m->centre, v);
    mpz_divexact(v, d, mpq_denref(offset));
    mpz_mul(v, v, mpq_numref(offset));
    good = good && plan_store(&m->offset, v);
    mpz_clears(d, v, NULL);
    return good;
}

bool plan_mask_make_outer(struct plan_mask *plan, const struct mask *mask, const mpq_t offset,
                          uint32_t max, struct error *err)
{
    mpq_t f, g;
    bool good;

    plan->column = malloc((size_t)mask->height * sizeof *plan->column);
    plan->row = malloc((size_t)mask->width * sizeof *plan->row);
    if (!plan->column || !plan->row)
        return error_set(err, EXIT_INPUT, PLAN_NO_MEMORY);
    mpq_inits(f, g, NULL);
    good = take_factor(plan->column, mask->weight, mask->height, f) &&
           take_factor(plan->row, mask->weight + mask->height, mask->width, g);
    if (good) {
        mpq_mul(f, f, g);
        mpq_div(f, f, mask->divisor);
        mpq_div(g, mask->centre, mask->divisor);
        good = store_all(plan, f, g, offset) && settle(plan, max);
    }
    mpq_clears(f, g, NULL);
    return good || plan_too_large(mask, err);
}

bool plan_mask_split_line(struct plan_mask *plan)
{
    const bool is_row = plan->width > 1;
    const int count = is_row ? plan->width : plan->height;
    int64_t *line = malloc((size_t)count * sizeof *line), *one = malloc(sizeof *one);

    plan->row = is_row ? line : one;
    plan->column = is_row ? one : line;
    if (!line || !one)
        return false;
    memcpy(line, plan->weight, (size_t)count * sizeof *line);
    *one = 1;
    return true;
}
