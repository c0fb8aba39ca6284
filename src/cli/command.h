/* The parsed command line, the commands that take it, and the helpers that several commands share.
 * The tables from which the parser, help, the man page and the completions are made are in
 * cli/option_table.h. Only the command files and main.c print: messages on stderr as
 * "stencilcli: ...", data on stdout. */
#ifndef STENCIL_CLI_COMMAND_H
#define STENCIL_CLI_COMMAND_H

#include <stdio.h>

#include "batch/batch.h"
#include "compare/compare.h"

/* A list of sizes: N, or NxM. */
#define OPTION_SIZES_MAX 16
struct option_sizes {
    int count;
    int width[OPTION_SIZES_MAX];
    int height[OPTION_SIZES_MAX]; /* 0: only one number was given */
};

#define OPTION_DEVICES_MAX 16

struct options {
    const char *command;        /* a filter's name, or mask, list, ...; NULL: none */
    const char *const *operand; /* the following words that are not options, in argv */
    int operands;

    /* Mask, border, device, output format: what filtering one picture needs. Other commands read
     * the members they need. Its kernel is not set: see `kernel` below. */
    struct picture_request request;

    /* The steps of a chain, until options are parsed again; request.filter is the first. */
    struct filter_request *step;
    int steps;

    /* where it runs */
    bool soft;   /* --device soft, which another program runs: see cli/soft_program.c */
    int devices; /* how many device numbers were given; cuda:N,M is for folders */
    int device_list[OPTION_DEVICES_MAX];
    const char *kernel; /* NULL for auto; bench: names separated by commas, NULL for all */

    /* for reuse */
    int dims; /* 0: both, 1 and 2 */
    struct option_sizes mask_width, tiles;
    struct option_sizes size; /* at most one; bench: of the generated picture */

    /* for bench */
    bool cold;
    const char *depth; /* bits per sample of a picture: "8", "16", or NULL for 8 */
    int runs;          /* 0: chosen by time */
    const char *plot;
    const char *sweep; /* "tile", "mask" or NULL */

    /* for try; two numbers along x and y, 0: not given */
    bool quick;
    int seed, block[2], output_tile[2];
    const char *cases, *image, *template_name;

    /* for compare and golden */
    struct compare_limits limits;
    const char *diff, *junit, *html;

    /* the output */
    int decimals; /* of text samples; -1: exact */
    bool plan, time, json, csv, quiet, verbose;

    /* folders of pictures */
    struct batch_tree
        tree;          /* without INPUT and OUTPUT; its extension as given, perhaps with a dot */
    const char *shard; /* NULL: not given */
    bool force, fail_fast;
    int max_failures;          /* 0: no limit */
    const char *folder_option; /* the first given option that needs a folder as INPUT, or NULL */
    const char *into_option;   /* the first given option that needs a folder as OUTPUT, or NULL */

    bool help_short, help_full, version;
    bool man;               /* --man, --completion: for the build and for packagers */
    const char *completion; /* a shell's name, or NULL */
};

/* ---- the parser and the texts made from the tables ---- */

/* Parses argv, and moves the operands to its beginning. Options may stand anywhere, and `--` ends
 * them; --name=value, --name value and clustered letters are accepted. For unknown words the
 * nearest is suggested. Errors are EXIT_USAGE. */
bool options_parse(struct options *options, int argc, char **argv, struct error *err);

void options_print_short_help(FILE *out);
void options_print_full_help(FILE *out);
/* The help of COMMAND, which options_parse has accepted; or, if not FULL, one screen of it. */
void options_print_command_help(FILE *out, const char *command, bool full);
void options_print_version(FILE *out);
void options_print_man(FILE *out);                           /* roff */
bool options_print_completion(FILE *out, const char *shell); /* bash, zsh, fish; false: unknown */

/* Prints the possible completions of the last of these words (cli/completion.c). */
void options_complete(FILE *out, int count, char **words);

/* ---- the commands ---- */

/* If a command returns false, ERR has the exit status and the message that main.c prints. The
 * message is empty if the command has already printed it. */
bool command_filter(const struct options *options, struct error *err); /* blur, sobel, ... */
bool command_chain(const struct options *options, struct error *err);
bool command_mask(const struct options *options, struct error *err);
bool command_reuse(const struct options *options, struct error *err);
bool command_signal(const struct options *options, struct error *err);
bool command_bench(const struct options *options, struct error *err);
bool command_compare(const struct options *options, struct error *err);
bool command_golden(const struct options *options, struct error *err);
bool command_try(const struct options *options, struct error *err);
bool command_list(const struct options *options, struct error *err);
bool command_help(const struct options *options, struct error *err);
bool command_version(const struct options *options, struct error *err);

/* Prints all help, or all help of COMMAND; on a terminal through a pager. */
void command_print_help(const char *command);

/* --device soft: whether its program is there, with a line about it or the reason; and becoming
 * this program, which returns only if that fails. WORDS is the whole command line, ended by NULL.
 */
bool soft_program_is_there(char *about, size_t bytes);
bool soft_program_run(char **words, struct error *err);

/* The path of a program that belongs to this one: beside it, else where it is installed. False: it
 * is not there. */
bool other_program_find(char *path, size_t bytes, const char *name);

/* Before a command runs: refuses (EXIT_USAGE) outputs that would replace a file that the command
 * reads, or another output. */
bool command_check_outputs(const struct options *options, struct error *err);

/* Tells CUDA that this process runs a single job, so that a device starts faster. To be called
 * before any thread exists. */
void command_has_one_job(void);

/* Ends a command that has printed its messages: sets ERR's code to CODE and returns whether CODE is
 * EXIT_DONE. */
bool command_end(enum exit_code code, struct error *err);

/* Prints "stencilcli: " and a message as one line on stderr. clean_text_put cleans the text, so
 * callers need not clean their arguments. */
__attribute__((format(printf, 1, 2))) void command_say(const char *format, ...);

/* Replaces the terminal's last line on stderr by TEXT, which the program itself has made. */
void command_draw(const char *text);

/* Prints an error's message with command_say and returns its exit code. */
enum exit_code command_fail(const struct error *err);

/* Prints with command_say the warning about dropped parts of the input, unless --quiet is given,
 * and with --verbose the note about the reason of a choice. Either may be empty. */
void command_notes(const struct options *options, const char *warning, const char *note);

/* Prints the stages' times in milliseconds, for --time. */
void command_say_times(double start_ms, double read_ms, const struct kernel_times *times,
                       double write_ms, double total_ms);

/* ---- masks, including masks of signals ---- */

/* Room for mask_number's text: a number of 64 characters, or "about " and a double. */
#define MASK_NUMBER_CHARS (RATIONAL_MAX_CHARS + 1)

/* Writes the exact number if it is short enough to read, else `about X`; returns TEXT. */
const char *mask_number(char text[MASK_NUMBER_CHARS], mpq_srcptr value);

/* The mask in the file format, followed by comment lines. Malloc'ed; NULL if a number is too
 * long. */
char *mask_print(const struct mask *mask, struct error *err);

/* ---- one picture and folders of pictures ---- */

enum command_run {
    RUN_PICTURE, /* one file to one file */
    RUN_FILES,   /* files into a folder, as with cp; perhaps only one */
    RUN_FOLDER,  /* a folder to a folder */
};

/* What the operands ask for; false with ERR if the options do not suit them. */
bool command_find_run(const struct options *options, enum command_run *run, struct error *err);

/* The path of the output of a single file in the folder OUTPUT, malloc'ed. *MADE: the folder was
 * made, unless only a plan is wanted. NULL with ERR if there can be no such output. */
char *command_output_in_folder(const struct options *options, bool *made, struct error *err);

/* RUN_FILES or RUN_FOLDER. */
bool command_batch(const struct options *options, enum command_run run,
                   const struct picture_request *request, struct error *err);

/* Prints the JSON members of a filtered picture, from "filter" on, without braces. */
void command_filter_json(FILE *out, const struct options *options,
                         const struct picture_report *report);

/* ---- comparisons, including golden suites ---- */

/* Prints `"result":"different","why":...` and the numbers, without braces; an infinite PSNR is the
 * string "inf". */
void command_compare_json(FILE *out, const struct compare_result *result);

#endif
