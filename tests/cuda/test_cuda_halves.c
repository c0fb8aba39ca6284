/* Devices whose matrix units may not add products of halves exactly: the kernel separable then runs
 * only plans that it sums as bytes, and other kernels run the rest. On the software GPU. */
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/planes.h"
#include "fake_cuda.h"
#include "kernel/backend.h"
#include "tests/run/pipeline_inputs.h"

/* Masks of rank 1, and whether separable sums them as halves. */
static const struct {
    const char *row, *column;
    int64_t divisor;
    bool halves;
} masks[] = {
    {"1 2 3 4 3 2 1", "3;1;4;1;5;9;2", 16 * 25, true},                        /* WHOLE */
    {"101 90 80 70 60 50 40 30 20", "9;8;7;6;5;4;3;2;1;1;1", 541 * 47, true}, /* WHOLE, high */
    {"127 -100 127 -90 121 61 127", "99;-17;88;77;-30;88;99;66;55;44;33", 373 * 602, true},
    {"200 191 180 170 161 255 254", "91;80;70;60;51;40;30;20;10;9;8;7", 1411 * 476, true},
    {"1001 900 800 700 600 500 401", "19;18;17;16;15;14;13;12;11;10;9", 4902 * 154, true},
    {NULL, NULL, 0, true},                                   /* --sigma 2: UPPER */
    {"1 1 1 1 1 1 1 1", "1;1;1;1;1;1;1;1;1;1;1", 88, false}, /* sums of two bytes */
};
#define MASKS ((int)(sizeof masks / sizeof *masks))

/* Makes the plan of the product of a row and a column. */
static bool plan_make(int i, struct plan *plan)
{
    char text[8192] = "", divisor[32];
    struct picture_request request = request_of("convolve", text);
    const char *column = masks[i].column;
    struct error err;

    if (!column) {
        request = request_of("gauss", NULL);
        request.filter.has_sigma = true;
        request.filter.sigma = 2;
    }
    while (column && *column) {
        char *end;
        long down = strtol(column, &end, 10);
        for (const char *row = masks[i].row; *row;) {
            char *next;
            long across = strtol(row, &next, 10);
            snprintf(text + strlen(text), sizeof text - strlen(text), "%ld ", down * across);
            row = next;
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s", *end ? ";" : "");
        column = end + (*end == ';');
    }
    snprintf(divisor, sizeof divisor, "%lld", (long long)masks[i].divisor);
    request.filter.overrides.divisor = column ? divisor : NULL;
    bool good = filter_plan(&request.filter, 1, SAMPLE_U8, 255, plan, &err);
    CHECKF(good, "%s", err.text);
    return good;
}

/* Runs the chosen kernel on device INDEX and compares it with the reference. Is it separable? */
static bool runs_separable(int i, int index)
{
    struct image in = make_picture(90, 70, 1, 255, 4, 5), out = make_picture(90, 70, 1, 255, 4, 0);
    struct image expected = make_picture(90, 70, 1, 255, 4, 0);
    struct kernel_job job;
    const struct kernel *kernel;
    struct error err;
    struct plan plan;

    if (!plan_make(i, &plan))
        return false;
    memset(in.data, 255, in.pitch * 35); /* the largest sums, beside others */
    kernel = kernel_choose(DEVICE_CUDA, &plan);
    job = kernel_job_whole(&plan, &in, &expected);
    CHECK(kernel_run(kernel_find("reference"), &job, &err));
    job = kernel_job_whole(&plan, &in, &out);
    job.device_index = index;
    CHECKF(kernel_run(kernel, &job, &err), "%s", err.text);
    CHECKF(memcmp(out.data, expected.data, out.pitch * 70) == 0, "mask %d: %s", i, kernel->name);
    free(in.data);
    free(out.data);
    free(expected.data);
    plan_free(&plan);
    return strcmp(kernel->name, "separable") == 0;
}

/* ---- each test in a process of its own, since answers are kept ---- */

/* Makes devices of these capabilities. */
static void devices_make(int first, int second)
{
    fake_cuda_devices(second ? 2 : 1);
    soft_settings.capability[0] = first;
    soft_settings.capability[1] = second;
}

static void known(void)
{
    char note[256] = "";
    int launches;

    devices_make(90, 0);
    launches = fake_cuda_count().launches;
    CHECK(cuda_halves_are_exact(0) && fake_cuda_count().launches == launches);
    for (int i = 0; i < MASKS; i++)
        CHECKF(runs_separable(i, 0), "mask %d", i);
    cuda_note(note, sizeof note);
    CHECK(note[0] == '\0');
}

static void unknown_and_exact(void)
{
    int launches;

    devices_make(90, 120);
    launches = fake_cuda_count().launches;
    CHECK(cuda_halves_are_exact(1) && cuda_halves_are_exact(1));
    CHECK(fake_cuda_count().launches == launches + 1);
    for (int i = 0; i < MASKS; i++)
        CHECKF(runs_separable(i, 1), "mask %d", i);
}

/* The note reaches -v, and a named kernel ends with a sentence. */
static void check_words(void)
{
    struct picture_request request = request_of("gauss", NULL);
    struct picture_choice choice = {.cost = {0}};
    struct error err;
    struct plan plan;

    if (!plan_make(0, &plan))
        return;
    request.device = DEVICE_CUDA;
    CHECK(picture_choose(&request, &plan, &choice, &err));
    CHECKF(
        strstr(choice.note, "soft:1 does not add products of halves exactly: kernel separable is"),
        "'%s'", choice.note);
    request.kernel = kernel_find("separable");
    CHECK(!picture_choose(&request, &plan, &choice, &err) && err.code == EXIT_USAGE);
    CHECKF(strstr(err.text, "does not add products of halves exactly"), "'%s'", err.text);
    plan_free(&plan);
}

static void unknown_and_inexact(void)
{
    devices_make(90, 100);
    soft_settings.short_adder[1] = true;
    for (int i = 0; i < MASKS; i++)
        CHECKF(runs_separable(i, 1) == !masks[i].halves, "mask %d", i);
    CHECK(!cuda_halves_are_exact(1) && cuda_halves_are_exact(0));
    check_words();
}

/* A probe that cannot run counts as one that failed. */
static void failing_probe(void)
{
    devices_make(121, 0);
    fake_cuda_fail("launch", 1, cudaErrorMemoryAllocation);
    CHECK(!cuda_halves_are_exact(0) && fake_cuda_failed());
    CHECK(!cuda_halves_are_exact(0));
}

static void test_alone(const char *name, void (*test)(void))
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        test();
        fflush(stdout);
        _exit(test_failures > 0);
    }
    test_result(name, child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
    test_alone("known devices are not probed", known);
    test_alone("unknown devices are probed once", unknown_and_exact);
    test_alone("inexact devices get other kernels", unknown_and_inexact);
    test_alone("a failing probe", failing_probe);
    return test_finish();
}
