/* The words of a filter, "gauss --sigma 2 --border mirror", as the command line, a step of a chain,
 * the library and Python write them. This is the only place that reads the values of a filter's
 * options; the option table of the command line (cli/option_table.c) adds their help. */
#ifndef STENCIL_PLAN_FILTER_WORDS_H
#define STENCIL_PLAN_FILTER_WORDS_H

#include "base/words.h"
#include "plan/filter.h"

/* The most words of a filter. */
#define FILTER_WORDS_MOST 63

/* The request of a filter without options. */
#define FILTER_DEFAULTS                                                                            \
    {                                                                                              \
        .radius = -1, .repeat = 1                                                                  \
    }

/* The names of the INDEX-th option of filters; false past the last. */
struct filter_word {
    char letter;          /* 0: none */
    const char *name;     /* without "--" */
    const char *argument; /* what sentences call its value; NULL: a flag */
};
bool filter_word(int index, struct filter_word *word);

/* Reads the value of the option NAME (without "--") into the request; NULL: it is a flag. TEXT must
 * live as long as the request. */
bool filter_word_set(struct filter_request *request, const char *name, const char *text,
                     struct error *err);

/* Writes the sentence about a word that is no filter, or (OPTION, with its dashes) no option of
 * filters; returns false. */
typedef bool filter_unknown(const char *word, bool option, struct error *err);

/* Reads TEXT, a filter and its options, into the request. TEXT is changed, and must live as long as
 * the request. UNKNOWN is NULL for the sentences of this file. Masks and numbers are not checked:
 * filter_load does that. */
bool filter_parse(struct filter_request *request, char *text, filter_unknown *unknown,
                  struct error *err);

/* The values that options of filters take. */
word_function filter_border_word, filter_alpha_word, filter_light_word;

#endif
