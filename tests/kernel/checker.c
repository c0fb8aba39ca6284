/* The checker compares every row of the kernel table with the reference, byte for byte, over
 * difficult sizes, masks, borders, depths, channels, patterns, threads and tiles. Outputs lie
 * between guard bytes, with a pitch wider than the row.
 *
 *   checker [--device cpu|cuda|all] [--kernel NAME] [--method NAME] [--small] [--most-cells N]
 *           [--quick] [--case N] [--seed N] [--half 0|1]
 *
 * A case is a number: its settings follow from the number and the seed, so --case N repeats a
 * failure. --small: few, tiny cases, for slow tools such as compute-sanitizer. --method: only this
 * CPU method, for kernels with their own operations only in this method. --most-cells: no mask with
 * more cells. --quick: two of the six borders for each mask, size and depth. --half: one half of
 * the cases, to run both at the same time. Prints one TAP line for each kernel and mask. */
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/method.h"
#include "kernel/backend.h"
#include "kernel/kernel.h"
#include "plan/plan.h"
#include "tests/kernel/checker_cases.h"
#include "tests/kernel/checker_expected.h"
#include "tests/kernel/checker_masks.h"
#include "tests/test.h"

#define GUARD        0xA5
#define GUARD_ROWS   2
#define MOST_KERNELS 64

struct settings {
    bool cpu, cuda, small, quick;
    const char *kernel;
    const struct cpu_method *method; /* NULL: all */
    int only_case;                   /* -1: all */
    int half;                        /* -1: both */
    int most_cells;
    uint64_t seed;
};

static struct settings settings = {
    .cpu = true, .only_case = -1, .half = -1, .most_cells = INT_MAX, .seed = 1};
static long comparisons, failures_shown;
/* How many cases chose each CPU method, and how many ran each by name. */
static long chosen_methods[32], named_methods[32];

/* ---- pictures with guards ---- */

/* GUARD_ROWS rows before and after the image, and the pitch's padding, are filled with GUARD. */
static bool guarded_alloc(struct image *image, const struct check_case *c)
{
    struct image whole = {0};
    size_t row = (size_t)c->width * (size_t)c->channels * (size_t)c->type;
    whole.pitch = row + (size_t)c->extra_pitch * (size_t)c->type;
    whole.data = malloc(whole.pitch * (size_t)(c->height + 2 * GUARD_ROWS));
    if (!whole.data)
        return false;
    memset(whole.data, GUARD, whole.pitch * (size_t)(c->height + 2 * GUARD_ROWS));
    *image = (struct image){c->width,    c->height,
                            c->channels, whole.pitch,
                            c->type,     (unsigned char *)whole.data + GUARD_ROWS * whole.pitch};
    return true;
}

static void guarded_free(struct image *image)
{
    if (image->data)
        free((unsigned char *)image->data - GUARD_ROWS * image->pitch);
    image->data = NULL;
}

/* ---- comparing ---- */

static uint32_t sample_at(const struct image *image, int y, size_t i)
{
    const void *row = image_row(image, y);
    return image_sample(row, image->type, i);
}

static void show_difference(const struct check_case *c, const struct kernel *kernel,
                            const struct kernel_job *job, const struct image *expected)
{
    const struct image *got = job->out;
    if (failures_shown++ >= 10)
        return;
    for (int y = 0; y < got->height; y++)
        for (size_t i = 0; i < (size_t)got->width * (size_t)got->channels; i++)
            if (sample_at(got, y, i) != sample_at(expected, y, i)) {
                printf("# %s: x %zu, y %d, channel %zu: %" PRIu32 ", the reference has %" PRIu32
                       "\n",
                       kernel->name, i / (size_t)got->channels, y, i % (size_t)got->channels,
                       sample_at(got, y, i), sample_at(expected, y, i));
                goto where;
            }
    printf("# %s: wrote outside the picture (guard bytes changed)\n", kernel->name);
where:
    printf("#   %s; threads %d, tile %d, device limit %zu\n#   again: checker --kernel %s --case "
           "%d --seed %" PRIu64 "\n",
           c->text, job->threads, job->tile, job->device_bytes_limit, kernel->name, c->number,
           settings.seed);
    if (job->state)
        printf("#   method %s\n", job->state->method);
}

static bool check_run(const struct check_case *c, const struct kernel *kernel,
                      struct kernel_job *job, const struct image *expected, struct image *out)
{
    struct error err;
    size_t bytes = out->pitch * (size_t)(out->height + 2 * GUARD_ROWS);
    unsigned char *got = (unsigned char *)out->data - GUARD_ROWS * out->pitch;
    const unsigned char *want = (const unsigned char *)expected->data - GUARD_ROWS * out->pitch;

    memset(got, GUARD, bytes);
    job->out = out;
    comparisons++;
    if (!kernel_run(kernel, job, &err)) {
        printf("# %s: %s\n#   %s\n", kernel->name, err.text, c->text);
        return false;
    }
    if (memcmp(got, want, bytes) == 0)
        return true;
    show_difference(c, kernel, job, expected);
    return false;
}

/* Runs output rows [first, first + rows) as a separate band with only the rows it needs; the kernel
 * makes the ghost rows. Also true if ghost rows fold to rows that are far away. */
static bool check_band(const struct check_case *c, const struct kernel *kernel,
                       const struct kernel_job *whole, const struct image *expected,
                       struct image *out, int first, int rows)
{
    int from = first, to = first + rows, reach = 0; /* more than folding needs */
    struct kernel_job job = *whole;
    struct image in, part = image_rows(out, first, rows), want = image_rows(expected, first, rows);
    struct error err;

    for (const struct plan *step = whole->plan; step; step = step->then) {
        const struct plan_mask *m = &step->mask[0];
        from -= m->anchor_y;
        to += m->height - 1 - m->anchor_y;
        reach += m->height;
    }
    if ((from < 0 || to > c->height) && (c->plan.border == BORDER_WRAP || reach > rows))
        return true;
    from = from < 0 ? 0 : from;
    to = to > c->height ? c->height : to;
    in = image_rows(whole->in, from, to - from);
    job.in = &in;
    job.out = &part;
    job.in_first_row = from;
    job.out_first_row = first;
    comparisons++;
    if (!kernel_run(kernel, &job, &err)) {
        printf("# %s: %s\n", kernel->name, err.text);
        return false;
    }
    for (int y = 0; y < rows; y++)
        if (memcmp(image_row(&part, y), image_row(&want, y), image_row_bytes(&part)) != 0) {
            show_difference(c, kernel, &job, &want);
            return false;
        }
    return true;
}

/* Runs the picture in three bands that share the kernel's state. */
static bool check_bands(const struct check_case *c, const struct kernel *kernel,
                        const struct kernel_job *whole, const struct image *expected,
                        struct image *out)
{
    int third = c->height / 3;

    if (c->plan.repeat > 1 || third < 1)
        return true;
    return check_band(c, kernel, whole, expected, out, third, third) &&
           check_band(c, kernel, whole, expected, out, 0, third) &&
           check_band(c, kernel, whole, expected, out, 2 * third, c->height - 2 * third);
}

static bool check_bands_of(const struct check_case *c, const struct kernel *kernel,
                           const struct kernel_job *whole, const struct image *expected,
                           struct image *out)
{
    struct kernel_job job = *whole;
    struct error err;
    bool ok = kernel_open(kernel, job.plan, c->width, c->height / 3 + 1, NULL, &job.state, &err) &&
              check_bands(c, kernel, &job, expected, out);

    kernel_close(kernel, job.state);
    return ok;
}

/* Threads, 1 to 3, for running methods by name; the plan itself runs with the other numbers. */
static int threads_of(const struct check_case *c)
{
    return 1 + c->number % 3;
}

/* Runs every method that supports the plan, even if another one is faster. */
static bool check_methods(const struct check_case *c, const struct kernel *kernel,
                          struct kernel_job *job, const struct image *expected, struct image *out)
{
    int count;
    const struct cpu_method *const *methods = cpu_methods(&count);
    const struct cpu_method *fastest =
        cpu_method_fastest(job->plan, kernel->ops, c->width, c->height, 0);
    struct error err;
    bool ok = true;

    for (int i = 0; i < count; i++) {
        chosen_methods[i] += methods[i] == fastest;
        if (cpu_method_refusal(methods[i], job->plan, kernel->ops) ||
            (settings.method && settings.method != methods[i]))
            continue;
        named_methods[i]++;
        if (!kernel_open(kernel, job->plan, c->width, c->height, methods[i]->name, &job->state,
                         &err)) {
            printf("# %s: %s\n#   %s\n", kernel->name, err.text, c->text);
            ok = false;
            continue;
        }
        job->threads = threads_of(c);
        ok &= check_run(c, kernel, job, expected, out);
        ok = ok && (c->number % 4 != 0 || check_bands(c, kernel, job, expected, out));
        kernel_close(kernel, job->state);
        job->state = NULL;
    }
    job->threads = 1;
    return ok;
}

/* Runs one case on one kernel, with the thread counts or tiles and limits of its device. */
static bool check_kernel(const struct check_case *c, const struct kernel *kernel,
                         struct kernel_job *job, const struct image *expected, struct image *out)
{
    static const int TILES[] = {0, 8, 16, 32, 64};
    bool ok = true;

    if (kernel->device == DEVICE_CPU) {
        ok = check_methods(c, kernel, job, expected, out);
        if (settings.method)
            return ok;
        for (int threads = 1; threads <= 3; threads++) {
            job->threads = threads;
            ok = ok && (threads == threads_of(c) || check_run(c, kernel, job, expected, out));
        }
        job->threads = 1;
    } else {
        job->tile = TILES[c->number % 5];
        ok &= check_run(c, kernel, job, expected, out);
        if (c->number % 7 == 0) { /* a memory limit that forces several strips */
            job->device_bytes_limit = c->strip_bytes;
            ok &= check_run(c, kernel, job, expected, out);
            job->device_bytes_limit = 0;
        }
        job->tile = 0;
    }
    return ok && check_bands_of(c, kernel, job, expected, out);
}

/* ---- the cases of one mask ---- */

struct tally {
    int cases, failed, refused;
    char why[256];
};

/* Makes the expected picture: by the reference, or by a kernel whose bytes have the hash of the
 * reference's bytes in another program. The hash covers the whole memory, including guard bytes. */
static bool expected_make(const struct check_case *c, struct kernel_job *job,
                          const struct kernel *kernels, int count, const bool *chosen)
{
    const struct image *expected = job->out;
    const size_t bytes = expected->pitch * (size_t)(c->height + 2 * GUARD_ROWS);
    unsigned char *memory = (unsigned char *)expected->data - GUARD_ROWS * expected->pitch;
    const bool remembers = settings.seed == 1 && !settings.small;
    const uint64_t known = remembers ? check_expected_known(c->number) : 0;
    struct error err;
    char why[256];

    for (int k = 1; known && !check_expected_again(c->number) && k < count; k++) {
        if (!chosen[k] || !kernel_supports(&kernels[k], &c->plan, why, sizeof why))
            continue;
        if (kernel_run(&kernels[k], job, &err) && check_expected_hash(memory, bytes) == known)
            return true;
        memset(memory, GUARD, bytes);
        break;
    }
    if (!kernel_run(&kernels[0], job, &err))
        return false;
    if (!remembers)
        return true;
    if (known && known != check_expected_hash(memory, bytes)) {
        printf("# the reference makes other bytes than that of another program\n#   %s\n", c->text);
        return false;
    }
    check_expected_keep(c->number, check_expected_hash(memory, bytes));
    return true;
}

/* Whether KERNEL supports the plan, with the requested method if there is one. */
static bool check_supports(const struct kernel *kernel, const struct plan *plan, char *why,
                           size_t why_size)
{
    const char *refusal = settings.method && kernel->device == DEVICE_CPU
                              ? cpu_method_refusal(settings.method, plan, kernel->ops)
                              : NULL;

    if (refusal)
        snprintf(why, why_size, "%s", refusal);
    return !refusal && kernel_supports(kernel, plan, why, why_size);
}

/* Which of the chosen kernels support the plan; counts the others. False: none does. */
static bool check_find_kernels(const struct plan *plan, struct tally *tally,
                               const struct kernel *kernels, int count, const bool *chosen,
                               bool *runs)
{
    bool any = false;

    for (int k = 0; k < count; k++) {
        runs[k] = chosen[k] && check_supports(&kernels[k], plan, tally[k].why, sizeof tally[k].why);
        tally[k].refused += chosen[k] && !runs[k];
        any = any || runs[k];
    }
    return any;
}

static void check_case_run(const struct check_case *c, struct tally *tally,
                           const struct kernel *kernels, int count, const bool *chosen)
{
    struct image in = {0}, expected = {0}, out = {0};
    struct kernel_job job;
    bool have, runs[MOST_KERNELS];

    if (!check_find_kernels(&c->plan, tally, kernels, count, chosen, runs))
        return;
    have = guarded_alloc(&in, c) && guarded_alloc(&expected, c) && guarded_alloc(&out, c);
    CHECKF(have, "no memory for case %d", c->number);
    if (have)
        check_case_fill(c, &in);
    job = kernel_job_whole(&c->plan, &in, &expected);
    if (!have || !expected_make(c, &job, kernels, count, chosen)) {
        tally[0].failed++;
        goto out;
    }
    for (int k = 0; k < count; k++) {
        if (!runs[k])
            continue;
        tally[k].cases++;
        tally[k].failed += !check_kernel(c, &kernels[k], &job, &expected, &out);
    }
out:
    guarded_free(&in);
    guarded_free(&expected);
    guarded_free(&out);
}

static void check_report(const char *mask, const struct kernel *kernels, int count,
                         const bool *chosen, const struct tally *tally, int *total)
{
    for (int k = 0; k < count; k++) {
        char name[160];
        if (!chosen[k] || tally[k].cases + tally[k].refused == 0)
            continue;
        *total += tally[k].cases;
        if (tally[k].cases == 0) {
            snprintf(name, sizeof name, "%s, mask %s", kernels[k].name, mask);
            test_skip(name, tally[k].why);
            continue;
        }
        snprintf(name, sizeof name, "%s, mask %s: %d cases equal the reference", kernels[k].name,
                 mask, tally[k].cases);
        test_result(name, tally[k].failed == 0);
    }
}

/* Checks that every method was the fastest in some case and ran several cases by name. */
static void report_methods(void)
{
    int count;
    const struct cpu_method *const *methods = cpu_methods(&count);

    for (int i = 0; i < count; i++) {
        printf("# method %s: %ld cases by name, the fastest of %ld\n", methods[i]->name,
               named_methods[i], chosen_methods[i]);
        test_result(methods[i]->name, chosen_methods[i] > 0 && named_methods[i] > 1);
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
        if (strcmp(argv[i], "--quick") == 0) {
            settings.quick = true;
            continue;
        }
        if (strcmp(argv[i], "--device") == 0) {
            settings.cpu = strcmp(value, "cuda") != 0;
            settings.cuda = strcmp(value, "cpu") != 0;
        } else if (strcmp(argv[i], "--kernel") == 0) {
            settings.kernel = value;
            settings.cuda = settings.cpu = true;
        } else if (strcmp(argv[i], "--method") == 0) {
            settings.method = cpu_method_find(value);
            if (!settings.method)
                return fprintf(stderr, "checker: there is no method %s\n", value) < 0;
        } else if (strcmp(argv[i], "--most-cells") == 0) {
            settings.most_cells = (int)strtol(value, NULL, 10);
        } else if (strcmp(argv[i], "--case") == 0) {
            settings.only_case = (int)strtol(value, NULL, 10);
        } else if (strcmp(argv[i], "--half") == 0) {
            settings.half = (int)strtol(value, NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0) {
            settings.seed = strtoull(value, NULL, 10);
        } else {
            fprintf(stderr, "checker: unknown option %s\n", argv[i]);
            return false;
        }
        i++;
    }
    return true;
}

static bool left_out(int mask, int index, int number)
{
    /* The upper bits of a product by a large odd number share out cases of all sizes evenly. */
    const int half = (int)((uint32_t)number * 2246822519u >> 31);

    return (settings.only_case >= 0 && settings.only_case != number) ||
           (settings.half >= 0 && settings.half != half) ||
           (settings.quick && !check_case_is_quick(mask, index)) ||
           check_mask_cells(mask) > settings.most_cells;
}

int main(int argc, char **argv)
{
    int count, total = 0, number = 0, masks = check_mask_count();
    const struct kernel *kernels = kernel_table(&count);
    bool chosen[MOST_KERNELS] = {false};

    if (!options_read(argc, argv) || !check_expected_open())
        return 2;
    if (settings.cuda && !settings.cpu) {
        char why[256];
        if (backend_find(DEVICE_CUDA)->devices(why, sizeof why) == 0) {
            printf("1..0 # SKIP %s\n", why);
            return 0;
        }
    }
    for (int k = 1; k < count; k++) /* row 0 is the reference */
        chosen[k] =
            kernels[k].dims == 2 && (settings.kernel ? strcmp(settings.kernel, kernels[k].name) == 0
                                     : kernels[k].device == DEVICE_CPU ? settings.cpu
                                                                       : settings.cuda);
    for (int m = 0; m < masks; m++) {
        struct tally tally[MOST_KERNELS] = {{0}};
        int cases = check_case_count(m, settings.small);
        for (int i = 0; i < cases; i++, number++) {
            struct check_case c;
            if (left_out(m, i, number))
                continue;
            if (check_case_make(&c, m, i, number, settings.seed, settings.small)) {
                check_case_run(&c, tally, kernels, count, chosen);
                check_case_free(&c);
            } else {
                tally[0].failed++;
            }
        }
        if (tally[0].failed)
            test_result("cases can be made", false);
        check_report(check_mask_name(m), kernels, count, chosen, tally, &total);
    }
    if (settings.cpu && !settings.kernel && !settings.small && settings.only_case < 0 &&
        settings.most_cells == INT_MAX && !settings.quick)
        report_methods();
    printf("# %d cases, %ld comparisons, seed %" PRIu64 "\n", total, comparisons, settings.seed);
    if (backend_find(DEVICE_CUDA)->release)
        backend_find(DEVICE_CUDA)->release();
    return test_finish();
}
