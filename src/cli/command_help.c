/* `stencilcli help` and `stencilcli version`; and --help, which goes through a pager on a
 * terminal. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"

/* The shell's exit status if a command is not there. */
#define NOT_FOUND 127

/* The pagers to try if $PAGER names none. With -FRX less shows a short text as cat does. */
static const char pagers[] = "command -v less >/dev/null && exec less -FRX; "
                             "command -v more >/dev/null && exec more; exit 127";

/* The command of the pager, or NULL if the text is to be printed as a whole. */
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

void command_print_help(const char *command)
{
    const char *pager = choose_pager();
    FILE *out = pager ? popen(pager, "w") : NULL;
    int status;

    if (out) {
        /* The pager decides what Ctrl-C does, and it may end before it has read everything. */
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        signal(SIGPIPE, SIG_IGN);
        print_help(out, command);
        status = pclose(out);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != NOT_FOUND)
            return;
    }
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
