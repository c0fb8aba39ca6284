/* Computes the mean, PSNR and verdict from a comparison's sums, and reads the limits that decide
 * the verdict. */
#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "plan/rational.h"

double compare_mean(const struct compare_sums *sums)
{
    return (double)sums->sum / (double)sums->samples;
}

double compare_rms(const struct compare_sums *sums)
{
    return sqrt((double)sums->squares / (double)sums->samples);
}

double compare_psnr(const struct compare_sums *sums, uint32_t max)
{
    if (sums->squares == 0)
        return INFINITY;
    return 10 * log10((double)max * max * (double)sums->samples / (double)sums->squares);
}

double compare_percent(uint64_t part, uint64_t whole)
{
    return 100 * (double)part / (double)whole;
}

const char *compare_channel_name(int channels, int channel)
{
    static const char *const names[] = {"red", "green", "blue", "alpha"};
    if (channels <= 2)
        return channel == 0 ? "gray" : "alpha";
    return names[channel];
}

/* Whether PERCENT is a rational of at most 100, and PART is at most PERCENT of WHOLE. Exact. */
static bool is_within(const char *percent, uint64_t part, uint64_t whole)
{
    mpq_t limit, share;
    const char *why;
    bool within;

    mpq_inits(limit, share, NULL);
    mpz_set_ui(mpq_numref(share), part);
    mpz_mul_ui(mpq_numref(share), mpq_numref(share), 100);
    mpz_set_ui(mpq_denref(share), whole);
    mpq_canonicalize(share);
    within = rational_parse(limit, percent, strlen(percent), &why) && mpq_cmp(share, limit) <= 0 &&
             mpq_cmp_ui(limit, 100, 1) <= 0;
    mpq_clears(limit, share, NULL);
    return within;
}

void compare_shapes(struct compare_result *result)
{
    static const char *const kinds[] = {"", "gray", "gray with alpha", "RGB", "RGBA"};
    const struct image_info *a = &result->a, *b = &result->b;
    char *why = result->why;
    size_t room = sizeof result->why;

    if (a->width != b->width || a->height != b->height)
        snprintf(why, room, "%dx%d and %dx%d pixels", a->width, a->height, b->width, b->height);
    else if (a->channels != b->channels)
        snprintf(why, room, "%s and %s", kinds[a->channels], kinds[b->channels]);
    else if (a->type != b->type)
        snprintf(why, room, "%d and %d bits a sample", 8 * (int)a->type, 8 * (int)b->type);
    else if (a->max != b->max)
        snprintf(why, room, "samples up to %u and up to %u", a->max, b->max);
    result->comparable = why[0] == '\0';
}

/* "3 of 4096 pixels differ (0.0732%), by up to 12" */
static void count_text(const struct compare_result *result, const struct compare_limits *limits,
                       char *text, size_t room)
{
    uint64_t count = limits->max_diff > 0 ? result->failing_pixels : result->differing_pixels;
    char more[32] = "";

    if (limits->max_diff > 0)
        snprintf(more, sizeof more, " by more than %d", limits->max_diff);
    if (result->differing_pixels == 0)
        snprintf(text, room, "equal");
    else
        snprintf(text, room, "%" PRIu64 " of %" PRIu64 " pixels differ%s (%.3g%%), by up to %u",
                 count, result->pixels, more, compare_percent(count, result->pixels),
                 result->all.max_diff);
}

void compare_judge(struct compare_result *result, const struct compare_limits *limits)
{
    char *why = result->why;
    size_t room = sizeof result->why;
    /* If PSNR or SSIM is the only limit, samples may differ. */
    bool counted =
        limits->max_diff >= 0 || limits->fail_percent || (!limits->has_psnr && !limits->has_ssim);

    double psnr = compare_psnr(&result->all, result->a.max);
    const char *percent = limits->fail_percent ? limits->fail_percent : "0";
    if (counted && !is_within(percent, result->failing_pixels, result->pixels)) {
        count_text(result, limits, why, room);
    } else if (limits->has_psnr && !(psnr >= limits->min_psnr)) {
        snprintf(why, room, "the PSNR is %.6g dB, less than %.6g", psnr, limits->min_psnr);
    } else if (limits->has_ssim && !(result->all.ssim >= limits->min_ssim)) {
        snprintf(why, room, "the SSIM is %.6g, less than %.6g", result->all.ssim, limits->min_ssim);
    } else {
        result->passed = true;
        count_text(result, limits, why, room);
    }
}

/* ---- limits as text ---- */

/* Reads a plain decimal; strtod alone would also accept nan, inf and hexadecimal. */
static bool read_decimal(const char *text, double *number)
{
    char *end;
    if (text[0] == '\0' || strspn(text, "+-.eE0123456789") != strlen(text))
        return false;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number);
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
        if (!is_within(value, 0, 1)) /* 0 of 1 is within every percentage */
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
