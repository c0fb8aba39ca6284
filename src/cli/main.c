/* The program: parses the command line, hands it to the command, and makes sure
 * that what was printed has arrived. It decides nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/option_table.h"
#include "codec/output.h"
#include "kernel/backend.h"

/* A program that is started with one of the three standard files closed would get its number for
 * the next file it opens, and a message would land in an image. An end that cannot be used stands
 * in for it, so that using it is an error. */
static void keep_standard_files(void)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
}

static int dispatch(const struct options *options)
{
    if (options->man) {
        options_print_man(stdout);
    } else if (options->completion) {
        options_print_completion(stdout, options->completion);
    } else if (options->version) {
        options_print_version(stdout);
    } else if (options->command && (options->help_short || options->help_full)) {
        options_print_command_help(stdout, options->command);
    } else if (options->help_full) {
        options_print_full_help(stdout);
    } else if (options->help_short) {
        options_print_short_help(stdout);
    } else if (!options->command) {
        options_print_short_help(stderr);
        return EXIT_USAGE;
    } else {
        return command_find(options->command)->run(options);
    }
    return EXIT_DONE;
}

/* Data that does not arrive is an error, unless the command has already said one. A reader that has
 * seen enough (`stencilcli --help | head`) is none: the program then ends as filters do, by
 * SIGPIPE, which codec/output.c had turned off for the sake of image files. */
static int close_stdout(int code)
{
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
    struct error err;
    error_set(&err, EXIT_INPUT, "standard output: cannot write%s%s", errno ? ": " : "",
              errno ? strerror(errno) : "");
    return command_fail(&err);
}

/* stdio forgets why a write in the middle of a text failed. With room for all of it there is one
 * write, by close_stdout, which can say why. A terminal keeps its lines. */
static void buffer_stdout(void)
{
    static char buffer[1 << 16];
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

/* Taking a CUDA context down at exit takes long, and nobody needs it: outputs have their names,
 * temporaries are gone, what was printed has arrived or its error is in CODE. Tools that look into
 * the program (CUDA's own enter by this variable) have their last word at exit. */
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
    buffer_stdout();
    output_install_signal_handlers();
    if (!options_parse(&options, argc, argv, &err))
        return command_fail(&err);
    return leave(close_stdout(dispatch(&options)));
}
