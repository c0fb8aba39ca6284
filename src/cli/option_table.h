/* The option table and the command table. They are the only source of the parser, -h, --help, the
 * man page and the shell completions: a new option is one row in option_table.c, a new command is
 * one row in command.c. All filters share one row of the command table; their names come from
 * filter_table(). Only the files that read the tables include this header; the commands read struct
 * options. */
#ifndef STENCIL_CLI_OPTION_TABLE_H
#define STENCIL_CLI_OPTION_TABLE_H

#include "cli/command.h"
#include "plan/filter_words.h"

/* ---- commands ---- */

enum command_id {
    COMMAND_FILTER,
    COMMAND_CHAIN,
    COMMAND_MASK,
    COMMAND_SIGNAL,
    COMMAND_REUSE,
    COMMAND_BENCH,
    COMMAND_COMPARE,
    COMMAND_GOLDEN,
    COMMAND_TRY,
    COMMAND_LIST,
    COMMAND_HELP,
    COMMAND_VERSION,
    COMMAND_COUNT
};

/* Sets of commands, for option_spec.commands. */
#define FOR(id)          (1u << (id))
#define FOR_ALL_COMMANDS ((1u << COMMAND_COUNT) - 1)
/* Further bits of these sets. */
#define FOR_FOLDERS (1u << COMMAND_COUNT)       /* filters take it only if INPUT is a folder */
#define ON_SCREEN   (1u << (COMMAND_COUNT + 1)) /* in -h even if not all options fit there */
#define HIDDEN      (1u << (COMMAND_COUNT + 2)) /* not shown: for the build and for packagers */
#define CHECK_ONLY  (1u << (COMMAND_COUNT + 3)) /* golden takes it with check, not with record */
#define FOR_INTO    (1u << (COMMAND_COUNT + 4)) /* filters take it only if OUTPUT is a folder */

/* What the completions offer for a value or operand, besides the row's words. */
enum complete {
    COMPLETE_NOTHING,
    COMPLETE_FILE,
    COMPLETE_MASK, /* the name of a mask (`stencilcli list masks`) or a file */
};

struct command_spec {
    const char *name;     /* NULL: any filter */
    const char *operands; /* as the synopsis shows them */
    int min_operands, max_operands;
    word_function *words;   /* the first operand is one of these; NULL: like the others */
    enum complete complete; /* of the other operands */
    bool (*run)(const struct options *options, struct error *err); /* see cli/command.h */
    const char *example; /* a command line; NULL: each filter has its own */
    const char *doc;     /* a phrase; \n and further sentences for --help */
};

/* COMMAND_COUNT rows, in the order of enum command_id. */
extern const struct command_spec command_table[COMMAND_COUNT];
enum command_id command_find(const char *name); /* also by a filter's name; COMMAND_COUNT: none */

word_function command_name;                /* of all filters, then of the other commands */
const char *command_doc(const char *name); /* the doc of the command or filter */

/* ---- options ---- */

/* An option as it was given. */
struct option_value {
    const struct option_spec *spec;
    const char *text;        /* NULL for a flag */
    enum command_id command; /* COMMAND_COUNT: none, or an unknown one */
    struct options *options;
    struct error *err;
};

/* Stores the value. Error sentences begin with "--NAME VALUE: ". */
typedef bool option_setter(const struct option_value *given);

/* An option; or, without a setter, the title (in `doc`) of the following group of options. */
struct option_spec {
    char letter;          /* 0: none */
    const char *name;     /* without "--"; NULL: the letter alone */
    const char *argument; /* what help calls the value; NULL: a flag */
    unsigned commands;    /* the commands that take it, and more bits of the sets above */
    option_setter *set;
    size_t field; /* offset in struct options, for shared setters */
    int min, max; /* for option_set_int */
    enum complete complete;
    word_function *words;
    const char *doc; /* a phrase of at most 52 columns; \n and further sentences for --help */
};

#define OPTION_ROWS 82
extern const struct option_spec option_table[OPTION_ROWS];
/* The next shown option of COMMANDS (a set) after AFTER (NULL: the first); NULL past the last. */
const struct option_spec *option_next(const struct option_spec *after, unsigned commands);
/* Finds an option by its letter or by its name without "--"; 0 or NULL: not searched for. */
const struct option_spec *option_find(char letter, const char *name, size_t length);

/* ---- values (options_values.c) ---- */

/* The setter of the options that are words of a filter (plan/filter_words.h). */
option_setter option_set_filter;
/* Setters that store into spec->field. */
option_setter option_set_flag, option_set_text, option_set_int, option_set_word, option_add_glob;
/* Setters of one option each. */
option_setter option_set_alpha, option_set_device, option_set_kernel, option_set_tile,
    option_set_format, option_set_loudness, option_set_png_level, option_set_tiff_compression,
    option_set_mask_width, option_set_size, option_set_limit, option_set_block, option_set_seed;

/* The words of SPEC's value in COMMAND (COMMAND_COUNT: in any); NULL: no fixed words. */
word_function *option_words(const struct option_spec *spec, enum command_id command);

word_function alpha_word, device_word, kernel_word, method_word, tile_word, block_word, format_word,
    png_level_word, tiff_compression_word, shell_word, list_word, golden_word, sweep_word,
    depth_word, template_word;

#endif
