/* `--device soft`: the software GPU (src/soft). It is a program of its own, this program's code
 * linked with CUDA's runtime in software in the place of CUDA's: so builds with CUDA have it, and
 * builds without. This file finds that program and becomes it; the program gets the whole command
 * line and does everything else. */
#include "cli/command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kernel/backend.h"

#define PROGRAM "stencilcli-soft"

bool other_program_find(char *path, size_t bytes, const char *name)
{
    ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    size_t room = slash ? bytes - (size_t)(slash + 1 - path) : 0;

    if (room > 0 && (size_t)snprintf(slash + 1, room, "%s", name) < room && access(path, X_OK) == 0)
        return true;
    snprintf(path, bytes, "%s/%s", STENCIL_LIBEXEC_DIR, name);
    return access(path, X_OK) == 0;
}

static bool find(char *path, size_t bytes)
{
    return other_program_find(path, bytes, PROGRAM);
}

bool soft_program_is_there(char *about, size_t bytes)
{
    char path[4096];

    if (find(path, sizeof path)) {
        snprintf(about, bytes, "runs CUDA kernels on the CPU, slowly; never chosen by auto");
        return true;
    }
    snprintf(about, bytes, "this build has no %s: install a C++ compiler (g++) and build again",
             PROGRAM);
    return false;
}

bool soft_program_run(char **words, struct error *err)
{
    char path[4096], why[128];

    if (!soft_program_is_there(why, sizeof why))
        return error_set(err, EXIT_DEVICE, "soft:0 is not there: %s", why);
    if (!words)
        return error_set(err, EXIT_INPUT, "no memory for the command line");
    find(path, sizeof path);
    execv(path, words);
    return error_set(err, EXIT_DEVICE, "cannot start %s: %s", path, strerror(errno));
}
