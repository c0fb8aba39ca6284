/* Private to the command line: the text of --help and of the man page as a list of blocks
 * (help_text.c), which help.c lays out. */
#ifndef STENCIL_CLI_HELP_H
#define STENCIL_CLI_HELP_H

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

#endif
