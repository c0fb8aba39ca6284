/* The tables of linear light: exact, strictly rising, and the same for ever. */
#include "plan/light.h"

#include <gmp.h>

#include "base/hash.h"
#include "tests/test.h"

/* Is LIGHT = round(top * ((code/max + 0.055) / 1.055)^2.4)? In whole numbers, with p/q for the base
 * of the power: (2*LIGHT - 1)^5 * q^12 <= (2*top)^5 * p^12 < (2*LIGHT + 1)^5 * q^12. */
static bool is_power(const struct light *l, uint32_t code)
{
    mpz_t low, high, middle, p, q;
    bool good;

    mpz_inits(low, high, middle, p, q, NULL);
    mpz_set_ui(p, 1000 * (unsigned long)code + 55 * (unsigned long)l->max);
    mpz_set_ui(q, 1055 * (unsigned long)l->max);
    mpz_pow_ui(p, p, 12);
    mpz_pow_ui(q, q, 12);
    mpz_ui_pow_ui(low, 2 * (unsigned long)l->light[code] - 1, 5);
    mpz_ui_pow_ui(high, 2 * (unsigned long)l->light[code] + 1, 5);
    mpz_ui_pow_ui(middle, 2 * (unsigned long)l->top, 5);
    mpz_mul(middle, middle, p);
    mpz_mul(low, low, q);
    mpz_mul(high, high, q);
    good = mpz_cmp(low, middle) <= 0 && mpz_cmp(middle, high) < 0;
    mpz_clears(low, high, middle, p, q, NULL);
    return good;
}

/* Is LIGHT = round(top * code / (12.92 * max))? */
static bool is_line(const struct light *l, uint32_t code)
{
    const uint64_t n = 100 * (uint64_t)l->top * code, d = 1292 * (uint64_t)l->max;

    return l->light[code] == (2 * n + d) / (2 * d);
}

static void check_table(uint32_t max)
{
    struct error err;
    const struct light *l = light_find(max, &err);
    uint32_t wrong = 0, not_rising = 0, not_back = 0, not_nearest = 0;

    CHECK(l && l->max == max && l->top == max * l->scale && l == light_find(max, &err));
    for (uint32_t code = 0; code <= max; code++) {
        const bool line = (double)code / max <= 0.04045;
        wrong += !(line ? is_line(l, code) : is_power(l, code));
        not_rising += code > 0 && l->light[code] <= l->light[code - 1];
        not_back += l->code[l->light[code]] != code;
    }
    for (uint32_t light = 0; light <= l->top; light++) {
        const uint32_t code = l->code[light];
        not_nearest += (code > 0 && 2 * light < l->light[code - 1] + l->light[code]) ||
                       (code < max && 2 * light >= l->light[code] + l->light[code + 1]);
    }
    CHECKF(wrong + not_rising + not_back + not_nearest == 0,
           "max %u: %u lights wrong, %u not rising, %u do not come back, %u not the nearest", max,
           wrong, not_rising, not_back, not_nearest);
}

/* The lights of all codes, as 32 bits each, the least byte first. */
static uint64_t checksum(uint32_t max)
{
    struct error err;
    const struct light *l = light_find(max, &err);
    uint64_t hash = 0;

    for (uint32_t code = 0; code <= max; code++)
        for (int shift = 0; shift < 32; shift += 8)
            hash = hash_bytes(hash, (const uint8_t[]){(uint8_t)(l->light[code] >> shift)}, 1);
    return hash;
}

static void tables(void)
{
    static const uint32_t most[] = {1, 2, 100, 255, 256, 1000, 4095, 65535};

    for (size_t i = 0; i < sizeof most / sizeof *most; i++)
        check_table(most[i]);
}

static void checksums(void)
{
    CHECKF(checksum(255) == 0xb5d1ff7a5021e83d, "%llx", (unsigned long long)checksum(255));
    CHECKF(checksum(65535) == 0xb2af13b64b6fd157, "%llx", (unsigned long long)checksum(65535));
}

int main(void)
{
    TEST(tables);
    TEST(checksums);
    return test_finish();
}
