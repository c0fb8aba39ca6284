/* The program: parses the command line, runs the command, and makes sure that standard output was
 * written. It decides nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <gmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/option_table.h"
#include "codec/output.h"
#include "kernel/backend.h"

/* If one of the three standard files is closed at the start, the next opened file would get its
 * number, and messages would be written into an image. So a closed standard file is opened in a
 * mode in which every use of it is an error. */
static void keep_standard_files(void)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
}

static bool dispatch(const struct options *options, char **words, struct error *err)
{
    if (options->man) {
        options_print_man(stdout);
    } else if (options->completion) {
        options_print_completion(stdout, options->completion);
    } else if (options->version) {
        options_print_version(stdout);
    } else if (options->help_full) {
        command_print_help(options->command);
    } else if (options->command && options->help_short) {
        options_print_command_help(stdout, options->command, false);
    } else if (options->help_short) {
        options_print_short_help(stdout);
    } else if (options->command) {
        if (options->soft && !backend_find(DEVICE_CUDA)->software &&
            command_find(options->command) != COMMAND_TRY)
            return soft_program_run(words, err);
        return command_check_outputs(options, err) &&
               command_table[command_find(options->command)].run(options, err);
    } else {
        options_print_short_help(stderr);
        return command_end(EXIT_USAGE, err);
    }
    return true;
}

/* Data that cannot be written is an error, unless the command has already reported one. A reader
 * that stops early (`stencilcli --help | head`) is no error: the program then ends by SIGPIPE, as
 * usual. (codec/output.c ignores this signal while image files are written.) */
static int close_stdout(int code)
{
    if (stdout == stderr) /* an output has had standard output (output_text_aside) */
        return code;
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fclose(stdout) != 0)
        failed = true;
    if (!failed || code != EXIT_DONE)
        return code;
    if (errno == EPIPE) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    command_say("standard output: cannot write%s%s", errno ? ": " : "",
                errno ? strerror(errno) : "");
    return EXIT_INPUT;
}

/* Makes the streams of text safe for terminals: names of files and text in files may hold escape
 * sequences. For other readers: stdio forgets why a write failed. If the buffer holds the whole
 * text, the only write is in close_stdout, which can report the reason. */
static void prepare_streams(void)
{
    static char buffer[1 << 16];
    FILE *out = isatty(STDOUT_FILENO) ? clean_text_stream(STDOUT_FILENO) : NULL;
    FILE *err = isatty(STDERR_FILENO) ? clean_text_stream(STDERR_FILENO) : NULL;

    if (out)
        stdout = out;
    else
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    if (err)
        stderr = err;
}

/* GMP, which holds the mask's exact numbers, has no way to return an error, and would abort. */
static void *gmp_reallocate(void *old, size_t old_size, size_t size)
{
    (void)old_size;
    void *new = realloc(old, size);
    if (!new) {
        command_say("no memory for the mask's exact numbers");
        output_remove_temporaries();
        _exit(EXIT_INPUT);
    }
    return new;
}

static void *gmp_allocate(size_t size)
{
    return gmp_reallocate(NULL, 0, size);
}

/* Ends the program without taking down the CUDA context, which would take long. All work is done:
 * outputs have their names, temporary files are removed, and standard output was written or its
 * error is in CODE. Only CUDA's profiling tools, loaded by this variable, need a regular exit. */
static int leave(int code)
{
    const struct backend *cuda = backend_find(DEVICE_CUDA);

    if (cuda->is_ready && cuda->is_ready(-1) && !getenv("CUDA_INJECTION64_PATH"))
        _exit(code);
    return code;
}

int main(int argc, char **argv)
{
    struct options options;
    struct error err;
    keep_standard_files();
    prepare_streams();
    output_install_signal_handlers();
    if (!machine_grow_stack()) {
        command_say("no memory for the program's stack");
        return EXIT_INPUT;
    }
    large_alloc_keep_small();
    mp_set_memory_functions(gmp_allocate, gmp_reallocate, NULL);
    if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
        options_complete(stdout, argc - 2, argv + 2);
        return close_stdout(EXIT_DONE);
    }
    char **words = malloc(((size_t)argc + 1) * sizeof *words); /* the parser moves those of argv */
    if (words)
        memcpy(words, argv, ((size_t)argc + 1) * sizeof *words);
    bool good = options_parse(&options, argc, argv, &err) && dispatch(&options, words, &err);
    if (!good && err.text[0])
        command_fail(&err);
    free(words);
    return leave(close_stdout(good ? EXIT_DONE : (int)err.code));
}
