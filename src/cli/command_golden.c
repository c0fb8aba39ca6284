/* `stencilcli golden record|check SUITE`: records and checks golden pictures of this and of other
 * programs, and prints the results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/machine.h"
#include "cli/command.h"
#include "cli/print_compare.h"
#include "compare/golden.h"
#include "compare/junit.h"

/* A thread has a picture open, and a copy or a drawing of it twice; or a process. */
#define FILES_EACH 4

/* ---- telling ---- */

static bool is_changed(const struct golden_case *one, const struct golden_result *result)
{
    return strcmp(result->checksum, one->checksum) != 0;
}

/* `record` only says whether a checksum has changed. */
static const char *state_name(const struct golden_job *job, const struct golden_case *one,
                              const struct golden_result *result)
{
    if (job->recording && result->state != GOLDEN_FAILED)
        return is_changed(one, result) ? "changed" : "same";
    return golden_state_name(result->state);
}

static void tell_json(const char *state, const struct golden_case *one,
                      const struct golden_result *result)
{
    printf("{\"line\":%d,\"file\":", one->line);
    json_print_text(stdout, one->file);
    printf(",\"command\":");
    if (one->command)
        json_print_text(stdout, one->command);
    else
        printf("null");
    printf(",\"state\":\"%s\",\"why\":", state);
    json_print_text(stdout, result->why);
    printf(",\"expected\":\"%s\",\"checksum\":\"%s\",\"seconds\":%.3f", one->checksum,
           result->checksum, result->seconds);
    if (result->compared) {
        printf(",\"comparison\":{");
        compare_print_json(stdout, &result->numbers);
        printf("}");
    }
    printf("}\n");
}

static void tell_text(const char *state, const struct golden_case *one,
                      const struct golden_result *result)
{
    printf("%s: line %d: ", state, one->line);
    command_print_clean(stdout, one->command ? one->command : one->file);
    if (result->why[0]) {
        printf(": ");
        command_print_clean(stdout, result->why);
    }
    putchar('\n');
}

static void tell(const struct options *options, const struct golden_job *job, struct junit *junit)
{
    for (size_t i = 0; i < job->suite->count; i++) {
        const struct golden_case *one = &job->suite->cases[i];
        const struct golden_result *result = &job->result[i];
        const char *state = state_name(job, one, result);
        bool good = result->state == GOLDEN_SAME || result->state == GOLDEN_TOLERATED;
        bool news = result->state != GOLDEN_SAME || (job->recording && is_changed(one, result));
        if (options->json)
            tell_json(state, one, result);
        else if (!good || options->verbose || (news && !options->quiet))
            tell_text(state, one, result);
        junit_case(junit, one->command ? one->command : one->file, result->seconds,
                   good                             ? JUNIT_PASSED
                   : result->state == GOLDEN_FAILED ? JUNIT_ERROR
                                                    : JUNIT_FAILURE,
                   result->why);
    }
}

static void count(const struct golden_job *job, size_t counts[GOLDEN_STATES], size_t *changed)
{
    *changed = 0;
    for (size_t i = 0; i < job->suite->count; i++) {
        counts[job->result[i].state]++;
        *changed += is_changed(&job->suite->cases[i], &job->result[i]);
    }
}

static int summarise(const struct options *options, const struct golden_job *job)
{
    size_t counts[GOLDEN_STATES] = {0}, changed;
    bool talk = !options->quiet && !options->json;

    count(job, counts, &changed);
    if (job->recording) {
        if (counts[GOLDEN_FAILED])
            fprintf(stderr, "stencilcli: nothing recorded: %zu of %zu cases failed\n",
                    counts[GOLDEN_FAILED], job->suite->count);
        else if (talk)
            printf("%zu recorded, %zu of them changed\n", job->suite->count, changed);
    } else if (talk) {
        printf("%zu cases: %zu same, %zu tolerated, %zu different, %zu unrecorded, %zu failed\n",
               job->suite->count, counts[GOLDEN_SAME], counts[GOLDEN_TOLERATED],
               counts[GOLDEN_DIFFERENT], counts[GOLDEN_UNRECORDED], counts[GOLDEN_FAILED]);
    }
    return counts[GOLDEN_FAILED]                                  ? EXIT_INPUT
           : counts[GOLDEN_DIFFERENT] + counts[GOLDEN_UNRECORDED] ? EXIT_DIFFERENT
                                                                  : EXIT_DONE;
}

/* ---- running ---- */

static bool run(const struct options *options, struct golden_job *job, int *code, struct error *err)
{
    struct junit junit = {0};

    if (!golden_run(job, err))
        return false;
    if (options->junit && !junit_begin(&junit, "stencilcli golden", options->junit, err))
        return false;
    tell(options, job, &junit);
    *code = summarise(options, job);
    if (!junit_end(&junit, options->junit, err))
        return false;
    return !options->html || golden_report_write(job, options->html, err);
}

int command_golden(const struct options *options)
{
    const char *verb = options->operand[0];
    bool recording = strcmp(verb, "record") == 0;
    struct golden_suite suite;
    struct golden_job job = {.suite = &suite, .recording = recording};
    struct error err;
    int code = EXIT_DONE;

    if (!recording && strcmp(verb, "check") != 0) {
        error_set(&err, EXIT_USAGE, "golden '%.80s': expected record or check", verb);
        return command_fail(&err);
    }
    if (recording && (options->html || options->junit)) {
        error_set(&err, EXIT_USAGE, "golden record has no --%s: it compares nothing",
                  options->html ? "html" : "junit");
        return command_fail(&err);
    }
    job.threads = options->threads ? options->threads : machine_cpus();
    job.threads = open_files_for(job.threads, FILES_EACH);
    job.pictures = options->html != NULL;
    if (!golden_suite_read(&suite, options->operand[1], &err) || !run(options, &job, &code, &err))
        code = command_fail(&err);
    golden_results_free(job.result, suite.count);
    golden_suite_free(&suite);
    return code;
}
