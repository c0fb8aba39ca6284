/* Times the CPU kernels in memory on one thread, some jobs beside another one that takes turns with
 * them; scripts/bench_kernels builds and runs it. Times are the thread's CPU time, and the ratio is
 * the median of the ratios of neighbouring runs, since times drift on a busy machine and ratios
 * hardly do. No result is checked (the checker does that).
 *
 *   time_2d [--kernel NAME] [--runs N] [--size WxH] [CASE...]
 *   time_2d --methods MOST [--kernel NAME] [--runs N] [--size WxH] "FILTER:MASK:CHANNELS:BITS"...
 *
 * CASE: only cases with this word in their name; =CASE: only the case of exactly this name.
 * --methods: instead, times the method that is chosen, and each one whose cost is at most MOST
 * times the cost of that one. MASK: of convolve "WORD N" (see mask_values), else a radius or
 * nothing. A line is the job, the method, its cost and its least time in ms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "cpu/method.h"
#include "kernel/kernel.h"
#include "plan/filter.h"

#define MAX_RUNS  1000
#define MOST_SIDE 255
#define MASK_TEXT (MOST_SIDE * MOST_SIDE * 32)

/* One job: a filter with its options. */
struct job {
    const char *filter, *mask; /* mask: its text, or "WORD N" for an N x N mask: see mask_text */
    double sigma;
    int radius, channels;
    enum sample_type type;
    bool opaque; /* alpha is max everywhere; else it varies like colour */
};

struct timed_case {
    const char *name;
    struct job job;
    struct job beside; /* to compare with; filter NULL: none */
};

#define RGB8          3, SAMPLE_U8, true
#define RGB16         3, SAMPLE_U16, true
#define GRAY8         1, SAMPLE_U8, true
#define RGBA_EVERYDAY 4, SAMPLE_U8, false
/* Common pictures and masks, which scripts/bench_kernels --against compares between builds. */
#define EVERYDAY(name, filter, mask, sigma, radius, ...)                                           \
    {                                                                                              \
        "everyday " name, {filter, mask, sigma, radius, __VA_ARGS__},                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define EVERYDAY_SAMPLES(bits, ...)                                                                \
    EVERYDAY("gauss3 " bits, "convolve", "gauss3", 0, -1, __VA_ARGS__),                            \
        EVERYDAY("gauss5 " bits, "blur", NULL, 0, -1, __VA_ARGS__),                                \
        EVERYDAY("gauss9 " bits, "convolve", "gauss9", 0, -1, __VA_ARGS__),                        \
        EVERYDAY("sigma 1 " bits, "gauss", NULL, 1, -1, __VA_ARGS__),                              \
        EVERYDAY("sigma 2.3 " bits, "gauss", NULL, 2.3, -1, __VA_ARGS__),                          \
        EVERYDAY("sigma 5 " bits, "gauss", NULL, 5, -1, __VA_ARGS__),                              \
        EVERYDAY("sigma 10 " bits, "gauss", NULL, 10, -1, __VA_ARGS__),                            \
        EVERYDAY("sigma 40 " bits, "gauss", NULL, 40, -1, __VA_ARGS__),                            \
        EVERYDAY("box 1 " bits, "box", NULL, 0, 1, __VA_ARGS__),                                   \
        EVERYDAY("box 5 " bits, "box", NULL, 0, 5, __VA_ARGS__),                                   \
        EVERYDAY("box 20 " bits, "box", NULL, 0, 20, __VA_ARGS__),                                 \
        EVERYDAY("box 100 " bits, "box", NULL, 0, 100, __VA_ARGS__),                               \
        EVERYDAY("sharpen " bits, "sharpen", NULL, 0, -1, __VA_ARGS__),                            \
        EVERYDAY("unsharp " bits, "unsharp", NULL, 1, -1, __VA_ARGS__),                            \
        EVERYDAY("sobel " bits, "sobel", NULL, 0, -1, __VA_ARGS__),                                \
        EVERYDAY("motion9 " bits, "convolve", "motion9", 0, -1, __VA_ARGS__),                      \
        EVERYDAY("random 3 " bits, "convolve", "random 3", 0, -1, __VA_ARGS__),                    \
        EVERYDAY("random 5 " bits, "convolve", "random 5", 0, -1, __VA_ARGS__),                    \
        EVERYDAY("random 9 " bits, "convolve", "random 9", 0, -1, __VA_ARGS__),                    \
        EVERYDAY("random 15 " bits, "convolve", "random 15", 0, -1, __VA_ARGS__),                  \
        EVERYDAY("random 19 " bits, "convolve", "random 19", 0, -1, __VA_ARGS__),                  \
        EVERYDAY("random 31 " bits, "convolve", "random 31", 0, -1, __VA_ARGS__)
#define LARGE(name, filter, mask, sigma, radius)                                                   \
    {                                                                                              \
        name, {filter, mask, sigma, radius, RGB8},                                                 \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define LARGE_MASKS(n)                                                                             \
    LARGE("large random " #n, "convolve", "random " #n, 0, -1),                                    \
        LARGE("large disc " #n, "convolve", "disc " #n, 0, -1),                                    \
        LARGE("large LoG " #n, "convolve", "log " #n, 0, -1),                                      \
        LARGE("large DoG " #n, "convolve", "dog " #n, 0, -1),                                      \
        LARGE("large unsharp " #n, "unsharp", NULL, (n) / 6.0, (n) / 2)
/* Compared with a mask of small integers. */
#define DIGITS(name, mask, samples, integers)                                                      \
    {                                                                                              \
        name, {"convolve", mask, 0, -1, samples},                                                  \
        {                                                                                          \
            "convolve", integers, 0, -1, samples                                                   \
        }                                                                                          \
    }
#define RGBA(mask, type)                                                                           \
    {                                                                                              \
        "convolve", mask, 0, -1, 4, type, false                                                    \
    }
/* 19 digits compared with whole numbers, and both with the same mask where alpha is max. */
#define WEIGHTED(name, word, type)                                                                 \
    {"19 digits RGBA " name, RGBA("decimal-" word, type), RGBA(word, type)},                       \
    {                                                                                              \
        "RGBA " name, RGBA(word, type),                                                            \
        {                                                                                          \
            "convolve", word, 0, -1, 4, type, true                                                 \
        }                                                                                          \
    }
/* Order filters and bilateral ones, which scripts/bench_order compares with other libraries. */
#define ORDER(name, filter, mask, radius, ...)                                                     \
    {                                                                                              \
        "order " name, {filter, mask, 0, radius, __VA_ARGS__},                                     \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define ORDER_SAMPLES(bits, ...)                                                                   \
    ORDER("erode 1" bits, "erode", NULL, 1, __VA_ARGS__),                                          \
        ORDER("erode 2" bits, "erode", NULL, 2, __VA_ARGS__),                                      \
        ORDER("erode 5" bits, "erode", NULL, 5, __VA_ARGS__),                                      \
        ORDER("erode 15" bits, "erode", NULL, 15, __VA_ARGS__),                                    \
        ORDER("erode 50" bits, "erode", NULL, 50, __VA_ARGS__),                                    \
        ORDER("erode disc 31" bits, "erode", "disc 63", -1, __VA_ARGS__),                          \
        ORDER("median 1" bits, "median", NULL, 1, __VA_ARGS__),                                    \
        ORDER("median 2" bits, "median", NULL, 2, __VA_ARGS__),                                    \
        ORDER("median 3" bits, "median", NULL, 3, __VA_ARGS__),                                    \
        ORDER("median 4" bits, "median", NULL, 4, __VA_ARGS__),                                    \
        ORDER("median 5" bits, "median", NULL, 5, __VA_ARGS__),                                    \
        ORDER("median 6" bits, "median", NULL, 6, __VA_ARGS__),                                    \
        ORDER("median 7" bits, "median", NULL, 7, __VA_ARGS__),                                    \
        ORDER("median 15" bits, "median", NULL, 15, __VA_ARGS__),                                  \
        ORDER("median 31" bits, "median", NULL, 31, __VA_ARGS__),                                  \
        ORDER("bilateral 2" bits, "bilateral", NULL, 2, __VA_ARGS__),                              \
        ORDER("bilateral 5" bits, "bilateral", NULL, 5, __VA_ARGS__)
static const struct timed_case CASES[] = {
    EVERYDAY_SAMPLES("RGB", RGB8),
    EVERYDAY_SAMPLES("RGB 16 bits", RGB16),
    EVERYDAY("sigma 0.5 RGB 16 bits", "gauss", NULL, 0.5, -1, RGB16),
    EVERYDAY("sigma 20 RGB 16 bits", "gauss", NULL, 20, -1, RGB16),
    EVERYDAY("sigma 1 RGBA 16 bits", "gauss", NULL, 1, -1, 4, SAMPLE_U16, false),
    EVERYDAY("sigma 5 RGBA 16 bits", "gauss", NULL, 5, -1, 4, SAMPLE_U16, false),
    EVERYDAY("sigma 5 gray 16 bits", "gauss", NULL, 5, -1, 1, SAMPLE_U16, true),
    EVERYDAY_SAMPLES("RGBA", RGBA_EVERYDAY),
    EVERYDAY("gauss5 gray", "blur", NULL, 0, -1, GRAY8),
    EVERYDAY("sigma 2.3 gray", "gauss", NULL, 2.3, -1, GRAY8),
    EVERYDAY("random 9 gray", "convolve", "random 9", 0, -1, GRAY8),
    WEIGHTED("5x5", "positive 5", SAMPLE_U8),
    WEIGHTED("15x15", "positive 15", SAMPLE_U8),
    WEIGHTED("bell 15x15", "bell 15", SAMPLE_U8),
    WEIGHTED("5x5 16 bits", "positive 5", SAMPLE_U16),
    WEIGHTED("15x15 16 bits", "positive 15", SAMPLE_U16),
    WEIGHTED("bell 15x15 16 bits", "bell 15", SAMPLE_U16),
    LARGE_MASKS(15),
    LARGE_MASKS(31),
    LARGE_MASKS(63),
    LARGE_MASKS(127),
    DIGITS("19 digits 5x5", "decimal 5", RGB8, "random 5"),
    DIGITS("19 digits 15x15", "decimal 15", RGB8, "random 15"),
    DIGITS("19 digits 5x5 16 bits", "decimal 5", RGB16, "random 5"),
    DIGITS("19 digits 15x15 16 bits", "decimal 15", RGB16, "random 15"),
    DIGITS("19 digits bell 3x3", "decimal-bell 3", RGB8, "gauss3"),
    DIGITS("19 digits bell 5x5", "decimal-bell 5", RGB8, "gauss5"),
    DIGITS("19 digits bell 7x7", "decimal-bell 7", RGB8, "gauss7"),
    DIGITS("19 digits bell 15x15", "decimal-bell 15", RGB8, "bell 15"),
    DIGITS("19 digits bell 3x3 16 bits", "decimal-bell 3", RGB16, "bell 3"),
    DIGITS("19 digits bell 5x5 16 bits", "decimal-bell 5", RGB16, "gauss5"),
    DIGITS("19 digits bell 15x15 16 bits", "decimal-bell 15", RGB16, "bell 15"),
    ORDER_SAMPLES("", RGB8),
    ORDER_SAMPLES(" 16 bits", RGB16),
};

struct options {
    const char *kernel;
    int runs, threads, width, height;
    double methods; /* see the head; 0: times the cases */
};

/* Several threads are timed by the clock. */
static bool several_threads;

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(several_threads ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* A Gaussian of n x n, with decimals, or as an outer product of integers whose sum with 16-bit
 * samples fits 32 bits. */
static void fill_bell(int n, bool decimal, double *value)
{
    double sigma = n / 6.0, sum = 0;
    for (int i = 0; i < n; i++)
        sum += exp(-pow(i - (n - 1) / 2.0, 2) / (2 * sigma * sigma));
    for (int i = 0; i < n * n; i++) {
        double x = i % n - (n - 1) / 2.0, y = i / n - (n - 1) / 2.0, d = 2 * sigma * sigma;
        value[i] = decimal
                       ? exp(-(x * x + y * y) / d) / (sum * sum)
                       : round(170 * exp(-x * x / d) / sum) * round(170 * exp(-y * y / d) / sum);
    }
}

/* Fills weights of N x N for WORD: "random": whole numbers of -30..99; "positive": of 0..129;
 * "decimal" and "decimal-positive": the same as decimals; "disc": 0 and 1; "log": the Laplacian of
 * a Gaussian of sigma N/6; "dog": whole numbers, the difference of two Gaussians of sigma N/6 and
 * N/10; "bell" and "decimal-bell": from fill_bell. Returns the divisor. */
static double mask_values(const char *word, int n, double *values)
{
    double narrow[MOST_SIDE], wide[MOST_SIDE], narrows = 0, wides = 0, sum = 0,
                                               half = (n - 1) / 2.0;
    uint32_t state = 1;

    for (int i = 0; i < n; i++) {
        narrow[i] = exp(-(i - half) * (i - half) * 50 / n / n);
        wide[i] = exp(-(i - half) * (i - half) * 18 / n / n);
        narrows += narrow[i];
        wides += wide[i];
    }
    fill_bell(n, word[0] == 'd', values);
    for (int i = 0; i < n * n; i++) {
        double x = i % n - half, y = (double)(i / n) - half;
        if (strstr(word, "bell")) {
            ; /* read already */
        } else if (strncmp(word, "disc", 4) == 0) {
            values[i] = 4 * (x * x + y * y) <= (double)n * n;
        } else if (strncmp(word, "log", 3) == 0) {
            values[i] = ((x * x + y * y) * 18 / n / n - 1) * exp(-(x * x + y * y) * 18 / n / n);
        } else if (strncmp(word, "dog", 3) == 0) {
            values[i] =
                floor(2048 * narrow[i % n] / narrows) * floor(2048 * narrow[i / n] / narrows) -
                floor(2048 * wide[i % n] / wides) * floor(2048 * wide[i / n] / wides);
        } else {
            state = state * 1664525 + 1013904223;
            values[i] = (int)(state >> 16) % 130 - (strstr(word, "positive") ? 0 : 30);
        }
        sum += values[i];
    }
    return strncmp(word, "dog", 3) == 0 ? 2048 * 2048 : strncmp(word, "log", 3) == 0 ? 1 : sum;
}

/* A mask's text: GIVEN, or the text for "WORD N"; "decimal" and "log" with 19 digits, as
 * numpy.savetxt prints them. */
static const char *mask_text(const char *given, char *text)
{
    static const char *const WORDS[] = {"random ",       "decimal ",  "disc ",
                                        "log ",          "dog ",      "bell ",
                                        "decimal-bell ", "positive ", "decimal-positive "};
    static double values[MOST_SIDE * MOST_SIDE];
    char *at = text;
    bool known = false, decimal;
    double divisor;
    int n;

    for (size_t i = 0; given && i < sizeof WORDS / sizeof *WORDS; i++)
        known |= strncmp(given, WORDS[i], strlen(WORDS[i])) == 0;
    if (!known)
        return given;
    decimal = strncmp(given, "decimal", 7) == 0 || strncmp(given, "log", 3) == 0;
    n = (int)strtol(strchr(given, ' '), NULL, 10);
    divisor = mask_values(given, n, values);
    if (!decimal)
        at += sprintf(at, "divisor %.0f\n", divisor);
    for (int i = 0; i < n * n; i++)
        if (decimal)
            at += sprintf(at, "%.18e%c", values[i] / divisor, (i + 1) % n ? ' ' : '\n');
        else
            at += sprintf(at, "%.0f%c", values[i], (i + 1) % n ? ' ' : '\n');
    return text;
}

struct prepared {
    struct plan plan;
    struct image in, out;
    const struct kernel *kernel;
    const char *method; /* NULL: the fastest */
};

static void fill(const struct job *job, struct image *image)
{
    uint32_t state = 1;
    for (int y = 0; y < image->height; y++)
        for (int i = 0; i < image->width * image->channels; i++) {
            bool alpha = i % image->channels == 3 && job->opaque;
            state = state * 1664525 + 1013904223;
            if (image->type == SAMPLE_U8)
                ((uint8_t *)image_row(image, y))[i] = alpha ? 255 : (uint8_t)(state >> 24);
            else
                ((uint16_t *)image_row(image, y))[i] = alpha ? 65535 : (uint16_t)(state >> 16);
        }
}

static bool prepare(const struct options *o, const struct job *job, struct prepared *p)
{
    static char text[MASK_TEXT];
    uint32_t max = job->type == SAMPLE_U8 ? 255 : 65535;
    struct error err = {0};
    struct filter_request request = {.filter = filter_find(job->filter),
                                     .mask = mask_text(job->mask, text),
                                     .has_sigma = job->sigma > 0,
                                     .sigma = job->sigma,
                                     .radius = job->radius,
                                     .repeat = 1};
    memset(p, 0, sizeof *p);
    if (!filter_plan(&request, job->channels, job->type, max, &p->plan, &err) ||
        !image_alloc(&p->in, o->width, o->height, job->channels, job->type, "in", &err) ||
        !image_alloc(&p->out, o->width, o->height, job->channels, job->type, "out", &err)) {
        fprintf(stderr, "time_2d: %s\n", err.text);
        return false;
    }
    fill(job, &p->in);
    p->kernel = o->kernel ? kernel_find(o->kernel) : kernel_choose(DEVICE_CPU, &p->plan);
    return p->kernel != NULL;
}

static void release(struct prepared *p)
{
    plan_free(&p->plan);
    image_free(&p->in);
    image_free(&p->out);
}

static double time_ours(const struct options *o, struct prepared *p)
{
    struct kernel_job job = kernel_job_whole(&p->plan, &p->in, &p->out);
    struct error err = {0};
    double start = cpu_ms();
    job.threads = o->threads;
    if (!kernel_open(p->kernel, &p->plan, p->in.width, p->in.height, p->method, &job.state, &err) ||
        !kernel_run(p->kernel, &job, &err))
        fprintf(stderr, "time_2d: %s\n", err.text);
    kernel_close(p->kernel, job.state);
    return cpu_ms() - start;
}

static bool time_case(const struct options *o, const struct timed_case *c)
{
    static double ours[MAX_RUNS], other[MAX_RUNS], ratio[MAX_RUNS];
    struct prepared p, beside;
    const bool pair = c->beside.filter != NULL;
    if (!prepare(o, &c->job, &p) || (pair && !prepare(o, &c->beside, &beside)))
        return false;
    for (int i = -1; i < o->runs; i++) { /* the first run warms up */
        int at = i < 0 ? 0 : i;
        ours[at] = time_ours(o, &p);
        other[at] = pair ? time_ours(o, &beside) : 0;
        ratio[at] = other[at] > 0 ? ours[at] / other[at] : 0;
    }
    qsort(ours, (size_t)o->runs, sizeof *ours, compare);
    qsort(other, (size_t)o->runs, sizeof *other, compare);
    qsort(ratio, (size_t)o->runs, sizeof *ratio, compare);
    printf("| %s | %.2f | %.2f |", c->name, ours[o->runs / 2], ours[0]);
    if (pair)
        printf(" ours, plain | %.2f | %.2f | %.3f | %.3f |\n", other[o->runs / 2], other[0],
               ratio[o->runs / 2], ours[0] / other[0]);
    else
        printf(" | | | | |\n");
    fflush(stdout);
    release(&p);
    if (pair)
        release(&beside);
    return true;
}

/* Times a job's methods in turn: see the head. */
static bool time_methods(const struct options *o, char *text)
{
    char *field[4] = {text};
    int count;
    const struct cpu_method *const *methods = cpu_methods(&count);
    double cost[32], least[32], chosen = HUGE_VAL;
    struct prepared p;

    for (int i = 1; i < 4; i++) {
        field[i] = field[i - 1] ? strchr(field[i - 1], ':') : NULL;
        if (!field[i])
            return false;
        *field[i]++ = '\0';
    }
    const bool convolves = strcmp(field[0], "convolve") == 0;
    const struct job job = {.filter = field[0],
                            .mask = convolves ? field[1] : NULL,
                            .radius =
                                convolves || !field[1][0] ? -1 : (int)strtol(field[1], NULL, 10),
                            .channels = (int)strtol(field[2], NULL, 10),
                            .type = strcmp(field[3], "16") == 0 ? SAMPLE_U16 : SAMPLE_U8,
                            .opaque = false};
    if (!prepare(o, &job, &p))
        return false;
    for (int i = 0; i < count; i++) {
        const bool refused = cpu_method_refusal(methods[i], &p.plan, p.kernel->ops) != NULL;
        cost[i] = refused
                      ? HUGE_VAL
                      : cpu_method_cost(methods[i], &p.plan, p.kernel->ops, o->width, o->height);
        least[i] = HUGE_VAL;
        chosen = fmin(chosen, cost[i]);
    }
    for (int run = 0; run < o->runs; run++)
        for (int i = 0; i < count; i++)
            if (cost[i] <= o->methods * chosen) {
                p.method = methods[i]->name;
                least[i] = fmin(least[i], time_ours(o, &p));
            }
    for (int i = 0; i < count; i++)
        if (least[i] < HUGE_VAL)
            printf("%s:%s:%s:%s\t%s\t%.4f\t%.4f\n", field[0], field[1], field[2], field[3],
                   methods[i]->name, cost[i] * 1e-6, least[i]);
    fflush(stdout);
    release(&p);
    return true;
}

static bool wanted(const char *name, char **words, int count)
{
    for (int i = 0; i < count; i++)
        if (words[i][0] == '=' ? strcmp(name, words[i] + 1) == 0 : strstr(name, words[i]) != NULL)
            return true;
    return count == 0;
}

/* Reads a size such as "3840x2160". */
static bool read_size(const char *text, int *width, int *height)
{
    char *end;
    *width = (int)strtol(text, &end, 10);
    if (*end != 'x')
        return false;
    *height = (int)strtol(end + 1, &end, 10);
    return *end == '\0' && *width > 0 && *height > 0;
}

int main(int argc, char **argv)
{
    struct options o = {.runs = 9, .threads = 1, .width = 3840, .height = 2160};
    char **words = argv + 1;
    int count = 0;
    bool good = true;

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strncmp(argv[i], "--", 2) != 0) {
            words[count++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--kernel") == 0) {
            o.kernel = value;
        } else if (strcmp(argv[i], "--runs") == 0) {
            o.runs = (int)strtol(value, NULL, 10);
        } else if (strcmp(argv[i], "--methods") == 0) {
            o.methods = strtod(value, NULL);
        } else if (strcmp(argv[i], "--threads") == 0) {
            o.threads = (int)strtol(value, NULL, 10);
            several_threads = o.threads > 1;
        } else if (strcmp(argv[i], "--size") != 0 || !read_size(value, &o.width, &o.height)) {
            fprintf(stderr, "time_2d: unknown option or size: %s %s\n", argv[i], value);
            return 2;
        }
        i++;
    }
    if (o.runs < 1 || o.runs > MAX_RUNS || o.threads < 1)
        return 2;
    large_alloc_keep_small(); /* as the program does */
    team_use(team_new());     /* as the library does */
    for (int i = 0; i < count && o.methods > 0 && good; i++)
        good = time_methods(&o, words[i]);
    if (o.methods > 0)
        return good ? 0 : 1;
    printf("| %d x %d, %d threads, ms | median | least | beside | median | least | median "
           "ratio | ratio of least |\n|---|---|---|---|---|---|---|---|\n",
           o.width, o.height, o.threads);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES && good; i++)
        if (wanted(CASES[i].name, words, count))
            good = time_case(&o, &CASES[i]);
    return good ? 0 : 1;
}
