/* `stencilcli compare A B`: compares two pictures, or two folders of pictures. Pairs are
 * compared in groups, one on each core, and reported in their order. A file that only one
 * folder has is a difference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "cli/print_compare.h"
#include "codec/folder.h"
#include "compare/junit.h"

/* Pairs of a group, for each thread. */
#define GROUP 16

/* A worker has both pictures open, and its drawing twice. */
#define FILES_EACH 4

enum outcome { EQUAL, WITHIN, DIFFERENT, MISSING, EXTRA, FAILED, OUTCOMES };

static const char *const outcome_names[OUTCOMES] = {"equal",   "within", "different",
                                                    "missing", "extra",  "failed"};

struct pair {
    const char *name; /* NULL: the operands themselves */
    char *a, *b;
    enum outcome outcome; /* MISSING and EXTRA from the beginning */
    struct compare_result result;
    struct error err;
    double seconds;
};

struct job {
    const struct options *options;
    struct pair *pair;
    int threads; /* of each pair */
    struct junit junit;
    size_t count[OUTCOMES];
};

static bool is_compared(const struct pair *pair)
{
    return pair->outcome <= DIFFERENT;
}

/* ---- one pair ---- */

/* In a folder of drawings there is one for each pair that fails. The drawing of "a.jpg" is
 * "a.jpg.png": there may be an "a.png" too. */
static char *drawing_path(const struct job *job, const struct pair *pair)
{
    const char *where = job->options->diff;
    char *path;

    if (!pair->name)
        return strdup(where);
    if (asprintf(&path, "%s/%s%s", where, pair->name,
                 format_of_path(pair->name) == FORMAT_PNG ? "" : ".png") < 0)
        return NULL;
    path_make_parents(path); /* if that fails, so does opening the file */
    return path;
}

static enum outcome compare_pair(const struct job *job, struct pair *pair)
{
    const struct compare_result *result = &pair->result;
    char *path = job->options->diff ? drawing_path(job, pair) : NULL;
    const struct compare_drawing drawing = {.path = path, .only_failed = pair->name != NULL};
    bool good = path || !job->options->diff ||
                error_set(&pair->err, EXIT_INPUT, "%s: no memory to compare it", pair->a);

    good = good && compare_files(pair->a, pair->b, &job->options->limits, job->threads,
                                 path ? &drawing : NULL, &pair->result, &pair->err);
    free(path);
    return !good ? FAILED : !result->passed ? DIFFERENT : result->differing_pixels ? WITHIN : EQUAL;
}

static void run_pair(void *context, int piece, int worker)
{
    const struct job *job = context;
    struct pair *pair = &job->pair[piece];
    double start = clock_ms();
    (void)worker;
    if (is_compared(pair))
        pair->outcome = compare_pair(job, pair);
    pair->seconds = (clock_ms() - start) * 1e-3;
}

/* ---- telling ---- */

static const char *reason(const struct pair *pair)
{
    return pair->outcome == MISSING  ? "only the first folder has it"
           : pair->outcome == EXTRA  ? "only the second folder has it"
           : pair->outcome == FAILED ? pair->err.text
                                     : pair->result.why;
}

static void tell_json(const struct pair *pair)
{
    printf("{\"a\":");
    json_put_bytes(stdout, pair->a);
    printf(",\"b\":");
    json_put_bytes(stdout, pair->b);
    printf(",");
    if (is_compared(pair)) {
        compare_print_json(stdout, &pair->result);
    } else {
        printf("\"result\":\"%s\",\"why\":", outcome_names[pair->outcome]);
        json_print_text(stdout, reason(pair));
    }
    printf("}\n");
}

static void tell_text(const struct options *options, const struct pair *pair)
{
    const char *outcome = outcome_names[pair->outcome], *why = reason(pair);
    bool good = pair->outcome <= WITHIN;

    if (pair->outcome == FAILED || (good && (options->quiet || (pair->name && !options->verbose))))
        return;
    if (pair->name) {
        printf("%s: ", outcome);
        command_print_clean(stdout, pair->name);
        printf("%s%s\n", strcmp(outcome, why) ? ": " : "", strcmp(outcome, why) ? why : "");
    } else {
        command_print_clean(stdout, pair->a);
        printf(" and ");
        command_print_clean(stdout, pair->b);
        printf(": %s%s\n", good ? "" : "different: ", why);
        compare_print_table(stdout, &pair->result);
    }
}

static void tell(struct job *job, const struct pair *pair)
{
    const struct compare_result *result = &pair->result;
    bool compared = is_compared(pair);

    job->count[pair->outcome]++;
    for (int i = 0; i < 2 && compared && !job->options->quiet; i++) {
        if (result->warning[i][0])
            fprintf(stderr, "stencilcli: %s\n", result->warning[i]);
    }
    if (pair->outcome == FAILED)
        command_fail(&pair->err);
    else if (compared && !result->comparable && job->options->diff && !job->options->quiet)
        fprintf(stderr, "stencilcli: %s: nothing to draw: %s\n", job->options->diff, result->why);
    if (job->options->json)
        tell_json(pair);
    else
        tell_text(job->options, pair);
    junit_case(&job->junit, pair->name ? pair->name : pair->b, pair->seconds,
               pair->outcome <= WITHIN   ? JUNIT_PASSED
               : pair->outcome == FAILED ? JUNIT_ERROR
                                         : JUNIT_FAILURE,
               reason(pair));
}

/* ---- one pair, or all of two folders ---- */

static int compare_operands(struct job *job)
{
    struct pair pair = {.a = (char *)job->options->operand[0],
                        .b = (char *)job->options->operand[1]};
    job->pair = &pair;
    job->threads = job->options->threads;
    run_pair(job, 0, 0);
    tell(job, &pair);
    return pair.outcome == FAILED   ? (int)pair.err.code
           : pair.outcome <= WITHIN ? EXIT_DONE
                                    : EXIT_DIFFERENT;
}

/* FIRST and COUNT say which of all pairs are in this group. */
static bool compare_group(struct job *job, const struct compare_pairs *all, size_t first, int count,
                          int workers, struct error *err)
{
    const char *const *folder = job->options->operand;
    bool good = true;

    for (int i = 0; i < count; i++) {
        const struct compare_pair *from = &all->pair[first + (size_t)i];
        struct pair *pair = &job->pair[i];
        memset(pair, 0, sizeof *pair);
        pair->name = from->name;
        if (asprintf(&pair->a, "%s/%s", folder[0], from->name) < 0)
            pair->a = NULL;
        if (asprintf(&pair->b, "%s/%s", folder[1], from->name) < 0)
            pair->b = NULL;
        pair->outcome = !from->in_b ? MISSING : !from->in_a ? EXTRA : EQUAL;
        good = good && pair->a && pair->b;
    }
    if (good)
        parallel_for(workers, count, run_pair, job);
    for (int i = 0; i < count; i++) {
        if (good)
            tell(job, &job->pair[i]);
        free(job->pair[i].a);
        free(job->pair[i].b);
    }
    return good || error_set(err, EXIT_INPUT, "%s: no memory to compare it", folder[0]);
}

static void tell_summary(const struct job *job, const struct compare_pairs *all)
{
    if (job->options->quiet)
        return;
    if (all->others > 0)
        fprintf(stderr, "stencilcli: left out, no pictures by their names: %zu\n", all->others);
    if (!job->options->json)
        printf("%zu compared: %zu equal, %zu within the limits, %zu different, %zu missing, "
               "%zu extra, %zu failed\n",
               all->count, job->count[EQUAL], job->count[WITHIN], job->count[DIFFERENT],
               job->count[MISSING], job->count[EXTRA], job->count[FAILED]);
}

static int compare_folders(struct job *job)
{
    const struct options *options = job->options;
    struct compare_pairs all;
    struct error err;
    bool good = true;

    if (!compare_pairs_make(&all, options->operand[0], options->operand[1], &err))
        return command_fail(&err);
    int cpus = options->threads ? options->threads : machine_cpus(), group = GROUP * cpus;
    /* With fewer pairs than cores, the pairs share the cores. */
    int workers = all.count < (size_t)cpus ? (int)all.count : cpus;
    workers = open_files_for(workers, FILES_EACH);
    job->threads = cpus / workers;
    job->pair = calloc((size_t)group, sizeof *job->pair);
    if (!job->pair)
        good = error_set(&err, EXIT_INPUT, "%s: no memory to compare it", options->operand[0]);
    if (options->diff)
        mkdir(options->diff, 0777);
    for (size_t first = 0; good && first < all.count; first += (size_t)group) {
        size_t left = all.count - first;
        int count = left < (size_t)group ? (int)left : group;
        good = compare_group(job, &all, first, count, workers, &err);
    }
    free(job->pair);
    if (good)
        tell_summary(job, &all);
    compare_pairs_free(&all);
    if (!good)
        return command_fail(&err);
    return job->count[FAILED]                                                ? EXIT_INPUT
           : job->count[DIFFERENT] + job->count[MISSING] + job->count[EXTRA] ? EXIT_DIFFERENT
                                                                             : EXIT_DONE;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Refuses drawings that would replace a picture, or that the next comparison would compare. */
static bool check_diff(const struct options *options, struct error *err)
{
    char *diff = options->diff ? path_real(options->diff) : NULL;
    bool good = true;

    for (int i = 0; good && diff && i < 2; i++) {
        char *real = realpath(options->operand[i], NULL);
        if (real && path_inside(diff, real))
            good = error_set(err, EXIT_USAGE, "--diff %s: would be written over or into %s",
                             options->diff, options->operand[i]);
        free(real);
    }
    free(diff);
    return good;
}

int command_compare(const struct options *options)
{
    struct job job = {.options = options};
    struct error err;
    bool folder_a = is_folder(options->operand[0]), folder_b = is_folder(options->operand[1]);
    int code;

    if (folder_a != folder_b) {
        error_set(&err, EXIT_USAGE, "%s is a folder and %s is none: expected two of a kind",
                  options->operand[!folder_a], options->operand[folder_a]);
        return command_fail(&err);
    }
    if (!check_diff(options, &err))
        return command_fail(&err);
    if (options->junit && !junit_begin(&job.junit, "stencilcli compare", options->junit, &err))
        return command_fail(&err);
    code = folder_a ? compare_folders(&job) : compare_operands(&job);
    if (!junit_end(&job.junit, code == EXIT_USAGE ? NULL : options->junit, &err))
        return command_fail(&err);
    return code;
}
