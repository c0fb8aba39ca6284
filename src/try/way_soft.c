/* The software way: compiles a student's file with the host's C++ compiler and runs it on the
 * software GPU in a child process. See way.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/words.h"
#include "try/child.h"
#include "try/headers.h"
#include "try/process.h"
#include "try/sandbox.h"

struct made {
    struct try_setup setup;
    char library[512];
};

/* ---- the folder ---- */

static bool write_text(const char *folder, const char *name, const char *text, struct error *err)
{
    char path[600];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "w");
    if (!out)
        return error_errno(err, path, "write");
    const bool failed = fputs(text, out) < 0;
    if (fclose(out) != 0 || failed)
        return error_errno(err, path, "write");
    return true;
}

static bool write_headers(const char *folder, struct error *err)
{
    static const struct {
        const char *stem, *name;
    } names[] = {{"cuda", "cuda.h"},
                 {"cuda_runtime_api", "cuda_runtime_api.h"},
                 {"gpu", "soft/gpu.h"},
                 {"threads", "soft/threads.h"},
                 {"cuda_functions", "soft/cuda_functions.h"},
                 {"try_words", "try_words.h"}};
    char path[600];

    snprintf(path, sizeof path, "%s/soft", folder);
    if (mkdir(path, 0700) != 0 && access(path, W_OK) != 0)
        return error_errno(err, path, "make the folder");
    for (size_t i = 0; i < sizeof try_headers / sizeof try_headers[0]; i++)
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++)
            if (strcmp(try_headers[i].name, names[j].stem) == 0 &&
                !write_text(folder, names[j].name, try_headers[i].text, err))
                return false;
    return write_text(folder, "cuda_runtime.h", "#include <cuda_runtime_api.h>\n", err) &&
           write_text(folder, "device_launch_parameters.h", "\n", err);
}

/* ---- the compiler ---- */

#define WORDS 48

struct compiler {
    char words[1024], program[512], prefix[512]; /* prefix: the folder above the program's */
    const char *argv[WORDS];
    int argc;
    const char *folder;
};

/* Finds a program as a shell would. */
static bool find_program(const char *name, char *path, size_t room)
{
    char folders[4096], *rest = folders;

    if (strchr(name, '/'))
        return (size_t)snprintf(path, room, "%s", name) < room && access(path, X_OK) == 0;
    snprintf(folders, sizeof folders, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    for (char *folder; (folder = strsep(&rest, ":"));)
        if ((size_t)snprintf(path, room, "%s/%s", folder, name) < room && access(path, X_OK) == 0)
            return true;
    return false;
}

/* $CXX, or the first of the usual ones. */
static bool find_compiler(struct compiler *compiler, struct error *err)
{
    static const char *const usual[] = {"g++", "clang++", "c++"};
    const char *wanted = getenv("CXX");
    bool found = false;

    snprintf(compiler->words, sizeof compiler->words, "%s", wanted ? wanted : "");
    if (wanted && compiler->words[0]) {
        char *rest = compiler->words;
        for (char *word; (word = strsep(&rest, " ")) && compiler->argc < 8;)
            if (word[0])
                compiler->argv[compiler->argc++] = word;
        found = compiler->argc > 0 &&
                find_program(compiler->argv[0], compiler->program, sizeof compiler->program);
    }
    for (size_t i = 0; (!wanted || !wanted[0]) && i < 3 && !found; i++) {
        compiler->argv[0] = usual[i];
        compiler->argc = 1;
        found = find_program(usual[i], compiler->program, sizeof compiler->program);
    }
    if (!found)
        return error_set(err, EXIT_DEVICE,
                         "the software GPU needs a C++ compiler, and %s is not there: install g++",
                         compiler->argc ? compiler->argv[0] : "one");
    char *real = realpath(compiler->program, NULL);
    snprintf(compiler->prefix, sizeof compiler->prefix, "%s", real ? real : compiler->program);
    free(real);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(compiler->prefix, '/');
        if (slash)
            *slash = '\0';
    }
    return true;
}

static void start_compiler(void *context)
{
    struct compiler *compiler = context;
    const struct sandbox_limits limits = {
        .seconds = 20, .memory = (size_t)4 << 30, .file_size = (size_t)64 << 20};

    if (chdir(compiler->folder) != 0 || !sandbox_limit(&limits))
        _exit(126);
    sandbox_files(compiler->prefix, compiler->folder);
    setenv("TMPDIR", compiler->folder, 1);
    setenv("LC_ALL", "C", 1);
    setenv("CCACHE_DISABLE", "1", 1);
    execv(compiler->program, (char *const *)compiler->argv);
    _exit(127);
}

static bool compiler_too_long(void *context, double seconds)
{
    (void)context;
    return seconds > 30;
}

/* Runs the compiler with these further words; false if it fails. TEXT: what it printed. */
static bool run_compiler(struct compiler *compiler, const char *const *words, char **text,
                         enum process_end *end)
{
    const int before = compiler->argc;
    size_t bytes;
    FILE *printed = open_memstream(text, &bytes);
    struct process process = {start_compiler, compiler, compiler_too_long, printed, 1 << 18, 0};

    for (int i = 0; words[i] && compiler->argc < WORDS - 1; i++)
        compiler->argv[compiler->argc++] = words[i];
    compiler->argv[compiler->argc] = NULL;
    *end = process_run(&process);
    compiler->argc = before;
    if (printed)
        fclose(printed);
    return *end == PROCESS_ENDED && WIFEXITED(process.status) && WEXITSTATUS(process.status) == 0;
}

/* The compiler's first error in the student's own lines. What it says of other files is not
 * repeated. */
static bool say_error(const struct try_file *file, const char *text, enum process_end end,
                      struct error *err)
{
    const size_t length = strlen(file->name);

    if (end == PROCESS_INTERRUPTED)
        return error_set(err, EXIT_INPUT, "interrupted");
    if (end == PROCESS_TOO_LONG)
        return error_file(err, file->path, "does not compile within 30 s");
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        const char *error = strstr(line, ": error: "), *newline = strchr(line, '\n');
        if (!error || (newline && error > newline) || strncmp(line, file->name, length) != 0 ||
            line[length] != ':')
            continue;
        const char *after;
        int number = 0;
        word_int(line + length + 1, &after, &number);
        error += strlen(": error: ");
        return error_file(err, file->path, "line %d does not compile: %.*s", number,
                          (int)strcspn(error, "\n"), error);
    }
    if (strstr(text, "internal compiler error") || strstr(text, "out of memory") ||
        strstr(text, "Killed"))
        return error_file(err, file->path, "does not compile: the compiler gave up");
    return error_file(err, file->path, "does not compile: an error outside of its own lines");
}

static bool compile(struct made *made, struct compiler *compiler, struct error *err)
{
    const char *init = made->setup.zero_variables ? "-ftrivial-auto-var-init=zero"
                                                  : "-ftrivial-auto-var-init=pattern";
    const char *const words[] = {"-std=c++17",
                                 "-O1",
                                 "-fPIC",
                                 "-fsanitize=thread",
                                 "-fsanitize=bounds",
                                 "-w",
                                 "-I.",
                                 "-fno-threadsafe-statics",
                                 "-ffp-contract=off",
                                 "-fwrapv",
                                 "-fno-strict-aliasing",
                                 "-fno-diagnostics-show-caret",
                                 "-fdiagnostics-color=never",
                                 "-fno-stack-protector",
                                 "-fno-lto",
                                 "-c",
                                 "kernel.cpp",
                                 "-o",
                                 "kernel.o",
                                 init,
                                 NULL};
    const char *const link[] = {"-shared", "kernel.o", "-o", "kernel.so", NULL};
    char *text = NULL;
    enum process_end end;
    bool good = run_compiler(compiler, words, &text, &end);

    /* Compilers before gcc 12 and clang 16 lack the last option. */
    if (!good && text && strstr(text, "trivial-auto-var-init")) {
        const char *older[sizeof words / sizeof words[0]];
        memcpy(older, words, sizeof words);
        older[sizeof words / sizeof words[0] - 2] = NULL;
        free(text);
        text = NULL;
        good = run_compiler(compiler, older, &text, &end);
    }
    if (!good) {
        say_error(made->setup.file, text ? text : "", end, err);
        free(text);
        return false;
    }
    free(text);
    text = NULL;
    good = run_compiler(compiler, link, &text, &end);
    free(text);
    return good || error_file(err, made->setup.file->path, "its functions cannot be linked");
}

static bool soft_compile(const struct try_setup *setup, void **result, struct error *err)
{
    struct made *made = calloc(1, sizeof *made);
    struct compiler compiler = {.folder = setup->scratch};
    char *text = NULL;
    bool good;

    if (!made)
        return error_file(err, setup->file->path, "no memory to compile it");
    made->setup = *setup;
    snprintf(made->library, sizeof made->library, "%s/kernel.so", setup->scratch);
    good = find_compiler(&compiler, err) && (text = try_translate(setup->file, err)) &&
           write_headers(setup->scratch, err) &&
           write_text(setup->scratch, "kernel.cpp", text, err) && compile(made, &compiler, err);
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
    double since;
    struct child_shared *shared;
};

static void run_child(void *context)
{
    struct run *run = context;
    child_main(&run->made->setup, run->made->library, run->cases, run->first, run->count,
               run->shared);
}

static bool case_too_long(void *context, double seconds)
{
    struct run *run = context;

    if (run->shared->at != run->last_at) {
        run->last_at = run->shared->at;
        run->since = seconds;
    }
    return seconds - run->since > run->made->setup.limits.seconds;
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
static void say_end(const struct run *run, enum process_end end, int status,
                    struct child_result *result)
{
    const double seconds = run->made->setup.limits.seconds;

    if (result->end != END_NOT_RUN)
        return;
    result->end = END_REFUSED;
    if (end == PROCESS_TOO_LONG || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        snprintf(result->sentence, sizeof result->sentence,
                 "did not end within %g s: a loop without end, or threads that wait for each other",
                 seconds);
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
        run->since = 0;
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
            say_end(run, end, process.status, result);
            return true;
        }
        say_end(run, end, process.status, &run->shared->result[at]);
        run->first = at + 1;
        if (run->shared->result[at].end == END_REFUSED)
            return true;
    }
    return true;
}

static bool soft_run(void *made, const struct try_case *cases, int count,
                     struct try_result *results, FILE *printed, struct error *err)
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

static void soft_free(void *made)
{
    free(made);
}

const struct try_way try_way_soft = {"soft", "the software GPU, on this machine's CPU",
                                     soft_compile, soft_run, soft_free};

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
