/* The GPU kernels' divisions by a multiply-add, tested where quotients change and at both ends. */
#include "soft_divide.h"

#include <stdlib.h>

#include "tests/test.h"

static uint64_t state = 1;

static int64_t random_to(int64_t top)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 11) % (uint64_t)top);
}

/* A mask of two weights whose sums do not overflow 32 bits. */
static struct soft_divide make(int64_t divisor, int64_t low, int64_t high, int64_t offset,
                               int sample_bytes)
{
    const int64_t max = sample_bytes == 1 ? 255 : 65535;
    struct soft_divide by = {divisor, offset + divisor / 2, {low, high}, sample_bytes, 0};
    by.bound = (llabs(low) + llabs(high)) * max + llabs(offset) + divisor;
    return by;
}

/* The smallest and the largest sum. */
static int64_t extreme(const struct soft_divide *by, int sign)
{
    const int64_t max = by->sample_bytes == 1 ? 255 : 65535;
    int64_t sum = 0;
    for (int i = 0; i < 2; i++)
        if (sign * by->weight[i] > 0)
            sum += by->weight[i] * max;
    return sum;
}

static void check_sum(int (*divide)(const struct soft_divide *, int), const struct soft_divide *by,
                      int64_t sum)
{
    const int64_t v = sum + by->start, max = by->sample_bytes == 1 ? 255 : 65535;
    const int64_t q = v < 0 ? 0 : v / by->divisor > max ? max : v / by->divisor;
    int got;
    if (sum < extreme(by, -1) || sum > extreme(by, 1))
        return;
    got = divide(by, (int)sum);
    CHECKF(got == q, "(%lld + %lld) / %lld: %d", (long long)sum, (long long)by->start,
           (long long)by->divisor, got);
}

/* Tests sums around the first sums of `steps` quotients, the limits of clamping, and the largest
 * sums. */
static void check_divisor(int (*divide)(const struct soft_divide *, int),
                          const struct soft_divide *by, int steps)
{
    const int64_t max = by->sample_bytes == 1 ? 255 : 65535;
    for (int i = 0; i <= steps; i++) {
        int64_t q = i < 3 ? i : i > steps - 3 ? max + 1 - (steps - i) : random_to(max + 2);
        for (int64_t near = -2; near <= 2; near++)
            check_sum(divide, by, q * by->divisor - by->start + near);
    }
    for (int i = 0; i < steps; i++)
        check_sum(divide, by, random_to(2 * by->bound) - by->bound);
    check_sum(divide, by, extreme(by, -1));
    check_sum(divide, by, extreme(by, 1));
}

/* Every divisor that floats offer, with every quotient's first and last sum. Floats offer all
 * divisors up to 2^15, for which 256 quotients are 2^23 sums. */
static void test_floats(void)
{
    int64_t offered = 0;
    for (int64_t d = 1; d < 100000; d++) {
        struct soft_divide by = make(d, -(3 * d) - 5, 4 * d + 7, 0, 1);
        if (soft_divide_float(&by, 0) < 0)
            continue;
        offered++;
        for (int64_t q = 0; q <= 257; q++)
            for (int64_t near = -1; near <= 0; near++)
                check_sum(soft_divide_float, &by, q * d - by.start + near);
        check_divisor(soft_divide_float, &by, 8);
    }
    CHECKF(offered >= 32768, "only %lld divisors", (long long)offered);
}

static void test_floats_far_out(void)
{
    for (int i = 0; i < 20000; i++) {
        int64_t d = 1 + random_to(32768), weights = 1 + random_to(1500000);
        struct soft_divide by =
            make(d, random_to(2 * weights) - weights, random_to(2 * weights) - weights,
                 random_to(512 * d) - 256 * d, 1);
        if (soft_divide_float(&by, 0) >= 0)
            check_divisor(soft_divide_float, &by, 20);
    }
}

/* Weights up to the limit of 32 bits, with divisors about as large as their sum, larger and
 * smaller. */
static void check_doubles(int sample_bytes)
{
    const int64_t max = sample_bytes == 1 ? 255 : 65535;
    int offered = 0;
    for (int i = 0; i < 30000; i++) {
        int64_t top = 1 + random_to(INT32_MAX / 3 / max) / (1 + random_to(100));
        int64_t d = 1 + random_to(i % 3 == 0 ? 2 * top : i % 3 == 1 ? 20 : 20 * top);
        struct soft_divide by = make(d, (i % 2 ? -1 : 1) * random_to(top), random_to(top),
                                     random_to(10 * d) - 5 * d, sample_bytes);
        if (soft_divide_double(&by, 0) < 0)
            continue;
        offered++;
        check_divisor(soft_divide_double, &by, 20);
    }
    CHECKF(offered > 15000, "only %d of 30000", offered);
}

static void test_doubles(void)
{
    check_doubles(1);
}

static void test_doubles_16(void)
{
    check_doubles(2);
}

/* Divisors up to the largest of a mask with 16-bit weights and 32-bit sums. */
static void test_large_divisors(void)
{
    for (int i = 0; i < 3000; i++) {
        int64_t d = 4000000 - random_to(2000000);
        struct soft_divide by = make(d, 0, d, 0, 1);
        if (soft_divide_double(&by, 0) >= 0)
            check_divisor(soft_divide_double, &by, 50);
    }
}

/* Sums up to the limit of unsigned 32 bits. */
static void test_fine(void)
{
    int offered = 0;
    for (int i = 0; i < 20000; i++) {
        int64_t top =
            1 + random_to((i % 2 ? UINT32_MAX / 3 : UINT32_MAX) / 256) / (1 + random_to(9));
        int64_t d = i % 5 ? top - random_to(top) / (1 + random_to(50)) : 1 + random_to(70000);
        struct soft_divide by = make(d, (i % 2 ? -1 : 1) * random_to(top), top - random_to(top) / 4,
                                     i % 3 ? 0 : random_to(10 * d) - 5 * d, 1);
        if (soft_divide_fine(&by, 0) < 0)
            continue;
        offered++;
        check_divisor(soft_divide_fine, &by, 20);
    }
    CHECKF(offered > 10000, "only %d of 20000", offered);
}

int main(void)
{
    TEST(test_floats);
    TEST(test_floats_far_out);
    TEST(test_doubles);
    TEST(test_doubles_16);
    TEST(test_large_divisors);
    TEST(test_fine);
    return test_finish();
}
