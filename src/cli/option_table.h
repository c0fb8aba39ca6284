/* The option table and the command table: the single source of the parser, -h,
 * --help, the man page and the shell completions. A new option is one row in
 * an option_rows_*.def; a new command is one in cli/command_table.c and one in cli/main.c's
 * dispatch. The filters come from filter_table() and stand behind one row of the command table.
 * Only the options_*.c files, cli/main.c and their test include this. */
#ifndef STENCIL_CLI_OPTION_TABLE_H
#define STENCIL_CLI_OPTION_TABLE_H

#include "cli/options.h"
#include "plan/filter.h"

/* ---- commands ---- */

enum command_id {
    COMMAND_FILTER,
    COMMAND_MASK,
    COMMAND_SIGNAL,
    COMMAND_REUSE,
    COMMAND_BENCH,
    COMMAND_COMPARE,
    COMMAND_GOLDEN,
    COMMAND_LIST
};
#define COMMAND_COUNT 8

/* Sets of commands, for option_spec.commands. */
#define FOR(id)          (1u << (id))
#define FOR_ALL_COMMANDS ((1u << COMMAND_COUNT) - 1)

/* What can stand in a place, for the completions. */
enum complete {
    COMPLETE_NOTHING, /* numbers and the like */
    COMPLETE_WORDS,   /* the row's words */
    COMPLETE_FILE,
    COMPLETE_MASK, /* a mask's name (`stencilcli list masks`) or a file */
};

/* The INDEX-th allowed word, or NULL past the last. */
typedef const char *(*word_function)(int index);

struct command_spec {
    enum command_id id;
    const char *name;     /* NULL: any filter */
    const char *operands; /* as the synopsis shows them */
    const char *doc;      /* one line */
    const char *more;     /* the rest of it, for --help and the man page */
    int min_operands, max_operands;
    enum complete complete; /* the operands */
    word_function words;
};

/* In the order of the enum; COMMAND_COUNT rows. */
const struct command_spec *command_table(void);
const struct command_spec *command_find(const char *name); /* also filters; NULL if none */

/* The INDEX-th name under which the command is called: its own, or the filters'; NULL past the
 * last. */
const char *command_name(const struct command_spec *command, int index);

/* ---- options ---- */

enum option_group {
    GROUP_MASK,
    GROUP_FILTER,
    GROUP_RUN,
    GROUP_OUTPUT,
    GROUP_BATCH,
    GROUP_COMPARE,
    GROUP_HELP
};
#define GROUP_COUNT 7
const char *option_group_title(enum option_group group);

/* The parser keeps a mark for each option. */
#define OPTION_MAX 128

struct option_spec {
    const char *name;     /* without "--"; NULL: the letter alone */
    char letter;          /* 0: none */
    const char *argument; /* what it takes, as help calls it; NULL: a flag */
    enum option_group group;
    unsigned commands; /* the commands that can use it */
    bool common;       /* is on the one screen of -h */
    bool hidden;       /* is in no text: for the build and for packagers */
    const char *doc;   /* one line, at most 52 columns */
    const char *more;  /* the rest of it, for --help and the man page, or NULL */
    enum complete complete;
    word_function words;
    /* Stores VALUE (NULL for a flag). Sentences begin with "--NAME VALUE: ". */
    bool (*set)(struct options *options, const struct option_spec *spec, const char *value,
                struct error *err);
    size_t field; /* of struct options, for the plain setters */
    int min, max; /* for option_set_int */
};

const struct option_spec *option_table(int *count);
const struct option_spec *option_find(const char *name, size_t length); /* without "--" */
const struct option_spec *option_find_letter(char letter);

/* ---- values (cli/options_values.c) ---- */

typedef bool option_setter(struct options *options, const struct option_spec *spec,
                           const char *value, struct error *err);

/* The plain setters store into spec->field. */
option_setter option_set_flag, option_set_text, option_set_int;
/* Those of one option each. */
option_setter option_set_sigma, option_set_anchor, option_set_border, option_set_alpha,
    option_set_device, option_set_format, option_set_quiet, option_set_verbose,
    option_set_png_level, option_set_completion, option_set_mask_width, option_set_size,
    option_set_sweep, option_set_limit, option_set_depth;

/* Reads the value of --tile, if there is one, as COMMAND understands it: one of a few widths, or a
 * list of any for reuse. */
bool option_read_tile(struct options *options, enum command_id command, struct error *err);
/* The list (cli/options_reuse.c). */
option_setter option_read_tiles;
option_setter option_set_method;
/* The same for --kernel: one name, or a list for bench (cli/options_bench.c). */
bool option_read_kernel(struct options *options, enum command_id command, struct error *err);
option_setter option_read_kernels;
/* One more of a list (cli/options_batch.c). */
option_setter option_add_glob;

const char *border_word(int index);
const char *alpha_word(int index);
const char *device_word(int index);
const char *kernel_word(int index);
const char *method_word(int index);
const char *tile_word(int index);
const char *block_word(int index); /* what --tile takes for signals */
const char *format_word(int index);
const char *png_level_word(int index);
const char *shell_word(int index);
const char *list_word(int index);
const char *sweep_word(int index);
const char *depth_word(int index);

/* The nearest word of a list to TEXT, or NULL. */
const char *word_nearest(const char *text, word_function words);

/* "a, b or c" into TEXT; a word that ends with a colon is shown with its value, V. */
void words_join(char *text, size_t bytes, word_function words);

/* ---- what help and man page say besides the tables (cli/option_topics.c) ---- */

enum doc_kind { DOC_TEXT, DOC_CODE, DOC_TERM };

struct doc_block {
    enum doc_kind kind; /* the last block of a topic has no text */
    const char *term;   /* DOC_TERM only */
    const char *text;   /* DOC_CODE: lines as they stand */
};

struct doc_topic {
    const char *title;
    const struct doc_block *blocks;
};

/* The first topic is the description; *count is set. */
const struct doc_topic *doc_topics(int *count);

#define PROGRAM_IDEA "filter an image with a mask, with the same bytes on GPU and CPU"

/* ---- the whole text, however it is laid out (cli/options_document.c) ---- */

struct doc_writer {
    FILE *out;
    bool after_text; /* the plain writer's: a paragraph or code came last */
    void (*heading)(struct doc_writer *writer, const char *title);
    void (*subheading)(struct doc_writer *writer, const char *title);
    void (*paragraph)(struct doc_writer *writer, const char *text);
    void (*code)(struct doc_writer *writer, const char *text);
    /* ARGUMENT may be NULL. */
    void (*entry)(struct doc_writer *writer, const char *term, const char *argument,
                  const char *text);
};

void document_write(struct doc_writer *writer);
/* The entries of one group that COMMANDS (a set) can use, under its title. */
void document_options(struct doc_writer *writer, enum option_group group, unsigned commands);
/* "stencilcli NAME INPUT OUTPUT [options]" into TEXT. */
void document_synopsis(char *text, size_t bytes, const struct command_spec *command,
                       const char *name);
/* What a filter does and its default mask, as sentences into TEXT. */
void document_filter(char *text, size_t bytes, const struct filter *filter);
/* A one-line doc and what follows it (or NULL), as sentences into TEXT. */
void document_sentence(char *text, size_t bytes, const char *doc, const char *more);

#endif
