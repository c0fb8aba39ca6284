/* Thin pictures (cpu/thin.h): few columns, laid on their side, and single rows. Whole pictures and
 * bands of them, on one thread and on several, with one piece and with several: the bytes of the
 * reference. */
#include "cpu/thin.h"
#include "tests/random.h"
#include "tests/run/pipeline_inputs.h"

#define LONG 140000 /* longer than a piece of one gray column */

static const struct {
    int width, height;
} sizes[] = {{1, 256}, {1, 300}, {3, 700}, {15, 257}, {16, 300}, {256, 1}, {5000, 1}};

static const struct {
    const char *filter, *mask, *divisor;
} filters[] = {
    {"blur", NULL, NULL},
    {"convolve", "3 1 4 1; -5 9 2 6; 5 -3 5 8", "7"},
    {"convolve", "1 2 3", "6"},
    {"convolve", "1; 2; 3; 4; 5", "15"},
    {"convolve", "0.1234567890123 0.3; 0.2 0.1", NULL},
    {"sobel", NULL, NULL},
};

struct picture {
    struct plan plan;
    struct image in, expected;
};

static void picture_make(struct picture *p, int size, int filter, uint64_t *state)
{
    const int channels = 1 + pick(state, 4);
    const uint32_t max = (uint32_t[]){255, 255, 65535, 7, 4095}[pick(state, 5)];
    struct picture_request request = request_of(filters[filter].filter, filters[filter].mask);
    struct kernel_job job;
    struct error err;

    request.filter.border.border = (enum border)pick(state, BORDER_COUNT);
    if (request.filter.border.border == BORDER_CONSTANT)
        request.filter.border.value = "5";
    request.filter.alpha = (enum alpha_mode)pick(state, 3);
    request.filter.overrides.divisor = filters[filter].divisor;
    p->in = make_picture(sizes[size].width, sizes[size].height, channels, max, 3, 7);
    p->expected = make_picture(sizes[size].width, sizes[size].height, channels, max, 0, 1);
    CHECK(filter_plan(&request.filter, channels, p->in.type, max, &p->plan, &err));
    job = kernel_job_whole(&p->plan, &p->in, &p->expected);
    CHECK(kernel_run(kernel_find("reference"), &job, &err));
}

static void picture_free(struct picture *p)
{
    plan_free(&p->plan);
    free(p->in.data);
    free(p->expected.data);
}

/* Runs output rows [FIRST, FIRST + ROWS). */
static void check(const struct picture *p, const struct kernel *kernel, int threads, int first,
                  int rows)
{
    struct image out = make_picture(p->in.width, rows, p->in.channels, p->plan.max, 5, 2);
    struct kernel_job job = kernel_job_whole(&p->plan, &p->in, &out);
    struct error err;

    job.threads = threads;
    job.out_first_row = first;
    CHECKF(kernel_run(kernel, &job, &err), "%s", err.text);
    for (int y = 0; y < rows; y++)
        if (memcmp(image_row(&out, y), image_row(&p->expected, first + y), image_row_bytes(&out))) {
            CHECKF(false, "%s, %d x %d, %d channels, max %u, border %d, alpha %d, mask %d x %d: %d",
                   kernel->name, p->in.width, p->in.height, p->in.channels, p->plan.max,
                   p->plan.border, p->plan.alpha, p->plan.mask[0].width, p->plan.mask[0].height,
                   first + y);
            break;
        }
    free(out.data);
}

static void all_kernels(const struct picture *p)
{
    const int height = p->in.height;
    int count;
    const struct kernel *table = kernel_table(&count);
    char why[256];

    for (int k = 0; k < count; k++) {
        if (table[k].device != DEVICE_CPU || table[k].dims != 2 ||
            !kernel_supports(&table[k], &p->plan, why, sizeof why))
            continue;
        check(p, &table[k], 1, 0, height);
        check(p, &table[k], 3, 0, height);
        if (height > 300)
            check(p, &table[k], 2, 30, 300);
    }
}

static void like_the_reference(void)
{
    uint64_t state = 1;

    for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++)
        for (int f = 0; f < (int)(sizeof filters / sizeof *filters); f++)
            for (int turn = 0; turn < 8; turn++) {
                struct picture p;
                picture_make(&p, s, f, &state);
                all_kernels(&p);
                picture_free(&p);
            }
}

/* Several pieces; their edges get the right neighbours. */
static void pieces(void)
{
    for (int turn = 0; turn < 4; turn++) {
        struct picture_request request = request_of("blur", NULL);
        struct picture p = {
            .in = make_picture(turn % 2 ? 1 : LONG, turn % 2 ? LONG : 1, 1, 255, 0, 9),
            .expected = make_picture(turn % 2 ? 1 : LONG, turn % 2 ? LONG : 1, 1, 255, 0, 1)};
        struct kernel_job job;
        struct error err;

        request.filter.border.border = turn < 2 ? BORDER_MIRROR : BORDER_ZERO;
        CHECK(filter_plan(&request.filter, 1, SAMPLE_U8, 255, &p.plan, &err));
        CHECK(cpu_thin_piece(&p.plan, 1) < LONG);
        job = kernel_job_whole(&p.plan, &p.in, &p.expected);
        CHECK(kernel_run(kernel_find("reference"), &job, &err));
        check(&p, kernel_find("scalar"), 1, 0, p.in.height);
        check(&p, kernel_find("scalar"), 3, 0, p.in.height);
        picture_free(&p);
    }
}

/* A named method runs also thin pictures, and says its name. */
static void named_methods(void)
{
    struct picture_request request = request_of("blur", NULL);
    struct kernel_state *state;
    struct error err;
    struct plan plan;

    CHECK(filter_plan(&request.filter, 1, SAMPLE_U8, 255, &plan, &err));
    CHECK(kernel_open(kernel_find("scalar"), &plan, 1, 1000, "direct", &state, &err));
    CHECK(strcmp(state->method, "direct") == 0);
    kernel_close(kernel_find("scalar"), state);
    plan_free(&plan);
}

/* The ghost rows of these are no copies of the row, nor a constant in the sums. */
static void rows_that_do_not_fold(void)
{
    struct picture_request request = request_of("blur", NULL);
    struct plan plan, folded;
    struct error err;

    request.filter.border.border = BORDER_ZERO;
    request.filter.alpha = ALPHA_WEIGHTED;
    CHECK(filter_plan(&request.filter, 4, SAMPLE_U8, 255, &plan, &err));
    CHECK(!plan_fold(&folded, &plan));
    plan_free(&plan);
    request = request_of("sobel", NULL);
    request.filter.border = (struct border_choice){.border = BORDER_CONSTANT, .value = "5"};
    CHECK(filter_plan(&request.filter, 1, SAMPLE_U8, 255, &plan, &err));
    CHECK(!plan_fold(&folded, &plan));
    plan_free(&plan);
    /* blur folds to 1 4 6 4 1 over 16 */
    request = request_of("blur", NULL);
    CHECK(filter_plan(&request.filter, 1, SAMPLE_U8, 255, &plan, &err) &&
          plan_fold(&folded, &plan));
    CHECK(folded.mask[0].height == 1 && folded.mask[0].divisor == 16 &&
          folded.mask[0].weight[2] == 6 && folded.mask[0].row);
    plan_free(&folded);
    plan_free(&plan);
}

int main(void)
{
    TEST(like_the_reference);
    TEST(pieces);
    TEST(named_methods);
    TEST(rows_that_do_not_fold);
    return test_finish();
}
