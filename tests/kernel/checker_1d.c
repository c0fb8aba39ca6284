/* The checker of the 1D kernels compares every 1D row of the kernel table with the reference, byte
 * for byte, as floats and as 64-bit integers, over difficult sizes, masks, anchors, borders,
 * patterns, threads, tiles and limits of device memory. Outputs lie between guard cells.
 *
 *   checker_1d [--device cpu|cuda|all] [--kernel NAME] [--small] [--case N] [--seed N]
 *
 * A case is a number: its settings follow from the number and the seed, so --case N repeats a
 * failure. --small: few, tiny cases, for slow tools such as compute-sanitizer. Prints one TAP line
 * for each kernel and mask width. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/backend.h"
#include "tests/kernel/checker_1d_cases.h"
#include "tests/test.h"

#define GUARD       0xA5
#define GUARD_CELLS 32

struct settings {
    bool cpu, cuda, small;
    const char *kernel;
    int only_case; /* -1: all */
    uint64_t seed;
};

static struct settings settings = {.cpu = true, .only_case = -1, .seed = 1};
static long comparisons, failures_shown;

/* ---- comparing ---- */

/* n cells between guard cells; NULL without memory. */
static unsigned char *guarded_alloc(const struct signal_job *job)
{
    size_t bytes = ((size_t)job->n + 2 * GUARD_CELLS) * signal_cell_bytes(job->type);
    unsigned char *block = malloc(bytes);
    if (block)
        memset(block, GUARD, bytes);
    return block;
}

static void show_difference(const struct case_1d *c, const struct kernel *kernel,
                            const struct signal_job *job, const void *expected)
{
    if (failures_shown++ >= 10)
        return;
    int i = 0;
    while (i < job->n && case_1d_get(job->type, job->out, i) == case_1d_get(job->type, expected, i))
        i++;
    if (i < job->n)
        printf("# %s: sample %d: %" PRId64 ", the reference has %" PRId64 "\n", kernel->name, i,
               case_1d_get(job->type, job->out, i), case_1d_get(job->type, expected, i));
    else
        printf("# %s: wrote outside the signal (guard cells changed)\n", kernel->name);
    printf("#   %s; threads %d, tile %d, device limit %zu\n#   again: checker_1d --kernel %s "
           "--case %d --seed %" PRIu64 "\n",
           c->text, job->threads, job->tile, job->device_bytes_limit, kernel->name, c->number,
           settings.seed);
}

static bool check_run(const struct case_1d *c, const struct kernel *kernel, struct signal_job job,
                      const unsigned char *expected)
{
    size_t guard = GUARD_CELLS * signal_cell_bytes(job.type);
    size_t bytes = 2 * guard + (size_t)job.n * signal_cell_bytes(job.type);
    unsigned char *block = guarded_alloc(&job);
    struct error err;
    bool same = false;

    if (!block)
        return false;
    job.out = block + guard;
    comparisons++;
    if (!kernel->run_signal(&job, &err)) {
        printf("# %s: %s\n#   %s\n", kernel->name, err.text, c->text);
    } else {
        same = memcmp(block, expected, bytes) == 0;
        if (!same)
            show_difference(c, kernel, &job, expected + guard);
    }
    free(block);
    return same;
}

/* Runs one case on one kernel, with the thread counts or tiles and limits of its device. */
static bool check_kernel(const struct case_1d *c, const struct kernel *kernel,
                         const unsigned char *expected)
{
    static const int TILES[] = {0, 32, 64, 128, 256, 512, 1024};
    struct signal_job job = c->job;
    size_t cell = signal_cell_bytes(job.type);
    bool ok = true;

    if (kernel->device == DEVICE_CPU) {
        for (job.threads = 1; job.threads <= 3; job.threads++)
            ok &= check_run(c, kernel, job, expected);
        return ok;
    }
    job.tile = TILES[c->number % 7];
    ok = check_run(c, kernel, job, expected);
    if (c->number % 3 == 0) { /* a third of the signal at a time */
        job.device_bytes_limit = ((size_t)job.mask_width + (size_t)job.n / 3 * 2 + 2) * cell;
        ok &= check_run(c, kernel, job, expected);
    }
    return ok;
}

/* ---- the cases of one mask width ---- */

struct tally {
    int cases, failed, refused;
    char why[256];
};

static void check_case_run(const struct case_1d *c, struct tally *tally,
                           const struct kernel *kernels, int count, const bool *chosen,
                           int reference)
{
    size_t guard = GUARD_CELLS * signal_cell_bytes(c->job.type);
    unsigned char *expected = guarded_alloc(&c->job);
    struct signal_job job = c->job;
    struct error err;

    job.out = expected ? expected + guard : NULL;
    if (!expected || !kernels[reference].run_signal(&job, &err)) {
        tally[reference].failed++;
        free(expected);
        return;
    }
    if (case_1d_is_short(c)) {
        tally[reference].cases++;
        tally[reference].failed += !case_1d_check(c, expected + guard);
    }
    for (int k = 0; k < count; k++) {
        if (!chosen[k])
            continue;
        if (!kernel_supports(&kernels[k], NULL, tally[k].why, sizeof tally[k].why)) {
            tally[k].refused++;
            continue;
        }
        tally[k].cases++;
        tally[k].failed += !check_kernel(c, &kernels[k], expected);
    }
    free(expected);
}

static void check_report(int width, const struct kernel *kernels, int count, const bool *chosen,
                         int reference, const struct tally *tally)
{
    for (int k = 0; k < count; k++) {
        char name[160];
        if (!chosen[k] || tally[k].cases + tally[k].refused == 0)
            continue;
        if (tally[k].cases == 0) {
            snprintf(name, sizeof name, "%s, %d weights", kernels[k].name, width);
            test_skip(name, tally[k].why);
            continue;
        }
        snprintf(name, sizeof name, "%s, %d weights: %d cases equal %s", kernels[k].name, width,
                 tally[k].cases, k == reference ? "the walk along the signal" : "the reference");
        test_result(name, tally[k].failed == 0);
    }
}

/* ---- options ---- */

static bool options_read(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--small") == 0) {
            settings.small = true;
            continue;
        }
        if (strcmp(argv[i], "--device") == 0) {
            settings.cpu = strcmp(value, "cuda") != 0;
            settings.cuda = strcmp(value, "cpu") != 0;
        } else if (strcmp(argv[i], "--kernel") == 0) {
            settings.kernel = value;
            settings.cuda = settings.cpu = true;
        } else if (strcmp(argv[i], "--case") == 0) {
            settings.only_case = (int)strtol(value, NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0) {
            settings.seed = strtoull(value, NULL, 10);
        } else {
            fprintf(stderr, "checker_1d: unknown option %s\n", argv[i]);
            return false;
        }
        i++;
    }
    return true;
}

static bool is_chosen(const struct kernel *kernel)
{
    if (settings.kernel)
        return strcmp(settings.kernel, kernel->name) == 0;
    return kernel->device == DEVICE_CPU ? settings.cpu : settings.cuda;
}

int main(int argc, char **argv)
{
    int count, number = 0, reference = 0;
    const struct kernel *kernels = kernel_table(&count);
    bool chosen[64] = {false};

    if (!options_read(argc, argv))
        return 2;
    if (settings.cuda && !settings.cpu) {
        char why[256];
        if (backend_find(DEVICE_CUDA)->devices(why, sizeof why) == 0) {
            printf("1..0 # SKIP %s\n", why);
            return 0;
        }
    }
    while (&kernels[reference] != kernel_find_signal("reference"))
        reference++;
    for (int k = 0; k < count; k++)
        chosen[k] = kernels[k].dims == 1 && k != reference && is_chosen(&kernels[k]);
    for (int w = 0; w < case_1d_widths(); w++) {
        struct tally tally[64] = {{0}};
        for (int i = 0; i < case_1d_count(w, settings.small); i++, number++) {
            struct case_1d c;
            if (settings.only_case >= 0 && settings.only_case != number)
                continue;
            if (case_1d_make(&c, w, i, number, settings.seed, settings.small))
                check_case_run(&c, tally, kernels, count, chosen, reference);
            else
                tally[reference].failed++;
            case_1d_free(&c);
        }
        chosen[reference] = settings.cpu; /* the reference is counted by case_1d_check */
        check_report(case_1d_width(w), kernels, count, chosen, reference, tally);
        chosen[reference] = false;
        if (!settings.cpu && tally[reference].failed)
            test_result("the reference runs", false);
    }
    printf("# %ld comparisons, seed %" PRIu64 "\n", comparisons, settings.seed);
    if (backend_find(DEVICE_CUDA)->release)
        backend_find(DEVICE_CUDA)->release();
    return test_finish();
}
