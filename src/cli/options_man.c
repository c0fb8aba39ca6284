/* The man page: the full text of help in roff's man macros. The build runs
 * `stencilcli --man > stencilcli.1`, so page and program cannot disagree. There is
 * no date in it: the same source gives the same page. */
#include "cli/option_table.h"

#include <string.h>

/* Characters that roff would take for its own or print as something else. */
static const char *escape(char c)
{
    switch (c) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '`':
        return "\\(ga";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    case '"':
        return "\\(dq";
    default:
        return NULL;
    }
}

/* Prints LENGTH bytes of text. A dot or quote that opens a line would be a request; quotes are
 * escaped everywhere, so only the dot is left. */
static void put(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char *escaped = escape(text[i]);
        bool opens_line = i == 0 || text[i - 1] == '\n';
        if (opens_line && text[i] == '.')
            fputs("\\&", out);
        if (escaped)
            fputs(escaped, out);
        else
            fputc(text[i], out);
    }
}

static void put_line(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    put(out, text, strlen(text));
    fputs(after, out);
}

static void heading(struct doc_writer *writer, const char *title)
{
    put_line(writer->out, ".SH \"", title, "\"\n");
}

static void subheading(struct doc_writer *writer, const char *title)
{
    put_line(writer->out, ".SS \"", title, "\"\n");
}

/* One sentence per line is roff's own habit: it then puts the right space between them. */
static void text_lines(FILE *out, const char *text)
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

static void paragraph(struct doc_writer *writer, const char *text)
{
    fputs(".PP\n", writer->out);
    text_lines(writer->out, text);
}

static void code(struct doc_writer *writer, const char *text)
{
    fputs(".PP\n.RS 4\n.nf\n", writer->out);
    put_line(writer->out, "", text, "\n");
    fputs(".fi\n.RE\n", writer->out);
}

static void entry(struct doc_writer *writer, const char *term, const char *argument,
                  const char *text)
{
    put_line(writer->out, ".TP\n\\fB", term, "\\fR");
    if (argument)
        put_line(writer->out, " \\fI", argument, "\\fR");
    fputc('\n', writer->out);
    text_lines(writer->out, text);
}

void options_print_man(FILE *out)
{
    struct doc_writer writer = {.out = out,
                                .heading = heading,
                                .subheading = subheading,
                                .paragraph = paragraph,
                                .code = code,
                                .entry = entry};
    put_line(out, ".TH STENCILCLI 1 \"\" \"stencilcli ", STENCIL_VERSION, "\" \"User Commands\"\n");
    document_write(&writer);
}
