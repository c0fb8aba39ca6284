/* The parsed command line, for the commands. The tables from which the parser, help, the man page
 * and the completions are made are in option_table.h. */
#ifndef STENCIL_CLI_OPTIONS_H
#define STENCIL_CLI_OPTIONS_H

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
    const char *command;    /* a filter's name, or mask, list, ...; NULL: none */
    const char *operand[8]; /* the words after it that are no options */
    int operands;

    /* The mask, the border, the device, the output's format: as a filter of one picture takes
     * them. Other commands read the members that they need. Its kernel is not set: see below. */
    struct picture_request request;

    /* where it runs */
    int devices; /* how many numbers were given; cuda:N,M is for folders */
    int device_list[OPTION_DEVICES_MAX];
    const char *kernel; /* NULL for auto; bench: names with commas between, NULL for all */

    /* what reuse looks at */
    int dims; /* 0: both, 1 and 2 */
    struct option_sizes mask_width, tiles;
    struct option_sizes size; /* at most one; bench: of the generated picture */

    /* what bench does */
    bool cold;
    const char *depth; /* bits per sample of the generated picture: "8", "16", or NULL for 8 */
    int runs;          /* 0: chosen by time */
    const char *plot;
    const char *sweep; /* "tile", "mask" or NULL */

    /* what compare and golden do */
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
    const char *folder_option; /* the name of the first of these that was given, or NULL */

    bool help_short, help_full, version;
    bool man;               /* --man, --completion: for the build and for packagers */
    const char *completion; /* a shell's name, or NULL */
};

/* Parses argv. Options may stand anywhere, and `--` ends them; --name=value, --name value and
 * clustered letters are accepted. For unknown words the nearest is suggested. Errors are
 * EXIT_USAGE. */
bool options_parse(struct options *options, int argc, char **argv, struct error *err);

/* The texts made from the tables. */
void options_print_short_help(FILE *out);
void options_print_full_help(FILE *out);
void options_print_command_help(FILE *out, const char *command); /* one that options_parse took */
void options_print_version(FILE *out);
void options_print_man(FILE *out);                           /* roff */
bool options_print_completion(FILE *out, const char *shell); /* bash, zsh, fish; false: unknown */

/* Prints what may stand in place of the last of these words of a line (cli/completion.c). */
void options_complete(FILE *out, int count, char **words);

#endif
