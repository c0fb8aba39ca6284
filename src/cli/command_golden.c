/* `stencilcli golden record|check SUITE`: records and checks golden pictures of this program and
 * others, and prints the results. */
#include <string.h>

#include "base/json.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/command.h"
#include "compare/golden.h"
#include "compare/junit.h"

/* Files open at once for a thread: a picture, and a copy or a drawing of it twice; or a process. */
#define FILES_EACH 4

/* ---- reporting ---- */

static bool is_changed(const struct golden_case *one, const struct golden_result *result)
{
    return strcmp(result->checksum, one->checksum) != 0;
}

static void tell_json(const char *state, const struct golden_case *one,
                      const struct golden_result *result)
{
    json_print(stdout,
               "{'line':%d,'file':%s,'command':%s,'state':%s,'why':%s,'expected':%s,"
               "'checksum':%s,'seconds':%.3f",
               one->line, one->file, one->command, state, result->why, one->checksum,
               result->checksum, result->seconds);
    if (result->compared) {
        json_print(stdout, ",'comparison':{");
        command_compare_json(stdout, &result->numbers);
        putchar('}');
    }
    puts("}");
}

static void tell_text(const char *state, const struct golden_case *one,
                      const struct golden_result *result)
{
    printf("%s: line %d: ", state, one->line);
    clean_text_put(stdout, one->command ? one->command : one->file);
    if (result->why[0]) {
        printf(": ");
        clean_text_put(stdout, result->why);
    }
    putchar('\n');
}

static void tell(const struct options *options, const struct golden_job *job, struct junit *junit)
{
    for (size_t i = 0; i < job->suite->count; i++) {
        const struct golden_case *one = &job->suite->cases[i];
        const struct golden_result *result = &job->result[i];
        const char *state = golden_state_name(result->state);
        bool good = result->state == GOLDEN_SAME || result->state == GOLDEN_TOLERATED;
        bool changed = job->recording && is_changed(one, result);
        bool news = result->state != GOLDEN_SAME || changed;
        if (job->recording && result->state != GOLDEN_FAILED)
            state = changed ? "changed" : "same";
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

static enum exit_code summarise(const struct options *options, const struct golden_job *job)
{
    size_t counts[GOLDEN_STATES] = {0}, changed = 0;
    bool talk = !options->quiet && !options->json;

    for (size_t i = 0; i < job->suite->count; i++) {
        counts[job->result[i].state]++;
        changed += is_changed(&job->suite->cases[i], &job->result[i]);
    }
    if (job->recording && counts[GOLDEN_FAILED])
        command_say("nothing recorded: %zu of %zu cases failed", counts[GOLDEN_FAILED],
                    job->suite->count);
    else if (job->recording && talk)
        printf("%zu recorded, %zu of them changed\n", job->suite->count, changed);
    else if (talk)
        printf("%zu case%s: %zu same, %zu tolerated, %zu different, %zu unrecorded, %zu failed\n",
               job->suite->count, job->suite->count == 1 ? "" : "s", counts[GOLDEN_SAME],
               counts[GOLDEN_TOLERATED], counts[GOLDEN_DIFFERENT], counts[GOLDEN_UNRECORDED],
               counts[GOLDEN_FAILED]);
    return counts[GOLDEN_FAILED]                                  ? EXIT_INPUT
           : counts[GOLDEN_DIFFERENT] + counts[GOLDEN_UNRECORDED] ? EXIT_DIFFERENT
                                                                  : EXIT_DONE;
}

/* ---- running ---- */

static bool run(const struct options *options, struct golden_job *job, struct error *err)
{
    struct junit junit = {0};

    if (!golden_run(job, err))
        return false;
    if (options->junit && !junit_begin(&junit, "stencilcli golden", options->junit, err))
        return false;
    tell(options, job, &junit);
    enum exit_code code = summarise(options, job);
    if (!junit_end(&junit, options->junit, err))
        return false;
    return (!options->html || golden_report_write(job, options->html, err)) &&
           command_end(code, err);
}

bool command_golden(const struct options *options, struct error *err)
{
    bool recording = strcmp(options->operand[0], "record") == 0;
    int threads = options->request.threads ? options->request.threads : machine_cpus();
    struct golden_suite suite;
    struct golden_job job = {.suite = &suite,
                             .threads = open_files_for(threads, FILES_EACH),
                             .recording = recording,
                             .pictures = options->html != NULL};

    bool good = golden_suite_read(&suite, options->operand[1], err) && run(options, &job, err);
    golden_results_free(job.result, suite.count);
    golden_suite_free(&suite);
    return good;
}
