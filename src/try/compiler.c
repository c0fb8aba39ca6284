/* Compilers as child processes: see compiler.h. */
#include "try/compiler.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/words.h"
#include "try/headers.h"
#include "try/sandbox.h"

/* ---- the folder ---- */

/* Makes the folders that NAME has in front. */
static bool make_folders(const char *folder, const char *name)
{
    char path[600];

    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)(slash - name), name);
        if (mkdir(path, 0700) != 0 && access(path, W_OK) != 0)
            return false;
    }
    return true;
}

bool compiler_write(const char *folder, const char *name, const char *text, struct error *err)
{
    char path[600];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!make_folders(folder, name))
        return error_errno(err, path, "make the folder of");
    out = fopen(path, "w");
    if (!out)
        return error_errno(err, path, "write");
    const bool failed = fputs(text, out) < 0;
    if (fclose(out) != 0 || failed)
        return error_errno(err, path, "write");
    return true;
}

bool compiler_headers(const char *folder, const struct compiler_header *header, int count,
                      struct error *err)
{
    for (size_t i = 0; i < sizeof try_headers / sizeof try_headers[0]; i++)
        for (int j = 0; j < count; j++)
            if (strcmp(try_headers[i].name, header[j].stem) == 0 &&
                !compiler_write(folder, header[j].name, try_headers[i].text, err))
                return false;
    return true;
}

/* ---- the compiler ---- */

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

/* The folder above the program's own, links followed. */
static void set_prefix(struct compiler *compiler)
{
    char *real = realpath(compiler->program, NULL);

    snprintf(compiler->prefix, sizeof compiler->prefix, "%s", real ? real : compiler->program);
    compiler->is_clang = strstr(compiler->prefix, "clang") || strstr(compiler->program, "clang");
    free(real);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(compiler->prefix, '/');
        if (slash)
            *slash = '\0';
    }
}

bool compiler_find(struct compiler *compiler, const char *words)
{
    char *rest = compiler->words;

    compiler->argc = 0;
    snprintf(compiler->words, sizeof compiler->words, "%s", words);
    for (char *word; (word = strsep(&rest, " ")) && compiler->argc < 8;)
        if (word[0])
            compiler->argv[compiler->argc++] = word;
    if (compiler->argc == 0 ||
        !find_program(compiler->argv[0], compiler->program, sizeof compiler->program))
        return false;
    set_prefix(compiler);
    return true;
}

static void start_compiler(void *context)
{
    struct compiler *compiler = context;
    const struct sandbox_limits limits = {.seconds = compiler->seconds,
                                          .memory = compiler->memory ? compiler->memory : SIZE_MAX,
                                          .file_size = (size_t)64 << 20};

    if (chdir(compiler->folder) != 0 || !sandbox_limit(&limits))
        _exit(126);
    if (compiler->memory)
        sandbox_files(compiler->prefix, compiler->folder);
    setenv("TMPDIR", compiler->folder, 1);
    setenv("LC_ALL", "C", 1);
    setenv("CCACHE_DISABLE", "1", 1);
    execv(compiler->program, (char *const *)compiler->argv);
    _exit(127);
}

static bool compiler_too_long(void *context, double seconds)
{
    return seconds > 1.5 * ((struct compiler *)context)->seconds;
}

bool compiler_run(struct compiler *compiler, const char *const *words, char **text,
                  enum process_end *end)
{
    const int before = compiler->argc;
    size_t bytes;
    FILE *printed = open_memstream(text, &bytes);
    struct process process = {start_compiler, compiler, compiler_too_long, printed, 1 << 18, 0};

    for (int i = 0; words[i] && compiler->argc < COMPILER_WORDS - 1; i++)
        compiler->argv[compiler->argc++] = words[i];
    compiler->argv[compiler->argc] = NULL;
    *end = process_run(&process);
    compiler->argc = before;
    if (printed)
        fclose(printed);
    return *end == PROCESS_ENDED && WIFEXITED(process.status) && WEXITSTATUS(process.status) == 0;
}

bool compiler_say_error(const struct try_file *file, const char *text, enum process_end end,
                        struct error *err)
{
    const size_t length = strlen(TRY_SOURCE);

    if (end == PROCESS_INTERRUPTED)
        return error_set(err, EXIT_INPUT, "interrupted");
    if (end == PROCESS_TOO_LONG)
        return error_file(err, file->path, "takes too long to compile");
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        const char *error = strstr(line, ": error: "), *newline = strchr(line, '\n'), *after;
        int number = 0;
        if (!error || (newline && error > newline))
            continue;
        error += strlen(": error: ");
        const int bytes = (int)strcspn(error, "\n");
        if (strncmp(line, TRY_LAUNCH, strlen(TRY_LAUNCH)) == 0 && file->kernel.template_names > 0 &&
            !file->launch.name[0])
            return error_file(err, file->path,
                              "does not compile: %s<%s> cannot be launched (%.*s): write the "
                              "template's arguments, `// stencil: template=...`",
                              file->kernel.name, file->template_args, bytes, error);
        if (strncmp(line, TRY_LAUNCH, strlen(TRY_LAUNCH)) == 0)
            return error_file(err, file->path,
                              "does not compile: the kernel cannot be launched "
                              "with the arguments of a case: %.*s",
                              bytes, error);
        if (strncmp(line, TRY_SOURCE ":", length + 1) != 0)
            continue;
        word_int(line + length + 1, &after, &number);
        return error_file(err, file->path, "line %d does not compile: %.*s", number, bytes, error);
    }
    if (strstr(text, "internal compiler error") || strstr(text, "out of memory") ||
        strstr(text, "Killed"))
        return error_file(err, file->path, "does not compile: the compiler gave up");
    return error_file(err, file->path, "does not compile: an error outside of its own lines");
}
