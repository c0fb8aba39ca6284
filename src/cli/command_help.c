/* `stencilcli help` and `stencilcli version`; and --help, which goes through a pager on a
 * terminal. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

/* Without $PAGER. With -FRX less shows a short text as cat does. */
static const char pagers[] = "command -v less >/dev/null && exec less -FRX; "
                             "command -v more >/dev/null && exec more; exec cat";

/* The shell's script: runs its argument, or cat if that command is not there. */
static const char script[] = "eval \"$1\"; code=$?; [ $code != 127 ] || exec cat; exit $code";

/* The pager's command, or NULL if the text is to be printed as a whole. */
static const char *choose_pager(void)
{
    const char *pager = getenv("PAGER"), *term = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || !term || !*term || strcmp(term, "dumb") == 0)
        return NULL;
    if (pager && (!*pager || strcmp(pager, "cat") == 0))
        return NULL;
    return pager ? pager : pagers;
}

static void print_help(FILE *out, const char *command)
{
    if (command)
        options_print_command_help(out, command, true);
    else
        options_print_full_help(out);
}

/* This process becomes the pager, so that keys and signals reach the pager alone; a child writes
 * the text. */
static void become_pager(const char *pager, const char *command)
{
    int ends[2];
    pid_t child = pipe(ends) == 0 ? fork() : -1;

    if (child == 0) {
        FILE *out = fdopen(ends[1], "w");
        close(ends[0]);
        if (out) {
            print_help(out, command);
            fclose(out);
        }
        _exit(EXIT_DONE);
    }
    if (child > 0 && dup2(ends[0], STDIN_FILENO) >= 0) {
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", script, "sh", pager, (char *)NULL);
    }
}

void command_print_help(const char *command)
{
    const char *pager = choose_pager();
    if (pager)
        become_pager(pager, command); /* returns only if that failed */
    print_help(stdout, command);
}

bool command_help(const struct options *options, struct error *err)
{
    (void)err;
    command_print_help(options->operands > 0 ? options->operand[0] : NULL);
    return true;
}

bool command_version(const struct options *options, struct error *err)
{
    (void)options, (void)err;
    options_print_version(stdout);
    return true;
}
