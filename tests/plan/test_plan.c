/* Plans: rationals to integers compared with an independent table, the bounds at their exact
 * limits, overrides, rank-1 factors and exact ranks, and the time for masks made to be hard. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plan/plan.h"
#include "tests/plan/plan_table.h"
#include "tests/test.h"

static const struct plan_overrides no_overrides;

static bool make(struct plan_mask *plan, const char *text, const struct plan_overrides *overrides,
                 uint32_t max, struct error *err)
{
    struct mask mask;
    memset(plan, 0, sizeof *plan);
    if (!mask_parse(&mask, "mask", text, strlen(text), err))
        return false;
    bool good = plan_mask_override(&mask, overrides, err) && plan_mask_make(plan, &mask, max, err);
    mask_free(&mask);
    return good;
}

/* ---- integers ---- */

/* Computes again what follows from weights, divisor and offset. */
static void check_sums(const struct plan_mask *plan, uint32_t max, const char *text)
{
    int64_t sum = 0, sum_abs = 0, offset = plan->offset < 0 ? -plan->offset : plan->offset;
    bool negative = false;
    for (int k = 0; k < plan->width * plan->height; k++) {
        sum += plan->weight[k];
        sum_abs += llabs(plan->weight[k]);
        negative |= plan->weight[k] < 0;
    }
    int64_t reach = sum_abs * max + offset, bound = reach + plan->divisor;
    CHECKF(plan->sum == sum && plan->sum_abs == sum_abs && plan->bound == bound, "%s", text);
    CHECKF(bound > 0 && bound < (int64_t)1 << 62, "%s", text);
    CHECKF(plan->has_negative == negative, "%s", text);
    CHECKF((plan->accumulator == ACCUMULATOR_I32) == (bound < (int64_t)1 << 31), "%s", text);
    CHECKF(plan->float_exact == (reach < 1 << 24), "%s", text);
    for (int k = 0; plan->row && k < plan->width * plan->height; k++)
        CHECKF(plan->column[k / plan->width] * plan->row[k % plan->width] == plan->weight[k], "%s",
               text);
}

static void agrees_with_the_table(void)
{
    for (size_t i = 0; i < sizeof plan_table / sizeof plan_table[0]; i++) {
        struct plan_overrides overrides = {.flip = plan_table[i].flip};
        struct plan_mask plan;
        struct error err = {EXIT_DONE, ""};
        bool good = make(&plan, plan_table[i].mask, &overrides, plan_table[i].max, &err);
        CHECKF(good == (plan_table[i].d != 0), "%s: %s", plan_table[i].mask, err.text);
        if (!good)
            continue;
        CHECKF(plan.divisor == plan_table[i].d && plan.offset == plan_table[i].o &&
                   plan.quantised_bits == plan_table[i].q,
               "%s: d %lld o %lld q %d", plan_table[i].mask, (long long)plan.divisor,
               (long long)plan.offset, plan.quantised_bits);
        for (int k = 0; k < plan.width * plan.height; k++)
            CHECKF(plan.weight[k] == plan_table[i].w[k], "%s: w[%d] = %lld", plan_table[i].mask, k,
                   (long long)plan.weight[k]);
        CHECK((plan.quantised_error > 0) == (plan.quantised_bits >= 0));
        check_sums(&plan, plan_table[i].max, plan_table[i].mask);
        plan_mask_free(&plan);
    }
}

static void check_limits(const char *text, uint32_t max, enum accumulator accumulator,
                         bool float_exact)
{
    struct plan_mask plan;
    struct error err;
    CHECK(make(&plan, text, &no_overrides, max, &err));
    CHECKF(plan.accumulator == accumulator && plan.float_exact == float_exact, "%s: bound %lld",
           text, (long long)plan.bound);
    plan_mask_free(&plan);
}

static void accumulators(void)
{
    /* 65793 * 255 = 2^24 - 1 */
    check_limits("65793", 255, ACCUMULATOR_I32, true);
    check_limits("65793; offset 1", 255, ACCUMULATOR_I32, false);
    check_limits("-65793", 255, ACCUMULATOR_I32, true);
    /* 2147483646 + d = 2^31 - 1 */
    check_limits("2147483646", 1, ACCUMULATOR_I32, false);
    check_limits("2147483647", 1, ACCUMULATOR_I64, false);
    check_limits("2147483646; offset -1", 1, ACCUMULATOR_I64, false);
}

/* Two cells lose a third of 1/2^q and the third gains two thirds: the sum of all cells' errors, in
 * known units. */
static void quantised_error(void)
{
    struct plan_mask plan;
    struct error err;
    /* 2^61 * 1.5 needs d = 2: 3*2^61 + 2 < 2^62 fails; q = 0: 2^61 * 1 + ... */
    CHECK(make(&plan, "2305843009213693952 0.5 0.25", &no_overrides, 1, &err));
    CHECK(plan.quantised_bits == 0 && plan.divisor == 1);
    /* 0.75 is missing and rounds to one unit, which goes to the cell of 0.5 */
    CHECK(plan.weight[1] == 1 && plan.weight[2] == 0);
    CHECK(plan.quantised_error == 0.75);
    plan_mask_free(&plan);
    CHECK(make(&plan, "2305843009213693952 0.25 0.25; offset 0.125", &no_overrides, 1, &err));
    CHECK(plan.weight[1] == 1 && plan.weight[2] == 0 && plan.offset == 0);
    CHECK(plan.quantised_error == 1.125);
    plan_mask_free(&plan);
}

/* ---- overrides ---- */

static void overrides_replace(void)
{
    struct plan_overrides overrides = {
        .divisor = "-1/2", .offset = "50%", .has_anchor = true, .anchor_x = 2, .anchor_y = 0};
    struct plan_mask plan;
    struct error err;
    CHECK(make(&plan, "divisor 7; offset 3; anchor 0 1; 1 2 3; 4 5 6", &overrides, 200, &err));
    CHECK(plan.divisor == 1 && plan.offset == 100);
    CHECK(plan.anchor_x == 2 && plan.anchor_y == 0);
    CHECK(plan.weight[0] == -2 && plan.weight[5] == -12);
    plan_mask_free(&plan);

    /* normalize counts as a divisor */
    overrides = (struct plan_overrides){.divisor = "3"};
    CHECK(make(&plan, "normalize; 1 1", &overrides, 255, &err));
    CHECK(plan.divisor == 3 && plan.weight[0] == 1);
    plan_mask_free(&plan);

    /* The given anchor refers to the mask as written, and turns with the mask. */
    overrides = (struct plan_overrides){.has_anchor = true, .anchor_x = 2, .flip = true};
    CHECK(make(&plan, "1 2 3; 4 5 6", &overrides, 255, &err));
    CHECK(plan.anchor_x == 0 && plan.anchor_y == 1);
    CHECK(plan.weight[0] == 6 && plan.weight[4] == 2);
    plan_mask_free(&plan);
    overrides = (struct plan_overrides){.flip = true};
    CHECK(make(&plan, "anchor 0 1; 1 2 3 4; 4 5 6 7", &overrides, 255, &err));
    CHECK(plan.anchor_x == 3 && plan.anchor_y == 0);
    plan_mask_free(&plan);
}

static void check_refused(const struct plan_overrides *overrides, const char *sentence)
{
    struct plan_mask plan;
    struct error err = {EXIT_DONE, ""};
    CHECK(!make(&plan, "1 2 3; 4 5 6", overrides, 255, &err));
    CHECK(err.code == EXIT_USAGE && !plan.weight);
    CHECKF(strcmp(err.text, sentence) == 0, "%s", err.text);
}

static void overrides_refused(void)
{
    struct plan_overrides o = {.divisor = "0"};
    check_refused(&o, "--divisor 0: a divisor cannot be 0");
    o = (struct plan_overrides){.divisor = "two"};
    check_refused(&o, "--divisor two: expected a number");
    o = (struct plan_overrides){.divisor = "50%"};
    check_refused(&o, "--divisor 50%: expected a number");
    o = (struct plan_overrides){.offset = "1/0"};
    check_refused(&o, "--offset 1/0: division by zero");
    o = (struct plan_overrides){.has_anchor = true, .anchor_x = 3, .anchor_y = 1};
    check_refused(&o, "--anchor 3,1: the anchor lies outside the mask of 3 x 2");
    o = (struct plan_overrides){.has_anchor = true, .anchor_x = 0, .anchor_y = -1};
    check_refused(&o, "--anchor 0,-1: the anchor lies outside the mask of 3 x 2");
    o = (struct plan_overrides){.divisor = "1e-60"};
    check_refused(&o, "mask: numbers too large: the sums they can make must stay below 2^62");
    o = (struct plan_overrides){.offset = "1e60"};
    check_refused(&o, "mask: numbers too large: the sums they can make must stay below 2^62");
}

/* ---- factors and rank ---- */

static void check_factors(const char *text, const char *row, const char *column)
{
    struct plan_mask plan;
    struct error err;
    char got[128] = "";
    size_t used = 0;
    CHECK(make(&plan, text, &no_overrides, 255, &err));
    CHECKF((plan.row != NULL) == (row != NULL) && (plan.column != NULL) == (row != NULL), "%s",
           text);
    for (int j = 0; plan.row && j < plan.width; j++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%lld ", (long long)plan.row[j]);
    CHECKF(!row || strcmp(got, row) == 0, "%s: row %s", text, got);
    used = 0;
    for (int i = 0; plan.column && i < plan.height; i++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%lld ", (long long)plan.column[i]);
    CHECKF(!row || strcmp(got, column) == 0, "%s: column %s", text, got);
    plan_mask_free(&plan);
}

static void factors(void)
{
    check_factors("1 4 1; 4 16 4; 1 4 1", "1 4 1 ", "1 4 1 ");
    check_factors("-1 0 1; -2 0 2; -1 0 1", "1 0 -1 ", "-1 -2 -1 ");
    check_factors("0 0 0; 0 6 4; 0 -3 -2", "0 3 2 ", "0 2 -1 ");
    check_factors("6 4; 9 6", "3 2 ", "2 3 ");
    check_factors("5", "1 ", "5 ");
    check_factors("2 4 8", "1 2 4 ", "2 ");
    check_factors("2; 4; 8", "1 ", "2 4 8 ");
    check_factors("1 1 1; 1 1 1; 1 1 2", NULL, NULL);
    check_factors("0 0; 0 0", NULL, NULL);
    /* 2^32 * 2^32 is 0 modulo 2^64, but not 0. */
    check_factors("1 4294967296; 4294967296 0", NULL, NULL);
}

/* The rank by elimination over the rationals: slow and simple. */
static int rank_over_rationals(const int64_t *w, int height, int width)
{
    mpq_t cell[8][8], factor;
    int rank = 0;
    mpq_init(factor);
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            mpq_init(cell[i][j]);
            mpq_set_si(cell[i][j], w[i * width + j], 1);
        }
    for (int c = 0; c < width && rank < height; c++) {
        int pivot = rank;
        while (pivot < height && mpq_sgn(cell[pivot][c]) == 0)
            pivot++;
        if (pivot == height)
            continue;
        for (int j = 0; j < width; j++)
            mpq_swap(cell[pivot][j], cell[rank][j]);
        for (int i = rank + 1; i < height; i++)
            for (int j = width - 1; j >= c; j--) {
                mpq_div(factor, cell[i][c], cell[rank][c]);
                mpq_mul(factor, factor, cell[rank][j]);
                mpq_sub(cell[i][j], cell[i][j], factor);
            }
        rank++;
    }
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++)
            mpq_clear(cell[i][j]);
    mpq_clear(factor);
    return rank;
}

static int random_below(unsigned *state, int below)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (unsigned)below);
}

/* Sums of outer products of small numbers: every rank from 0 to 8 occurs. */
static void ranks_of_small_masks(void)
{
    unsigned state = 3;
    int seen[9] = {0};
    for (int n = 0; n < 3000; n++) {
        struct plan_mask plan = {.width = 1 + random_below(&state, 8),
                                 .height = 1 + random_below(&state, 8)};
        int64_t w[64] = {0};
        int terms = random_below(&state, 9);
        for (int t = 0; t < terms; t++) {
            int u[8], v[8];
            for (int k = 0; k < 8; k++) {
                u[k] = random_below(&state, 5) - 2;
                v[k] = random_below(&state, 5) - 2;
            }
            for (int k = 0; k < plan.width * plan.height; k++)
                w[k] += u[k / plan.width] * v[k % plan.width];
        }
        plan.weight = w;
        int rank = plan_mask_rank(&plan);
        int wanted = rank_over_rationals(w, plan.height, plan.width);
        CHECKF(rank == wanted, "mask %d: %d, not %d", n, rank, wanted);
        seen[wanted]++;
    }
    for (int rank = 0; rank <= 8; rank++)
        CHECKF(seen[rank] > 0, "no mask of rank %d among them", rank);
}

/* Modulo 1073741827, the first prime past 2^30, this mask has rank 1; its true rank is 2. */
static void rank_past_a_prime(void)
{
    int64_t w[4] = {1, 1, 1, 1073741828};
    struct plan_mask plan = {.width = 2, .height = 2, .weight = w};
    mpz_t prime;
    mpz_init_set_ui(prime, 1 << 30);
    mpz_nextprime(prime, prime);
    CHECK(mpz_cmp_ui(prime, (unsigned long)w[3] - 1) == 0);
    mpz_clear(prime);
    CHECK(plan_mask_rank(&plan) == 2);
}

/* ---- time ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A mask of the largest size; PRINT writes cell K. */
static void check_hard(const char *name, const char *head, void (*print)(FILE *out, int k))
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    struct mask mask;
    struct plan_mask plan;
    struct error err = {EXIT_DONE, ""};
    fprintf(out, "%s", head);
    for (int k = 0; k < MASK_MAX_SIDE * MASK_MAX_SIDE; k++) {
        print(out, k);
        fputc(k % MASK_MAX_SIDE == MASK_MAX_SIDE - 1 ? '\n' : ' ', out);
    }
    fclose(out);
    double start = seconds();
    bool good = mask_parse(&mask, name, text, bytes, &err);
    CHECKF(good, "%s", err.text);
    double parsed = seconds();
    if (good) {
        CHECKF(plan_mask_make(&plan, &mask, 255, &err), "%s: %s", name, err.text);
        double planned = seconds();
        printf("# %s: parse %.3f s, plan %.3f s, q %d\n", name, parsed - start, planned - parsed,
               plan.quantised_bits);
        /* Generous, for slow machines and sanitizers. The fault to detect took minutes. */
        CHECKF(planned - start < 20, "%s: %.1f s", name, planned - start);
        check_sums(&plan, 255, name);
        plan_mask_free(&plan);
        mask_free(&mask);
    }
    free(text);
}

static void print_coprime(FILE *out, int k)
{
    /* 63 characters with almost no common factor */
    fprintf(out, "%d0000000000000000000000%05d/1%05d00000000000000000000%06d", 100 + k % 89, k,
            k % 8999, 2 * k + 1);
}

static void print_decimal(FILE *out, int k)
{
    fprintf(out, "%d.%016de-03", k % 10, k * 30103);
}

static void print_tiny(FILE *out, int k)
{
    /* All rests begin with equal 64 bits, and no two rests are equal. */
    fprintf(out, "%s%d%s", k == 0 ? "" : "1000000000000", k + 1, k == 0 ? "" : "e-60");
}

static void print_tied(FILE *out, int k)
{
    /* As above, and the floors differ too */
    fprintf(out, "%d.%050d%05d", k % 7 + 1, 0, k + 1);
}

static void print_harmonic(FILE *out, int k)
{
    fprintf(out, "1/%d", k % 20000 + 1);
}

static void hard_masks(void)
{
    check_hard("coprime", "", print_coprime);
    check_hard("decimals", "normalize\n", print_decimal);
    check_hard("tiny", "", print_tiny);
    check_hard("tied", "", print_tied);
    check_hard("harmonic", "normalize\n", print_harmonic);
}

int main(void)
{
    TEST(agrees_with_the_table);
    TEST(accumulators);
    TEST(quantised_error);
    TEST(overrides_replace);
    TEST(overrides_refused);
    TEST(factors);
    TEST(ranks_of_small_masks);
    TEST(rank_past_a_prime);
    TEST(hard_masks);
    return test_finish();
}
