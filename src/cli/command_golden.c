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

/* What `record` does with a checksum. If a case FAILED, no checksum is recorded. */
enum record { RECORD_SAME, RECORD_NEW, RECORD_CHANGED, RECORD_NOTHING, RECORDS };

static enum record record_of(const struct golden_case *one, const struct golden_result *result,
                             bool failed)
{
    if (strcmp(result->checksum, one->checksum) == 0)
        return RECORD_SAME;
    return failed ? RECORD_NOTHING : strcmp(one->checksum, "0") == 0 ? RECORD_NEW : RECORD_CHANGED;
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

static void tell(const struct options *options, const struct golden_job *job, bool failed,
                 struct junit *junit)
{
    static const char *const recorded[] = {[RECORD_SAME] = "same",
                                           [RECORD_NEW] = "new",
                                           [RECORD_CHANGED] = "changed",
                                           [RECORD_NOTHING] = "unrecorded"};

    for (size_t i = 0; i < job->suite->count; i++) {
        const struct golden_case *one = &job->suite->cases[i];
        const struct golden_result *result = &job->result[i];
        const char *state = golden_state_name(result->state);
        bool good = result->state == GOLDEN_SAME || result->state == GOLDEN_TOLERATED;
        enum record record = record_of(one, result, failed);
        bool news = result->state != GOLDEN_SAME || (job->recording && record != RECORD_SAME);
        if (job->recording && result->state != GOLDEN_FAILED)
            state = recorded[record];
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

static enum exit_code summarise(const struct options *options, const struct golden_job *job,
                                const size_t counts[GOLDEN_STATES])
{
    size_t records[RECORDS] = {0};
    bool talk = !options->quiet && !options->json;

    for (size_t i = 0; i < job->suite->count; i++)
        records[record_of(&job->suite->cases[i], &job->result[i], false)]++;
    if (job->recording && counts[GOLDEN_FAILED])
        command_say("nothing recorded: %zu of %zu cases failed", counts[GOLDEN_FAILED],
                    job->suite->count);
    else if (job->recording && talk)
        printf("%zu recorded: %zu new, %zu changed, %zu same\n", job->suite->count,
               records[RECORD_NEW], records[RECORD_CHANGED], records[RECORD_SAME]);
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
    size_t counts[GOLDEN_STATES] = {0};

    if (!golden_run(job, err))
        return false;
    for (size_t i = 0; i < job->suite->count; i++)
        counts[job->result[i].state]++;
    if (options->junit && !junit_begin(&junit, "stencilcli golden", options->junit, err))
        return false;
    tell(options, job, counts[GOLDEN_FAILED] > 0, &junit);
    enum exit_code code = summarise(options, job, counts);
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
