/* Jobs side by side on made-up CUDA devices: their bytes, which jobs run at the same time, the
 * memory they keep, and the effect of a failure of any one call. Needs neither nvcc nor a GPU. */
#include "base/parallel.h"
#include "cuda/planes.h"
#include "fake_cuda.h"
#include "kernel/backend.h"
#include "tests/run/pipeline_inputs.h"

#include <stdatomic.h>

#define THREADS 12

/* ---- works: a plan, a picture, a kernel, and the expected result ---- */

static const struct setup {
    const char *filter, *mask, *divisor;
    struct shape shape;
    enum border border;
    int repeat;
} setups[] = {
    {"blur", NULL, NULL, {61, 40, 3, 255, FORMAT_PPM}, BORDER_REPLICATE, 1},
    {"convolve", "1 2 1; 2 4 2; 1 2 1", "16", {33, 29, 1, 255, FORMAT_PGM}, BORDER_MIRROR, 3},
    {"sobel", NULL, NULL, {40, 21, 3, 255, FORMAT_PPM}, BORDER_ZERO, 1},
    {"blur", NULL, NULL, {37, 23, 4, 255, FORMAT_PAM}, BORDER_REPLICATE, 1}, /* weighted alpha */
    {"blur", NULL, NULL, {30, 22, 4, 65535, FORMAT_PAM}, BORDER_WRAP, 2},    /* in two halves */
    {"convolve", "3 1 4; 1 -5 9; 2 6 -5", "7", {45, 19, 3, 4095, FORMAT_PPM}, BORDER_REFLECT, 1},
    {"convolve", "30000 1 4 1 5 9", "31000", {50, 18, 1, 255, FORMAT_PGM}, BORDER_CONSTANT, 1},
};
#define SETUPS ((int)(sizeof setups / sizeof *setups))

static struct picture {
    struct plan plan;
    struct image in, expected;
} pictures[SETUPS];

struct work {
    const struct picture *picture;
    const struct kernel *kernel;
};
static struct work works[SETUPS * 9];
static int work_count;

static bool pictures_make(void)
{
    bool ok = true;
    for (int i = 0; i < SETUPS; i++) {
        const struct setup *s = &setups[i];
        struct picture *p = &pictures[i];
        struct picture_request request = request_of(s->filter, s->mask);
        struct kernel_job job;
        struct error err;

        request.filter.border = (struct border_choice){.border = s->border};
        if (s->border == BORDER_CONSTANT)
            request.filter.border.value = "77";
        request.filter.repeat = s->repeat;
        request.filter.overrides.divisor = s->divisor;
        p->in = make_picture(s->shape.width, s->shape.height, s->shape.channels, s->shape.max, 4,
                             (uint32_t)i + 1);
        p->expected =
            make_picture(s->shape.width, s->shape.height, s->shape.channels, s->shape.max, 6, 0);
        ok = ok && filter_plan(&request.filter, s->shape.channels, p->in.type, s->shape.max,
                               &p->plan, &err);
        job = kernel_job_whole(&p->plan, &p->in, &p->expected);
        ok = ok && kernel_run(kernel_find("reference"), &job, &err);
    }
    return ok;
}

static void works_make(void)
{
    int count;
    const struct kernel *table = kernel_table(&count);
    char why[256];

    for (int i = 0; i < SETUPS; i++)
        for (int k = 0; k < count; k++)
            if (table[k].device == DEVICE_CUDA && table[k].dims == 2 &&
                kernel_supports(&table[k], &pictures[i].plan, why, sizeof why))
                works[work_count++] = (struct work){&pictures[i], &table[k]};
}

/* Returns 1: correct bytes, 0: wrong bytes, -1: an error. */
static int run(const struct work *w, int device, size_t limit, struct error *err)
{
    const struct image *in = &w->picture->in, *expected = &w->picture->expected;
    struct image out =
        make_picture(in->width, in->height, in->channels, w->picture->plan.max, 6, 0);
    size_t bytes = out.pitch * (size_t)out.height;
    void *pinned = NULL, *pageable = out.data;
    struct kernel_job job = kernel_job_whole(&w->picture->plan, in, &out);
    struct kernel_times times = {0};
    int result = -1;

    job.device_index = device;
    job.device_bytes_limit = limit;
    job.times = &times;
    if (cudaHostAlloc(&pinned, bytes, cudaHostAllocPortable) == cudaSuccess) {
        memcpy(pinned, pageable, bytes);
        out.data = pinned;
    }
    cudaGetLastError();
    if (kernel_run(w->kernel, &job, err))
        result = memcmp(out.data, expected->data, bytes) == 0 && times.kernel_ms > 0;
    if (pinned)
        cudaFreeHost(pinned); /* aborts if a copy is still under way */
    free(pageable);
    return result;
}

static const struct work *work_of(int setup, const char *kernel)
{
    for (int i = 0; i < work_count; i++)
        if (works[i].picture == &pictures[setup] && strcmp(works[i].kernel->name, kernel) == 0)
            return &works[i];
    printf("# no %s for setup %d\n", kernel, setup);
    abort();
}

/* ---- many jobs at once ---- */

static void no_device(void)
{
    struct error err;
    char why[256];

    fake_cuda_devices(0);
    CHECK(backend_cuda.devices(why, sizeof why) == 0);
    CHECK(!backend_cuda.start(0, &err) && err.code == EXIT_DEVICE);
    CHECKF(strcmp(err.text, "soft:0 is not there: no CUDA-capable device is detected") == 0, "%s",
           err.text);
    fake_cuda_devices(2);
    CHECK(!backend_cuda.is_ready(0) && !backend_cuda.host_take(0, 1000));
    CHECK(backend_cuda.start(0, &err) && backend_cuda.is_ready(0) && !backend_cuda.is_ready(1));
    CHECK(!backend_cuda.start(2, &err) && err.code == EXIT_DEVICE);
}

static atomic_int wrong;

static void any_work(void *context, int piece, int worker)
{
    struct error err;
    (void)context, (void)worker;
    atomic_fetch_add(&wrong, run(&works[piece * 7 % work_count], piece / 3 % 2,
                                 piece % 11 == 0 ? 12000 : 0, &err) != 1);
}

static void every_kernel_beside_every_other(void)
{
    wrong = 0;
    CHECKF(work_count > 40, "%d", work_count);
    parallel_for(THREADS, 6 * work_count, any_work, NULL);
    CHECKF(wrong == 0, "%d", wrong);
}

static void one_work(void *context, int piece, int worker)
{
    struct error err;
    (void)piece, (void)worker;
    atomic_fetch_add(&wrong, run(context, 0, 0, &err) != 1);
}

static int most_at_once(const struct work *w, int pieces)
{
    wrong = 0;
    fake_cuda_count();
    parallel_for(THREADS, pieces, one_work, (void *)(uintptr_t)w);
    CHECKF(wrong == 0, "%s: %d", w->kernel->name, wrong);
    return fake_cuda_count().most_at_once;
}

/* Each job has its own lane, up to their number. Weights in constant memory are stored once. */
static void lanes_and_alone(void)
{
    static const char *const alone[] = {"constant", "cached", "tiled"};
    static const char *const beside[] = {"basic", "readonly", "dp4a",      "certified",
                                         "int8",  "banded",   "separable", "weighted"};
    int most;

    for (int i = 0; i < 8; i++) {
        int setup = strcmp(beside[i], "weighted") == 0 ? 3 : 1;
        backend_cuda.release(); /* growing memory is freed first, which waits for the device */
        fake_cuda_gather(CUDA_LANES, 5000);
        most = most_at_once(work_of(setup, beside[i]), 2 * THREADS);
        CHECKF(most == CUDA_LANES, "%s: %d", beside[i], most);
    }
    for (int i = 0; i < 3; i++) {
        fake_cuda_gather(2, 200);
        most = most_at_once(work_of(1, alone[i]), 2 * THREADS);
        CHECKF(most == 1, "%s: %d", alone[i], most);
    }
}

static atomic_int inside;

static void take_turns(void *context, int piece, int worker)
{
    enum cuda_use use = piece % 3 == 0 ? CUDA_ALONE : CUDA_SHARED;
    struct error err;
    struct cuda_device *device = cuda_device_lock(0, use, &err);
    int others = device ? atomic_fetch_add(&inside, 1) : CUDA_LANES;

    (void)context, (void)worker;
    usleep(100);
    atomic_fetch_add(&wrong, use == CUDA_ALONE ? others != 0 || inside != 1 || device->lane != 0
                                               : others >= CUDA_LANES);
    atomic_fetch_sub(&inside, 1);
    if (device)
        cuda_device_unlock(device);
}

static void who_is_alone_is_alone(void)
{
    wrong = 0;
    parallel_for(THREADS, 600, take_turns, NULL);
    CHECKF(wrong == 0, "%d", wrong);
}

static atomic_bool over;

static void hammer(void *context, int piece, int worker)
{
    struct error err;
    (void)context, (void)worker;
    if (piece == 0) { /* among all of them, one that wants the device alone */
        for (int i = 0; i < 20; i++)
            atomic_fetch_add(&wrong, run(work_of(1, "tiled"), 0, 0, &err) != 1);
        over = true;
    }
    while (!over)
        atomic_fetch_add(&wrong, run(work_of(1, "banded"), 0, 0, &err) != 1);
}

static void nobody_waits_for_ever(void)
{
    wrong = 0;
    over = false;
    parallel_for(THREADS, THREADS, hammer, NULL);
    CHECKF(wrong == 0, "%d", wrong);
}

/* ---- rows too long ---- */

/* A row of nearly 2^31 bytes is refused before any of it is read. */
static void long_rows_are_refused(void)
{
    struct error err;
    int refused = 0;

    for (int i = 0; i < work_count; i++) {
        const struct plan *plan = &works[i].picture->plan;
        const int width = INT32_MAX / plan->channels / (int)plan->type;
        struct image in = {width, 1, plan->channels, 0, plan->type, NULL}, out = in;
        struct kernel_job job = kernel_job_whole(plan, &in, &out);
        if (!works[i].kernel->cuda->image)
            continue;
        in.pitch = out.pitch = image_row_bytes(&in);
        CHECKF(!kernel_run(works[i].kernel, &job, &err) && strstr(err.text, "a row of "), "%s: %s",
               works[i].kernel->name, err.text);
        refused++;
    }
    CHECKF(refused > 10, "%d", refused);
}

/* ---- memory that is kept ---- */

/* A job like the one before allocates no memory and does not ask how much is free. */
static void nothing_is_made_twice(void)
{
    const struct work *w = work_of(0, "banded");
    struct fake_cuda_counts before, after;
    struct error err;

    CHECK(run(w, 0, 0, &err) == 1);
    before = fake_cuda_count();
    CHECK(run(w, 0, 0, &err) == 1);
    CHECK(run(w, 0, 0, &err) == 1);
    after = fake_cuda_count();
    CHECK(after.mallocs == before.mallocs && after.mem_infos == before.mem_infos);
    CHECK(after.copies == before.copies + 6); /* mask, picture, and the result */
}

/* Lanes keep memory, but give it up for one large picture. */
static void memory_goes_to_who_needs_it(void)
{
    struct error err;
    size_t room = 200 << 10;

    backend_cuda.release();
    CHECK(fake_cuda_count().allocations == 0);
    fake_cuda_gather(CUDA_LANES, 5000);
    most_at_once(work_of(4, "basic"), 2 * THREADS);
    fake_cuda_memory(room);
    for (int i = 0; i < work_count; i++)
        CHECKF(run(&works[i], 0, 0, &err) == 1, "%s: %s", works[i].kernel->name, err.text);
    wrong = 0;
    parallel_for(THREADS, 6 * work_count, any_work, NULL);
    CHECKF(wrong == 0, "%d", wrong);
    fake_cuda_memory(64); /* too little even for the mask */
    backend_cuda.release();
    CHECK(run(work_of(0, "banded"), 0, 0, &err) == -1);
    CHECKF(strcmp(err.text, "soft:0: cannot send the mask: out of memory") == 0, "%s", err.text);
    fake_cuda_memory((size_t)1 << 30);
    CHECK(run(work_of(0, "banded"), 0, 0, &err) == 1);
}

/* ---- failures ---- */

/* The NTH call fails, for every NTH: the result is an error or correct bytes, and later jobs are
 * not affected. */
static void fail_everywhere(const struct work *w, size_t limit)
{
    struct error err;
    int failed = 0, result;

    for (int nth = 1;; nth++) {
        cudaError_t how = nth % 2 ? cudaErrorIllegalAddress : cudaErrorMemoryAllocation;
        if (nth % 5 == 0)
            backend_cuda.release();
        fake_cuda_fail(NULL, nth, how);
        result = run(w, 0, limit, &err);
        if (!fake_cuda_failed())
            break;
        CHECKF(result != 0, "%s: wrong bytes when call %d fails", w->kernel->name, nth);
        CHECKF(result == 1 || strncmp(err.text, "soft:0", 6) == 0, "%s", err.text);
        failed += result < 0;
        fake_cuda_fail(NULL, 0, cudaSuccess);
        CHECKF(run(w, 0, limit, &err) == 1, "%s: after call %d had failed: %s", w->kernel->name,
               nth, err.text);
    }
    fake_cuda_fail(NULL, 0, cudaSuccess);
    CHECKF(failed > 5, "%s: %d", w->kernel->name, failed);
}

static void any_call_may_fail(void)
{
    int streams = fake_cuda_count().streams;
    fail_everywhere(work_of(0, "banded"), 0);
    fail_everywhere(work_of(1, "separable"), 0);
    fail_everywhere(work_of(3, "basic"), 0);
    fail_everywhere(work_of(2, "tiled"), 0);
    fail_everywhere(work_of(0, "dp4a"), 12000);
    fail_everywhere(work_of(3, "weighted"), 12000);
    fail_everywhere(work_of(4, "readonly"), 30000);
    CHECK(fake_cuda_count().streams == streams);
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder) || !pictures_make())
        return 1;
    TEST(no_device);
    works_make();
    TEST(every_kernel_beside_every_other);
    TEST(lanes_and_alone);
    TEST(who_is_alone_is_alone);
    TEST(nobody_waits_for_ever);
    TEST(long_rows_are_refused);
    TEST(nothing_is_made_twice);
    TEST(memory_goes_to_who_needs_it);
    TEST(any_call_may_fail);
    backend_cuda.release();
    CHECK(fake_cuda_count().allocations == 0 && fake_cuda_count().pinned == 0);
    for (int i = 0; i < SETUPS; i++) {
        plan_free(&pictures[i].plan);
        free(pictures[i].in.data);
        free(pictures[i].expected.data);
    }
    CHECK(leave_test_folder(folder));
    return test_finish();
}
