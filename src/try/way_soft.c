/* The software way: compiles a student's file with the host's C++ compiler and runs it on the
 * software GPU in a child process. See way.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "try/child.h"
#include "try/compiler.h"
#include "try/sandbox.h"

struct made {
    struct try_setup setup;
    char library[512];
};

/* ---- the folder ---- */

static bool write_headers(const char *folder, struct error *err)
{
    static const struct compiler_header headers[] = {
        {"cuda", "cuda.h"},
        {"cuda_runtime_api", "cuda_runtime_api.h"},
        {"gpu", "soft/gpu.h"},
        {"threads", "soft/threads.h"},
        {"cuda_functions", "soft/cuda_functions.h"},
        {"try_words", "try_words.h"},
        {"try_arguments", "try/cuda/try_arguments.h"},
    };

    return compiler_headers(folder, headers, sizeof headers / sizeof headers[0], err) &&
           compiler_write(folder, "cuda_runtime.h", "#include <cuda_runtime_api.h>\n", err) &&
           compiler_write(folder, "device_launch_parameters.h", "\n", err);
}

/* ---- the compiler ---- */

/* $CXX, or the first of the usual ones. */
static bool find_compiler(struct compiler *compiler, struct error *err)
{
    static const char *const usual[] = {"g++", "clang++", "c++"};
    const char *wanted = getenv("CXX");

    if (wanted && wanted[0]) {
        if (compiler_find(compiler, wanted))
            return true;
    } else {
        for (size_t i = 0; i < 3; i++)
            if (compiler_find(compiler, usual[i]))
                return true;
    }
    return error_set(err, EXIT_DEVICE,
                     "the software GPU needs a C++ compiler, and %s is not there: install g++",
                     compiler->argc ? compiler->argv[0] : "one");
}

/* Compiles with these words, and with OPTIONAL, if it is not NULL and the compiler knows it. */
static bool compile_with(struct compiler *compiler, const char *const *optional, char **text,
                         enum process_end *end)
{
    static const char *const words[] = {"-std=gnu++17",
                                        "-O1",
                                        "-fPIC",
                                        "-fsanitize=thread",
                                        "-fsanitize=bounds",
                                        "-fsanitize-coverage=trace-pc",
                                        "-w",
                                        "-I.",
                                        "-fno-threadsafe-statics",
                                        "-ffp-contract=off",
                                        "-fwrapv",
                                        "-fsigned-char",
                                        "-fno-strict-aliasing",
                                        "-fdiagnostics-color=never",
                                        "-fno-stack-protector",
                                        "-fno-lto",
                                        "-c",
                                        "kernel.cpp",
                                        "-o",
                                        "kernel.o",
                                        NULL};
    const int before = compiler->argc;
    bool good;

    for (int i = 0; optional[i]; i++)
        compiler->argv[compiler->argc++] = optional[i];
    free(*text);
    *text = NULL;
    good = compiler_run(compiler, words, text, end);
    compiler->argc = before;
    return good;
}

static bool compile(struct made *made, struct compiler *compiler, struct error *err)
{
    /* Compilers before gcc 12 and clang 8 cannot fill variables; clang has a further word for
     * zeros. Clang needs to be told not to leave out loads before stores, nor endless loops. */
    const bool zero = made->setup.zero_variables;
    const char *fill = zero ? "-ftrivial-auto-var-init=zero" : "-ftrivial-auto-var-init=pattern";
    const char *const gcc[] = {fill, NULL};
    const char *const clang[] = {
        fill,
        "-fno-finite-loops",
        "-fsanitize-coverage=trace-pc,no-prune",
        "-mllvm",
        "-tsan-instrument-read-before-write",
        zero ? "-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang" : NULL,
        NULL};
    const char *const nothing[] = {NULL};
    const char *const link[] = {"-shared", "kernel.o", "-o", "kernel.so", NULL};
    const char *const *optional = compiler->is_clang ? clang : gcc;
    char *text = NULL;
    enum process_end end;
    bool good = compile_with(compiler, optional, &text, &end);

    if (!good && text &&
        (strstr(text, "var-init") || strstr(text, "-mllvm") || strstr(text, "finite")))
        good = compile_with(compiler, nothing, &text, &end);
    if (!good) {
        compiler_say_error(made->setup.file, text ? text : "", end, err);
        free(text);
        return false;
    }
    free(text);
    text = NULL;
    good = compiler_run(compiler, link, &text, &end);
    free(text);
    return good || error_file(err, made->setup.file->path, "its functions cannot be linked");
}

bool try_soft_compile(const struct try_setup *setup, void **result, struct error *err)
{
    struct made *made = calloc(1, sizeof *made);
    struct compiler compiler = {.folder = setup->scratch, .seconds = 20, .memory = (size_t)4 << 30};
    char *text = NULL;
    bool good;

    if (!made)
        return error_file(err, setup->file->path, "no memory to compile it");
    made->setup = *setup;
    snprintf(made->library, sizeof made->library, "%s/kernel.so", setup->scratch);
    good = find_compiler(&compiler, err) && (text = try_translate(setup->file, err)) &&
           write_headers(setup->scratch, err) &&
           compiler_write(setup->scratch, "kernel.cpp", text, err) && compile(made, &compiler, err);
    free(text);
    if (!good) {
        free(made);
        return false;
    }
    *result = made;
    return true;
}

/* ---- cases ---- */

struct run {
    const struct made *made;
    const struct try_case *cases;
    int first, count, last_at;
    double since, cpu_since;
    struct child_shared *shared;
};

static void run_child(void *context)
{
    struct run *run = context;
    child_main(&run->made->setup, run->made->library, run->cases, run->first, run->count,
               run->shared);
}

static double seconds_of(const struct run *run, int at)
{
    const bool known = at >= 0 && at < run->count; /* the child may have changed it */
    return run->made->setup.limits.seconds +
           (known ? try_case_products(&run->cases[at]) * TRY_PRODUCT_SECONDS : 0);
}

static bool case_too_long(void *context, double seconds)
{
    struct run *run = context;
    const double limit = seconds_of(run, run->shared->at), cpu = process_cpu_seconds();

    if (run->shared->at != run->last_at) {
        run->last_at = run->shared->at;
        run->since = seconds;
        run->cpu_since = cpu;
    }
    return cpu - run->cpu_since > limit || seconds - run->since > 4 * limit;
}

/* NULL: no memory. */
static struct child_shared *share(const struct try_case *cases, int count)
{
    size_t at = sizeof(struct child_shared) + (size_t)count * sizeof(struct child_result);
    struct child_shared *shared;
    const size_t first = at = (at + 63) / 64 * 64;

    for (int i = 0; i < count; i++)
        at += (size_t)cases[i].height * (size_t)cases[i].pitch *
                  (sizeof(double) + sizeof(struct try_writer)) +
              64;
    shared = mmap(NULL, at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return NULL;
    shared->bytes = at;
    at = first;
    for (int i = 0; i < count; i++) {
        const size_t cells = (size_t)cases[i].height * (size_t)cases[i].pitch;
        shared->result[i].p_at = at;
        shared->result[i].writer_at = at + cells * sizeof(double);
        at += (cells * (sizeof(double) + sizeof(struct try_writer)) + 63) / 64 * 64;
    }
    return shared;
}

/* Where result I keeps its cells, recomputed: the child may have changed what it shares. */
static bool take_result(const struct child_shared *shared, const struct try_case *it, size_t at,
                        int i, struct try_result *result)
{
    const size_t cells = (size_t)it->height * (size_t)it->pitch;
    const struct child_result *from = &shared->result[i];

    result->end = from->end;
    memcpy(result->sentence, from->sentence, sizeof result->sentence - 1);
    memcpy(result->found, from->found, sizeof result->found);
    for (int f = 0; f < FAULT_COUNT; f++)
        result->found[f].first.array[sizeof result->found[f].first.array - 1] = '\0';
    result->counts = from->counts;
    result->p = malloc(cells * sizeof *result->p);
    result->writer = malloc(cells * sizeof *result->writer);
    if (!result->p || !result->writer)
        return false;
    memcpy(result->p, (const char *)shared + at, cells * sizeof *result->p);
    memcpy(result->writer, (const char *)shared + at + cells * sizeof *result->p,
           cells * sizeof *result->writer);
    return true;
}

/* The child has ended while it ran a case: says why. */
static void say_end(const struct run *run, enum process_end end, int status, int at)
{
    struct child_result *result = &run->shared->result[at];

    if (result->end != END_NOT_RUN)
        return;
    result->end = END_REFUSED;
    if (end == PROCESS_TOO_LONG || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        snprintf(result->sentence, sizeof result->sentence,
                 "did not end within %.0f s: a loop without end, or threads that wait for each "
                 "other",
                 seconds_of(run, at));
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        /* The handler was held up: system() and pthread_create() block all signals meanwhile. */
        snprintf(result->sentence, sizeof result->sentence, "%s", sandbox_wish(SYS_clone));
    else if (WIFSIGNALED(status))
        snprintf(result->sentence, sizeof result->sentence, "was ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(result->sentence, sizeof result->sentence, "ends the program in its host code");
}

#define MOST_CHILDREN 6

/* A new child goes on behind a case that ended the last one. */
static bool run_children(struct run *run, FILE *printed, struct error *err)
{
    for (int i = 0; i < MOST_CHILDREN && run->first < run->count; i++) {
        struct process process = {run_child, run, case_too_long, printed, 1 << 16, 0};
        run->shared->at = run->first;
        run->shared->loaded = false;
        run->last_at = run->first;
        run->since = run->cpu_since = 0;
        const enum process_end end = process_run(&process);
        const int at = run->shared->at;
        if (end == PROCESS_INTERRUPTED)
            return error_set(err, EXIT_INPUT, "interrupted");
        if (end == PROCESS_FAILED)
            return error_set(err, EXIT_INPUT, "cannot start a process");
        if (at < run->first || at >= run->count)
            return true;
        if (!run->shared->loaded) {
            struct child_result *result = &run->shared->result[run->first];
            snprintf(result->sentence, sizeof result->sentence, "%s", run->shared->sentence);
            result->end = run->shared->load_end;
            say_end(run, end, process.status, run->first);
            return true;
        }
        say_end(run, end, process.status, at);
        run->first = at + 1;
        if (run->shared->result[at].end == END_REFUSED)
            return true;
    }
    return true;
}

bool try_soft_run(void *made, const struct try_case *cases, int count, struct try_result *results,
                  FILE *printed, struct error *err)
{
    struct run run = {.made = made, .cases = cases, .count = count};
    size_t at = sizeof(struct child_shared) + (size_t)count * sizeof(struct child_result);
    bool good;

    run.shared = share(cases, count);
    if (!run.shared)
        return error_set(err, EXIT_INPUT, "no memory for the results");
    const size_t bytes = run.shared->bytes;
    good = run_children(&run, printed, err);
    at = (at + 63) / 64 * 64;
    for (int i = 0; i < count && good; i++) {
        const size_t cells = (size_t)cases[i].height * (size_t)cases[i].pitch;
        good = take_result(run.shared, &cases[i], at, i, &results[i]) ||
               error_set(err, EXIT_INPUT, "no memory for the results");
        at += (cells * (sizeof(double) + sizeof(struct try_writer)) + 63) / 64 * 64;
    }
    munmap(run.shared, bytes);
    return good;
}

void try_soft_free(void *made)
{
    free(made);
}

double try_case_products(const struct try_case *it)
{
    return (double)it->width * it->height * it->channels * it->mask_width * it->mask_rows;
}

void try_case_free(struct try_case *it)
{
    free(it->n);
    free(it->m);
    it->n = it->m = NULL;
}

void try_result_free(struct try_result *result)
{
    free(result->p);
    free(result->writer);
    *result = (struct try_result){0};
}
