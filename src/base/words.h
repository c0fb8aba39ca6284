/* Words: splitting a text into words, finding the options among them, and the lists of words that a
 * value may be. The command line and the words of a filter (plan/filter_words.h) are read by these
 * functions. Error sentences are EXIT_USAGE. */
#ifndef STENCIL_BASE_WORDS_H
#define STENCIL_BASE_WORDS_H

#include "base/error.h"

/* ---- lists of words ---- */

/* The INDEX-th allowed word, or NULL past the last. */
typedef const char *word_function(int index);

int word_find(const char *word, word_function *words); /* its index, or -1 */

/* The word of the list nearest to TEXT, or NULL. */
const char *word_nearest(const char *text, word_function *words);

/* Writes "a, b or c" into TEXT. A word that ends with a colon takes a value, shown as V. */
void words_join(char *text, size_t bytes, word_function *words);

/* Reads a whole number (an optional sign and digits) from the start of TEXT. */
bool word_int(const char *text, const char **end, int *number);

/* Report what is wrong with the value of the option NAME, and return false: "--NAME TEXT: expected
 * ..."; that WORD is not in the list, with the nearest word if there is one, else with all words
 * and then AFTER. */
__attribute__((format(printf, 4, 5))) bool word_expected(struct error *err, const char *name,
                                                         const char *text, const char *format, ...);
bool word_unknown(struct error *err, const char *name, const char *word, word_function *words,
                  const char *after);

/* ---- reading a line ---- */

/* Splits TEXT, in place, into up to MOST words: at spaces, except between quotes. Returns their
 * number; -1: a quote has no end, or there are too many. */
int words_split(char *text, char **word, int most);

/* An option that a reader has found. */
struct word_option {
    const void *row;             /* the reader's own */
    const char *name, *argument; /* argument: what a sentence calls its value; NULL: a flag */
};

/* words_read calls these functions for the options and words that it finds. */
struct word_reader {
    void *context; /* passed to the functions */
    /* Finds an option by its letter, or by the LENGTH letters of its name; 0 or NULL: not searched
     * for. */
    bool (*find)(char letter, const char *name, size_t length, struct word_option *option);
    /* Takes an option with its value (NULL: a flag), and any other word. */
    bool (*option)(void *context, const struct word_option *option, const char *value,
                   struct error *err);
    bool (*word)(void *context, char *word, struct error *err);
    /* Writes the sentence about an option that is not found, "--name" or "-x"; returns false. */
    bool (*unknown)(void *context, const char *typed, struct error *err);
};

/* Reads COUNT words. Options may stand anywhere, and `--` ends them; --name=value, --name value and
 * clustered letters are accepted. */
bool words_read(const struct word_reader *reader, int count, char **words, struct error *err);

#endif
