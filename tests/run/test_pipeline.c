/* The band pipeline compared with the picture in one piece: the file must be equal, byte for byte,
 * for every border, alpha mode, band height and number of threads. */
#include <string.h>

#include "base/memory.h"
#include "run/pipeline.h"
#include "tests/run/pipeline_inputs.h"

static const char *const masks[] = {
    "1 2 1; 2 4 2; 1 2 1",
    "1; 2; 3; 5; 8; 5; 3; 2; 1",                   /* taller than the smallest bands */
    "3 1; 4 1; 5 9; 2 6; 5 3; 5 8; 9 7; 9 3",      /* even sizes */
    "1 -2 3",                                      /* one row: no halo, so wrap can use bands */
    "-1 -2 -1; 0 0 0; 1 2 1",                      /* negative: alpha is not weighted */
    "1; 1; 1; 1; 1; 1; 1; 1; 1; 1; 1; 1; 1; 1; 1", /* taller than some pictures */
};
#define MASKS ((int)(sizeof masks / sizeof *masks))

static const struct shape shapes[] = {
    {37, 61, 3, 255, FORMAT_PPM},  {64, 40, 1, 255, FORMAT_PGM},   {1, 33, 3, 255, FORMAT_PPM},
    {29, 47, 3, 4095, FORMAT_PPM}, {21, 35, 2, 255, FORMAT_PAM},   {19, 50, 4, 255, FORMAT_PAM},
    {23, 31, 4, 999, FORMAT_PAM},  {1365, 9, 3, 255, FORMAT_PPM},  {4096, 11, 1, 255, FORMAT_PGM},
    {17, 2, 1, 100, FORMAT_PGM},   {33, 18, 3, 65535, FORMAT_PPM},
};
#define SHAPES ((int)(sizeof shapes / sizeof *shapes))

static bool same_files(const char *a, const char *b)
{
    uint8_t *bytes;
    size_t count = read_file(a, &bytes);
    bool same = file_holds(b, bytes, count);
    free(bytes);
    return same;
}

/* Compares one piece with bands of several heights on one to three threads. */
static void compare(const struct picture_request *request, const char *output, const char *what)
{
    static const int heights[] = {1, 2, 3, 7, 16};
    struct picture_request whole = *request, bands = *request;
    struct picture_report report;
    struct error err;

    whole.band_rows = -1;
    whole.threads = 2;
    unlink("whole");
    if (!picture_filter(&whole, "in", output, &report, &err)) {
        CHECKF(false, "%s: %s", what, err.text);
        return;
    }
    CHECK(rename(output, "whole") == 0);
    for (int h = 0; h < 5; h++)
        for (int threads = 1; threads <= 3; threads++) {
            bands.band_rows = heights[h];
            bands.threads = threads;
            CHECKF(picture_filter(&bands, "in", output, &report, &err), "%s: %s", what, err.text);
            CHECKF(same_files("whole", output), "%s: bands of %d rows, %d threads", what,
                   heights[h], threads);
        }
}

static const char *output_of(const struct shape *s)
{
    return s->format == FORMAT_PAM ? "out.pam" : s->format == FORMAT_PPM ? "out.ppm" : "out.pgm";
}

static void borders_and_masks(void)
{
    for (int s = 0; s < SHAPES; s++) {
        write_input("in", &shapes[s], false);
        for (int m = 0; m < MASKS; m++)
            for (int b = 0; b < BORDER_COUNT; b++) {
                struct picture_request request = request_of("convolve", masks[m]);
                char what[128];
                request.filter.border = (struct border_choice){.border = (enum border)b};
                if (b == BORDER_CONSTANT)
                    request.filter.border.value = "77";
                request.filter.overrides.divisor = "9";
                snprintf(what, sizeof what, "shape %d, mask %d, %s", s, m,
                         border_name((enum border)b));
                compare(&request, output_of(&shapes[s]), what);
            }
    }
}

static void anchors_at_the_edges(void)
{
    static const int anchor_y[] = {0, 3, 8};
    write_input("in", &shapes[0], false);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < BORDER_COUNT; b++) {
            struct picture_request request = request_of("convolve", masks[1]);
            request.filter.border = (struct border_choice){.border = (enum border)b, .value = "5"};
            request.filter.overrides = (struct plan_overrides){
                .divisor = "30", .has_anchor = true, .anchor_x = 0, .anchor_y = anchor_y[a]};
            compare(&request, "out.ppm", border_name((enum border)b));
        }
}

static void alpha_and_channels(void)
{
    static const char *const channels[] = {NULL, "0", "01"};
    for (int s = 4; s <= 6; s++)
        for (int clear = 0; clear < 2; clear++)
            for (int a = ALPHA_WEIGHTED; a <= ALPHA_PLAIN; a++)
                for (int c = 0; c < 3; c++) {
                    struct picture_request request = request_of("blur", NULL);
                    write_input("in", &shapes[s], clear);
                    request.filter.alpha = (enum alpha_mode)a;
                    request.filter.channels = channels[c];
                    compare(&request, "out.pam", "alpha");
                }
}

static void gradients_repeats_and_kernels(void)
{
    static const char *const kernels[] = {"reference", "scalar"};
    struct picture_request request = request_of("sobel", NULL);
    write_input("in", &shapes[0], false);
    compare(&request, "out.ppm", "sobel");
    for (int k = 0; k < 2; k++) {
        request = request_of("blur", NULL);
        request.kernel = kernel_find(kernels[k]);
        compare(&request, "out.ppm", kernels[k]);
    }
    for (int repeat = 2; repeat <= 9; repeat++) {
        request = request_of("blur", NULL);
        request.filter.repeat = repeat;
        compare(&request, "out.ppm", "repeat");
        request = request_of("convolve", masks[0]);
        request.filter.border =
            (struct border_choice){.border = (enum border)(repeat % BORDER_COUNT), .value = "77"};
        request.filter.repeat = repeat;
        compare(&request, "out.ppm", "repeat, convolve");
    }
    request = request_of("blur", NULL);
    request.verify = true;
    compare(&request, "out.ppm", "verify");
}

/* A codec at one end that handles only whole pictures, and samples scaled on output. */
static void ends_that_do_not_stream(void)
{
    struct picture_request request = request_of("blur", NULL);
    struct picture_report report;
    struct error err;

    request.sink.drop_alpha = true;
    write_input("in", &shapes[0], false);
    compare(&request, "out.png", "PPM to PNG");
    compare(&request, "out.bmp", "PPM to BMP");
    CHECK(picture_filter(&request, "in", "in.png", &report, &err));
    CHECK(rename("in.png", "in") == 0);
    compare(&request, "out.ppm", "PNG to PPM");
    write_input("in", &shapes[5], false);
    compare(&request, "out.ppm", "alpha dropped");
    write_input("in", &shapes[1], false);
    compare(&request, "out.ppm", "gray to RGB");
}

/* Heights that the pipeline chooses itself, with a picture large enough for many bands. */
static void chosen_bands(void)
{
    struct shape s = {701, 1203, 3, 255, FORMAT_PPM};
    struct picture_request request = request_of("blur", NULL);
    struct picture_report report;
    struct error err;

    write_input("in", &s, false);
    request.band_rows = -1;
    CHECK(picture_filter(&request, "in", "whole.ppm", &report, &err));
    request.band_rows = 0;
    for (request.threads = 1; request.threads <= 16; request.threads *= 2) {
        CHECK(picture_filter(&request, "in", "out.ppm", &report, &err));
        CHECK(same_files("whole.ppm", "out.ppm"));
        CHECK(report.decode_ms > 0 && report.filter_ms > 0 && report.encode_ms > 0);
    }
    request.sink.format = FORMAT_PPM;
    CHECK(picture_filter(&request, "in", "in", &report, &err)); /* in place */
    CHECK(same_files("whole.ppm", "in"));
}

/* ---- pictures that can use bands ---- */

static bool goes_in_bands(const struct shape *s, const char *mask, enum border border, int repeat)
{
    struct picture_request request = request_of("convolve", mask);
    struct plan plan;
    const struct kernel *kernel = kernel_find("scalar");
    struct pipeline_job job = {.plan = &plan,
                               .kernels = &kernel,
                               .input = "in",
                               .output = "out.ppm",
                               .sink = &request.sink,
                               .threads = 2,
                               .band_rows = 4};
    struct pipeline_times times;
    struct pipeline *pipeline;
    struct error err;
    bool in_bands = false;

    write_input("in", s, false);
    request.filter.border = (struct border_choice){.border = border, .value = "1"};
    request.filter.repeat = repeat;
    CHECK(source_open(&job.source, "in", &err));
    CHECK(filter_plan(&request.filter, s->channels, SAMPLE_U8, s->max, &plan, &err));
    pipeline = pipeline_open(&job);
    if (pipeline) {
        in_bands = true;
        CHECKF(pipeline_run(pipeline, &times, &err), "%s", err.text);
    }
    plan_free(&plan);
    source_close(job.source);
    return in_bands;
}

static void far_rows_stay_whole(void)
{
    const struct shape *tall = &shapes[0], *low = &(struct shape){30, 7, 3, 255, FORMAT_PPM};
    for (int b = 0; b < BORDER_COUNT; b++)
        CHECKF(goes_in_bands(tall, masks[0], (enum border)b, 1) == (b != BORDER_WRAP), "%s",
               border_name((enum border)b));
    CHECK(goes_in_bands(tall, masks[3], BORDER_WRAP, 1));
    CHECK(goes_in_bands(low, masks[5], BORDER_REPLICATE, 1));
    CHECK(goes_in_bands(low, masks[5], BORDER_ZERO, 1));
    CHECK(!goes_in_bands(low, masks[5], BORDER_REFLECT, 1));
    CHECK(!goes_in_bands(low, masks[5], BORDER_MIRROR, 1));
    CHECK(goes_in_bands(tall, masks[0], BORDER_REPLICATE, 2));
    CHECK(!goes_in_bands(tall, masks[0], BORDER_REPLICATE, 100)); /* more memory than the whole */
}

/* ---- the ring ---- */

static void ring_is_one_memory_twice(void)
{
    struct row_ring ring;
    int height;
    if (!row_ring_alloc(&ring, 100, 3, SAMPLE_U8, 5)) {
        CHECK(false);
        return;
    }
    height = ring.image.height;
    CHECK(height >= 5 && (size_t)height * ring.image.pitch == ring.bytes);
    for (int row = 0; row < 3 * height; row++) {
        struct image last = row_ring_rows(&ring, row, 1);
        memset(image_row(&last, 0), row % 251, image_row_bytes(&last));
        if (row >= height - 1) { /* the latest rows are contiguous, wherever they start */
            struct image rows = row_ring_rows(&ring, row - height + 1, height);
            for (int i = 0; i < height; i++)
                CHECK(*(uint8_t *)image_row(&rows, i) == (row - height + 1 + i) % 251);
        }
    }
    row_ring_free(&ring);
    row_ring_free(&ring);
    CHECK(!row_ring_alloc(&ring, 2147483647, 4, SAMPLE_U16, 2147483647));
}

/* Memory is touched at once, so spare rows cost time: a wide picture of a few rows must not have
 * them. */
static void ring_has_few_rows_to_spare(void)
{
    const int widths[] = {100, 513, 3840, 3841, 100000, 1000003};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int rows = 10; rows <= 70; rows += 30) {
            struct row_ring ring;
            size_t row = (size_t)widths[i] * 6;
            CHECK(row_ring_alloc(&ring, widths[i], 3, SAMPLE_U16, rows));
            CHECKF(ring.image.height >= rows && ring.image.pitch >= row &&
                       ring.bytes <= (row + 4096) * (size_t)rows + 256 * 1024,
                   "%d rows of %d pixels: %zu bytes", rows, widths[i], ring.bytes);
            row_ring_free(&ring);
        }
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder))
        return 1;
    TEST(ring_is_one_memory_twice);
    TEST(ring_has_few_rows_to_spare);
    TEST(borders_and_masks);
    TEST(anchors_at_the_edges);
    TEST(alpha_and_channels);
    TEST(gradients_repeats_and_kernels);
    TEST(ends_that_do_not_stream);
    TEST(chosen_bands);
    TEST(far_rows_stay_whole);
    CHECK(leave_test_folder(folder));
    return test_finish();
}
