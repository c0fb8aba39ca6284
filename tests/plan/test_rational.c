/* Numbers as text: which texts are numbers, why others are not, rounding, and that every number
 * that can be read is printed so that it reads back unchanged. */
#include <string.h>

#include "plan/rational.h"
#include "tests/test.h"

static void check_parse(const char *text, const char *expected)
{
    mpq_t value, wanted;
    const char *why = "";
    mpq_inits(value, wanted, NULL);
    mpq_set_str(wanted, expected, 10);
    mpq_canonicalize(wanted);
    bool good = rational_parse(value, text, strlen(text), &why);
    CHECKF(good, "'%s': %s", text, why);
    CHECKF(!good || mpq_equal(value, wanted), "'%s' is not %s", text, expected);
    mpq_clears(value, wanted, NULL);
}

static void numbers(void)
{
    static const char *const cases[][2] = {
        {"4", "4"},
        {"0", "0"},
        {"-0", "0"},
        {"+7", "7"},
        {"007", "7"},
        {"-1/2", "-1/2"},
        {"6/4", "3/2"},
        {"0/5", "0"},
        {"0.0625", "1/16"},
        {"1e-3", "1/1000"},
        {"1E3", "1000"},
        {"+.5", "1/2"},
        {"5.", "5"},
        {"-12.5e+2", "-1250"},
        {"1.5e0", "3/2"},
        {"0e64", "0"},
        {"1e-064", "1/10000000000000000000000000000000000000000000000000000000"
                   "000000000"},
        {"1.000000000000000021e-02", "1000000000000000021/100000000000000000000"},
        {"000000000000000000000000000000000000000000000000000000000000.001", "1/1000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_parse(cases[i][0], cases[i][1]);
}

static void no_numbers(void)
{
    static const char *const cases[][2] = {
        {"", "expected a number"},
        {"x", "expected a number"},
        {"O.1", "expected a number"},
        {".", "expected a number"},
        {"-", "expected a number"},
        {"+", "expected a number"},
        {"--1", "expected a number"},
        {"+-1", "expected a number"},
        {"1-", "expected a number"},
        {"1.2.3", "expected a number"},
        {"1e", "expected a number"},
        {"1e+", "expected a number"},
        {"e5", "expected a number"},
        {"1e5.5", "expected a number"},
        {"1e5e5", "expected a number"},
        {"0x10", "expected a number"},
        {"nan", "expected a number"},
        {"-inf", "expected a number"},
        {"1/", "expected a number"},
        {"/2", "expected a number"},
        {"1/-2", "expected a number"},
        {"1/2/3", "expected a number"},
        {"1.5/2", "expected a number"},
        {"1/2e3", "expected a number"},
        {" 1", "expected a number"},
        {"1 ", "expected a number"},
        {"1,5", "expected a number"},
        {"\xe2\x88\x92"
         "1",
         "expected a number"},
        {"1/0", "division by zero"},
        {"-0/000", "division by zero"},
        {"1e65", "an exponent lies within -64 and 64"},
        {"1e-65", "an exponent lies within -64 and 64"},
        {"1e99999999999999999999999999", "an exponent lies within -64 and 64"},
        {"00000000000000000000000000000000000000000000000000000000000000001",
         "a number has at most 64 characters"},
    };
    mpq_t value;
    mpq_init(value);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *why = "nothing";
        CHECKF(!rational_parse(value, cases[i][0], strlen(cases[i][0]), &why), "'%s'", cases[i][0]);
        CHECKF(strcmp(why, cases[i][1]) == 0, "'%s': %s", cases[i][0], why);
    }
    mpq_clear(value);
}

static void percentages(void)
{
    mpq_t value;
    const char *why;
    bool percent;
    mpq_init(value);
    CHECK(rational_parse_percent(value, "50%", 3, &percent, &why));
    CHECK(percent && mpq_cmp_ui(value, 1, 2) == 0);
    CHECK(rational_parse_percent(value, "-12.5%", 6, &percent, &why));
    CHECK(percent && mpq_cmp_si(value, -1, 8) == 0);
    CHECK(rational_parse_percent(value, "50", 2, &percent, &why));
    CHECK(!percent && mpq_cmp_ui(value, 50, 1) == 0);
    CHECK(!rational_parse_percent(value, "%", 1, &percent, &why));
    CHECK(!rational_parse_percent(value, "5%%", 3, &percent, &why));
    mpq_clear(value);
}

static void rounds_half_up(void)
{
    static const struct {
        long n;
        unsigned long d;
        long rounded;
    } cases[] = {
        {1, 2, 1},   {-1, 2, 0}, {3, 2, 2}, {-3, 2, -1}, {5, 3, 2},
        {-5, 3, -2}, {4, 1, 4},  {1, 3, 0}, {-1, 3, 0},  {0, 1, 0},
    };
    mpq_t value;
    mpz_t result;
    mpq_init(value);
    mpz_init(result);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mpq_set_si(value, cases[i].n, cases[i].d);
        rational_round(result, value);
        CHECKF(mpz_cmp_si(result, cases[i].rounded) == 0, "%ld/%lu", cases[i].n, cases[i].d);
    }
    mpq_clear(value);
    mpz_clear(result);
}

/* ---- writing ---- */

static void check_print(const char *text, const char *expected)
{
    char printed[RATIONAL_MAX_CHARS + 1];
    const char *why;
    mpq_t value;
    mpq_init(value);
    CHECK(rational_parse(value, text, strlen(text), &why));
    CHECKF(rational_print(printed, value), "'%s'", text);
    CHECKF(strcmp(printed, expected) == 0, "'%s' became '%s'", text, printed);
    mpq_clear(value);
}

static void prints_for_people(void)
{
    check_print("4", "4");
    check_print("-4", "-4");
    check_print("0", "0");
    check_print("4194304", "4194304");
    check_print("1000000", "1000000");
    check_print(".0625", "0.0625");
    check_print("-1.50", "-1.5");
    check_print("1/8", "0.125");
    check_print("1/64", "1/64");
    check_print("2/6", "1/3");
    check_print("1e-64", "1e-64");
    check_print("-25e62", "-25e62");
    check_print("1.000000000000000021e-02", "0.01000000000000000021");
}

/* Makes a random number as text of at most 64 characters. */
static unsigned next_random(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static size_t make_number(char *text, unsigned *state)
{
    size_t n = 0;
    if (next_random(state, 3) == 0)
        text[n++] = '-';
    bool fraction = next_random(state, 4) == 0, exponent = next_random(state, 2) == 0;
    size_t room = RATIONAL_MAX_CHARS - n - (fraction ? 2 : exponent ? 5 : 1);
    /* often the greatest length, which is the critical case */
    size_t digits = next_random(state, 2) ? room : 1 + next_random(state, (unsigned)room);
    size_t split = next_random(state, (unsigned)digits + 1);
    unsigned zeros = next_random(state, 3) ? 0 : next_random(state, (unsigned)digits);
    for (size_t i = 0; i < digits; i++) {
        if (i == split && (!fraction || (i > 0)))
            text[n++] = fraction ? '/' : '.';
        text[n++] = (char)(i < zeros ? '0' : '0' + (int)next_random(state, 10));
        /* a denominator must not be 0 */
        if (fraction && i == digits - 1)
            text[n - 1] = '7';
    }
    if (exponent && !fraction)
        n += (size_t)snprintf(text + n, 5, "e%d", (int)next_random(state, 129) - 64);
    text[n] = '\0';
    return n;
}

static void prints_what_it_reads(void)
{
    char text[RATIONAL_MAX_CHARS + 8], printed[RATIONAL_MAX_CHARS + 1];
    unsigned state = 7;
    const char *why = "";
    mpq_t value, again;
    mpq_inits(value, again, NULL);
    for (int i = 0; i < 20000; i++) {
        size_t length = make_number(text, &state);
        CHECKF(rational_parse(value, text, length, &why), "'%s': %s", text, why);
        CHECKF(rational_print(printed, value), "'%s' cannot be written", text);
        CHECKF(rational_parse(again, printed, strlen(printed), &why), "'%s' -> '%s': %s", text,
               printed, why);
        CHECKF(mpq_equal(value, again), "'%s' became '%s'", text, printed);
    }
    mpq_clears(value, again, NULL);
}

static void refuses_what_does_not_fit(void)
{
    char printed[RATIONAL_MAX_CHARS + 1];
    mpq_t value;
    mpq_init(value);
    mpz_ui_pow_ui(mpq_numref(value), 3, 140);
    mpz_ui_pow_ui(mpq_denref(value), 7, 30);
    CHECK(!rational_print(printed, value));
    mpz_ui_pow_ui(mpq_denref(value), 7, 100000);
    CHECK(!rational_print(printed, value));
    mpq_clear(value);
}

int main(void)
{
    TEST(numbers);
    TEST(no_numbers);
    TEST(percentages);
    TEST(rounds_half_up);
    TEST(prints_for_people);
    TEST(prints_what_it_reads);
    TEST(refuses_what_does_not_fit);
    return test_finish();
}
