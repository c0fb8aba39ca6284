/* What all commands do alike: print messages, and read what options change of a mask. */
#include "cli/command.h"

#include <stdarg.h>

#include "base/text.h"

void command_print_clean(FILE *out, const char *text)
{
    clean_text_put(out, text);
}

void command_say(const char *format, ...)
{
    char text[sizeof((struct error *)0)->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs("stencilcli: ", stderr);
    clean_text_put(stderr, text);
    fputc('\n', stderr);
}

int command_fail(const struct error *err)
{
    command_say("%s", err->text);
    return err->code;
}

struct plan_overrides command_overrides(const struct options *options)
{
    return (struct plan_overrides){
        .divisor = options->divisor,
        .offset = options->offset,
        .has_anchor = options->has_anchor,
        .anchor_x = options->anchor_x,
        .anchor_y = options->anchor_y,
        .flip = options->flip,
    };
}
