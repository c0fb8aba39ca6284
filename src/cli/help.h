/* Private to the command line: the text of --help and of the man page as a list of blocks, and the
 * walk that hands the blocks to a writer. A writer (plain text in help.c, roff in man.c) only lays
 * them out. */
#ifndef STENCIL_CLI_HELP_H
#define STENCIL_CLI_HELP_H

#include "cli/option_table.h"

enum help_kind {
    HELP_HEADING,
    HELP_SUBHEADING,
    HELP_TEXT,  /* a paragraph */
    HELP_CODE,  /* lines as they stand */
    HELP_ENTRY, /* a term, its argument or NULL, and what it means */
    /* Made from the tables: */
    HELP_SYNOPSIS,
    HELP_FILTERS,
    HELP_COMMANDS,
    HELP_OPTIONS,
    HELP_END
};

struct help_block {
    enum help_kind kind;
    const char *text;
    const char *term, *argument; /* HELP_ENTRY only */
};

/* The whole text, in the order of the man page; HELP_END ends it (help_text.c). */
extern const struct help_block help_text[];

/* What the program is for, after "stencilcli - ". */
#define PROGRAM_IDEA "blur, sharpen and find edges; CPU and GPU results are bit-identical"

struct help_writer {
    FILE *out;
    enum help_kind last; /* for the plain writer: the kind of the block before */
    void (*put)(struct help_writer *writer, const struct help_block *block);
};

/* Writes all of help_text, with the parts that are made from the tables. */
void help_write(struct help_writer *writer);

#endif
