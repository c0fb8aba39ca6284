/* `stencilcli compare A B`: compares two pictures, or two folders of pictures. Pairs are compared
 * in groups, one on each core, and reported in order. A file in only one of the folders is a
 * difference. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/command.h"
#include "codec/folder.h"
#include "compare/junit.h"

/* Pairs in a group for each thread. */
#define GROUP 16

/* Files open at once for a worker: both pictures, and its drawing twice. */
#define FILES_EACH 4

enum outcome { EQUAL, WITHIN, DIFFERENT, MISSING, EXTRA, FAILED, OUTCOMES };

static const char *const outcome_names[OUTCOMES] = {"equal",   "within", "different",
                                                    "missing", "extra",  "failed"};

struct pair {
    const char *name; /* NULL: the operands themselves */
    char *a, *b;
    enum outcome outcome; /* MISSING and EXTRA are set beforehand */
    struct compare_result result;
    struct error err;
    double seconds;
};

struct job {
    const struct options *options;
    struct pair *pair;
    int threads;              /* for each pair */
    struct path_set compared; /* with --diff: all pictures of both folders */
    struct junit junit;
    size_t count[OUTCOMES];
};

static bool is_compared(const struct pair *pair)
{
    return pair->outcome <= DIFFERENT;
}

/* ---- one pair ---- */

/* The path of a pair's drawing in the folder of drawings, which gets one for each pair that fails.
 * The drawing of "a.jpg" is "a.jpg.png", since there may be an "a.png" too. */
static char *drawing_path(const struct job *job, const struct pair *pair)
{
    const char *where = job->options->diff;
    char *path;

    if (!pair->name)
        return strdup(where);
    if (asprintf(&path, "%s/%s%s", where, pair->name,
                 format_of_path(pair->name) == FORMAT_PNG ? "" : ".png") < 0)
        return NULL;
    path_make_parents(path); /* after a failure, opening the file fails too */
    return path;
}

static enum outcome compare_pair(const struct job *job, struct pair *pair)
{
    const struct compare_result *result = &pair->result;
    char *path = job->options->diff ? drawing_path(job, pair) : NULL;
    const struct compare_drawing drawing = {.path = path, .only_failed = pair->name != NULL};
    bool good = path || !job->options->diff ||
                error_set(&pair->err, EXIT_INPUT, "%s: no memory to compare it", pair->a);

    if (good && path && path_set_has(&job->compared, path))
        good = error_set(&pair->err, EXIT_INPUT,
                         "--diff %s: would be written over a compared picture", path);
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

/* ---- the numbers of a comparison ---- */

static void print_line(const char *name, const struct compare_sums *sums, uint32_t max)
{
    double psnr = compare_psnr(sums, max);
    char text[32] = "inf";
    if (!isinf(psnr))
        snprintf(text, sizeof text, "%.4f", psnr);
    printf("%-8s %6" PRIu32 " %11.6g %11.6g %9s %10.8f %12" PRIu64 " %9.4g%%\n", name,
           sums->max_diff, compare_mean(sums), compare_rms(sums), text, sums->ssim, sums->differing,
           compare_percent(sums->differing, sums->samples));
}

/* Prints a line for each channel and a line for all; nothing if the shapes differ. */
static void print_table(const struct compare_result *result)
{
    int channels = result->a.channels;
    const struct compare_sums *all = &result->all;

    if (!result->comparable)
        return;
    if (all->max_diff > 0)
        printf("largest difference: %" PRIu32 " at x %d, y %d, %s: %" PRIu32 " and %" PRIu32 "\n",
               all->max_diff, all->x, all->y, compare_channel_name(channels, all->channel), all->a,
               all->b);
    printf("%-8s %6s %11s %11s %9s %10s %12s %10s\n", "channel", "max", "mean", "rms", "PSNR dB",
           "SSIM", "differing", "of samples");
    for (int c = 0; c < channels; c++)
        print_line(compare_channel_name(channels, c), &result->channel[c], result->a.max);
    if (channels > 1)
        print_line("all", all, result->a.max);
    printf("pixels that differ: %" PRIu64 " of %" PRIu64 " (%.4g%%)\n", result->differing_pixels,
           result->pixels, compare_percent(result->differing_pixels, result->pixels));
}

static void json_info(FILE *out, const char *key, const struct image_info *info)
{
    json_print(out, ",%s:{'width':%d,'height':%d,'channels':%d,'bits':%d,'max':%u}", key,
               info->width, info->height, info->channels, 8 * (int)info->type, info->max);
}

static void json_sums(FILE *out, const struct compare_sums *sums, const struct image_info *info)
{
    double psnr = compare_psnr(sums, info->max);
    json_print(out, "'max_diff':%u", sums->max_diff);
    if (sums->max_diff > 0)
        json_print(out, ",'at':{'x':%d,'y':%d,'channel':%s,'a':%u,'b':%u}", sums->x, sums->y,
                   compare_channel_name(info->channels, sums->channel), sums->a, sums->b);
    json_print(out, ",'mean':%.9g,'rms':%.9g", compare_mean(sums), compare_rms(sums));
    json_print(out, isinf(psnr) ? ",'psnr':'inf'" : ",'psnr':%.9g", psnr);
    json_print(out, ",'ssim':%.9g,'samples':%" PRIu64 ",'differing':%" PRIu64 ",'percent':%.9g",
               sums->ssim, sums->samples, sums->differing,
               compare_percent(sums->differing, sums->samples));
}

void command_compare_json(FILE *out, const struct compare_result *result)
{
    const struct image_info *info = &result->a;

    json_print(out, "'result':%s,'why':%s",
               !result->passed                 ? "different"
               : result->differing_pixels == 0 ? "equal"
                                               : "within",
               result->why);
    json_info(out, "a_info", &result->a);
    json_info(out, "b_info", &result->b);
    if (!result->comparable)
        return;
    json_print(out,
               ",'pixels':%" PRIu64 ",'differing_pixels':%" PRIu64 ",'pixel_percent':%.9g,'all':{",
               result->pixels, result->differing_pixels,
               compare_percent(result->differing_pixels, result->pixels));
    json_sums(out, &result->all, info);
    json_print(out, "},'channels':[");
    for (int c = 0; c < info->channels; c++) {
        fputs(c > 0 ? "," : "", out);
        json_print(out, "{'channel':%s,", compare_channel_name(info->channels, c));
        json_sums(out, &result->channel[c], info);
        fputc('}', out);
    }
    fputc(']', out);
}

/* ---- reporting ---- */

static const char *reason(const struct pair *pair)
{
    return pair->outcome == MISSING  ? "only the first folder has it"
           : pair->outcome == EXTRA  ? "only the second folder has it"
           : pair->outcome == FAILED ? pair->err.text
                                     : pair->result.why;
}

static void tell_json(const struct pair *pair)
{
    json_print(stdout, "{'a':");
    json_put_bytes(stdout, pair->a);
    json_print(stdout, ",'b':");
    json_put_bytes(stdout, pair->b);
    fputc(',', stdout);
    if (is_compared(pair))
        command_compare_json(stdout, &pair->result);
    else
        json_print(stdout, "'result':%s,'why':%s", outcome_names[pair->outcome], reason(pair));
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
        clean_text_put(stdout, pair->name);
        printf("%s%s\n", strcmp(outcome, why) ? ": " : "", strcmp(outcome, why) ? why : "");
    } else {
        clean_text_put(stdout, pair->a);
        printf(" and ");
        clean_text_put(stdout, pair->b);
        printf(": %s%s\n", good ? "" : "different: ", why);
        print_table(&pair->result);
    }
}

static void tell(struct job *job, const struct pair *pair)
{
    const struct compare_result *result = &pair->result;
    bool compared = is_compared(pair);

    job->count[pair->outcome]++;
    for (int i = 0; i < 2 && compared && !job->options->quiet; i++) {
        if (result->warning[i][0])
            command_say("%s", result->warning[i]);
    }
    if (pair->outcome == FAILED)
        command_fail(&pair->err);
    else if (compared && !result->comparable && job->options->diff && !job->options->quiet)
        command_say("%s: nothing to draw: %s", job->options->diff, result->why);
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

static enum exit_code compare_operands(struct job *job)
{
    struct pair pair = {.a = (char *)job->options->operand[0],
                        .b = (char *)job->options->operand[1]};
    job->pair = &pair;
    job->threads = job->options->request.threads;
    run_pair(job, 0, 0);
    tell(job, &pair);
    return pair.outcome == FAILED   ? pair.err.code
           : pair.outcome <= WITHIN ? EXIT_DONE
                                    : EXIT_DIFFERENT;
}

/* Notes the files of both folders, so that no drawing replaces one through another path. */
static bool note_compared(struct job *job, const struct compare_pairs *all)
{
    bool good = true;

    for (size_t i = 0; good && job->options->diff && i < 2 * all->count; i++) {
        char *path = path_join(job->options->operand[i % 2], all->pair[i / 2].name);
        good = path && path_set_add(&job->compared, path);
        free(path);
    }
    return good;
}

/* Compares a group: COUNT of all pairs, from FIRST on. */
static bool compare_group(struct job *job, const struct compare_pairs *all, size_t first, int count,
                          int workers, struct error *err)
{
    const char *const *folder = job->options->operand;
    bool good = true;

    for (int i = 0; i < count; i++) {
        const struct compare_pair *from = &all->pair[first + (size_t)i];
        struct pair *pair = &job->pair[i];
        *pair = (struct pair){.name = from->name,
                              .outcome = !from->in_b   ? MISSING
                                         : !from->in_a ? EXTRA
                                                       : EQUAL};
        if (asprintf(&pair->a, "%s/%s", folder[0], from->name) < 0)
            pair->a = NULL;
        if (asprintf(&pair->b, "%s/%s", folder[1], from->name) < 0)
            pair->b = NULL;
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
    char line[FOLDER_KINDS_BYTES];

    if (job->options->quiet)
        return;
    if (all->passed.files > 0)
        command_say("%s", folder_kinds_line(line, &all->passed));
    if (!job->options->json)
        printf("%zu compared: %zu equal, %zu within the limits, %zu different, %zu missing, "
               "%zu extra, %zu failed\n",
               all->count, job->count[EQUAL], job->count[WITHIN], job->count[DIFFERENT],
               job->count[MISSING], job->count[EXTRA], job->count[FAILED]);
}

static enum exit_code compare_folders(struct job *job)
{
    const struct options *options = job->options;
    struct compare_pairs all;
    struct error err;

    if (!compare_pairs_make(&all, options->operand[0], options->operand[1], &err))
        return command_fail(&err);
    int cpus = options->request.threads ? options->request.threads : machine_cpus();
    int group = GROUP * cpus;
    /* With fewer pairs than cores, the pairs share the cores. */
    int workers = open_files_for(all.count < (size_t)cpus ? (int)all.count : cpus, FILES_EACH);
    job->threads = cpus / workers;
    job->pair = calloc((size_t)group, sizeof *job->pair);
    bool good = (job->pair && note_compared(job, &all)) ||
                error_set(&err, EXIT_INPUT, "%s: no memory to compare it", options->operand[0]);
    if (options->diff)
        mkdir(options->diff, 0777);
    for (size_t first = 0; good && first < all.count; first += (size_t)group) {
        size_t left = all.count - first;
        int count = left < (size_t)group ? (int)left : group;
        good = compare_group(job, &all, first, count, workers, &err);
    }
    free(job->pair);
    path_set_free(&job->compared);
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

/* Refuses a folder of drawings in a compared folder: the next comparison would compare them. (For
 * files: cli/outputs.c.) */
static bool check_diff(const struct options *options, struct error *err)
{
    bool good = true;

    for (int i = 0; good && options->diff && i < 2; i++) {
        struct path_set compared = {0};
        if (path_set_add(&compared, options->operand[i]) && path_set_has(&compared, options->diff))
            good = error_set(err, EXIT_USAGE, "--diff %s: would be written over or into %s",
                             options->diff, options->operand[i]);
        path_set_free(&compared);
    }
    return good;
}

bool command_compare(const struct options *options, struct error *err)
{
    struct job job = {.options = options};
    bool folder_a = is_folder(options->operand[0]), folder_b = is_folder(options->operand[1]);

    if (folder_a != folder_b)
        return error_set(err, EXIT_USAGE,
                         "%s is a folder and %s is none: expected two pictures or two folders",
                         options->operand[!folder_a], options->operand[folder_a]);
    if ((folder_a && !check_diff(options, err)) ||
        (options->junit && !junit_begin(&job.junit, "stencilcli compare", options->junit, err)))
        return false;
    enum exit_code code = folder_a ? compare_folders(&job) : compare_operands(&job);
    return junit_end(&job.junit, code == EXIT_USAGE ? NULL : options->junit, err) &&
           command_end(code, err);
}
