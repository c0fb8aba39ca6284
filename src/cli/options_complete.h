/* The parts of the completion scripts that all shells share, and one printer per
 * shell: see cli/options_complete.c. */
#ifndef STENCIL_CLI_OPTIONS_COMPLETE_H
#define STENCIL_CLI_OPTIONS_COMPLETE_H

#include "cli/option_table.h"

/* The names of a command (of all filters), with BETWEEN between them. */
void complete_put_names(FILE *out, const struct command_spec *command, const char *between);
void complete_put_words(FILE *out, word_function words, const char *between);
/* -m --mask, with BETWEEN between the two. */
void complete_put_option(FILE *out, const struct option_spec *spec, const char *between);
/* The shown options of COMMANDS (a set), a blank before each; VALUED: only those with a value. */
void complete_put_options(FILE *out, unsigned commands, bool valued);
/* TEXT with a backslash before every character of SPECIAL. */
void complete_put_escaped(FILE *out, const char *text, const char *special);

void complete_print_bash(FILE *out);
void complete_print_zsh(FILE *out);
void complete_print_fish(FILE *out);

#endif
