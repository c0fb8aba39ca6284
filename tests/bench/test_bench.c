/* The arithmetic of the bench: statistics worked out by hand, the end of a measurement, rates,
 * advice, the prediction compared with the chapter's formula, and the detection of a wrong sample.
 * No test asserts how fast anything is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "plan/filter.h"
#include "tests/bench/bench_reports.h"
#include "tests/test.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* ---- statistics ---- */

static void test_statistics(void)
{
    struct bench_stats stats;
    double odd[] = {3, 1, 2, 10, 4};
    bench_stats_make(&stats, odd, 5);
    CHECK(stats.runs == 5 && near(stats.median_ms, 3) && near(stats.least_ms, 1));
    CHECK(near(stats.mad_ms, 1));                              /* 0 1 1 2 7 */
    CHECK(near(stats.p10_ms, 1.4) && near(stats.p90_ms, 7.6)); /* 0.4 and 3.6 steps */
    CHECK(near(bench_spread(&stats), 1.0 / 3) && stats.outliers == 0);

    double even[] = {4, 1, 3, 2};
    bench_stats_make(&stats, even, 4);
    CHECK(near(stats.median_ms, 2.5) && near(stats.mad_ms, 1)); /* 0.5 0.5 1.5 1.5 */

    double one[] = {7};
    bench_stats_make(&stats, one, 1);
    CHECK(near(stats.median_ms, 7) && stats.mad_ms == 0 && near(stats.p90_ms, 7));

    double same[] = {2, 2, 2, 2, 9};
    bench_stats_make(&stats, same, 5);
    CHECK(stats.mad_ms == 0 && stats.outliers == 0 && bench_spread(&stats) == 0);

    double far[] = {10, 10.1, 9.9, 10.2, 9.8, 10, 10.1, 9.9, 10, 12};
    bench_stats_make(&stats, far, 10);
    CHECK(near(stats.median_ms, 10) && stats.outliers == 1);
}

/* The MAD compared with a plain computation, for many lengths. */
static void test_mad(void)
{
    unsigned seed = 1;
    for (int n = 1; n < 60; n++) {
        double ms[60], distance[60];
        struct bench_stats stats, other;
        for (int i = 0; i < n; i++) {
            seed = seed * 1103515245u + 12345u;
            ms[i] = distance[i] = (double)(seed >> 16 & 63);
        }
        bench_stats_make(&stats, ms, n);
        for (int i = 0; i < n; i++)
            distance[i] = fabs(distance[i] - stats.median_ms);
        bench_stats_make(&other, distance, n);
        CHECKF(near(stats.mad_ms, other.median_ms), "%d values: %g, expected %g", n, stats.mad_ms,
               other.median_ms);
    }
}

/* ---- the end of a measurement ---- */

static void test_limits(void)
{
    struct bench_limits limits = bench_limits_make(0);
    CHECK(!bench_enough(&limits, 9, 5000) && !bench_enough(&limits, 100, 999));
    CHECK(bench_enough(&limits, 10, 1000) && bench_enough(&limits, 1, 20000));
    CHECK(!bench_warm(&limits, 1, 500) && !bench_warm(&limits, 50, 99));
    CHECK(bench_warm(&limits, 2, 100) && bench_warm(&limits, 1, 1000));
    limits = bench_limits_make(3);
    CHECK(!bench_enough(&limits, 2, 1) && bench_enough(&limits, 3, 0));
}

static void test_samples(void)
{
    struct bench_samples samples = {.limits = {.warmup_runs = 2, .runs = 100, .cap_ms = 1e9}};
    int calls = 0;
    double ms = 0;
    do
        ms += 1;
    while (++calls < 1000 && bench_samples_more(ms, &samples));
    CHECKF(calls == 102 && samples.runs == 100, "%d calls, %d runs", calls, samples.runs);
    CHECK(samples.ms[0] == 3 && samples.ms[99] == 102); /* without the two warm-up runs */
    free(samples.ms);

    /* No warm-up. */
    samples = (struct bench_samples){.limits = {.runs = 1, .cap_ms = 1e9}};
    CHECK(!bench_samples_more(5, &samples) && samples.runs == 1);
    free(samples.ms);
}

/* ---- rates ---- */

static void test_rates(void)
{
    static struct made_up made;
    struct bench_rates rates;
    made_up_both(&made);
    const struct bench_result *tiled = &made.result[7];
    CHECK(strcmp(tiled->kernel->name, "tiled") == 0);
    rates = bench_rates_make(&made.report, tiled);
    CHECK(near(rates.gpixels, 8192.0 * 8192 / 1.613e6));
    CHECK(near(rates.gbytes, 8.0 * 3 * 8192 * 8192 / 1.613e6));
    CHECK(near(rates.share, 0.3841 / 1.613));
    CHECK(near(rates.gflops, 2.0 * 25 * 3 * 8192 * 8192 / 1.613e6));
    CHECK(near(rates.flops_per_byte, 6.25));
    CHECK(near(rates.speedup, 3.187 / 1.613)); /* over basic */
    CHECK(near(bench_copy_gbytes(&made.report.device[1]), 8.0 * 3 * 8192 * 8192 / 0.3841e6));

    made.result[7].state = BENCH_FAILED;
    rates = bench_rates_make(&made.report, tiled);
    CHECK(rates.gflops == 0 && rates.speedup == 0);

    made_up_cpu(&made);
    rates = bench_rates_make(&made.report, &made.result[2]);
    CHECK(near(rates.speedup, 52000 / 19.83)); /* over the reference */
}

/* In a sweep the baseline is basic with the same tile, or the same mask. */
static void test_baseline(void)
{
    static struct made_up made;
    const struct bench_result *base;
    made_up_sweep(&made, SWEEP_TILE);
    for (int i = 0; i < made.report.results; i++) {
        base = bench_baseline(&made.report, &made.result[i]);
        CHECK(base && bench_is_basic(base->kernel) && base->tile == made.result[i].tile);
    }
    made_up_sweep(&made, SWEEP_MASK);
    for (int i = 0; i < made.report.results; i++) {
        base = bench_baseline(&made.report, &made.result[i]);
        CHECK(base && bench_is_basic(base->kernel) &&
              base->mask_width == made.result[i].mask_width);
    }
}

static void test_sweep_places(void)
{
    static struct made_up made;
    made_up_sweep(&made, SWEEP_MASK);
    const struct bench_result *result = made.report.result;
    CHECK(bench_sweep_kernels(&made.report) == 6 && made.report.results == 8 * 6);
    CHECK(strcmp(result[0].kernel->name, "basic") == 0 &&
          strcmp(result[5].kernel->name, "int8") == 0);
    CHECK(bench_sweep_place(&made.report, &result[0]) == 3 &&
          bench_sweep_place(&made.report, &result[4 * 6]) == 11 &&
          bench_sweep_place(&made.report, &result[7 * 6 + 5]) == 31);
    made_up_sweep(&made, SWEEP_TILE);
    CHECK(bench_sweep_kernels(&made.report) == 5 && made.report.results == 4 * 5);
    CHECK(bench_sweep_place(&made.report, &result[3 * 5]) == 64);
}

/* ---- the printed tables ---- */

/* No line may wrap on a terminal of 80 columns. */
static void check_table(const struct made_up *made, const char *header)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    bench_print(out, &made->report);
    fclose(out);
    CHECKF(strstr(text, header), "%s", text);
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        CHECKF(strcspn(at, "\n") < 80, "%.*s", (int)strcspn(at, "\n"), at);
    free(text);
}

static void test_tables(void)
{
    static struct made_up made;
    static const char header[] =
        "\nkernel    device method           ms    +-  copy GFLOP/s faster  loads    whole\n";
    made_up_both(&made);
    check_table(&made, header);
    made.report.input = "a_folder_with_a_long_name/a_picture_with_a_long_name_0001.png";
    made.report.mask = made.report.input;
    check_table(&made, header);
    made_up_cpu(&made);
    check_table(&made, "as fast as the kernel reference\n");
    made_up_sweep(&made, SWEEP_TILE);
    check_table(&made, "times as fast as basic\n");
    made_up_sweep(&made, SWEEP_MASK);
    check_table(&made, "times as fast as basic\n");
}

/* ---- prediction ---- */

static void test_prediction(void)
{
    static const struct {
        int k, tile;
        double loads;
    } figures[] = {{5, 8, 1600.0 / 144},
                   {5, 16, 6400.0 / 400},
                   {5, 32, 25600.0 / 1296},
                   {9, 64, 331776.0 / 5184}};
    struct plan_mask m = {.width = 5, .height = 5, .anchor_x = 2, .anchor_y = 2};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        m.width = m.height = figures[i].k;
        m.anchor_x = m.anchor_y = figures[i].k / 2;
        CHECKF(near(bench_predict(TILE_HALO, &m, figures[i].tile, NULL), figures[i].loads),
               "k = %d, tile = %d: %g", figures[i].k, figures[i].tile,
               bench_predict(TILE_HALO, &m, figures[i].tile, NULL));
    }
    m.width = m.height = 5;
    m.anchor_x = m.anchor_y = 2;
    CHECK(bench_predict(TILE_NONE, &m, 32, NULL) == 0);
    CHECK(bench_predict(TILE_BLOCK, &m, 32, NULL) == 1);
    /* Along a side of 32 cells 5*32 - 3 - 3 = 154 of 160 uses stay inside: 23716 of 25600 loads are
     * replaced by 1024. */
    CHECK(near(bench_predict(TILE_INTERNAL, &m, 32, NULL), 25600.0 / (1024 + 25600 - 23716)));
    /* With the mask rows in two groups, a staged load saves less. */
    struct kernel_shape cut = {.mask_rows = 3, .loads_per_output = 2.5};
    CHECK(near(bench_predict(TILE_HALO, &m, 32, &cut), 10));
    cut.mask_rows = 5;
    CHECK(near(bench_predict(TILE_HALO, &m, 32, &cut), 25600.0 / 1296));
}

/* ---- advice ---- */

/* Counts the sentences that contain WORDS; "" counts all. */
static int advice_count(const struct made_up *made, const char *words)
{
    char text[512];
    int count = 0;
    for (int i = 0; bench_advice(&made->report, i, text, sizeof text); i++)
        count += strstr(text, words) != NULL;
    return count;
}

static void test_advice(void)
{
    static struct made_up made;
    made_up_both(&made);
    made.result[0].rows = made.report.height;
    CHECKF(advice_count(&made, "") == 0, "%d sentences about a good run", advice_count(&made, ""));
    made.result[3].stats.mad_ms = made.result[3].stats.median_ms * 0.06;
    made.result[4].stats.mad_ms = made.result[4].stats.median_ms * 0.06;
    CHECK(advice_count(&made, "basic, readonly: the times scatter") == 1);
    made.result[5].stats.median_ms = 0.004;
    CHECK(advice_count(&made, "constant: runs of less than 5 us") == 1);
    made.result[2].capped = true;
    CHECK(advice_count(&made, "avx2: stopped after 20 s") == 1);
    made.result[0].rows = 16;
    CHECK(advice_count(&made, "reference: timed in one thread on some rows") == 1);
    made.result[1].stats.outliers = 100;
    CHECK(advice_count(&made, "scalar: more than one run in ten") == 1);
    CHECK(advice_count(&made, "") == 5);
    snprintf(made.report.no_cuda, sizeof made.report.no_cuda, "no driver");
    CHECK(advice_count(&made, "no CUDA device (no driver)") == 1);

    made_up_cpu(&made);
    made.report.device[0].probe.cache_bytes = 1 << 30;
    CHECK(advice_count(&made, "fit in the last cache") == 1);
    made.report.cold = true;
    CHECK(advice_count(&made, "fit in the last cache") == 0);
    made_up_sweep(&made, SWEEP_TILE);
    made.report.device[0].probe.cache_bytes = (size_t)4 << 30;
    CHECK(advice_count(&made, "basic, readonly, constant, cached, tiled: inputs are taken") == 1);
}

/* ---- copies ---- */

/* Stands for a kernel whose copy engine takes 2 ms and whose copy kernel takes 1 ms. */
static bool fake_time(const struct kernel *kernel, const struct kernel_job *job,
                      struct kernel_trial *trial, struct error *err)
{
    double ms = trial->what == TRIAL_COPY_KERNEL ? 1 : trial->what == TRIAL_COPY_ENGINE ? 2 : 5;
    (void)kernel, (void)job, (void)err;
    trial->bytes = 1000;
    trial->inputs = 7;
    trial->tile = 16;
    while (trial->more(ms, trial->context))
        ;
    return true;
}

static bool fake_run(const struct kernel *kernel, const struct kernel_job *job, struct error *err)
{
    (void)kernel, (void)job, (void)err;
    return true;
}

static void test_own_times(void)
{
    struct kernel kernel = {
        .name = "fake", .dims = 2, .device = DEVICE_CUDA, .run = fake_run, .time = fake_time};
    struct bench_result result = {.kernel = &kernel, .rows = 10}, other = result;
    struct bench_request request = {.runs = 5, .threads = 1};
    struct bench_device device = {.device = DEVICE_CUDA};
    struct image in = {.width = 10, .height = 10, .channels = 1, .type = SAMPLE_U8};
    struct plan plan = {0};
    struct kernel_job job = kernel_job_whole(&plan, &in, NULL);
    struct error err;
    CHECK(bench_time_kernel(&result, &request, &job, &err));
    CHECK(result.stats.runs == 5 && near(result.stats.median_ms, 5) && !result.capped);
    CHECK(result.bytes == 1000 && result.inputs == 7 && result.tile == 16);
    CHECK(bench_time_copy(&result, &device, &request, &job, NULL, &err));
    CHECK(near(result.copy_ms, 1) && device.copies == 1);
    CHECK(strcmp(device.copy[0].how, "copy kernel") == 0);
    /* The next kernel with the same number of bytes does not measure again. */
    other.bytes = 1000;
    CHECK(bench_time_copy(&other, &device, &request, &job, NULL, &err));
    CHECK(near(other.copy_ms, 1) && device.copies == 1);
}

/* ---- comparison with the reference ---- */

static bool gauss5_plan(struct plan *plan, struct error *err)
{
    struct filter_request request = {.filter = filter_find("convolve"),
                                     .mask = "gauss5",
                                     .radius = -1,
                                     .alpha = ALPHA_PLAIN,
                                     .repeat = 1};
    return filter_plan(&request, 3, SAMPLE_U8, 255, plan, err);
}

/* COUNT bands are compared: 1 for a whole picture, 3 for a large one. */
static void check_bands(int width, int height, int count)
{
    struct image in = {.width = width, .height = height, .channels = 3, .type = SAMPLE_U8};
    struct image out = {0};
    struct bench_bands bands = {0};
    struct plan plan;
    struct error err;
    CHECKF(gauss5_plan(&plan, &err), "%s", err.text);
    CHECK(bench_picture_make(&in, 2, &err));
    CHECK(image_alloc(&out, width, height, 3, SAMPLE_U8, "out", &err));
    struct kernel_job job = kernel_job_whole(&plan, &in, &out);
    job.threads = 2;
    CHECK(kernel_run(kernel_find("scalar"), &job, &err));
    CHECK(bench_bands_make(&bands, &plan, &in, 1, &err));
    CHECKF(bands.count == count && bands.want.height == count * bands.each, "%d bands, %d rows",
           bands.count, bands.want.height);
    CHECK(bands.first[0] == 0 && bands.first[count - 1] + bands.each == height);
    CHECK(bench_bands_check(&bands, &out, 0, "scalar", &err));
    /* The last sample of each band. */
    for (int i = 0; i < count; i++) {
        int y = bands.first[i] + bands.each - 1;
        unsigned char *sample = (unsigned char *)image_row(&out, y) + 3 * width - 1;
        char place[64];
        *sample ^= 1;
        CHECK(!bench_bands_check(&bands, &out, 0, "scalar", &err) && err.code == EXIT_DIFFERENT);
        snprintf(place, sizeof place, "at x %d, y %d, channel 2", width - 1, y);
        CHECKF(strstr(err.text, place) != NULL, "%s", err.text);
        *sample ^= 1;
    }
    image_free(&bands.want);
    image_free(&in);
    image_free(&out);
    plan_free(&plan);
}

static void test_bands(void)
{
    check_bands(97, 50, 1);
    check_bands(1500, 700, 3);
}

/* The whole bench with the CPU's kernels. */
static bool plan_for(struct plan *plan, int width, void *context, struct error *err)
{
    (void)width, (void)context;
    return gauss5_plan(plan, err);
}

static void test_whole_run(void)
{
    struct bench_request request = {
        .device_auto = false, .device = DEVICE_CPU, .threads = 2, .runs = 2, .plan = plan_for};
    struct bench_report report = {.width = 120,
                                  .height = 90,
                                  .channels = 3,
                                  .max = 255,
                                  .threads = 2,
                                  .mask = "gauss5",
                                  .border = "replicate"};
    struct error err = {0};
    request.in = (struct image){.width = 120, .height = 90, .channels = 3, .type = SAMPLE_U8};
    CHECK(bench_picture_make(&request.in, 2, &err));
    CHECKF(bench_run(&report, &request, &err), "%s", err.text);
    CHECK(report.devices == 1 && report.results >= 2 && report.verified_rows == 90);
    CHECK(report.mask_width == 5 && report.device[0].copies == 1);
    CHECK(report.device[0].probe.ceilings == 1 && report.device[0].probe.ceiling[0].gflops > 0);
    for (int i = 0; i < report.results; i++) {
        const struct bench_result *result = &report.result[i];
        CHECKF(result->state == BENCH_TIMED || result->state == BENCH_UNSUPPORTED, "%s: %s",
               result->kernel->name, result->why);
        if (result->state == BENCH_TIMED)
            CHECK(result->stats.runs == 2 && result->bytes == 2 * 120 * 90 * 3);
    }
    free(report.result);
    image_free(&request.in);
}

int main(void)
{
    TEST(test_statistics);
    TEST(test_mad);
    TEST(test_limits);
    TEST(test_samples);
    TEST(test_rates);
    TEST(test_baseline);
    TEST(test_sweep_places);
    TEST(test_tables);
    TEST(test_prediction);
    TEST(test_advice);
    TEST(test_own_times);
    TEST(test_bands);
    TEST(test_whole_run);
    return test_finish();
}
