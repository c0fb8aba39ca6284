/* Bands through a made-up CUDA device: the threads of run/pipeline.c and the streams of
 * cuda/bands.c, compared with the picture in one piece. Needs neither nvcc nor a GPU. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"
#include "kernel/backend.h"
#include "run/pipeline.h"
#include "tests/run/pipeline_inputs.h"

static const char *const masks[] = {
    "1 2 1; 2 4 2; 1 2 1",
    "1; 2; 3; 5; 8; 5; 3; 2; 1",                   /* taller than the smallest bands */
    "3 1; 4 1; 5 9; 2 6; 5 3; 5 8; 9 7; 9 3",      /* even sizes */
    "1 -2 3",                                      /* no halo: wrap can use bands */
    "1; 1; 1; 1; 1; 1; 1; 1; 1; 1; 1; 1; 1; 1; 1", /* taller than some pictures */
};
#define MASKS ((int)(sizeof masks / sizeof *masks))

static const struct shape shapes[] = {
    {37, 61, 3, 255, FORMAT_PPM}, {29, 47, 3, 4095, FORMAT_PPM}, {19, 50, 4, 255, FORMAT_PAM},
    {64, 9, 1, 255, FORMAT_PGM},  {17, 2, 1, 100, FORMAT_PGM},   {1, 33, 2, 255, FORMAT_PAM},
};
#define SHAPES ((int)(sizeof shapes / sizeof *shapes))

/* Stands for a kernel: the chosen one, mostly a kernel on whole pixels. */
static char chosen;

static int choices;

static const struct plan *chosen_plan;

static bool choose(void *context, const struct kernel *kernels[CHAIN_MOST], struct error *err)
{
    char why[256];

    choices++;
    if (!context)
        return error_set(err, EXIT_DEVICE, "nothing to choose from");
    for (const struct plan *step = chosen_plan; step; step = step->next)
        *kernels++ = context != &chosen && kernel_supports(context, step, why, sizeof why)
                         ? context
                         : kernel_choose(DEVICE_CUDA, step);
    return true;
}

static void *kernel_named(const char *name)
{
    return (void *)(uintptr_t)kernel_find(name);
}

/* Returns 1: done, 0: failed, -1: not in bands. */
static int run(const struct picture_request *request, int index, void *context, const char *output,
               struct error *err)
{
    struct plan plan;
    struct pipeline_job job = {.plan = &plan,
                               .input = "in",
                               .output = output,
                               .sink = &request->sink,
                               .threads = 1,
                               .band_rows = request->band_rows,
                               .choose = choose,
                               .choose_context = context,
                               .device_index = index};
    struct pipeline_times times;
    const struct image_info *info;
    struct pipeline *bands;
    struct fake_cuda_counts before = fake_cuda_count(), after;
    int result = -1;

    CHECK(source_open(&job.source, "in", err));
    info = source_info(job.source);
    CHECK(filter_plan(&request->filter, info->channels, info->type, info->max, &plan, err));
    chosen_plan = &plan;
    bands = pipeline_open(&job);
    if (bands)
        result = pipeline_run(bands, &times, err);
    if (result == 1)
        CHECK(times.device.upload_ms > 0 && times.device.kernel_ms > 0 &&
              times.device.download_ms > 0);
    after = fake_cuda_count();
    CHECK(after.pinned == 0 && after.events == before.events && after.streams == before.streams);
    plan_free(&plan);
    source_close(job.source);
    return result;
}

static bool same_files(const char *a, const char *b)
{
    uint8_t *bytes;
    size_t count = read_file(a, &bytes);
    bool same = file_holds(b, bytes, count);
    free(bytes);
    return same;
}

/* Compares one piece on the CPU with bands of several heights. */
static void compare(struct picture_request *request, const char *output, const char *what)
{
    static const int heights[] = {1, 2, 3, 7, 16, 60};
    struct picture_report report;
    struct error err;

    request->band_rows = -1;
    CHECKF(picture_filter(request, "in", output, &report, &err), "%s", err.text);
    CHECK(rename(output, "whole") == 0);
    for (int h = 0; h < 6; h++) {
        int done;
        request->band_rows = heights[h];
        fake_cuda_fail("cudaHostRegister", h % 3, cudaErrorNotSupported);
        done = run(request, h % 2, h < 3 ? kernel_named("basic") : &chosen, output, &err);
        CHECKF(done == 1, "%s: %s", what, done ? "not in bands" : err.text);
        CHECKF(done != 1 || same_files("whole", output), "%s: bands of %d rows", what, heights[h]);
    }
    fake_cuda_fail(NULL, 0, cudaSuccess);
}

static const char *output_of(const struct shape *s)
{
    return s->format == FORMAT_PAM ? "out.pam" : s->format == FORMAT_PPM ? "out.ppm" : "out.pgm";
}

/* True if the rows that ghost rows fold to are near. */
static bool near(const struct shape *s, int mask, enum border border)
{
    static const int reach[MASKS] = {1, 4, 4, 0, 7};
    return border == BORDER_WRAP                                 ? reach[mask] == 0
           : border == BORDER_REFLECT || border == BORDER_MIRROR ? reach[mask] < s->height
                                                                 : true;
}

static void borders_and_masks(void)
{
    for (int s = 0; s < SHAPES; s++) {
        write_input("in", &shapes[s], false);
        for (int m = 0; m < MASKS; m++)
            for (int b = 0; b < BORDER_COUNT; b++) {
                struct picture_request request = request_of("convolve", masks[m]);
                struct error err;
                char what[128];
                request.filter.border = (struct border_choice){.border = (enum border)b};
                if (b == BORDER_CONSTANT)
                    request.filter.border.value = "77";
                request.filter.overrides.divisor = "9";
                snprintf(what, sizeof what, "shape %d, mask %d, %s", s, m,
                         border_name((enum border)b));
                request.band_rows = 4;
                if (near(&shapes[s], m, (enum border)b))
                    compare(&request, output_of(&shapes[s]), what);
                else
                    CHECKF(run(&request, 0, NULL, "never.pam", &err) == -1, "%s", what);
            }
    }
}

static void anchors_alpha_and_gradients(void)
{
    static const int anchor_y[] = {0, 3, 8};
    struct picture_request request;
    struct error err;

    write_input("in", &shapes[0], false);
    for (int a = 0; a < 3; a++) {
        request = request_of("convolve", masks[1]);
        request.filter.overrides = (struct plan_overrides){
            .divisor = "30", .has_anchor = true, .anchor_x = 0, .anchor_y = anchor_y[a]};
        compare(&request, "out.ppm", "anchor");
    }
    request = request_of("sobel", NULL);
    compare(&request, "out.ppm", "sobel");
    request = request_of("blur", NULL);
    for (request.filter.repeat = 2; request.filter.repeat < 5; request.filter.repeat++)
        compare(&request, "out.ppm", "repeat");
    request.filter.border.border = BORDER_REFLECT;
    compare(&request, "out.ppm", "repeat, reflect");
    request.filter.border.border = BORDER_WRAP;
    CHECK(run(&request, 0, NULL, "never.ppm", &err) == -1);
    write_input("in", &shapes[2], false);
    for (int a = ALPHA_WEIGHTED; a <= ALPHA_PLAIN; a++) {
        request = request_of("blur", NULL);
        request.filter.alpha = (enum alpha_mode)a;
        compare(&request, "out.pam", "alpha");
    }
}

/* A step of a chain: a filter, its mask or radius, passes, and a border. */
struct chain_step {
    const char *filter, *mask;
    int repeat;
    enum border border;
};

/* Steps on whole pixels, on planes, and of two steps of the plan; masks that begin anywhere in 16
 * bytes, so that kernels with tensor copies want other places; even and odd numbers of passes. */
static const struct chain_step steps[] = {
    {"blur", NULL, 1, BORDER_REPLICATE},
    {"convolve", "1 2 1; 2 4 2; 1 2 1", 2, BORDER_REFLECT},
    {"convolve", "3 1; 4 1; 5 9; 2 6", 1, BORDER_ZERO},
    {"sobel", NULL, 1, BORDER_MIRROR},
    {"open", "1 1 1; 1 1 1; 1 1 1", 1, BORDER_REPLICATE},
    {"median", "1 1 1; 1 1 1; 1 1 1", 3, BORDER_CONSTANT},
    {"convolve", "1 1 1 1 1 1 1 1 1 1 1", 1, BORDER_WRAP},
    {"convolve", "1.25 -0.5; 0.5 0.25; 0.125 1; 0.3 0.1234567890123", 1, BORDER_REFLECT},
};
#define STEPS ((int)(sizeof steps / sizeof *steps))

static void chains(void)
{
    struct picture_request request[4];
    struct error err;
    char what[64];

    for (int s = 0; s < 4; s++) {
        write_input("in", &shapes[s], false);
        for (int i = s; i < 2 * STEPS; i += 2) {
            int count = 2 + i % 3;
            for (int k = 0; k < count; k++) {
                const struct chain_step *step = &steps[(i + k * (1 + i / STEPS)) % STEPS];
                request[k] = request_of(step->filter, step->mask);
                request[k].filter.repeat = step->repeat;
                request[k].filter.border = (struct border_choice){.border = step->border};
                if (step->border == BORDER_CONSTANT)
                    request[k].filter.border.value = "33";
                if (strcmp(step->filter, "convolve") == 0)
                    request[k].filter.overrides.normalize = true;
                if (k > 0)
                    request[k - 1].filter.next = &request[k].filter;
            }
            snprintf(what, sizeof what, "shape %d, chain %d", s, i);
            request[0].band_rows = 4;
            if (run(&request[0], 0, &chosen, output_of(&shapes[s]), &err) >= 0)
                compare(&request[0], output_of(&shapes[s]), what);
            else
                CHECKF(shapes[s].height < 10, "%s: not in bands", what);
        }
    }
}

/* Chosen heights: several bands, and slots too small to be worth pinning. */
static void chosen_bands(void)
{
    struct shape s = {1301, 2803, 1, 255, FORMAT_PGM};
    struct picture_request request = request_of("convolve", "1 1; 1 1");
    struct picture_report report;
    struct error err;
    int launches;

    request.filter.overrides.divisor = "4";
    write_input("in", &s, false);
    request.band_rows = -1;
    CHECK(picture_filter(&request, "in", "whole.pgm", &report, &err));
    request.band_rows = 0;
    request.sink.format = FORMAT_PGM;
    launches = fake_cuda_count().launches;
    CHECK(run(&request, 0, kernel_named("basic"), "in", &err) == 1); /* in place */
    CHECK(fake_cuda_count().launches == launches + 3); /* one band: before, sums, after */
    CHECK(same_files("whole.pgm", "in"));
}

static int files_here(void)
{
    DIR *folder = opendir(".");
    int count = 0;
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

/* Each stage fails: its message is reported and no file is left. */
static void failures(void)
{
    struct picture_request request = request_of("blur", NULL);
    struct error err;
    void *kernel = kernel_named("basic");
    uint8_t *bytes;
    size_t count;
    int before;

    write_input("in", &(struct shape){60, 900, 3, 100, FORMAT_PPM}, false);
    request.band_rows = 4;
    before = files_here();
    CHECK(run(&request, 0, NULL, "out.ppm", &err) == 0);
    CHECKF(strcmp(err.text, "nothing to choose from") == 0 && err.code == EXIT_DEVICE, "%s",
           err.text);
    CHECK(run(&request, 7, kernel, "out.ppm", &err) == 0);
    CHECKF(strcmp(err.text, "soft:7 is not there: the last device is soft:1") == 0, "%s", err.text);
    request.sink.format = FORMAT_PPM;
    CHECK(run(&request, 0, kernel, "/dev/full", &err) == 0);
    CHECKF(strcmp(err.text, "/dev/full: cannot write: No space left on device") == 0, "%s",
           err.text);
    count = read_file("in", &bytes);
    bytes[count - 1] = 101;
    write_file("in", bytes, count);
    free(bytes);
    CHECK(run(&request, 0, kernel, "out.ppm", &err) == 0);
    CHECKF(strstr(err.text, "in: damaged PPM: sample 101 at row 900") == err.text, "%s", err.text);
    CHECK(files_here() == before);
}

/* The NTH call of the runtime fails, for every NTH, on the whole way from file to file. */
static void any_call_may_fail(void)
{
    struct picture_request request = request_of("blur", NULL);
    struct picture_report report;
    struct error err;
    int failed = 0, before;

    write_input("in", &(struct shape){60, 50, 3, 255, FORMAT_PPM}, false);
    CHECK(picture_filter(&request, "in", "whole.ppm", &report, &err));
    unlink("out.ppm");
    before = files_here();
    request.device = DEVICE_CUDA;
    request.band_rows = 4;
    for (int nth = 1;; nth++) {
        bool done;
        fake_cuda_fail(NULL, nth, nth % 3 ? cudaErrorIllegalAddress : cudaErrorMemoryAllocation);
        done = picture_filter(&request, "in", "out.ppm", &report, &err);
        if (!fake_cuda_failed())
            break;
        CHECKF(!done || same_files("whole.ppm", "out.ppm"), "call %d", nth);
        CHECKF(done || strncmp(err.text, "soft:0", 6) == 0, "call %d: %s", nth, err.text);
        failed += !done;
        CHECK(files_here() == before + done);
        unlink("out.ppm");
    }
    fake_cuda_fail(NULL, 0, cudaSuccess);
    CHECKF(failed > 20, "%d", failed);
    CHECK(same_files("whole.ppm", "out.ppm") && fake_cuda_count().pinned == 0);
}

/* The kernel is chosen when rows are already on their way, so every kernel must work in bands. */
static void every_kernel_runs_in_bands(void)
{
    int count, cuda = 0;
    const struct kernel *table = kernel_table(&count);
    for (int i = 0; i < count; i++)
        if (table[i].device == DEVICE_CUDA && table[i].dims == 2) {
            CHECKF(table[i].bands != NULL, "%s", table[i].name);
            cuda++;
        }
    CHECK(cuda > 0);
}

int main(void)
{
    char folder[64];
    struct error err;

    if (!enter_test_folder(folder) || !backend_cuda.start(0, &err) || !backend_cuda.start(1, &err))
        return 1;
    TEST(borders_and_masks);
    TEST(anchors_alpha_and_gradients);
    TEST(chains);
    TEST(failures);
    TEST(any_call_may_fail);
    TEST(every_kernel_runs_in_bands);
    TEST(chosen_bands); /* last: its large memory makes each later launch slow */
    backend_cuda.release();
    CHECK(fake_cuda_count().allocations == 0);
    CHECK(leave_test_folder(folder));
    return test_finish();
}
