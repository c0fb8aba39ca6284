/* --man: the text of --help as a man page, in roff's man macros. The build runs `stencilcli --man >
 * stencilcli.1`, so that page and program always agree. The page has no date: the same source
 * gives the same page. */
#include "cli/help.h"

#include <string.h>

/* Characters that roff would interpret or print as another one. */
static const char *escape(char c)
{
    static const char *const names[] = {"\\e", "--", "'(aq", "`(ga", "^(ha", "~(ti", "\"(dq"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i][0] == c)
            return names[i] + 1;
    }
    return NULL;
}

/* Prints LENGTH bytes of text. A dot or a quote at the start of a line would be a request; quotes
 * are escaped everywhere, so only the dot needs care. */
static void put(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char *escaped = escape(text[i]);
        if (text[i] == '.' && (i == 0 || text[i - 1] == '\n'))
            fputs("\\&", out);
        if (escaped)
            fprintf(out, "\\%s", escaped);
        else
            fputc(text[i], out);
    }
}

static void put_between(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    put(out, text, strlen(text));
    fputs(after, out);
}

/* One sentence per line, as roff wants it: then it puts the right space between them. */
static void put_sentences(FILE *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, ". ");
        size_t length = end ? (size_t)(end + 1 - text) : strlen(text);
        put(out, text, length);
        fputc('\n', out);
        text += length;
        text += strspn(text, " ");
    }
}

static void roff_put(struct help_writer *writer, const struct help_block *block)
{
    FILE *out = writer->out;
    if (block->kind == HELP_HEADING) {
        put_between(out, ".SH \"", block->text, "\"\n");
    } else if (block->kind == HELP_SUBHEADING) {
        put_between(out, ".SS \"", block->text, "\"\n");
    } else if (block->kind == HELP_TEXT) {
        fputs(".PP\n", out);
        put_sentences(out, block->text);
    } else if (block->kind == HELP_CODE) {
        put_between(out, ".PP\n.RS 4\n.nf\n", block->text, "\n.fi\n.RE\n");
    } else {
        put_between(out, ".TP\n\\fB", block->term, "\\fR");
        if (block->argument)
            put_between(out, " \\fI", block->argument, "\\fR");
        fputc('\n', out);
        put_sentences(out, block->text);
    }
}

void options_print_man(FILE *out)
{
    put_between(out, ".TH STENCILCLI 1 \"\" \"stencilcli ", STENCIL_VERSION,
                "\" \"User Commands\"\n");
    help_write(&(struct help_writer){.out = out, .put = roff_put});
}
