/* The cost model behind --device auto: results that must hold for the rates of any machine. */
#include <math.h>
#include <stdlib.h>

#include "kernel/backend.h"
#include "kernel/rates.h"
#include "plan/filter.h"
#include "run/picture.h"
#include "tests/test.h"

struct shape {
    int width, height, channels;
    enum sample_type type;
    enum format format;
};

static const struct shape photo = {3840, 2160, 3, SAMPLE_U8, FORMAT_PNG};
static const struct shape scan = {32768, 32768, 3, SAMPLE_U8, FORMAT_PPM};

static struct picture_cost cost_with(const struct shape *s, const char *filter, const char *mask,
                                     int radius, int repeat, int threads)
{
    struct filter_request request = {
        .filter = filter_find(filter), .mask = mask, .radius = radius, .repeat = repeat};
    struct image_info info = {s->width, s->height, s->channels, s->type, 255, s->format};
    struct picture_cost cost = {0};
    struct plan plan;
    struct error err;

    info.max = s->type == SAMPLE_U8 ? 255 : 65535;
    CHECKF(filter_plan(&request, s->channels, s->type, info.max, &plan, &err), "%s", err.text);
    cost = picture_cost_of(&plan, &info, threads);
    plan_free(&plan);
    return cost;
}

static void more_is_dearer(void)
{
    struct picture_cost one = cost_with(&photo, "unsharp", NULL, 2, 1, 1);
    struct picture_cost wide = cost_with(&photo, "unsharp", NULL, 9, 1, 1);
    struct picture_cost again = cost_with(&photo, "unsharp", NULL, 2, 10, 1);
    struct picture_cost large = cost_with(&scan, "unsharp", NULL, 2, 1, 1);
    struct picture_cost threads = cost_with(&photo, "unsharp", NULL, 9, 1, 4);

    CHECK(one.work_ms < wide.work_ms && one.kernel_ms < wide.kernel_ms);
    CHECK(one.work_ms < again.work_ms && one.kernel_ms < again.kernel_ms);
    CHECK(one.bus_ms < large.bus_ms && one.decode_ms < large.decode_ms);
    CHECK(one.cpu_ms < large.cpu_ms && one.cuda_ms < large.cuda_ms);
    CHECK(threads.cpu_ms < wide.cpu_ms && threads.work_ms == wide.work_ms);
}

/* CUDA's kernels count the bytes of a row in 32 bits. */
static void long_rows_are_for_the_cpu(void)
{
    static const struct shape fits = {CUDA_MOST_ROW_BYTES / 4, 1, 4, SAMPLE_U8, FORMAT_PAM};
    static const struct shape wide = {CUDA_MOST_ROW_BYTES / 4 + 1, 1, 4, SAMPLE_U8, FORMAT_PAM};
    static const struct shape deep = {CUDA_MOST_ROW_BYTES / 8 + 1, 1, 4, SAMPLE_U16, FORMAT_PAM};

    CHECK(isfinite(cost_with(&fits, "median", NULL, 1, 1, 1).cuda_ms));
    CHECK(!isfinite(cost_with(&wide, "median", NULL, 1, 1, 1).cuda_ms));
    CHECK(!isfinite(cost_with(&deep, "erode", NULL, 1, 1, 1).cuda_ms));
    CHECK(isfinite(cost_with(&deep, "erode", NULL, 1, 1, 1).cpu_ms));
}

static void parts_make_the_whole(void)
{
    struct picture_cost c = cost_with(&photo, "blur", NULL, -1, 1, 1);
    CHECK(c.start_ms == CUDA_START_MS);
    CHECK(c.cpu_ms == c.decode_ms + c.work_ms);
    CHECK(c.cuda_ms >= c.start_ms && c.cuda_ms >= c.decode_ms);
    CHECK(c.load_ms == CUDA_LOAD_MS && c.end_ms == CUDA_END_MS);
    CHECK(c.cuda_ms >= c.start_ms + c.load_ms + c.end_ms);
    CHECK(c.cuda_ms <= c.start_ms + c.decode_ms + c.load_ms + c.bus_ms + c.kernel_ms + c.end_ms);
    c = cost_with(&photo, "blur", NULL, -1, 1, 1000);
    CHECK(c.cpu_ms == c.decode_ms); /* for any number of threads */
}

/* 16-bit samples use the matrix units too, but only with 8-bit weights or with two factors. */
static void deep_under_small_weights(void)
{
    static const struct shape deep = {2048, 2048, 3, SAMPLE_U16, FORMAT_PPM};
    static const struct shape flat = {2048, 2048, 3, SAMPLE_U8, FORMAT_PPM};
    struct picture_cost small = cost_with(&deep, "convolve", "1 1 1; 1 127 1; 1 1 1", -1, 1, 1);
    struct picture_cost large = cost_with(&deep, "convolve", "1 1 1; 1 128 1; 1 1 1", -1, 1, 1);
    struct picture_cost factors = cost_with(&deep, "blur", NULL, -1, 1, 1);
    struct picture_cost odd =
        cost_with(&deep, "convolve", "divisor 40000007; 600 600; -3000 -3000", -1, 1, 1);
    struct picture_cost bytes = cost_with(&flat, "convolve", "1 1 1; 1 128 1; 1 1 1", -1, 1, 1);
    CHECK(small.kernel_ms < large.kernel_ms && bytes.kernel_ms < small.kernel_ms);
    CHECK(factors.kernel_ms < large.kernel_ms && odd.kernel_ms > factors.kernel_ms);
}

/* Colour weighted by alpha takes a single pass if the mask divides by its sum. */
static void weighted_by_the_sum(void)
{
    static const struct shape cutout = {2048, 2048, 4, SAMPLE_U8, FORMAT_PNG};
    static const struct shape deep = {2048, 2048, 4, SAMPLE_U16, FORMAT_PNG};
    struct picture_cost sum = cost_with(&cutout, "convolve", "normalize; 1 2 3; 4 5 6", -1, 1, 1);
    struct picture_cost gain = cost_with(&cutout, "convolve", "divisor 20; 1 2 3; 4 5 6", -1, 1, 1);
    struct picture_cost words =
        cost_with(&cutout, "convolve", "normalize; 1 2 3; 4 5 600", -1, 1, 1);
    struct picture_cost bits = cost_with(&deep, "convolve", "normalize; 1 2 3; 4 5 6", -1, 1, 1);
    CHECK(sum.kernel_ms < words.kernel_ms && words.kernel_ms < gain.kernel_ms);
    CHECK(gain.kernel_ms == bits.kernel_ms);
}

/* N x N weights of -9..9 without a pattern. */
static const char *random_mask(int n)
{
    static char text[32 * 32 * 4];
    uint32_t state = 1;
    char *at = text;
    for (int i = 0; i < n * n; i++) {
        state = state * 1664525 + 1013904223;
        at += sprintf(at, "%d%c", (int)(state >> 16) % 19 - 9, (i + 1) % n ? ' ' : ';');
    }
    at[-1] = '\0';
    return text;
}

/* Choices that users rely on. */
static void small_on_the_cpu_large_on_the_gpu(void)
{
    static const struct shape thumbnail = {512, 512, 4, SAMPLE_U8, FORMAT_PNG};
    static const struct shape deep = {8192, 8192, 3, SAMPLE_U16, FORMAT_PPM};
    struct picture_cost c = cost_with(&thumbnail, "blur", NULL, -1, 1, 2);
    CHECK(c.cpu_ms < c.cuda_ms);
    c = cost_with(&photo, "blur", NULL, -1, 1, 8);
    CHECK(c.cpu_ms < c.cuda_ms);
    c = cost_with(&scan, "convolve", random_mask(31), -1, 1, 2);
    CHECK(c.cpu_ms > c.cuda_ms);
    c = cost_with(&deep, "convolve", random_mask(31), -1, 1, 2);
    CHECK(c.cpu_ms > c.cuda_ms);
    c = cost_with(&photo, "sharpen", NULL, -1, 1000, 16);
    CHECK(c.cpu_ms > c.cuda_ms);
    /* 64-bit sums, which are rarely needed. */
    c = cost_with(&scan, "convolve", "0.1 0.2 0.1; 0.3 0.4 0.3000000000000001", -1, 1, 2);
    CHECK(c.kernel_ms < 100);
    /* Rank 2: rows and columns on the CPU are faster than every cell with CUDA. */
    c = cost_with(&scan, "unsharp", NULL, 15, 1, 16);
    CHECK(c.cpu_ms < c.cuda_ms);
}

int main(void)
{
    TEST(more_is_dearer);
    TEST(long_rows_are_for_the_cpu);
    TEST(parts_make_the_whole);
    TEST(deep_under_small_weights);
    TEST(weighted_by_the_sum);
    TEST(small_on_the_cpu_large_on_the_gpu);
    return test_finish();
}
