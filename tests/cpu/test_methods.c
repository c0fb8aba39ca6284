/* Which method the CPU chooses for a plan, what a method makes once, and when Fourier transforms
 * are allowed. The checker tests that all methods give the same bytes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/fft_plan.h"
#include "cpu/method.h"
#include "cpu/processor.h"
#include "cpu/real.h"
#include "kernel/kernel.h"
#include "plan/filter.h"
#include "tests/test.h"

/* The plan of a filter for samples of 8 or 16 bits; MASK may be NULL. */
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

/* A Gaussian of N x N, sigma N/5, with DIGITS decimals. */
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
                         enum sample_type type, const char *expected)
{
    struct plan plan = plan_of(filter, mask, radius, channels, type);
    const struct cpu_method *method = cpu_method_fastest(&plan, &cpu_ops_scalar, 1920, 1080, 0);
    CHECKF(strcmp(method->name, expected) == 0, "%s of %dx%d, %d channels, %d bits: %s", filter,
           plan.mask[0].width, plan.mask[0].height, channels, 8 * type, method->name);
    CHECK(!cpu_method_refusal(method, &plan, &cpu_ops_scalar));
    plan_free(&plan);
}

static void fastest(void)
{
    char *small = random_mask(5, -9, 9), *large = random_mask(63, -30, 99);
    char *positive = random_mask(63, 1, 99);

    check_choice("blur", NULL, -1, 3, SAMPLE_U8, "bytes");
    check_choice("sobel", NULL, -1, 3, SAMPLE_U8, "bytes");
    check_choice("box", NULL, 60, 3, SAMPLE_U8, "separable");
    check_choice("gauss", NULL, 10, 3, SAMPLE_U16, "outer16");
    check_choice("gauss", NULL, 30, 3, SAMPLE_U16, "outer16");
    check_choice("gauss", NULL, 90, 3, SAMPLE_U16, "outer16");
    check_choice("convolve", small, -1, 3, SAMPLE_U8, "bytes");
    check_choice("convolve", large, -1, 3, SAMPLE_U8, "fft");
    check_choice("convolve", large, -1, 1, SAMPLE_U16, "fft");
    check_choice("convolve", positive, -1, 4, SAMPLE_U8, "fft"); /* weighted alpha */
    check_choice("convolve", positive, -1, 2, SAMPLE_U16, "fft");
    check_choice("blur", NULL, -1, 4, SAMPLE_U8, "real");
    check_choice("gauss", NULL, 20, 4, SAMPLE_U8, "real");
    check_choice("unsharp", NULL, 7, 3, SAMPLE_U8, "real");
    check_choice("unsharp", NULL, 7, 3, SAMPLE_U16, "outer16");
    free(small);
    free(large);
    free(positive);
}

/* A method that leaves too many samples in doubt is not chosen, since a sample in doubt costs the
 * sum of every cell. */
static void doubt(void)
{
    char *seven = bell_mask(11, 7), *nineteen = bell_mask(11, 19), *large = bell_mask(41, 19);
    struct cpu_real *real;
    struct plan plan = plan_of("convolve", nineteen, -1, 3, SAMPLE_U16);

    real = cpu_real_make(&plan);
    CHECKF(real && real->terms == 1 && real->wide && real->doubt < 1e-6, "%d terms, doubt %g",
           real ? real->terms : -1, real ? real->doubt : 1);
    cpu_real_free(real);
    plan_free(&plan);
    plan = plan_of("convolve", seven, -1, 3, SAMPLE_U16);
    real = cpu_real_make(&plan);
    CHECK(real && real->terms == 0 && real->doubt < 1e-8);
    cpu_real_free(real);
    plan_free(&plan);
    check_choice("convolve", large, -1, 3, SAMPLE_U16, "real");
    plan = plan_of("convolve", nineteen, -1, 4, SAMPLE_U8);
    real = cpu_real_make(&plan);
    CHECK(real && real->terms == 1 && !real->wide);
    cpu_real_free(real);
    plan_free(&plan);
    plan = plan_of("convolve", large, -1, 4, SAMPLE_U8);
    real = cpu_real_make(&plan);
    CHECK(real && real->terms == 1 && real->wide);
    cpu_real_free(real);
    plan_free(&plan);
    free(seven);
    free(nineteen);
    free(large);
}

/* For a picture of one pixel, transforms never pay, except for plans without cells to sum. */
static void small_pictures(void)
{
    char *large = random_mask(41, -30, 99);
    struct plan plan = plan_of("convolve", large, -1, 1, SAMPLE_U8);
    CHECK(cpu_method_fastest(&plan, &cpu_ops_scalar, 1, 1, 0) == &cpu_method_direct);
    CHECK(cpu_method_fastest(&plan, &cpu_ops_scalar, 4000, 3000, 0) == &cpu_method_fft);
    plan_free(&plan);
    free(large);
}

static bool fft_can(const struct plan *plan)
{
    return !cpu_method_refusal(&cpu_method_fft, plan, &cpu_ops_scalar);
}

/* 32-bit sums are always correct; 64-bit sums only if their quotients can be certified. */
static void bounds(void)
{
    char *edge = random_mask(63, -4000, 4000), *wide = random_mask(9, -(INT64_C(1) << 30), 1 << 30);
    struct plan plan = plan_of("convolve", edge, -1, 1, SAMPLE_U8);
    struct cpu_fft_plan fft;

    CHECK(plan.mask[0].accumulator == ACCUMULATOR_I32 && plan.mask[0].bound > INT32_MAX / 2);
    CHECK(cpu_fft_bound(&fft, &plan, CPU_FFT_MOST, CPU_FFT_MOST) && fft.round > 0);
    CHECK(fft.error > 1e-6 && fft.error < 0.25);
    plan_free(&plan);
    plan = plan_of("convolve", edge, -1, 1, SAMPLE_U16);
    CHECK(plan.mask[0].accumulator == ACCUMULATOR_I64);
    CHECK(cpu_fft_bound(&fft, &plan, CPU_FFT_MOST / 2, CPU_FFT_MOST / 2) && fft.round > 0);
    plan.mask[0].weight[0] += INT64_C(1) << 45; /* no longer within a hundredth of a sample */
    CHECK(!fft_can(&plan));
    plan_free(&plan);
    plan = plan_of("convolve", wide, -1, 1, SAMPLE_U8);
    CHECK(!fft_can(&plan));
    plan.mask[0].divisor = INT64_C(1) << 36;
    CHECK(cpu_fft_bound(&fft, &plan, CPU_FFT_LEAST, CPU_FFT_LEAST) && fft.round == 0);
    CHECK(plan.mask[0].accumulator == ACCUMULATOR_I64 && fft_can(&plan));
    plan.alpha = ALPHA_WEIGHTED;
    CHECK(!fft_can(&plan));
    plan_free(&plan);
    free(edge);
    free(wide);
}

/* A gray picture of WIDTH x HEIGHT without a pattern. */
static void picture_make(struct image *image, int width, int height)
{
    struct error err;
    CHECK(image_alloc(image, width, height, 1, SAMPLE_U8, "in", &err));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            ((uint8_t *)image_row(image, y))[x] = (uint8_t)(x * x + y * 7 + x * y);
}

/* With every method, two bands that share a state give the rows of the whole picture. */
static void bands_share_a_state(void)
{
    const struct kernel *scalar = kernel_find("scalar");
    char *large = random_mask(21, -30, 99);
    struct plan plan = plan_of("convolve", large, -1, 1, SAMPLE_U8);
    struct image in = {0}, whole = {0}, band = {0};
    int count, used = 0;
    const struct cpu_method *const *methods = cpu_methods(&count);
    struct error err;

    picture_make(&in, 300, 100);
    picture_make(&whole, 300, 100);
    picture_make(&band, 300, 50);
    for (int i = 0; i < count; i++) {
        struct kernel_job job = kernel_job_whole(&plan, &in, &whole);
        if (cpu_method_refusal(methods[i], &plan, scalar->ops))
            continue;
        used++;
        CHECK(kernel_open(scalar, &plan, 300, 50, methods[i]->name, &job.state, &err));
        CHECK(strcmp(job.state->method, methods[i]->name) == 0);
        CHECK(kernel_run(scalar, &job, &err));
        job.out = &band;
        for (int k = 0; k < 2; k++) {
            job.out_first_row = 50 * k;
            CHECK(kernel_run(scalar, &job, &err));
            CHECK(memcmp(image_row(&band, 49), image_row(&whole, 49 + 50 * k), 300) == 0);
        }
        kernel_close(scalar, job.state);
    }
    CHECK(used >= 3);
    image_free(&in);
    image_free(&whole);
    image_free(&band);
    plan_free(&plan);
    free(large);
}

/* Outputs so large that they are stored past the caches: the bytes of small bands, which are not.
 */
static void check_large_output(const char *filter, int radius, int width)
{
    struct plan plan = plan_of(filter, NULL, radius, 1, SAMPLE_U8);
    const struct kernel *kernel = kernel_choose(DEVICE_CPU, &plan);
    const int height = (17 << 20) / width, rows = 500;
    struct image in = {0}, whole = {0}, band = {0};
    struct kernel_job job;
    struct error err;
    int different = 0;

    picture_make(&in, width, height);
    picture_make(&whole, width, height);
    picture_make(&band, width, rows);
    job = kernel_job_whole(&plan, &in, &whole);
    job.threads = 2;
    CHECK(kernel_open(kernel, &plan, width, height, NULL, &job.state, &err));
    CHECK(kernel_run(kernel, &job, &err));
    job.out = &band;
    for (int y = 0; y + rows <= height; y += rows) {
        job.out_first_row = y;
        CHECK(kernel_run(kernel, &job, &err));
        for (int i = 0; i < rows; i++)
            different += memcmp(image_row(&band, i), image_row(&whole, y + i), (size_t)width) != 0;
    }
    CHECKF(different == 0, "%s of radius %d, width %d: %d rows differ", filter, radius, width,
           different);
    kernel_close(kernel, job.state);
    image_free(&in);
    image_free(&whole);
    image_free(&band);
    plan_free(&plan);
}

static void run_method(const char *method, const struct plan *plan, const struct image *in,
                       struct image *out)
{
    const struct kernel *kernel = kernel_choose(DEVICE_CPU, plan);
    struct kernel_job job = kernel_job_whole(plan, in, out);
    struct error err;

    CHECKF(kernel_open(kernel, plan, in->width, in->height, method, &job.state, &err), "%s",
           err.text);
    CHECK(kernel_run(kernel, &job, &err));
    kernel_close(kernel, job.state);
}

/* Blocks of 65536 cells, with VALUES different values: `ranks` and `histogram` give one result. */
static void check_blocks(uint32_t values)
{
    struct plan plan = plan_of("median", NULL, 30, 1, SAMPLE_U16);
    struct image in = {0}, ranks = {0}, histogram = {0};
    uint64_t state = 5;
    struct error err;

    CHECK(image_alloc(&in, 500, 450, 1, SAMPLE_U16, "in", &err));
    CHECK(image_alloc(&ranks, 500, 450, 1, SAMPLE_U16, "ranks", &err));
    CHECK(image_alloc(&histogram, 500, 450, 1, SAMPLE_U16, "histogram", &err));
    for (int y = 0; y < 450; y++)
        for (int x = 0; x < 500; x++) {
            state = state * 6364136223846793005 + 1442695040888963407;
            ((uint16_t *)image_row(&in, y))[x] =
                (uint16_t)((state >> 33) % values + 65536 - values);
        }
    run_method("ranks", &plan, &in, &ranks);
    run_method("histogram", &plan, &in, &histogram);
    for (int y = 0; y < 450; y++)
        if (memcmp(image_row(&ranks, y), image_row(&histogram, y), 1000) != 0)
            CHECKF(false, "%u values: row %d differs", values, y);
    image_free(&in);
    image_free(&ranks);
    image_free(&histogram);
    plan_free(&plan);
}

static void blocks_of_ranks(void)
{
    check_blocks(1);
    check_blocks(2);
    check_blocks(65536);
}

static void large_outputs(void)
{
    check_large_output("erode", 1, 4001);   /* one tile */
    check_large_output("dilate", 60, 4001); /* tiles side by side */
    check_large_output("median", 1, 4096);
    check_large_output("median", 4, 4001);
}

/* A method requested by name is refused with the reason and the names of possible methods. */
static void named(void)
{
    const struct kernel *scalar = kernel_find("scalar"), *reference = kernel_find("reference");
    struct plan plan = plan_of("blur", NULL, -1, 3, SAMPLE_U16);
    struct kernel_state *state;
    struct error err;

    CHECK(!kernel_open(scalar, &plan, 100, 100, "bytes", &state, &err) && !state);
    CHECKF(err.code == EXIT_USAGE && strstr(err.text, "8-bit samples only") &&
               strstr(err.text, "these can: ") && strstr(err.text, "separable"),
           "%s", err.text);
    CHECK(!kernel_open(scalar, &plan, 100, 100, "none", &state, &err) && err.code == EXIT_USAGE);
    CHECK(!kernel_open(reference, &plan, 100, 100, "direct", &state, &err) &&
          err.code == EXIT_USAGE);
    CHECK(kernel_open(reference, &plan, 100, 100, NULL, &state, &err) && !state);
    kernel_close(reference, state);
    plan_free(&plan);
}

/* A picture weighted by alpha with opaque bands and others: one state serves both. */
static void opaque_bands(void)
{
    const struct kernel *scalar = kernel_find("scalar");
    struct plan plan = plan_of("blur", NULL, -1, 2, SAMPLE_U8);
    struct image in = {0}, want = {0}, out = {0};
    struct kernel_job job;
    struct error err;

    CHECK(image_alloc(&in, 60, 40, 2, SAMPLE_U8, "in", &err) &&
          image_alloc(&want, 60, 40, 2, SAMPLE_U8, "want", &err) &&
          image_alloc(&out, 60, 40, 2, SAMPLE_U8, "out", &err));
    for (int round = 0; round < 4; round++) {
        struct kernel_state *state;
        CHECK(kernel_open(scalar, &plan, 60, 40, round > 1 ? "real" : NULL, &state, &err));
        for (int opaque = 0; opaque < 2; opaque++) {
            for (int y = 0; y < 40; y++)
                for (int x = 0; x < 120; x++)
                    ((uint8_t *)image_row(&in, y))[x] =
                        x % 2 && opaque == round % 2 ? 255 : (uint8_t)(x * y + x);
            job = kernel_job_whole(&plan, &in, &want);
            CHECK(kernel_run(kernel_find("reference"), &job, &err));
            job.out = &out;
            job.state = state;
            CHECK(kernel_run(scalar, &job, &err));
            for (int y = 0; y < 40; y++)
                CHECK(memcmp(image_row(&out, y), image_row(&want, y), 120) == 0);
        }
        kernel_close(scalar, state);
    }
    image_free(&in);
    image_free(&want);
    image_free(&out);
    plan_free(&plan);
}

/* A few rows more than fill one or two tiles of 256 points (less the mask's halo) would need
 * another tile. */
static void band_rows(void)
{
    struct plan_mask m = {.width = 63, .height = 63};
    CHECK(cpu_fft_rows(&m, 1920, 3, 200) == 194);
    CHECK(cpu_fft_rows(&m, 1920, 3, 395) == 388);
    CHECK(cpu_fft_rows(&m, 1920, 3, 20) == 20);
}

/* round(sqrt(gx^2 + gy^2) / d), at most 255, as in kernel/reference.c. */
static int length_of(int gx, int gy, int d)
{
    int n = (int)(sqrt((double)gx * gx + (double)gy * gy) / d);
    n = n > 255 ? 255 : n;
    while (n < 255 &&
           (int64_t)(2 * n + 1) * (2 * n + 1) * d * d <= 4 * ((int64_t)gx * gx + gy * gy))
        n++;
    return n;
}

/* Checks the length of one gradient, in a whole block: gx = -90 * a - b, gy = 90 * c + d, for bytes
 * a, b, c, d. A mask that is not made here has weights of 0 in the pairs of both masks. */
static void check_gradient(const struct cpu_ops *ops, int gx, int gy, int d)
{
    const struct cpu_gradient gradient = {
        .weight = {{[2] = 0xffa6ffa6}, {[3] = 0x015a015a}}, .divisor = d, .max = 255};
    const int bytes[4] = {-gx / 90, -gx % 90, gy / 90, gy % 90};
    uint8_t line[4][CPU_BLOCK], out[CPU_BLOCK];
    const uint8_t *at[] = {line[0], line[1], line[2], line[3], line[0], line[1], line[2], line[3]};

    for (int i = 0; i < 4; i++)
        memset(line[i], bytes[i], CPU_BLOCK);
    ops->gradient_u8(&gradient, at, out, CPU_BLOCK, NULL);
    for (int i = 0; i < CPU_BLOCK; i++)
        if (out[i] != length_of(gx, gy, d))
            CHECKF(false, "%s: gradient %d, %d by %d is %d", ops->name, gx, gy, d, out[i]);
}

/* All gradients that do not become 255, and some larger ones, on every instruction set. */
static void gradients(void)
{
    int sets;
    const struct cpu_set *set = cpu_sets(&sets);
    for (int k = 0; k < sets; k++)
        for (int gx = 0; set[k].available() && gx <= CPU_MOST_GRADIENT; gx += gx < 1100 ? 1 : 97)
            for (int gy = 0; gy <= gx; gy += gx < 1100 ? 1 : 97)
                for (int d = 1; d <= 4; d *= 2)
                    check_gradient(set[k].ops, -gx, gy, d);
}

/* Sums without a sign, near multiples of the divisor and near the largest one, on every instruction
 * set: floor((S + d/2) / d), at most 65535. */
static void sums_without_a_sign(void)
{
    int sets;
    const struct cpu_set *set = cpu_sets(&sets);
    uint32_t state = 1;

    for (int k = 0; k < sets; k++)
        for (int round = 0; set[k].available() && round < 4000; round++) {
            uint32_t sum[CPU_BLOCK];
            uint16_t out[CPU_BLOCK];
            state = state * 1664525 + 1013904223;
            const uint32_t d = round < 200 ? 33489 + (uint32_t)round : (state >> round % 30) | 2;
            const uint32_t most = UINT32_MAX - 1 - d / 2;
            const struct cpu_divide divide = {d, -1, 65535, UINT32_MAX, false, false};
            for (int i = 0; i < CPU_BLOCK; i++) {
                state = state * 1664525 + 1013904223;
                const uint64_t near = (uint64_t)(state % 65537) * d + d / 2 + (uint64_t)(i % 4) - 2;
                sum[i] = i % 8 == 7    ? most - (uint32_t)(i / 8)
                         : near > most ? most
                                       : (uint32_t)near;
            }
            set[k].ops->divide_32(&divide, (const int32_t *)sum, false, out, CPU_BLOCK);
            for (int i = 0; i < CPU_BLOCK; i++) {
                const uint64_t quotient = ((uint64_t)sum[i] + d / 2) / d;
                if (out[i] != (quotient > 65535 ? 65535 : quotient))
                    CHECKF(false, "%s: %u by %u is %u", set[k].ops->name, sum[i], d, out[i]);
            }
        }
}

/* Boxes of 16 bits whose sums need all of 32 bits, or more: the bytes of the reference. */
static void large_boxes(void)
{
    static const int radii[] = {91, 127};
    struct image in = {0}, out = {0}, expected = {0};
    struct error err;

    CHECK(image_alloc(&in, 140, 9, 1, SAMPLE_U16, "in", &err) &&
          image_alloc(&out, 140, 9, 1, SAMPLE_U16, "out", &err) &&
          image_alloc(&expected, 140, 9, 1, SAMPLE_U16, "expected", &err));
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 140; x++)
            ((uint16_t *)image_row(&in, y))[x] =
                (uint16_t)(65535 - x * x % 7 - 60000 * (x % 9 == y));
    for (int i = 0; i < 2; i++) {
        struct plan plan = plan_of("box", NULL, radii[i], 1, SAMPLE_U16);
        struct kernel_job job = kernel_job_whole(&plan, &in, &expected);
        CHECK(kernel_run(kernel_find("reference"), &job, &err));
        job = kernel_job_whole(&plan, &in, &out);
        CHECK(kernel_open(kernel_choose(DEVICE_CPU, &plan), &plan, 140, 9, "separable", &job.state,
                          &err) &&
              kernel_run(kernel_choose(DEVICE_CPU, &plan), &job, &err));
        kernel_close(kernel_choose(DEVICE_CPU, &plan), job.state);
        for (int y = 0; y < 9; y++)
            CHECK(memcmp(image_row(&out, y), image_row(&expected, y), 280) == 0);
        plan_free(&plan);
    }
    image_free(&in);
    image_free(&out);
    image_free(&expected);
}

int main(void)
{
    TEST(fastest);
    TEST(doubt);
    TEST(small_pictures);
    TEST(bounds);
    TEST(bands_share_a_state);
    TEST(large_outputs);
    TEST(blocks_of_ranks);
    TEST(named);
    TEST(opaque_bands);
    TEST(band_rows);
    TEST(gradients);
    TEST(sums_without_a_sign);
    TEST(large_boxes);
    return test_finish();
}
