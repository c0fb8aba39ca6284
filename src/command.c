/* What all commands print the same way: an error's sentence, and text in JSON. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "clean_text.h"

/* It stays one line, and no terminal takes orders from it. */
static void make_printable(char *line)
{
    for (char *c = line; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
}

int command_fail(const struct error *err)
{
    char line[sizeof err->text]; /* which may quote a file's name or a word of the command line */
    clean_text_copy(line, sizeof line, err->text, strlen(err->text));
    make_printable(line);
    fprintf(stderr, "stencilcli: %s\n", line);
    return err->code;
}

void command_print_name(FILE *out, const char *name)
{
    char line[4096];
    clean_text_copy(line, sizeof line, name, strlen(name));
    make_printable(line);
    fputs(line, out);
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
