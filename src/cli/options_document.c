/* The full text of help, once: --help and the man page are this walk through the
 * tables and topics, each with its own writer. What it says about an option is the
 * option's row; the words that a value may be are added from the row's list. */
#include "cli/option_table.h"

#include <string.h>

void document_synopsis(char *text, size_t bytes, const struct command_spec *command,
                       const char *name)
{
    snprintf(text, bytes, "stencilcli %s %s [options]", name, command->operands);
}

static void write_blocks(struct doc_writer *writer, const struct doc_block *block)
{
    for (; block->text; block++) {
        if (block->kind == DOC_TEXT)
            writer->paragraph(writer, block->text);
        else if (block->kind == DOC_CODE)
            writer->code(writer, block->text);
        else
            writer->entry(writer, block->term, NULL, block->text);
    }
}

/* Docs are lower-case phrases without a full stop; MORE, if any, is whole sentences. Together they
 * become text that opens with a capital. */
void document_sentence(char *text, size_t bytes, const char *doc, const char *more)
{
    snprintf(text, bytes, "%s.%s%s", doc, more ? " " : "", more ? more : "");
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - 'a' + 'A');
}

void document_filter(char *text, size_t bytes, const struct filter *filter)
{
    char mask[256] = "";
    if (filter->default_mask)
        snprintf(mask, sizeof mask, "Default mask: %s.", filter->default_mask);
    document_sentence(text, bytes, filter->idea, mask[0] ? mask : NULL);
}

static void write_option(struct doc_writer *writer, const struct option_spec *spec)
{
    char term[64], text[1024];
    if (spec->letter && spec->name)
        snprintf(term, sizeof term, "-%c, --%s", spec->letter, spec->name);
    else if (spec->letter)
        snprintf(term, sizeof term, "-%c", spec->letter);
    else
        snprintf(term, sizeof term, "--%s", spec->name);
    document_sentence(text, sizeof text, spec->doc, spec->more);
    if (spec->words) {
        char words[256];
        size_t used = strlen(text);
        words_join(words, sizeof words, spec->words);
        snprintf(text + used, sizeof text - used, " %s is %s.", spec->argument, words);
    }
    writer->entry(writer, term, spec->argument, text);
}

void document_options(struct doc_writer *writer, enum option_group group, unsigned commands)
{
    int count;
    const struct option_spec *table = option_table(&count);
    bool titled = false;
    for (int i = 0; i < count; i++) {
        if (table[i].group != group || table[i].hidden || !(table[i].commands & commands))
            continue;
        if (!titled)
            writer->subheading(writer, option_group_title(group));
        titled = true;
        write_option(writer, &table[i]);
    }
}

static void write_synopsis(struct doc_writer *writer)
{
    char lines[1024] = "";
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        size_t used = strlen(lines);
        if (i > 0 && used + 1 < sizeof lines)
            lines[used++] = '\n';
        document_synopsis(lines + used, sizeof lines - used, command,
                          command->name ? command->name : "FILTER");
    }
    writer->heading(writer, "SYNOPSIS");
    writer->code(writer, lines);
}

static void write_filters(struct doc_writer *writer)
{
    int count;
    const struct filter *filters = filter_table(&count);
    writer->heading(writer, "FILTERS");
    for (int i = 0; i < count; i++) {
        char text[512];
        document_filter(text, sizeof text, &filters[i]);
        writer->entry(writer, filters[i].name, NULL, text);
    }
}

static void write_commands(struct doc_writer *writer)
{
    writer->heading(writer, "COMMANDS");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        char text[1024];
        if (!command->name)
            continue;
        document_sentence(text, sizeof text, command->doc, command->more);
        writer->entry(writer, command->name, command->operands, text);
    }
}

void document_write(struct doc_writer *writer)
{
    int count;
    const struct doc_topic *topics = doc_topics(&count);
    writer->heading(writer, "NAME");
    writer->paragraph(writer, "stencilcli - " PROGRAM_IDEA);
    write_synopsis(writer);
    writer->heading(writer, topics[0].title);
    write_blocks(writer, topics[0].blocks);
    write_filters(writer);
    write_commands(writer);
    writer->heading(writer, "OPTIONS");
    writer->paragraph(writer,
                      "Options may stand anywhere; -- ends them. A value is the next word or "
                      "follows an equals sign: --border mirror, --border=mirror. Of an option that "
                      "is given twice the last one counts.");
    for (int group = 0; group < GROUP_COUNT; group++)
        document_options(writer, (enum option_group)group, FOR_ALL_COMMANDS);
    for (int i = 1; i < count; i++) {
        writer->heading(writer, topics[i].title);
        write_blocks(writer, topics[i].blocks);
    }
}
