/* Borders: folding compared with a walk along the unrolled picture, the limits of int, and the
 * values accepted on the command line. The walk knows only how one cell follows another, not the
 * formulas of plan/border.c. */
#include <limits.h>
#include <string.h>

#include "plan/border.h"
#include "tests/test.h"

/* One step from cell *at, in the walker's direction *way (+1 or -1), for a picture of N cells. */
static void step(enum border border, int n, int *at, int *way)
{
    int next = *at + *way;
    if (next >= 0 && next < n) {
        *at = next;
        return;
    }
    switch (border) {
    case BORDER_REPLICATE:
        break; /* stays on the edge */
    case BORDER_WRAP:
        *at = *way > 0 ? 0 : n - 1;
        break;
    case BORDER_REFLECT:
        *way = -*way; /* the edge cell once more, then back */
        break;
    case BORDER_MIRROR:
        *way = -*way;
        if (n > 1)
            *at += *way;
        break;
    default:
        *at = BORDER_OUTSIDE;
    }
}

/* Walks from the cell START in one direction and compares every position on the way. */
static void walk(enum border border, int n, int start, int direction)
{
    int at = start, way = direction;
    for (int i = start; i >= -50 && i <= 50; i += direction) {
        int folded = border_fold(border, i, n);
        CHECKF(folded == at, "%s n=%d i=%d: %d, not %d", border_name(border), n, i, folded, at);
        if (at != BORDER_OUTSIDE)
            step(border, n, &at, &way);
    }
}

static void folds_as_walked(void)
{
    for (int border = 0; border < BORDER_COUNT; border++)
        for (int n = 1; n <= 9; n++) {
            walk((enum border)border, n, 0, 1);
            walk((enum border)border, n, n - 1, -1);
        }
}

/* The letters of plan/border.h's table. */
static void folds_as_documented(void)
{
    static const struct {
        enum border border;
        const char *left, *right;
    } cases[] = {
        {BORDER_REPLICATE, "aaa", "ddd"}, {BORDER_ZERO, "...", "..."},
        {BORDER_CONSTANT, "...", "..."},  {BORDER_REFLECT, "cba", "dcb"},
        {BORDER_MIRROR, "dcb", "cba"},    {BORDER_WRAP, "bcd", "abc"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int i = 0; i < 3; i++) {
            int left = border_fold(cases[k].border, i - 3, 4);
            int right = border_fold(cases[k].border, i + 4, 4);
            CHECK((left < 0 ? '.' : 'a' + left) == cases[k].left[i]);
            CHECK((right < 0 ? '.' : 'a' + right) == cases[k].right[i]);
        }
}

/* Worked out by hand: INT_MIN = -2^31 and INT_MAX = 2^31 - 1 modulo the periods. */
static void folds_far_out(void)
{
    /* -2^31 mod 7 = 5, 2^31-1 mod 7 = 1 */
    CHECK(border_fold(BORDER_WRAP, INT_MIN, 7) == 5);
    CHECK(border_fold(BORDER_WRAP, INT_MAX, 7) == 1);
    /* period 14: -2^31 mod 14 = 12 -> 13-12; 2^31-1 mod 14 = 1 */
    CHECK(border_fold(BORDER_REFLECT, INT_MIN, 7) == 1);
    CHECK(border_fold(BORDER_REFLECT, INT_MAX, 7) == 1);
    /* period 12: -2^31 mod 12 = 4; 2^31-1 mod 12 = 7 -> 12-7 */
    CHECK(border_fold(BORDER_MIRROR, INT_MIN, 7) == 4);
    CHECK(border_fold(BORDER_MIRROR, INT_MAX, 7) == 5);
    CHECK(border_fold(BORDER_REPLICATE, INT_MIN, 7) == 0);
    CHECK(border_fold(BORDER_REPLICATE, INT_MAX, 7) == 6);
    CHECK(border_fold(BORDER_ZERO, INT_MIN, 7) == BORDER_OUTSIDE);
    /* Pictures of the largest width: the period exceeds an int. */
    CHECK(border_fold(BORDER_REFLECT, -1, INT_MAX) == 0);
    CHECK(border_fold(BORDER_REFLECT, INT_MAX, INT_MAX) == INT_MAX - 1);
    CHECK(border_fold(BORDER_REFLECT, INT_MIN, INT_MAX) == INT_MAX - 1);
    CHECK(border_fold(BORDER_MIRROR, INT_MIN, INT_MAX) == INT_MAX - 3);
    CHECK(border_fold(BORDER_WRAP, INT_MIN, INT_MAX) == INT_MAX - 1);
    for (int border = 0; border < BORDER_COUNT; border++) {
        bool outside = border == BORDER_ZERO || border == BORDER_CONSTANT;
        CHECK(border_fold((enum border)border, INT_MIN, 1) == (outside ? BORDER_OUTSIDE : 0));
        CHECK(border_fold((enum border)border, INT_MAX, 1) == (outside ? BORDER_OUTSIDE : 0));
    }
}

static void names(void)
{
    struct border_choice choice;
    struct error err;
    for (int border = 0; border < BORDER_COUNT; border++) {
        if (border == BORDER_CONSTANT)
            continue;
        CHECK(border_parse(border_name((enum border)border), &choice, &err));
        CHECK(choice.border == (enum border)border && !choice.value);
    }
}

static void check_value(const char *text, uint32_t max, uint32_t expected)
{
    struct border_choice choice;
    struct error err;
    uint32_t value = 12345;
    bool good = border_parse(text, &choice, &err) && border_value(&choice, max, &value, &err);
    CHECKF(good, "%s: %s", text, err.text);
    CHECKF(!good || value == expected, "%s of %u: %u", text, (unsigned)max, (unsigned)value);
}

static void values(void)
{
    check_value("replicate", 255, 0);
    check_value("zero", 255, 0);
    check_value("constant:0", 255, 0);
    check_value("constant:255", 255, 255);
    check_value("constant:65535", 65535, 65535);
    check_value("constant:12", 12, 12);
    check_value("constant:0%", 255, 0);
    check_value("constant:100%", 255, 255);
    check_value("constant:100%", 65535, 65535);
    check_value("constant:50%", 255, 128); /* 127.5 */
    check_value("constant:50%", 65535, 32768);
    check_value("constant:49.8%", 255, 127);
    check_value("constant:1/3%", 60000, 200);
    check_value("constant:50%", 1, 1);
}

static void check_refused(const char *text, uint32_t max, const char *sentence)
{
    struct border_choice choice;
    struct error err = {EXIT_DONE, ""};
    uint32_t value;
    CHECKF(!border_parse(text, &choice, &err) || !border_value(&choice, max, &value, &err), "'%s'",
           text);
    CHECK(err.code == EXIT_USAGE);
    CHECKF(strcmp(err.text, sentence) == 0, "'%s': %s", text, err.text);
}

static void refusals(void)
{
    static const char unknown[] = "expected replicate, zero, constant:V, constant:N%, reflect, "
                                  "mirror or wrap, got '";
    char sentence[256];
    static const char *const no_border[] = {"", "zer", "zeroo", "Zero", "reflect101", ":5"};
    for (size_t i = 0; i < sizeof no_border / sizeof no_border[0]; i++) {
        snprintf(sentence, sizeof sentence, "%s%s'", unknown, no_border[i]);
        check_refused(no_border[i], 255, sentence);
    }
    check_refused("zero:5", 255, "'zero' takes no value; only constant:V does");
    check_refused("constant", 255, "constant needs a value: constant:V or constant:N%");
    check_refused("constant:", 255, "constant needs a value: constant:V or constant:N%");
    check_refused("constant:x", 255, "expected a number after 'constant:', got 'x'");
    check_refused("constant:%", 255, "expected a number after 'constant:', got '%'");
    check_refused("constant:1/0", 255, "division by zero after 'constant:', got '1/0'");
    check_refused("constant:-1", 255, "expected a whole sample value or a percentage, got '-1'");
    check_refused("constant:0.5", 255, "expected a whole sample value or a percentage, got '0.5'");
    check_refused("constant:101%", 255, "expected 0% to 100% of the range, got '101%'");
    check_refused("constant:-1%", 255, "expected 0% to 100% of the range, got '-1%'");
    check_refused("constant:256", 255, "--border constant:256: the largest sample value is 255");
    check_refused("constant:1e64", 65535,
                  "--border constant:1e64: the largest sample value is 65535");
}

int main(void)
{
    TEST(folds_as_walked);
    TEST(folds_as_documented);
    TEST(folds_far_out);
    TEST(names);
    TEST(values);
    TEST(refusals);
    return test_finish();
}
