/* The commands, and the helpers that several of them share. Only the command files and main.c
 * print: messages on stderr as "stencilcli: ...", data on stdout. */
#ifndef STENCIL_CLI_COMMAND_H
#define STENCIL_CLI_COMMAND_H

#include "cli/options.h"

/* If a command returns false, ERR holds the exit status and the sentence that main.c prints. The
 * sentence is empty if the command has printed the reason itself. */
bool command_filter(const struct options *options, struct error *err); /* blur, sobel, ... */
bool command_mask(const struct options *options, struct error *err);
bool command_reuse(const struct options *options, struct error *err);
bool command_signal(const struct options *options, struct error *err);
bool command_bench(const struct options *options, struct error *err);
bool command_compare(const struct options *options, struct error *err);
bool command_golden(const struct options *options, struct error *err);
bool command_list(const struct options *options, struct error *err);

/* Ends a command whose sentences are printed: fills ERR with CODE and returns whether that is
 * EXIT_DONE. */
bool command_end(enum exit_code code, struct error *err);

/* Prints "stencilcli: " and a sentence as one line on stderr, cleaned as by clean_text_put: callers
 * need not clean what they put into it. */
__attribute__((format(printf, 1, 2))) void command_say(const char *format, ...);

/* Prints an error's sentence by command_say and returns its exit code. */
enum exit_code command_fail(const struct error *err);

/* With command_say: the parts of the input that are not kept, unless --quiet is given, and with
 * --verbose the reason of a choice. Either may be empty. */
void command_notes(const struct options *options, const char *warning, const char *note);

/* ---- masks, also those of signals ---- */

/* Room for mask_number's text: a number of 64 characters, or "about " and a double. */
#define MASK_NUMBER_CHARS (RATIONAL_MAX_CHARS + 1)

/* Writes the exact number if it is short enough to read, else `about X`; returns TEXT. */
const char *mask_number(char text[MASK_NUMBER_CHARS], mpq_srcptr value);

/* The mask in the file format, followed by comment lines. Malloc'ed; NULL if a number is too
 * long. */
char *mask_print(const struct mask *mask, struct error *err);

/* ---- one picture and folders of pictures ---- */

/* Whether INPUT is a folder; false with ERR when the options do not suit a folder or a file. */
bool command_batch_wanted(const struct options *options, bool *wanted, struct error *err);
bool command_batch(const struct options *options, const struct picture_request *request,
                   struct error *err);

/* The fields of a filtered picture, from "filter" on, without braces. */
void command_filter_json(FILE *out, const struct options *options,
                         const struct picture_report *report);

/* ---- comparisons, also those of golden suites ---- */

/* `"result":"different","why":...` and the numbers, without braces; an infinite PSNR is the
 * string "inf". */
void command_compare_json(FILE *out, const struct compare_result *result);

#endif
