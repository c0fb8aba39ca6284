/* Help as plain text, 80 columns wide: the one screen of -h, all of --help, the
 * part of it for one filter or command, and --version. The words come from the
 * tables and topics; this file only lays them out. */
#include "cli/option_table.h"

#include <string.h>

#include "signal/audio.h"

#define COLUMNS     80
#define TEXT_INDENT 2
#define ENTRY_TEXT  10 /* where the text of an entry begins */
#define DOC_COLUMN  26 /* where the docs of the one screen begin */

/* ---- filling lines ---- */

/* Prints TEXT word by word from COLUMN on, further lines at INDENT. Blanks that are single keep
 * words apart; nothing else in TEXT is looked at. */
static void fill(FILE *out, const char *text, int column, int indent)
{
    bool first = true;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (!first && column + 1 + length > COLUMNS - 1) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, (size_t)length, out);
        column += length;
        first = false;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* ---- the writer of --help ---- */

static void heading(struct doc_writer *writer, const char *title)
{
    fprintf(writer->out, "\n%s\n", title);
    writer->after_text = false;
}

static void subheading(struct doc_writer *writer, const char *title)
{
    fprintf(writer->out, "\n%*s%s:\n", TEXT_INDENT, "", title);
    writer->after_text = false;
}

/* A blank line between paragraphs and code, and none below a heading. */
static void begin_text(struct doc_writer *writer)
{
    if (writer->after_text)
        fputc('\n', writer->out);
    writer->after_text = true;
}

static void paragraph(struct doc_writer *writer, const char *text)
{
    begin_text(writer);
    fprintf(writer->out, "%*s", TEXT_INDENT, "");
    fill(writer->out, text, TEXT_INDENT, TEXT_INDENT);
}

static void code(struct doc_writer *writer, const char *text)
{
    begin_text(writer);
    while (*text) {
        int length = (int)strcspn(text, "\n");
        fprintf(writer->out, "%*s%.*s\n", 2 * TEXT_INDENT, "", length, text);
        text += length;
        text += *text == '\n';
    }
}

static void entry(struct doc_writer *writer, const char *term, const char *argument,
                  const char *text)
{
    if (writer->after_text)
        fputc('\n', writer->out);
    writer->after_text = false;
    int column = fprintf(writer->out, "%*s%s%s%s", 2 * TEXT_INDENT, "", term, argument ? " " : "",
                         argument ? argument : "");
    if (column + 2 > ENTRY_TEXT) {
        fputc('\n', writer->out);
        column = 0;
    }
    fprintf(writer->out, "%*s", ENTRY_TEXT - column, "");
    fill(writer->out, text, ENTRY_TEXT, ENTRY_TEXT);
}

static struct doc_writer plain_writer(FILE *out)
{
    return (struct doc_writer){.out = out,
                               .heading = heading,
                               .subheading = subheading,
                               .paragraph = paragraph,
                               .code = code,
                               .entry = entry};
}

void options_print_full_help(FILE *out)
{
    struct doc_writer writer = plain_writer(out);
    fprintf(out, "stencilcli %s\n", STENCIL_VERSION);
    document_write(&writer);
}

void options_print_command_help(FILE *out, const char *name)
{
    struct doc_writer writer = plain_writer(out);
    const struct command_spec *command = command_find(name);
    char text[1024];
    document_synopsis(text, sizeof text, command, name);
    fprintf(out, "%s\n", text);
    if (command->id == COMMAND_FILTER)
        document_filter(text, sizeof text, filter_find(name));
    else
        document_sentence(text, sizeof text, command->doc, command->more);
    paragraph(&writer, text);
    for (int group = 0; group < GROUP_COUNT; group++)
        document_options(&writer, (enum option_group)group, FOR(command->id));
    fprintf(out, "\nFormula, mask files, borders and exit status: stencilcli --help\n");
}

/* ---- one screen ---- */

static void print_usage(FILE *out)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        char line[256];
        document_synopsis(line, sizeof line, command, command->name ? command->name : "FILTER");
        fprintf(out, "%s%s\n", i == 0 ? "usage: " : "       ", line);
    }
}

static void print_filters(FILE *out)
{
    int count;
    const struct filter *filters = filter_table(&count);
    char names[1024] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? " " : "", filters[i].name);
    }
    fprintf(out, "filters: ");
    fill(out, names, 9, 9);
}

void options_print_short_help(FILE *out)
{
    int count;
    const struct option_spec *table = option_table(&count);
    print_usage(out);
    print_filters(out);
    for (int i = 0; i < count; i++) {
        if (!table[i].common || table[i].hidden)
            continue;
        char letter[8] = "    ", name[64] = "";
        if (table[i].letter)
            snprintf(letter, sizeof letter, "-%c%s", table[i].letter, table[i].name ? ", " : "");
        if (table[i].name)
            snprintf(name, sizeof name, "--%s%s%s", table[i].name, table[i].argument ? " " : "",
                     table[i].argument ? table[i].argument : "");
        fprintf(out, "  %s%-*s%s\n", letter, DOC_COLUMN - 2 - (int)strlen(letter), name,
                table[i].doc);
    }
    fprintf(out, "INPUT and OUTPUT may be -. More options, the formula, borders, mask files and\n"
                 "examples: stencilcli --help; for one filter: stencilcli FILTER --help\n");
}

/* ---- version ---- */

void options_print_version(FILE *out)
{
    fprintf(out, "stencilcli %s\n", STENCIL_VERSION);
#ifdef HAVE_CUDA
    fprintf(out, "CUDA: yes\n");
#else
    fprintf(out, "CUDA: no\n");
#endif
#if defined HAVE_ISAL
    fprintf(out, "deflate: ISA-L\n");
#elif defined HAVE_LIBDEFLATE
    fprintf(out, "deflate: libdeflate\n");
#else
#error "the build names the deflate library: HAVE_ISAL or HAVE_LIBDEFLATE"
#endif
#ifdef HAVE_PNG_ROWS
    fprintf(out, "PNG: by rows\n");
#else
    fprintf(out, "PNG: as a whole\n");
#endif
    fprintf(out, "audio: %s\n", audio_available() ? "libsndfile" : "no");
}
