/* -h, --help, --version, and the man page (--man). The words come from the tables of options,
 * commands and filters and from help_text.c; this file puts them together as blocks and lays the
 * blocks out: as plain text, 80 columns wide, or in roff's man macros. The build runs `stencilcli
 * --man > stencilcli.1`, so that page and program always agree. */
#include "cli/option_table.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "signal/audio.h"

#define COLUMNS     80
#define TEXT_INDENT 2
#define ENTRY_TEXT  10   /* where the text of an entry begins */
#define DOC_COLUMN  26   /* where the docs of the one screen begin */
#define TEXT_CHARS  1024 /* of a block that is made from the tables */

struct help_writer {
    FILE *out;
    bool roff;           /* else plain text */
    enum help_kind last; /* of the block before, for plain text */
};

/* ---- the plain writer ---- */

/* Prints TEXT word by word from COLUMN on, further lines at INDENT. */
static void fill(FILE *out, const char *text, int column, int indent)
{
    for (int length; *text; text += length + (text[length] == ' ')) {
        length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > COLUMNS - 1)
            column = fprintf(out, "\n%*s", indent, "") - 1; /* without the newline */
        else if (column > indent)
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", length, text);
    }
    fputc('\n', out);
}

static bool is_heading(enum help_kind kind)
{
    return kind == HELP_HEADING || kind == HELP_SUBHEADING;
}

/* Blank lines keep blocks apart, but not entries, nor a heading from the text below it. */
static void plain_put(struct help_writer *writer, const struct help_block *block)
{
    FILE *out = writer->out;
    const char *text = block->text;
    bool entries = block->kind == HELP_ENTRY && writer->last == HELP_ENTRY;
    if (is_heading(block->kind) || !(is_heading(writer->last) || entries))
        fputc('\n', out);
    if (block->kind == HELP_HEADING) {
        fprintf(out, "%s\n", text);
    } else if (block->kind == HELP_SUBHEADING) {
        fprintf(out, "%*s%s:\n", TEXT_INDENT, "", text);
    } else if (block->kind == HELP_TEXT) {
        fprintf(out, "%*s", TEXT_INDENT, "");
        fill(out, text, TEXT_INDENT, TEXT_INDENT);
    } else if (block->kind == HELP_CODE) {
        for (int length; *text; text += length + (text[length] == '\n')) {
            length = (int)strcspn(text, "\n");
            fprintf(out, "%*s%.*s\n", 2 * TEXT_INDENT, "", length, text);
        }
    } else {
        int column = fprintf(out, "%*s%s%s%s", 2 * TEXT_INDENT, "", block->term,
                             block->argument ? " " : "", block->argument ? block->argument : "");
        bool beside = column + 2 <= ENTRY_TEXT;
        fprintf(out, "%s%*s", beside ? "" : "\n", ENTRY_TEXT - (beside ? column : 0), "");
        fill(out, text, ENTRY_TEXT, ENTRY_TEXT);
    }
}

/* ---- the writer of roff, for the man page ---- */

/* Prints LENGTH bytes of text. Characters that roff would interpret or print as another one are
 * escaped. A dot at the start of a line would be a request, as would a quote. */
static void roff_text(FILE *out, const char *text, size_t length)
{
    static const char special[] = "\\-'`^~\"";
    static const char *const escapes[] = {"e", "-", "(aq", "(ga", "(ha", "(ti", "(dq"};
    for (size_t i = 0; i < length; i++) {
        const char *found = strchr(special, text[i]);
        if (text[i] == '.' && (i == 0 || text[i - 1] == '\n'))
            fputs("\\&", out);
        if (found)
            fprintf(out, "\\%s", escapes[found - special]);
        else
            fputc(text[i], out);
    }
}

static void roff_between(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    roff_text(out, text, strlen(text));
    fputs(after, out);
}

/* One sentence per line, as roff wants it: then it puts the right space between them. */
static void roff_sentences(FILE *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, ". ");
        size_t length = end ? (size_t)(end + 1 - text) : strlen(text);
        roff_text(out, text, length);
        fputc('\n', out);
        text += length;
        text += strspn(text, " ");
    }
}

static void roff_put(struct help_writer *writer, const struct help_block *block)
{
    FILE *out = writer->out;
    if (block->kind == HELP_HEADING) {
        roff_between(out, ".SH \"", block->text, "\"\n");
    } else if (block->kind == HELP_SUBHEADING) {
        roff_between(out, ".SS \"", block->text, "\"\n");
    } else if (block->kind == HELP_TEXT) {
        fputs(".PP\n", out);
        roff_sentences(out, block->text);
    } else if (block->kind == HELP_CODE) {
        roff_between(out, ".PP\n.RS 4\n.nf\n", block->text, "\n.fi\n.RE\n");
    } else {
        roff_between(out, ".TP\n\\fB", block->term, "\\fR");
        if (block->argument)
            roff_between(out, " \\fI", block->argument, "\\fR");
        fputc('\n', out);
        roff_sentences(out, block->text);
    }
}

/* ---- texts from the tables ---- */

/* Appends to TEXT. */
__attribute__((format(printf, 2, 3))) static void add(char text[TEXT_CHARS], const char *format,
                                                      ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, TEXT_CHARS - used, format, args);
    va_end(args);
}

static void add_synopsis(char text[TEXT_CHARS], const struct command_spec *command,
                         const char *name)
{
    add(text, "stencilcli %s %s [options]", name ? name : "FILTER", command->operands);
}

/* The phrase of DOC (see cli/option_table.h) becomes a sentence that opens with a capital. */
static void sentences(char text[TEXT_CHARS], const char *doc)
{
    size_t phrase = strcspn(doc, "\n");
    snprintf(text, TEXT_CHARS, "%c%.*s.%s%s", toupper((unsigned char)doc[0]), (int)phrase - 1,
             doc + 1, doc[phrase] ? " " : "", doc[phrase] ? doc + phrase + 1 : "");
}

/* What a filter or another command does. */
static void describe(char text[TEXT_CHARS], const char *name)
{
    const struct filter *filter = filter_find(name);
    sentences(text, command_doc(name));
    if (filter && filter->default_mask)
        add(text, " Default mask: %s.", filter->default_mask);
}

static void put_block(struct help_writer *writer, const struct help_block *block)
{
    (writer->roff ? roff_put : plain_put)(writer, block);
    writer->last = block->kind;
}

static void put(struct help_writer *writer, enum help_kind kind, const char *text)
{
    put_block(writer, &(struct help_block){.kind = kind, .text = text});
}

static void put_entry(struct help_writer *writer, const char *term, const char *argument,
                      const char *text)
{
    put_block(writer, &(struct help_block){HELP_ENTRY, text, term, argument});
}

static void put_synopsis(struct help_writer *writer)
{
    char lines[TEXT_CHARS] = "";
    for (int i = 0; i < COMMAND_COUNT; i++) {
        add(lines, "%s", i > 0 ? "\n" : "");
        add_synopsis(lines, &command_table[i], command_table[i].name);
    }
    put(writer, HELP_CODE, lines);
}

/* The filters, or the other commands. */
static void put_names(struct help_writer *writer, bool filters)
{
    const char *name;
    for (int i = 0; (name = command_name(i)); i++) {
        enum command_id command = command_find(name);
        char text[TEXT_CHARS];
        if (filters != (command == COMMAND_FILTER))
            continue;
        describe(text, name);
        put_entry(writer, name, filters ? NULL : command_table[command].operands, text);
    }
}

/* If not all filters take the option, says behind TEXT which filters do or, if these are fewer,
 * which do not. */
static void add_filters(char text[TEXT_CHARS], const char *option)
{
    int count, takers = 0;
    const struct filter *filters = filter_table(&count);
    for (int i = 0; i < count; i++)
        takers += filter_takes(&filters[i], option);
    if (takers == count)
        return;
    bool listed = 2 * takers <= count;
    const char *before = listed ? " Filters: " : " Not for ";
    for (int i = 0; i < count; i++) {
        if (filter_takes(&filters[i], option) != listed)
            continue;
        add(text, "%s%s", before, filters[i].name);
        before = ", ";
    }
    add(text, ".");
}

/* "-m, --mask", "-h" or "--sigma". */
static void add_term(char text[TEXT_CHARS], const struct option_spec *spec)
{
    if (spec->letter)
        add(text, "-%c%s", spec->letter, spec->name ? ", " : "");
    if (spec->name)
        add(text, "--%s", spec->name);
}

/* FILTER: whose help this is, or NULL. */
static void put_option(struct help_writer *writer, const struct option_spec *spec,
                       const struct filter *filter)
{
    char term[TEXT_CHARS] = "", text[TEXT_CHARS], words[256];
    add_term(term, spec);
    sentences(text, spec->doc);
    if (spec->words) {
        words_join(words, sizeof words, spec->words);
        add(text, " %s is %s.", spec->argument, words);
    }
    if (!filter && spec->name && (spec->commands & FOR(COMMAND_FILTER)))
        add_filters(text, spec->name);
    put_entry(writer, term, spec->argument, text);
}

/* The options of COMMANDS (a set), by group; those that FILTER cannot use are left out. */
static void put_options(struct help_writer *writer, unsigned commands, const struct filter *filter)
{
    const struct option_spec *last_group = NULL;
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, commands));) {
        const struct option_spec *group = spec;
        if (filter && spec->name && !filter_takes(filter, spec->name))
            continue;
        while (group->set)
            group--;
        if (group != last_group)
            put(writer, HELP_SUBHEADING, group->doc);
        last_group = group;
        put_option(writer, spec, filter);
    }
}

/* Writes all of help_text, with the parts that are made from the tables. */
static void help_write(FILE *out, bool roff)
{
    struct help_writer *writer = &(struct help_writer){.out = out, .roff = roff};
    for (const struct help_block *block = help_text; block->kind != HELP_END; block++) {
        if (block->kind == HELP_SYNOPSIS)
            put_synopsis(writer);
        else if (block->kind == HELP_FILTERS || block->kind == HELP_COMMANDS)
            put_names(writer, block->kind == HELP_FILTERS);
        else if (block->kind == HELP_OPTIONS)
            put_options(writer, FOR_ALL_COMMANDS, NULL);
        else
            put_block(writer, block);
    }
}

/* ---- the whole texts ---- */

void options_print_full_help(FILE *out)
{
    fprintf(out, "stencilcli %s\n", STENCIL_VERSION);
    help_write(out, false);
}

void options_print_command_help(FILE *out, const char *name)
{
    struct help_writer writer = {.out = out};
    enum command_id command = command_find(name);
    char text[TEXT_CHARS] = "";
    add_synopsis(text, &command_table[command], name);
    fprintf(out, "%s\n", text);
    describe(text, name);
    put(&writer, HELP_TEXT, text);
    put_options(&writer, FOR(command), filter_find(name));
    fprintf(out, "\nFormula, mask files, borders and exit status: stencilcli --help\n");
}

void options_print_short_help(FILE *out)
{
    char filters[TEXT_CHARS] = "";
    const char *name;
    for (int i = 0; i < COMMAND_COUNT; i++) {
        char line[TEXT_CHARS] = "";
        add_synopsis(line, &command_table[i], command_table[i].name);
        fprintf(out, "%s%s\n", i == 0 ? "usage: " : "       ", line);
    }
    for (int i = 0; (name = command_name(i)) && filter_find(name); i++)
        add(filters, "%s%s", i ? " " : "", name);
    fprintf(out, "filters: ");
    fill(out, filters, 9, 9);
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, FOR_ALL_COMMANDS));) {
        char term[TEXT_CHARS] = "";
        if (!(spec->commands & ON_SCREEN))
            continue;
        add(term, "%s", spec->letter ? "" : "    ");
        add_term(term, spec);
        add(term, "%s%s", spec->argument ? " " : "", spec->argument ? spec->argument : "");
        fprintf(out, "  %-*s%.*s\n", DOC_COLUMN - 2, term, (int)strcspn(spec->doc, "\n"),
                spec->doc);
    }
    fprintf(out, "INPUT and OUTPUT may be -. More options, the formula, borders, mask files and\n"
                 "examples: stencilcli --help; for one filter: stencilcli FILTER --help\n");
}

/* Without a date: the same source gives the same page. */
void options_print_man(FILE *out)
{
    roff_between(out, ".TH STENCILCLI 1 \"\" \"stencilcli ", STENCIL_VERSION,
                 "\" \"User Commands\"\n");
    help_write(out, true);
}

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
