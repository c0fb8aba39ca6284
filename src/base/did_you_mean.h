/* Suggestions for wrong words, for error sentences. */
#ifndef STENCIL_BASE_DID_YOU_MEAN_H
#define STENCIL_BASE_DID_YOU_MEAN_H

/* The word that TEXT stands for by a table of synonyms, else the word nearest to TEXT by its
 * letters. NULL if no word is near enough to suggest. */
const char *did_you_mean(const char *text, const char *const *words, int count);

/* What to do instead, as half a sentence, if TEXT asks for something that no word of the command
 * line stands for ("resize", "--output"); else NULL. */
const char *did_you_mean_advice(const char *text);

/* The INDEX-th word that synonyms stand for, or NULL past the last. For tests. */
const char *did_you_mean_meant(int index);

#endif
