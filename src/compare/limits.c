/* Limits as text: see compare/limits.h. */
#include "compare/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/rational.h"

/* A plain decimal: strtod knows nan, inf and hexadecimal as well. */
static bool read_decimal(const char *text, double *number)
{
    char *end;
    if (text[0] == '\0' || strspn(text, "+-.eE0123456789") != strlen(text))
        return false;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number);
}

static bool is_percent(const char *text)
{
    mpq_t value;
    const char *why;
    bool good;

    mpq_init(value);
    good = rational_parse(value, text, strlen(text), &why) && mpq_sgn(value) >= 0 &&
           mpq_cmp_ui(value, 100, 1) <= 0;
    mpq_clear(value);
    return good;
}

const char *compare_limit_read(struct compare_limits *limits, const char *name, const char *value)
{
    if (strcmp(name, "max-diff") == 0) {
        size_t digits = strspn(value, "0123456789");
        long number = digits >= 1 && digits <= 5 && !value[digits] ? strtol(value, NULL, 10) : -1;
        if (number < 0 || number > 65535)
            return "a whole number from 0 to 65535";
        limits->max_diff = (int)number;
    } else if (strcmp(name, "max-fail-percent") == 0) {
        if (!is_percent(value))
            return "a number from 0 to 100";
        limits->fail_percent = value;
    } else if (strcmp(name, "min-psnr") == 0) {
        if (!read_decimal(value, &limits->min_psnr) || limits->min_psnr < 0)
            return "a number of decibels, 0 or more";
        limits->has_psnr = true;
    } else if (strcmp(name, "min-ssim") == 0) {
        if (!read_decimal(value, &limits->min_ssim) || fabs(limits->min_ssim) > 1)
            return "a number from -1 to 1";
        limits->has_ssim = true;
    } else {
        return "max-diff, max-fail-percent, min-psnr or min-ssim";
    }
    return NULL;
}
