/* Which way the CPU takes to a plan's sums, and when Fourier transforms may be used at all. That
 * every way gives the same bytes is checker's to say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/fft_plan.h"
#include "cpu/real.h"
#include "kernel/cpu_path.h"
#include "kernel/kept.h"
#include "kernel/rows.h"
#include "plan/filter.h"
#include "tests/test.h"

/* The plan of a filter for 8 bits or 16; MASK may be NULL. */
static struct plan plan_of(const char *filter, const char *mask, int radius, int channels,
                           enum sample_type type)
{
    struct filter_request request = {
        .filter = filter_find(filter), .mask = mask, .radius = radius, .repeat = 1};
    uint32_t max = type == SAMPLE_U8 ? 255 : 65535;
    struct plan plan;
    struct error err;
    CHECKF(filter_plan(&request, channels, type, max, &plan, &err), "%s", err.text);
    return plan;
}

/* N x N weights of LOW..HIGH without a pattern. */
static char *random_mask(int n, int64_t low, int64_t high)
{
    char *text = malloc((size_t)n * (size_t)n * 24), *at = text;
    uint64_t state = 3;
    for (int i = 0; i < n * n; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        int64_t w = low + (int64_t)((state >> 33) % (uint64_t)(high - low + 1));
        at += sprintf(at, "%lld%c", (long long)w, (i + 1) % n ? ' ' : ';');
    }
    at[-1] = '\0';
    return text;
}

/* A Gaussian of N x N, sigma N/5, with so many digits after the point. */
static char *bell_mask(int n, int digits)
{
    char *text = malloc((size_t)n * (size_t)n * 32), *at = text;
    double sum = 0, g[64];
    for (int i = 0; i < n; i++) {
        double x = (i - (n - 1) / 2.0) * 5 / n;
        sum += g[i] = exp(-x * x / 2);
    }
    for (int i = 0; i < n * n; i++)
        at +=
            sprintf(at, "%.*f%c", digits, g[i / n] * g[i % n] / sum / sum, (i + 1) % n ? ' ' : ';');
    at[-1] = '\0';
    return text;
}

static void check_choice(const char *filter, const char *mask, int radius, int channels,
                         enum sample_type type, enum cpu_path expected)
{
    struct plan plan = plan_of(filter, mask, radius, channels, type);
    enum cpu_path path = cpu_path_fastest(&plan, 1920, 1080);
    CHECKF(path == expected, "%s of %dx%d, %d channels, %d bits: %s", filter, plan.mask[0].width,
           plan.mask[0].height, channels, 8 * type, cpu_path_name(path));
    CHECK(cpu_path_can(path, &plan));
    plan_free(&plan);
}

static void fastest(void)
{
    char *small = random_mask(5, -9, 9), *large = random_mask(63, -30, 99);
    char *positive = random_mask(63, 1, 99);

    check_choice("blur", NULL, -1, 3, SAMPLE_U8, CPU_PATH_DIRECT);
    check_choice("sobel", NULL, -1, 3, SAMPLE_U8, CPU_PATH_DIRECT);
    check_choice("box", NULL, 60, 3, SAMPLE_U8, CPU_PATH_DIRECT);
    check_choice("gauss", NULL, 10, 3, SAMPLE_U16, CPU_PATH_DIRECT);
    check_choice("gauss", NULL, 30, 3, SAMPLE_U16, CPU_PATH_DIRECT);
    check_choice("gauss", NULL, 90, 3, SAMPLE_U16, CPU_PATH_DIRECT);
    check_choice("convolve", small, -1, 3, SAMPLE_U8, CPU_PATH_DIRECT);
    check_choice("convolve", large, -1, 3, SAMPLE_U8, CPU_PATH_FFT);
    check_choice("convolve", large, -1, 1, SAMPLE_U16, CPU_PATH_FFT);
    check_choice("convolve", positive, -1, 4, SAMPLE_U8, CPU_PATH_FFT); /* weighted alpha */
    check_choice("convolve", positive, -1, 2, SAMPLE_U16, CPU_PATH_FFT);
    check_choice("blur", NULL, -1, 4, SAMPLE_U8, CPU_PATH_DIRECT);
    check_choice("gauss", NULL, 20, 4, SAMPLE_U8, CPU_PATH_DIRECT);
    check_choice("unsharp", NULL, 7, 3, SAMPLE_U8, CPU_PATH_DIRECT);
    check_choice("unsharp", NULL, 7, 3, SAMPLE_U16, CPU_PATH_TERMS);
    free(small);
    free(large);
    free(positive);
}

/* What leaves too much in doubt is not taken: a sample in doubt costs every cell. */
static void doubt(void)
{
    char *seven = bell_mask(11, 7), *nineteen = bell_mask(11, 19), *large = bell_mask(63, 19);
    struct cpu_real *real;
    struct plan plan = plan_of("convolve", nineteen, -1, 3, SAMPLE_U16);

    real = cpu_real_make(&plan, &cpu_ops_scalar);
    CHECKF(real && real->terms == 1 && real->wide && real->doubt < 1e-6, "%d terms, doubt %g",
           real ? real->terms : -1, real ? real->doubt : 1);
    cpu_real_free(real);
    plan_free(&plan);
    plan = plan_of("convolve", seven, -1, 3, SAMPLE_U16);
    real = cpu_real_make(&plan, &cpu_ops_scalar);
    CHECK(real && real->terms == 0 && real->doubt < 1e-8);
    cpu_real_free(real);
    plan_free(&plan);
    check_choice("convolve", large, -1, 3, SAMPLE_U16, CPU_PATH_DIRECT);
    plan = plan_of("convolve", nineteen, -1, 4, SAMPLE_U8);
    real = cpu_real_make(&plan, &cpu_ops_scalar);
    CHECK(real && real->terms == 1 && !real->wide);
    cpu_real_free(real);
    plan_free(&plan);
    plan = plan_of("convolve", large, -1, 4, SAMPLE_U8);
    real = cpu_real_make(&plan, &cpu_ops_scalar);
    CHECK(real && real->terms == 1 && real->wide);
    cpu_real_free(real);
    plan_free(&plan);
    free(seven);
    free(nineteen);
    free(large);
}

/* Nothing gains by a path for a picture of one pixel but what has no cells to sum. */
static void small_pictures(void)
{
    char *large = random_mask(41, -30, 99);
    struct plan plan = plan_of("convolve", large, -1, 1, SAMPLE_U8);
    CHECK(cpu_path_fastest(&plan, 1, 1) == CPU_PATH_DIRECT);
    CHECK(cpu_path_fastest(&plan, 4000, 3000) == CPU_PATH_FFT);
    plan_free(&plan);
    free(large);
}

/* Sums of 32 bits are always right; those of 64 only where their quotients can be certified. */
static void bounds(void)
{
    char *edge = random_mask(63, -4000, 4000), *wide = random_mask(9, -(INT64_C(1) << 30), 1 << 30);
    struct plan plan = plan_of("convolve", edge, -1, 1, SAMPLE_U8);
    struct cpu_fft_plan fft;

    CHECK(plan.mask[0].accumulator == ACCUMULATOR_I32 && plan.mask[0].bound > INT32_MAX / 2);
    CHECK(cpu_fft_bound(&fft, &plan, CPU_FFT_MOST, CPU_FFT_MOST) && !fft.wide);
    CHECK(fft.error > 1e-6 && fft.error < 0.25);
    plan_free(&plan);
    plan = plan_of("convolve", edge, -1, 1, SAMPLE_U16);
    CHECK(plan.mask[0].accumulator == ACCUMULATOR_I64);
    CHECK(cpu_fft_bound(&fft, &plan, CPU_FFT_MOST / 2, CPU_FFT_MOST / 2) && fft.round > 0);
    plan.mask[0].weight[0] += INT64_C(1) << 45; /* no longer right to a hundredth of a sample */
    CHECK(!cpu_path_can(CPU_PATH_FFT, &plan));
    plan_free(&plan);
    plan = plan_of("convolve", wide, -1, 1, SAMPLE_U8);
    CHECK(!cpu_path_can(CPU_PATH_FFT, &plan));
    plan.mask[0].divisor = INT64_C(1) << 36;
    CHECK(cpu_fft_bound(&fft, &plan, CPU_FFT_LEAST, CPU_FFT_LEAST) && fft.round == 0);
    CHECK(plan.mask[0].accumulator == ACCUMULATOR_I64 && cpu_path_can(CPU_PATH_FFT, &plan));
    plan.alpha = ALPHA_WEIGHTED;
    CHECK(!cpu_path_can(CPU_PATH_FFT, &plan));
    plan_free(&plan);
    free(edge);
    free(wide);
}

/* Two bands of a run: the mask is transformed by the first, and they are the picture's rows. */
static void kept(void)
{
    char *large = random_mask(21, -30, 99);
    struct plan plan = plan_of("convolve", large, -1, 1, SAMPLE_U8);
    struct image in = {0}, whole = {0}, band = {0};
    struct kernel_kept kept;
    struct kernel_job job;
    struct error err;
    void *first;

    CHECK(image_alloc(&in, 300, 100, 1, SAMPLE_U8, "in", &err) &&
          image_alloc(&whole, 300, 100, 1, SAMPLE_U8, "out", &err) &&
          image_alloc(&band, 300, 50, 1, SAMPLE_U8, "out", &err));
    for (int y = 0; y < 100; y++)
        for (int x = 0; x < 300; x++)
            ((uint8_t *)image_row(&in, y))[x] = (uint8_t)(x * x + y * 7 + x * y);
    job = kernel_job_whole(&plan, &in, &whole);
    job.cpu_path = CPU_PATH_FFT;
    CHECK(kernel_scalar.run(&job, &err));
    kernel_kept_open(&kept);
    job.kept = &kept;
    job.out = &band;
    CHECK(kernel_scalar.run(&job, &err));
    first = kept.part[KEPT_FFT].data;
    CHECK(first && memcmp(image_row(&band, 49), image_row(&whole, 49), 300) == 0);
    job.out_first_row = 50;
    CHECK(kernel_scalar.run(&job, &err) && kept.part[KEPT_FFT].data == first);
    CHECK(memcmp(image_row(&band, 49), image_row(&whole, 99), 300) == 0);
    kernel_kept_close(&kept);
    image_free(&in);
    image_free(&whole);
    image_free(&band);
    plan_free(&plan);
    free(large);
}

/* A few rows more than one or two tiles of 256 points, less the mask's halo, would be another tile.
 */
static void band_rows(void)
{
    struct plan_mask m = {.width = 63, .height = 63};
    CHECK(cpu_fft_rows(&m, 1920, 3, 200) == 194);
    CHECK(cpu_fft_rows(&m, 1920, 3, 395) == 388);
    CHECK(cpu_fft_rows(&m, 1920, 3, 20) == 20);
}

/* The same of a mask that is close to rank 1, whose terms are searched for; and of the path. */
static void kept_near_rank_1(void)
{
    struct plan plan = plan_of("convolve",
                               "0.0113437365584950696 0.0838195058022105781 0.0113437365584950696;"
                               "0.0838195058022105781 0.6193470305571771028 0.0838195058022105781;"
                               "0.0113437365584950696 0.0838195058022105781 0.0113437365584950696",
                               -1, 1, SAMPLE_U8);
    struct image in = {0}, out = {0};
    struct kernel_kept kept;
    struct kernel_job job;
    struct error err;
    const void *real, *path;

    CHECK(image_alloc(&in, 300, 50, 1, SAMPLE_U8, "in", &err) &&
          image_alloc(&out, 300, 50, 1, SAMPLE_U8, "out", &err));
    job = kernel_job_whole(&plan, &in, &out);
    kernel_kept_open(&kept);
    job.kept = &kept;
    CHECK(kernel_scalar.run(&job, &err));
    real = kept.part[KEPT_REAL].data;
    path = kept.part[KEPT_PATH].data;
    CHECK(real && path && !kept.part[KEPT_FFT].data);
    CHECK(kernel_scalar.run(&job, &err) && kept.part[KEPT_REAL].data == real &&
          kept.part[KEPT_PATH].data == path);
    kernel_kept_close(&kept);
    image_free(&in);
    image_free(&out);
    plan_free(&plan);
}

int main(void)
{
    TEST(fastest);
    TEST(doubt);
    TEST(small_pictures);
    TEST(bounds);
    TEST(kept);
    TEST(kept_near_rank_1);
    TEST(band_rows);
    return test_finish();
}
