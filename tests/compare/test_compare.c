/* Compares the module with a plain double loop over every sample and every window, and tests faults
 * that a comparison must not miss. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/compare.h"
#include "tests/test.h"

static char folder[64], path_a[96], path_b[96];
static uint32_t random_state = 1;

static uint32_t random_number(uint32_t below)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % below;
}

/* A picture in the test's memory, accessed sample by sample. */
struct picture {
    int width, height, channels;
    uint32_t max;
    uint16_t *sample;
};

static size_t samples_of(const struct picture *picture)
{
    return (size_t)picture->width * (size_t)picture->height * (size_t)picture->channels;
}

static struct picture picture_make(int width, int height, int channels, uint32_t max)
{
    struct picture picture = {width, height, channels, max, NULL};
    picture.sample = malloc(samples_of(&picture) * sizeof *picture.sample);
    for (size_t i = 0; i < samples_of(&picture); i++)
        picture.sample[i] = (uint16_t)random_number(max + 1);
    return picture;
}

static struct picture picture_copy(const struct picture *picture)
{
    struct picture copy = *picture;
    copy.sample = malloc(samples_of(picture) * sizeof *copy.sample);
    memcpy(copy.sample, picture->sample, samples_of(picture) * sizeof *copy.sample);
    return copy;
}

static void picture_write(const struct picture *picture, const char *path)
{
    FILE *file = fopen(path, "wb");
    fprintf(file, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %u\nENDHDR\n", picture->width,
            picture->height, picture->channels, picture->max);
    for (size_t i = 0; i < samples_of(picture); i++) {
        if (picture->max > 255)
            fputc(picture->sample[i] >> 8, file);
        fputc(picture->sample[i] & 0xff, file);
    }
    fclose(file);
}

static struct compare_result run(const struct picture *a, const struct picture *b,
                                 const struct compare_limits *limits, int threads)
{
    struct compare_result result;
    struct error err = {0};
    picture_write(a, path_a);
    picture_write(b, path_b);
    CHECKF(compare_files(path_a, path_b, limits, threads, NULL, &result, &err), "%s", err.text);
    return result;
}

static const struct compare_limits exact = {.max_diff = -1};

/* ---- the numbers ---- */

static double sample_of(const struct picture *picture, int y, int x, int c)
{
    return picture
        ->sample[((size_t)y * (size_t)picture->width + (size_t)x) * (size_t)picture->channels +
                 (size_t)c];
}

static int window_side(int samples)
{
    return samples >= 11 ? 11 : samples - (samples % 2 == 0);
}

/* Sigma 1.5. */
static double gauss(int distance)
{
    return exp(-distance * distance / 4.5);
}

/* One window, computed in doubles from the definition. */
static double window_ssim(const struct picture *a, const struct picture *b, int y, int x, int c)
{
    int high = window_side(a->height), wide = window_side(a->width);
    double whole = 0, ma = 0, mb = 0, va = 0, vb = 0, vab = 0, max = a->max;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < high; i++) {
            for (int j = 0; j < wide; j++) {
                double w = gauss(i - high / 2) * gauss(j - wide / 2);
                double sa = sample_of(a, y + i, x + j, c), sb = sample_of(b, y + i, x + j, c);
                if (pass == 0) {
                    whole += w;
                    ma += w * sa;
                    mb += w * sb;
                } else {
                    va += w * (sa - ma) * (sa - ma) / whole;
                    vb += w * (sb - mb) * (sb - mb) / whole;
                    vab += w * (sa - ma) * (sb - mb) / whole;
                }
            }
        }
        if (pass == 0) {
            ma /= whole;
            mb /= whole;
        }
    }
    double c1 = 1e-4 * max * max, c2 = 9e-4 * max * max;
    return (2 * ma * mb + c1) * (2 * vab + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
}

static double picture_ssim(const struct picture *a, const struct picture *b, int c)
{
    int rows = a->height - window_side(a->height) + 1, columns = a->width - window_side(a->width);
    double sum = 0;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x <= columns; x++)
            sum += window_ssim(a, b, y, x, c);
    return sum / rows / (columns + 1);
}

static void check_channel(const struct picture *a, const struct picture *b,
                          const struct compare_result *result, int c)
{
    const struct compare_sums *sums = &result->channel[c];
    double squares = 0, sum = 0, most = 0, count = 0, ssim = picture_ssim(a, b, c);
    int at_x = 0, at_y = 0;
    for (int y = 0; y < a->height; y++) {
        for (int x = 0; x < a->width; x++) {
            double d = fabs(sample_of(a, y, x, c) - sample_of(b, y, x, c));
            squares += d * d;
            sum += d;
            count += d != 0;
            if (d > most) {
                most = d;
                at_x = x;
                at_y = y;
            }
        }
    }
    CHECK((double)sums->squares == squares && (double)sums->sum == sum);
    CHECK(sums->max_diff == most && sums->differing == count);
    CHECK(most == 0 || (sums->x == at_x && sums->y == at_y));
    CHECK(most == 0 ||
          (sums->a == sample_of(a, at_y, at_x, c) && sums->b == sample_of(b, at_y, at_x, c)));
    CHECKF(fabs(sums->ssim - ssim) < 1e-9, "%dx%d: %.12g, expected %.12g", a->width, a->height,
           sums->ssim, ssim);
}

/* Some samples of B are A's with noise, some rows are equal. */
static void test_numbers(void)
{
    static const int sizes[][2] = {{1, 1},  {1, 9},   {2, 2},    {10, 11}, {11, 10},
                                   {12, 3}, {29, 31}, {130, 97}, {3, 700}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int channels = 1; channels <= 4; channels++) {
            uint32_t max = (uint32_t[]){255, 65535, 1023, 7}[(i + (size_t)channels) % 4];
            struct picture a = picture_make(sizes[i][0], sizes[i][1], channels, max);
            struct picture b = picture_copy(&a);
            for (size_t k = samples_of(&b) / 3; k < samples_of(&b); k++)
                if (random_number(3) == 0)
                    b.sample[k] = (uint16_t)random_number(max + 1);
            struct compare_result one = run(&a, &b, &exact, 1), three = run(&a, &b, &exact, 3);
            CHECK(one.comparable && memcmp(&one, &three, sizeof one) == 0);
            for (int c = 0; c < channels; c++)
                check_channel(&a, &b, &one, c);
            free(a.sample);
            free(b.sample);
        }
    }
}

/* The largest possible sums: 16 bits, every sample off by the maximum. */
static void test_extremes(void)
{
    struct picture a = picture_make(40, 3000, 1, 65535), b = picture_copy(&a);
    for (size_t i = 0; i < samples_of(&a); i++) {
        a.sample[i] = 0;
        b.sample[i] = 65535;
    }
    struct compare_result result = run(&a, &b, &exact, 2);
    CHECK(result.all.squares == (compare_sum)120000 * 65535 * 65535);
    CHECK(compare_psnr(&result.all, 65535) == 0 && compare_rms(&result.all) == 65535);
    CHECK(fabs(result.all.ssim - 1e-4 / (1 + 1e-4)) < 1e-12);
    free(a.sample);
    free(b.sample);
}

static void test_equal(void)
{
    struct picture a = picture_make(50, 60, 4, 255);
    struct compare_result result = run(&a, &a, &exact, 2);
    CHECK(result.passed && strcmp(result.why, "equal") == 0);
    CHECK(isinf(compare_psnr(&result.all, 255)) && result.all.ssim == 1);
    CHECK(compare_mean(&result.all) == 0 && compare_rms(&result.all) == 0);
    free(a.sample);
}

/* ---- faults ---- */

static void test_one_sample(void)
{
    struct picture a = picture_make(31, 300, 3, 65535), b = picture_copy(&a);
    size_t at = samples_of(&a) - 1;
    b.sample[at] = (uint16_t)(a.sample[at] ? a.sample[at] - 1 : 1);
    struct compare_result result = run(&a, &b, &exact, 2);
    CHECK(!result.passed && result.differing_pixels == 1 && result.all.max_diff == 1);
    CHECK(result.all.x == 30 && result.all.y == 299 && result.all.channel == 2);
    CHECK(result.channel[0].differing == 0 && result.channel[2].differing == 1);
    free(a.sample);
    free(b.sample);
}

static void test_swapped_and_shifted(void)
{
    struct picture a = picture_make(33, 20, 3, 255), b = picture_copy(&a);
    for (size_t i = 0; i < samples_of(&a); i += 3) {
        b.sample[i] = a.sample[i + 2];
        b.sample[i + 2] = a.sample[i];
    }
    struct compare_result result = run(&a, &b, &exact, 2);
    CHECK(!result.passed && result.channel[1].differing == 0 && result.channel[0].differing > 0);
    CHECK(result.channel[0].sum == result.channel[2].sum);
    memmove(b.sample, a.sample + 3, (samples_of(&a) - 3) * sizeof *a.sample);
    result = run(&a, &b, &exact, 2);
    CHECK(!result.passed);
    free(a.sample);
    free(b.sample);
}

/* Different shapes fail with any limits. */
static void check_mismatch(int width, int height, int channels, uint32_t max, const char *text)
{
    struct compare_limits all = {65535, "100", true, true, 0, -1};
    struct picture a = picture_make(12, 13, 3, 255);
    struct picture b = picture_make(width, height, channels, max);
    struct compare_result result = run(&a, &b, &all, 2);
    CHECK(!result.passed && !result.comparable);
    CHECKF(strcmp(result.why, text) == 0, "%s", result.why);
    free(a.sample);
    free(b.sample);
}

static void test_shapes(void)
{
    check_mismatch(13, 12, 3, 255, "12x13 and 13x12 pixels");
    check_mismatch(12, 13, 4, 255, "RGB and RGBA");
    check_mismatch(12, 13, 1, 255, "RGB and gray");
    check_mismatch(12, 13, 2, 255, "RGB and gray with alpha");
    check_mismatch(12, 13, 3, 65535, "8 and 16 bits a sample");
    check_mismatch(12, 13, 3, 254, "samples up to 255 and up to 254");
}

/* ---- limits ---- */

static bool passes(const struct picture *a, const struct picture *b, struct compare_limits limits)
{
    return run(a, b, &limits, 1).passed;
}

/* 1000 pixels, of which three differ: by 1, 2 and 5. */
static void test_limits(void)
{
    struct picture a = picture_make(100, 10, 1, 255), b;
    for (size_t i = 0; i < 1000; i++)
        a.sample[i] = 100;
    b = picture_copy(&a);
    b.sample[7] = 101;
    b.sample[500] = 98;
    b.sample[999] = 105;
    double psnr = 10 * log10(255.0 * 255 * 1000 / 30);
    CHECK(!passes(&a, &b, exact));
    CHECK(!passes(&a, &b, (struct compare_limits){.max_diff = 4}));
    CHECK(passes(&a, &b, (struct compare_limits){.max_diff = 5}));
    CHECK(passes(&a, &b, (struct compare_limits){.max_diff = -1, .fail_percent = "0.3"}));
    CHECK(!passes(&a, &b, (struct compare_limits){.max_diff = -1, .fail_percent = "0.2999999"}));
    CHECK(passes(&a, &b, (struct compare_limits){.max_diff = 1, .fail_percent = "1/5"}));
    CHECK(!passes(&a, &b, (struct compare_limits){.max_diff = 1, .fail_percent = "0.19"}));
    CHECK(passes(&a, &b, (struct compare_limits){-1, NULL, true, false, psnr - 0.001, 0}));
    CHECK(!passes(&a, &b, (struct compare_limits){-1, NULL, true, false, psnr + 0.001, 0}));
    CHECK(!passes(&a, &b, (struct compare_limits){4, NULL, true, false, 10, 0}));
    CHECK(passes(&a, &b, (struct compare_limits){-1, NULL, false, true, 0, 0.9}));
    CHECK(!passes(&a, &b, (struct compare_limits){-1, NULL, false, true, 0, 1}));
    free(a.sample);
    free(b.sample);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/stencilcli-test-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    snprintf(path_a, sizeof path_a, "%s/a.pam", folder);
    snprintf(path_b, sizeof path_b, "%s/b.pam", folder);
    TEST(test_numbers);
    TEST(test_extremes);
    TEST(test_equal);
    TEST(test_one_sample);
    TEST(test_swapped_and_shifted);
    TEST(test_shapes);
    TEST(test_limits);
    unlink(path_a);
    unlink(path_b);
    rmdir(folder);
    return test_finish();
}
