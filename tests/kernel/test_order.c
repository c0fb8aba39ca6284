/* Order filters: the plans that they make, and the reference beside a brute force of this file,
 * which extends the picture by ghost cells and counts cells instead of sorting them. */
#include <stdlib.h>
#include <string.h>

#include "kernel/band_device.h"
#include "kernel/kernel.h"
#include "plan/filter.h"
#include "tests/random.h"
#include "tests/test.h"

#define WIDTH  9
#define HEIGHT 7
#define SIDE   16 /* more than any ghost cell here is away */

static struct filter_request request_of(const char *filter)
{
    return (struct filter_request){
        .filter = filter_find(filter), .radius = -1, .alpha = ALPHA_WEIGHTED, .repeat = 1};
}

/* ---- plans ---- */

static void window_of(const char *shape, int radius, const char *mask, const char *cells, int count)
{
    struct filter_request r = request_of("erode");
    struct plan plan;
    struct error err = {EXIT_DONE, ""};

    r.shape = shape;
    r.radius = radius;
    r.mask = mask;
    if (!filter_plan(&r, 3, SAMPLE_U8, 255, &plan, &err)) {
        CHECKF(false, "%s", err.text);
        return;
    }
    const struct plan_mask *m = &plan.mask[0];
    CHECK(plan.kind == PLAN_ORDER && m->sum == count && m->divisor == 1 && m->offset == 0);
    CHECK((int)strlen(cells) == m->width * m->height);
    for (int k = 0; cells[k]; k++)
        CHECKF(m->weight[k] == (cells[k] == 'x'), "%s: cell %d", cells, k);
    plan_free(&plan);
}

static void windows(void)
{
    window_of(NULL, -1, NULL, "xxxxxxxxx", 9);
    window_of("square", 0, NULL, "x", 1);
    window_of("disc", 1, NULL, ".x.xxx.x.", 5);
    window_of("disc", 2, NULL, "..x...xxx.xxxxx.xxx...x..", 13);
    window_of("cross", 2, NULL, "..x....x..xxxxx..x....x..", 9);
    window_of(NULL, -1, "divisor 16; offset 50%; 0 -2 1/3; 0 0 1e-9", ".xx..x", 3);
}

static void places(void)
{
    static const struct {
        const char *rank;
        int place; /* of 6 cells */
    } cases[] = {{"0", 0},   {"0.5%", 0},   {"99.5%", 5}, {"1", 0},  {"50", 3},
                 {"50%", 3}, {"16.6", 0},   {"50/3", 1},  {"99", 5}, {"100%", 5},
                 {"33", 1},  {"100/3%", 2}, {"83.4", 5}};
    struct filter_request r = request_of("rank");
    struct plan plan;
    struct error err;

    r.mask = "1 1 1; 1 1 1";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        r.rank = cases[i].rank;
        if (filter_plan(&r, 1, SAMPLE_U8, 255, &plan, &err)) {
            CHECKF(plan.order == cases[i].place, "%s: %d", cases[i].rank, plan.order);
            plan_free(&plan);
        } else {
            CHECKF(false, "%s", err.text);
        }
    }
}

static void refused(void)
{
    static const struct {
        const char *filter, *rank, *mask, *shape;
        int radius;
        const char *sentence;
    } cases[] = {
        {"rank", NULL, NULL, NULL, -1,
         "rank needs --rank P%: 0% is the least cell of the window, 100% the greatest"},
        {"rank", "101", NULL, NULL, -1, "--rank 101: expected 0% to 100%"},
        {"rank", "0.5", NULL, NULL, -1,
         "--rank 0.5: P is in percent, 50 is the middle: for less than 1%, write 0.5%"},
        {"rank", "1/2", NULL, NULL, -1,
         "--rank 1/2: P is in percent, 50 is the middle: for less than 1%, write 1/2%"},
        {"rank", "-1%", NULL, NULL, -1, "--rank -1%: expected 0% to 100%"},
        {"median", "50", NULL, NULL, -1, "median takes no --rank"},
        {"blur", NULL, NULL, "disc", -1, "blur takes no --shape"},
        {"open", NULL, "1 1", "disc", -1, "--mask and --shape exclude each other"},
        {"open", NULL, "0 0", NULL, -1,
         "the mask's cells are all 0: the window is the cells that are not 0"},
        {"open", NULL, NULL, NULL, 128,
         "--radius 128 is too large: a window has a radius of at most 127"},
    };
    struct error err;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct filter_request r = request_of(cases[i].filter);
        r.rank = cases[i].rank;
        r.mask = cases[i].mask;
        r.shape = cases[i].shape;
        r.radius = cases[i].radius;
        CHECK(!filter_load(&r, &err) && r.mask_count == 0);
        CHECKF(err.code == EXIT_USAGE && strcmp(err.text, cases[i].sentence) == 0, "%s", err.text);
    }
}

/* Alpha is filtered like a colour, unless the filter makes a difference. */
static void alpha(void)
{
    static const struct {
        const char *filter;
        enum alpha_mode wanted, alpha;
        unsigned filtered;
    } cases[] = {
        {"median", ALPHA_WEIGHTED, ALPHA_PLAIN, 15},  {"open", ALPHA_WEIGHTED, ALPHA_PLAIN, 15},
        {"open", ALPHA_IGNORE, ALPHA_IGNORE, 7},      {"tophat", ALPHA_WEIGHTED, ALPHA_IGNORE, 7},
        {"outline", ALPHA_WEIGHTED, ALPHA_IGNORE, 7}, {"outline", ALPHA_PLAIN, ALPHA_PLAIN, 15}};
    struct plan plan;
    struct error err;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct filter_request r = request_of(cases[i].filter);
        r.alpha = cases[i].wanted;
        if (!filter_plan(&r, 4, SAMPLE_U8, 255, &plan, &err)) {
            CHECKF(false, "%s", err.text);
            continue;
        }
        for (const struct plan *step = &plan; step; step = step->then)
            CHECKF(step->alpha == cases[i].alpha && step->filtered == cases[i].filtered, "%s",
                   cases[i].filter);
        plan_free(&plan);
    }
}

/* ---- the reference ---- */

/* A picture with ghost cells. Cell (y, x) of the picture is at [SIDE + y][SIDE + x]. */
typedef int extended[HEIGHT + 2 * SIDE][WIDTH + 2 * SIDE];

/* The cell that index I of N stands for, found by walking cell by cell; -1: a constant. */
static int walk(enum border border, int i, int n)
{
    while (i < 0 || i >= n) {
        if (border == BORDER_ZERO || border == BORDER_CONSTANT)
            return -1;
        if (border == BORDER_REPLICATE)
            i += i < 0 ? 1 : -1;
        else if (border == BORDER_WRAP)
            i += i < 0 ? n : -n;
        else if (border == BORDER_REFLECT)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else
            i = i < 0 ? -i : 2 * n - 2 - i;
    }
    return i;
}

static void extend(extended cells, enum border border, int value)
{
    for (int y = -SIDE; y < HEIGHT + SIDE; y++)
        for (int x = -SIDE; x < WIDTH + SIDE; x++) {
            int fy = walk(border, y, HEIGHT), fx = walk(border, x, WIDTH);
            cells[SIDE + y][SIDE + x] = fy < 0 || fx < 0 ? value : cells[SIDE + fy][SIDE + fx];
        }
}

/* A window: the cells that are 'x', and its anchor. */
struct cells {
    int width, height, anchor_x, anchor_y;
    const char *text;
};

/* OUT = the cell of IN's window that has PLACE cells before it. TURNED: the window is turned. */
static void brute(const struct cells *window, bool turned, int place, extended in, extended out)
{
    const int sign = turned ? -1 : 1;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int value[64], count = 0;
            for (int k = 0; window->text[k]; k++)
                if (window->text[k] == 'x')
                    value[count++] = in[SIDE + y + sign * (k / window->width - window->anchor_y)]
                                       [SIDE + x + sign * (k % window->width - window->anchor_x)];
            for (int k = 0; k < count; k++) {
                int less = 0, equal = 0;
                for (int i = 0; i < count; i++) {
                    less += value[i] < value[k];
                    equal += value[i] == value[k];
                }
                if (less <= place && place < less + equal)
                    out[SIDE + y][SIDE + x] = value[k];
            }
        }
}

static int clamped_difference(int a, int b)
{
    return a > b ? a - b : 0;
}

/* OUT = what the filter's definition says. */
static void define(const char *filter, const struct cells *window, int count, enum border border,
                   int value, extended in, extended out)
{
    const bool closes = strcmp(filter, "close") == 0 || strcmp(filter, "blackhat") == 0;
    const int least = 0, greatest = count - 1;
    extended first;

    extend(in, border, value);
    if (strcmp(filter, "median") == 0 || strcmp(filter, "rank") == 0)
        brute(window, false, strcmp(filter, "rank") == 0 ? count / 5 : count / 2, in, out);
    else if (strcmp(filter, "erode") == 0 || strcmp(filter, "dilate") == 0)
        brute(window, false, *filter == 'e' ? least : greatest, in, out);
    else {
        brute(window, closes, closes ? greatest : least, in, first);
        extend(first, border, value);
        if (strcmp(filter, "outline") == 0)
            brute(window, false, greatest, in, out);
        else
            brute(window, !closes, closes ? least : greatest, first, out);
    }
    for (int y = SIDE; y < SIDE + HEIGHT; y++)
        for (int x = SIDE; x < SIDE + WIDTH; x++) {
            int *sample = &out[y][x];
            if (strcmp(filter, "outline") == 0)
                *sample = clamped_difference(*sample, first[y][x]);
            else if (strcmp(filter, "tophat") == 0)
                *sample = clamped_difference(in[y][x], *sample);
            else if (strcmp(filter, "blackhat") == 0)
                *sample = clamped_difference(*sample, in[y][x]);
        }
}

/* Runs the kernel in bands of 2 rows, each with only the rows that it reads, if that is possible.
 */
static bool run_bands(const struct kernel *kernel, const struct plan *plan, const struct image *in,
                      const struct image *out, struct error *err)
{
    struct bands bands;

    if (!bands_find_reach(&bands, plan, HEIGHT))
        return true;
    bands.rows = 2;
    bands.count = (HEIGHT + 1) / 2;
    for (int b = 0; b < bands.count; b++) {
        int from = bands_needs_from(&bands, b), first = bands_first(&bands, b);
        struct image rows = image_rows(in, from, bands_needs_to(&bands, b) - from);
        struct image band = image_rows(out, first, bands_end(&bands, b) - first);
        struct kernel_job job = {.plan = plan,
                                 .in = &rows,
                                 .out = &band,
                                 .picture_height = HEIGHT,
                                 .in_first_row = from,
                                 .out_first_row = first,
                                 .threads = 1};
        if (!kernel_run(kernel, &job, err))
            return false;
    }
    return true;
}

static void check_filter(const char *filter, const struct cells *window, const char *mask,
                         enum border border)
{
    static uint64_t state = 5;
    struct filter_request r = request_of(filter);
    struct image in = {0}, out = {0};
    struct plan plan;
    struct error err = {EXIT_DONE, ""};
    extended cells, want;
    int different = 0;

    r.mask = mask;
    r.rank = strcmp(filter, "rank") == 0 ? "20" : NULL;
    r.border = (struct border_choice){border, false, border == BORDER_CONSTANT ? "77" : NULL};
    if (!filter_plan(&r, 1, SAMPLE_U8, 255, &plan, &err) ||
        !image_alloc(&in, WIDTH, HEIGHT, 1, SAMPLE_U8, "in", &err) ||
        !image_alloc(&out, WIDTH, HEIGHT, 1, SAMPLE_U8, "out", &err)) {
        CHECKF(false, "%s", err.text);
        return;
    }
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            ((uint8_t *)image_row(&in, y))[x] =
                (uint8_t)(cells[SIDE + y][SIDE + x] = (int)(random_next(&state) % 256));
    define(filter, window, (int)plan.mask[0].sum, border, border == BORDER_CONSTANT ? 77 : 0, cells,
           want);
    for (int bands = 0; bands < 2; bands++) {
        struct kernel_job job = kernel_job_whole(&plan, &in, &out);
        bool ran = bands ? run_bands(&kernel_reference, &plan, &in, &out, &err)
                         : kernel_run(&kernel_reference, &job, &err);
        CHECKF(ran, "%s", err.text);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                different += ((uint8_t *)image_row(&out, y))[x] != want[SIDE + y][SIDE + x];
        CHECKF(different == 0, "%s, %s, border %s, %s: %d samples differ", filter, mask,
               border_name(border), bands ? "bands" : "whole", different);
    }
    image_free(&in);
    image_free(&out);
    plan_free(&plan);
}

static void reference(void)
{
    static const struct {
        const char *mask;
        struct cells window;
    } windows[] = {
        {"1 1 1; 1 1 1; 1 1 1", {3, 3, 1, 1, "xxxxxxxxx"}},
        {"0 1 1 0; 1 0 0 1", {4, 2, 2, 1, ".xx.x..x"}},
        {"anchor 0 2; 1; 0; 1; 1", {1, 4, 0, 2, "x.xx"}},
        {"anchor 10 0; 1 1 1 0 0 0 0 1 0 0 0 1", {12, 1, 10, 0, "xxx....x...x"}},
    };
    int count;
    const struct filter *filters = filter_table(&count);

    for (int i = 0; i < count; i++)
        for (size_t k = 0; filters[i].kind == PLAN_ORDER && k < sizeof windows / sizeof *windows;
             k++)
            for (int border = 0; border < BORDER_COUNT; border++)
                check_filter(filters[i].name, &windows[k].window, windows[k].mask,
                             (enum border)border);
}

int main(void)
{
    TEST(windows);
    TEST(places);
    TEST(refused);
    TEST(alpha);
    TEST(reference);
    return test_finish();
}
