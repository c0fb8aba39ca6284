/* What all commands do the same way: print an error's sentence and text in JSON, and
 * take what options change of a mask. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "clean_text.h"

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

void command_print_json(FILE *out, const char *text)
{
    size_t length = strlen(text), room = length + 4;
    char *clean = malloc(room);
    fputc('"', out);
    if (clean)
        clean_text_copy(clean, room, text, length);
    for (const char *c = clean; c && *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
    free(clean);
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
