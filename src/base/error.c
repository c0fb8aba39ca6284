/* Writing error values (base/error.h). */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, enum exit_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err->code = code;
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return false;
}

bool error_file(struct error *err, const char *path, const char *format, ...)
{
    int used = snprintf(err->text, sizeof err->text, "%s: ", path);
    va_list args;
    va_start(args, format);
    err->code = EXIT_INPUT;
    if (used < (int)sizeof err->text)
        vsnprintf(err->text + used, sizeof err->text - (size_t)used, format, args);
    va_end(args);
    return false;
}

bool error_in_step(struct error *err, int step)
{
    const struct error why = *err;

    return step == 0 ? false : error_set(err, why.code, "step %d: %s", step, why.text);
}

bool error_errno(struct error *err, const char *path, const char *verb)
{
    return error_set(err, EXIT_INPUT, "%s: cannot %s: %s", path, verb, strerror(errno));
}
