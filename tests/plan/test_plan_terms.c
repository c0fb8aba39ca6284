/* Sums of columns times rows: their sum must be the mask, cell by cell, for random masks of every
 * rank and size and for numbers at the plan's limit. */
#include <stdlib.h>
#include <string.h>

#include "plan/steps.h"
#include "tests/test.h"

#define SIDE 40

static uint64_t state = 7;

static int64_t pick(int64_t low, int64_t high)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return low + (int64_t)((state >> 33) % (uint64_t)(high - low + 1));
}

/* Subtracts the terms from the mask; true if nothing is left. */
static bool is_sum(const struct plan_mask *m)
{
    uint64_t mask = m->terms_exact ? UINT64_MAX : UINT32_MAX, left[SIDE * SIDE];
    for (int k = 0; k < m->width * m->height; k++)
        left[k] = (uint64_t)m->weight[k];
    for (int t = 0; t < m->terms; t++) {
        const struct plan_term *term = &m->term[t];
        if (term->top < 0 || term->left < 0 || term->height < 1 || term->width < 1 ||
            term->top + term->height > m->height || term->left + term->width > m->width)
            return false;
        for (int i = 0; i < term->height; i++)
            for (int j = 0; j < term->width; j++)
                left[(term->top + i) * m->width + term->left + j] -=
                    (uint64_t)term->column[i] * (uint64_t)term->row[j];
    }
    for (int k = 0; k < m->width * m->height; k++)
        if ((left[k] & mask) != 0)
            return false;
    return true;
}

/* Makes a mask that is a sum of RANK random columns times rows; 0: every cell is random. */
static void fill(struct plan_mask *m, int64_t *weight, int rank, int64_t most)
{
    int64_t column[SIDE], row[SIDE];
    memset(weight, 0, SIDE * SIDE * sizeof *weight);
    for (int k = 0; k < (rank ? rank : 1); k++) {
        for (int i = 0; i < SIDE; i++) {
            column[i] = pick(-most, most);
            row[i] = pick(-most, most);
        }
        for (int i = 0; i < m->height; i++)
            for (int j = 0; j < m->width; j++)
                weight[i * m->width + j] += rank ? column[i] * row[j] : pick(-most, most);
    }
    m->weight = weight;
}

static struct plan_mask shape(int width, int height, enum accumulator accumulator)
{
    return (struct plan_mask){.width = width, .height = height, .accumulator = accumulator};
}

static void test_random(void)
{
    static int64_t weight[SIDE * SIDE];
    int found[PLAN_MOST_TERMS + 2] = {0}, wrong = 0, missed = 0;

    for (int n = 0; n < 2000; n++) {
        int rank = (int)pick(2, PLAN_MOST_TERMS + 1), most = n % 3 == 0   ? 1
                                                             : n % 3 == 1 ? 50
                                                                          : 9000;
        struct plan_mask m = shape((int)pick(8, 28), (int)pick(8, 28), ACCUMULATOR_I32);
        fill(&m, weight, rank, most);
        if (!plan_mask_factor(&m)) {
            missed++;
            continue;
        }
        wrong += m.terms > 0 && !is_sum(&m);
        missed += m.terms > rank || (m.terms == 0 && rank <= PLAN_MOST_TERMS - 1);
        found[m.terms]++;
        plan_terms_free(&m);
    }
    CHECKF(wrong == 0, "%d sums of terms are not their mask", wrong);
    CHECKF(missed < 20, "%d masks have fewer terms than were found", missed);
    CHECK(found[2] > 100 && found[3] > 100 && found[PLAN_MOST_TERMS] > 100);
    CHECK(found[0] > 100); /* masks with too many terms */
}

static void test_full_rank(void)
{
    static int64_t weight[SIDE * SIDE];
    struct plan_mask m = shape(20, 20, ACCUMULATOR_I32);
    fill(&m, weight, 0, 1000);
    CHECK(plan_mask_factor(&m) && m.terms == 0);
    plan_terms_free(&m);
    memset(weight, 0, sizeof weight);
    CHECK(plan_mask_factor(&m) && m.terms == 0);
    plan_terms_free(&m);
}

/* The remainder keeps its own size, and small numbers stay small. */
static void test_shapes(void)
{
    static int64_t weight[SIDE * SIDE];
    struct plan_mask m = shape(15, 13, ACCUMULATOR_I64);

    for (int i = 0; i < 13; i++)
        for (int j = 0; j < 15; j++)
            weight[i * 15 + j] = -3 * (1 + i * (12 - i)) * (1 + j * (14 - j));
    weight[6 * 15 + 7] += (int64_t)1 << 60;
    m.weight = weight;
    CHECK(plan_mask_factor(&m) && m.terms == 2 && m.terms_exact && is_sum(&m));
    CHECK(m.terms == 2 && m.term[1].top == 6 && m.term[1].left == 7 && m.term[1].height == 1 &&
          m.term[1].width == 1 && llabs(m.term[0].column[6]) <= 3 * 37);
    plan_terms_free(&m);

    for (int i = 0; i < 13; i++)
        for (int j = 0; j < 15; j++)
            weight[i * 15 + j] = 5 - (i >= 2 && i < 9 && j >= 4 && j < 11 ? 8 : 0);
    CHECK(plan_mask_factor(&m) && m.terms == 2 && is_sum(&m));
    CHECK(m.terms == 2 && m.term[1].top == 2 && m.term[1].left == 4 && m.term[1].height == 7 &&
          m.term[1].width == 7);
    plan_terms_free(&m);
}

static void test_edge(void)
{
    static int64_t weight[SIDE * SIDE];
    const int64_t edge = ((int64_t)1 << 55) - 1;
    struct plan_mask m = shape(9, 9, ACCUMULATOR_I64);

    /* Numbers whose elimination exceeds 2^62: the mask is refused, or the terms are correct. */
    for (int n = 0; n < 200; n++) {
        fill(&m, weight, 2, 90000000);
        weight[pick(0, 80)] += n % 2 ? edge : 0;
        CHECK(plan_mask_factor(&m));
        CHECK(m.terms == 0 || (m.terms_exact && is_sum(&m)));
        plan_terms_free(&m);
    }
}

int main(void)
{
    TEST(test_random);
    TEST(test_full_rank);
    TEST(test_shapes);
    TEST(test_edge);
    return test_finish();
}
