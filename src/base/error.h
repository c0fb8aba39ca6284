/* Errors are values. A function that can fail returns bool and takes a struct error. If it fails,
 * it writes one sentence there and returns false. Only cli/main.c and the command files print the
 * sentence: "stencilcli: TEXT".
 *
 * The sentence names its file ("in.png: truncated PNG: ..."). It has no full stop at the end and no
 * newline. */
#ifndef STENCIL_BASE_ERROR_H
#define STENCIL_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/* The exit codes of the program. 128+n means "ended by signal n": see codec/output.h. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_INPUT = 1,     /* an input or output failed */
    EXIT_USAGE = 2,     /* a bad option or a bad mask */
    EXIT_DEVICE = 3,    /* the requested device does not exist */
    EXIT_DIFFERENT = 4, /* compare or verify found a difference */
};

struct error {
    enum exit_code code;
    char text[1024];
};

/* Writes the sentence and returns false, for `return error_set(err, EXIT_INPUT, "%s: ...", path);`.
 * Sentences that are too long are cut. */
__attribute__((format(printf, 3, 4))) bool error_set(struct error *err, enum exit_code code,
                                                     const char *format, ...);

/* The sentence "PATH: FORMAT", with EXIT_INPUT. */
__attribute__((format(printf, 3, 4))) bool error_file(struct error *err, const char *path,
                                                      const char *format, ...);

/* Puts "step STEP: " before the sentence of an error in a chain; STEP is 0 elsewhere, and changes
 * nothing. */
bool error_in_step(struct error *err, int step);

/* "%s: cannot VERB: STRERROR" from errno, with EXIT_INPUT. */
bool error_errno(struct error *err, const char *path, const char *verb);

#endif
