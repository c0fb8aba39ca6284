/* The times of our own kernels for `stencilcli try --device cuda`: what is read of a bench. Runs
 * the program that is built, on the software GPU.
 *
 *     test_try_ours PROGRAM */
#include <string.h>

#include "tests/test.h"
#include "try/ours.h"

static const char *program;
static int32_t mask[9] = {-1, 2, 3, 4, 5, 6, 7, 8, 9};
static const struct try_case small = {
    .width = 96, .height = 64, .channels = 1, .mask_width = 3, .mask_rows = 3, .m = mask};

static void times(void)
{
    static const char *const names[] = {"basic", "constant", "tiled", "banded"};
    struct try_ours ours;

    try_ours_time(program, "soft", &small, &ours);
    CHECKF(ours.count == 4 && !ours.why[0], "%d: %s", ours.count, ours.why);
    for (int i = 0; i < ours.count; i++) {
        CHECKF(strcmp(ours.row[i].name, names[i]) == 0, "%s", ours.row[i].name);
        CHECK(ours.row[i].ms > 0 && ours.row[i].copies > 0);
    }
}

static void no_times(void)
{
    struct try_ours ours;

    try_ours_time(program, "cuda:99", &small, &ours);
    CHECKF(ours.count == 0 && strstr(ours.why, "cuda"), "%s", ours.why);
    try_ours_time("/nonexistent", "soft", &small, &ours);
    CHECK(ours.count == 0);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    program = argv[1];
    TEST(times);
    TEST(no_times);
    return test_finish();
}
