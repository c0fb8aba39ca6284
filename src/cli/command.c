/* What all commands do the same way: print an error's sentence and text in JSON, and
 * take what options change of a mask. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"

void command_print_clean(FILE *out, const char *text)
{
    char line[sizeof((struct error *)0)->text];
    clean_text_copy(line, sizeof line, text, strlen(text));
    for (char *c = line; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
    fputs(line, out);
}

int command_fail(const struct error *err)
{
    fputs("stencilcli: ", stderr);
    command_print_clean(stderr, err->text);
    fputc('\n', stderr);
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
