/* -h, --help and --version: help as plain text, 80 columns wide. The words come from the tables
 * of options, commands and filters and from help_text.c; this file puts them together and lays
 * them out. man.c lays out the same text as a man page. */
#include "cli/help.h"

#include <string.h>

#include "plan/filter.h"
#include "signal/audio.h"

#define COLUMNS     80
#define TEXT_INDENT 2
#define ENTRY_TEXT  10 /* where the text of an entry begins */
#define DOC_COLUMN  26 /* where the docs of the one screen begin */

/* ---- texts from the tables ---- */

/* "stencilcli NAME INPUT OUTPUT [options]" */
static void synopsis(char *text, size_t bytes, const struct command_spec *command, const char *name)
{
    snprintf(text, bytes, "stencilcli %s %s [options]", name ? name : "FILTER", command->operands);
}

/* DOC is a phrase in lower case without a full stop, MORE is whole sentences or NULL. Together they
 * become text that opens with a capital. */
static void sentences(char *text, size_t bytes, const char *doc, const char *more)
{
    snprintf(text, bytes, "%s.%s%s", doc, more ? " " : "", more ? more : "");
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - 'a' + 'A');
}

static void filter_sentences(char *text, size_t bytes, const struct filter *filter)
{
    char mask[256] = "";
    if (filter->default_mask)
        snprintf(mask, sizeof mask, "Default mask: %s.", filter->default_mask);
    sentences(text, bytes, filter->idea, mask[0] ? mask : NULL);
}

static void put(struct help_writer *writer, enum help_kind kind, const char *text)
{
    writer->put(writer, &(struct help_block){.kind = kind, .text = text});
}

static void put_entry(struct help_writer *writer, const char *term, const char *argument,
                      const char *text)
{
    writer->put(writer, &(struct help_block){HELP_ENTRY, text, term, argument});
}

static void put_synopsis(struct help_writer *writer)
{
    char lines[1024] = "";
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        size_t used = strlen(lines);
        if (i > 0 && used + 1 < sizeof lines)
            lines[used++] = '\n';
        synopsis(lines + used, sizeof lines - used, command, command->name);
    }
    put(writer, HELP_CODE, lines);
}

static void put_filters(struct help_writer *writer)
{
    int count;
    const struct filter *filters = filter_table(&count);
    for (int i = 0; i < count; i++) {
        char text[512];
        filter_sentences(text, sizeof text, &filters[i]);
        put_entry(writer, filters[i].name, NULL, text);
    }
}

static void put_commands(struct help_writer *writer)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        char text[1024];
        if (!command->name)
            continue;
        sentences(text, sizeof text, command->doc, command->more);
        put_entry(writer, command->name, command->operands, text);
    }
}

/* If not all filters take the option, says behind TEXT which filters do or, if these are fewer,
 * which do not. */
static void add_filters(char *text, size_t bytes, const char *option)
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
        size_t used = strlen(text);
        if (filter_takes(&filters[i], option) != listed)
            continue;
        snprintf(text + used, bytes - used, "%s%s", before, filters[i].name);
        before = ", ";
    }
    snprintf(text + strlen(text), bytes - strlen(text), ".");
}

/* FILTER: whose help this is, or NULL. */
static void put_option(struct help_writer *writer, const struct option_spec *spec,
                       const struct filter *filter)
{
    char term[64], text[1024];
    if (spec->letter && spec->name)
        snprintf(term, sizeof term, "-%c, --%s", spec->letter, spec->name);
    else if (spec->letter)
        snprintf(term, sizeof term, "-%c", spec->letter);
    else
        snprintf(term, sizeof term, "--%s", spec->name);
    sentences(text, sizeof text, spec->doc, spec->more);
    if (spec->words) {
        char words[256];
        size_t used = strlen(text);
        words_join(words, sizeof words, spec->words);
        snprintf(text + used, sizeof text - used, " %s is %s.", spec->argument, words);
    }
    if (!filter && spec->name && (spec->commands & FOR(COMMAND_FILTER)))
        add_filters(text, sizeof text, spec->name);
    put_entry(writer, term, spec->argument, text);
}

/* The options of COMMANDS (a set), by group; those that FILTER cannot use are left out. */
static void put_options(struct help_writer *writer, unsigned commands, const struct filter *filter)
{
    enum option_group group = GROUP_COUNT;
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, commands));) {
        if (filter && spec->name && !filter_takes(filter, spec->name))
            continue;
        if (spec->group != group)
            put(writer, HELP_SUBHEADING, option_group_title(spec->group));
        group = spec->group;
        put_option(writer, spec, filter);
    }
}

void help_write(struct help_writer *writer)
{
    for (const struct help_block *block = help_text; block->kind != HELP_END; block++) {
        if (block->kind == HELP_SYNOPSIS)
            put_synopsis(writer);
        else if (block->kind == HELP_FILTERS)
            put_filters(writer);
        else if (block->kind == HELP_COMMANDS)
            put_commands(writer);
        else if (block->kind == HELP_OPTIONS)
            put_options(writer, FOR_ALL_COMMANDS, NULL);
        else
            writer->put(writer, block);
    }
}

/* ---- the plain writer ---- */

/* Prints TEXT word by word from COLUMN on, further lines at INDENT. */
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

static void plain_code(FILE *out, const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");
        fprintf(out, "%*s%.*s\n", 2 * TEXT_INDENT, "", length, text);
        text += length;
        text += *text == '\n';
    }
}

static void plain_entry(FILE *out, const struct help_block *block)
{
    int column = fprintf(out, "%*s%s%s%s", 2 * TEXT_INDENT, "", block->term,
                         block->argument ? " " : "", block->argument ? block->argument : "");
    if (column + 2 > ENTRY_TEXT) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", ENTRY_TEXT - column, "");
    fill(out, block->text, ENTRY_TEXT, ENTRY_TEXT);
}

static bool is_heading(enum help_kind kind)
{
    return kind == HELP_HEADING || kind == HELP_SUBHEADING;
}

/* Blank lines keep blocks apart, but not entries, nor a heading from the text below it. */
static void plain_put(struct help_writer *writer, const struct help_block *block)
{
    FILE *out = writer->out;
    bool entries = block->kind == HELP_ENTRY && writer->last == HELP_ENTRY;
    if (is_heading(block->kind) || !(is_heading(writer->last) || entries))
        fputc('\n', out);
    writer->last = block->kind;
    if (block->kind == HELP_HEADING) {
        fprintf(out, "%s\n", block->text);
    } else if (block->kind == HELP_SUBHEADING) {
        fprintf(out, "%*s%s:\n", TEXT_INDENT, "", block->text);
    } else if (block->kind == HELP_TEXT) {
        fprintf(out, "%*s", TEXT_INDENT, "");
        fill(out, block->text, TEXT_INDENT, TEXT_INDENT);
    } else if (block->kind == HELP_CODE) {
        plain_code(out, block->text);
    } else {
        plain_entry(out, block);
    }
}

void options_print_full_help(FILE *out)
{
    fprintf(out, "stencilcli %s\n", STENCIL_VERSION);
    help_write(&(struct help_writer){.out = out, .put = plain_put});
}

void options_print_command_help(FILE *out, const char *name)
{
    struct help_writer writer = {.out = out, .put = plain_put};
    const struct command_spec *command = command_find(name);
    const struct filter *filter = filter_find(name);
    char text[1024];
    synopsis(text, sizeof text, command, name);
    fprintf(out, "%s\n", text);
    if (filter)
        filter_sentences(text, sizeof text, filter);
    else
        sentences(text, sizeof text, command->doc, command->more);
    put(&writer, HELP_TEXT, text);
    put_options(&writer, FOR(command_id(command)), filter);
    fprintf(out, "\nFormula, mask files, borders and exit status: stencilcli --help\n");
}

/* ---- one screen ---- */

void options_print_short_help(FILE *out)
{
    char line[1024] = "";
    const char *name;
    for (int i = 0; i < COMMAND_COUNT; i++) {
        synopsis(line, sizeof line, &command_table()[i], command_table()[i].name);
        fprintf(out, "%s%s\n", i == 0 ? "usage: " : "       ", line);
    }
    line[0] = '\0';
    for (int i = 0; (name = command_name(&command_table()[COMMAND_FILTER], i)); i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", i ? " " : "", name);
    fprintf(out, "filters: ");
    fill(out, line, 9, 9);
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, FOR_ALL_COMMANDS));) {
        char letter[8] = "    ", term[64] = "";
        if (spec->show != ON_SCREEN)
            continue;
        if (spec->letter)
            snprintf(letter, sizeof letter, "-%c%s", spec->letter, spec->name ? ", " : "");
        if (spec->name)
            snprintf(term, sizeof term, "--%s%s%s", spec->name, spec->argument ? " " : "",
                     spec->argument ? spec->argument : "");
        fprintf(out, "  %s%-*s%s\n", letter, DOC_COLUMN - 2 - (int)strlen(letter), term, spec->doc);
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
