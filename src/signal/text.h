/* Samples as text: numbers separated by blanks, commas or lines, each as in a mask
 * (plan/rational.h), with comments from '#' to the end of a line. The output has one number in
 * place of each sample; separators, lines and comments stay as they were. */
#ifndef STENCIL_SIGNAL_TEXT_H
#define STENCIL_SIGNAL_TEXT_H

#include "codec/output.h"
#include "signal/sums.h"

struct signal_text {
    const char *name;        /* of the file, for sentences */
    const char *bytes;       /* the file, the caller's */
    const char *begin, *end; /* its text, without a byte order mark */
    int n;                   /* numbers in it */
    const char *at;          /* behind the number that was read last */
    int commas;              /* before that number, ... */
    const char *comma;       /* ... and the last of them */
};

/* Checks every number and counts them. Wrong text and a text without numbers are EXIT_INPUT:
 * NAME:LINE:COLUMN: expected a number, got '...'. */
bool signal_text_open(struct signal_text *text, const char *name, const void *bytes, size_t size,
                      struct error *err);

/* A series_get; the context is the text. */
void signal_text_get(void *text, int i, mpq_t value);

/* Writes the text with the numbers of VALUES in place of its own. DECIMALS as in number_print. */
bool signal_text_write(struct signal_text *text, const struct series *values, int decimals,
                       struct output *output, struct error *err);

/* VALUE as text, malloc'ed: a decimal where it terminates, else p/q. With DECIMALS >= 0 rounded to
 * so many, halves up. (GMP ends the program where there is no memory for its numbers.) */
char *number_print(mpq_srcptr value, int decimals);

#endif
