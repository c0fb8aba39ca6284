/* The word that was meant, for sentences about one that is not known. */
#ifndef STENCIL_BASE_DID_YOU_MEAN_H
#define STENCIL_BASE_DID_YOU_MEAN_H

/* The nearest of COUNT words to TEXT when it is near enough to suggest, else NULL. */
const char *did_you_mean(const char *text, const char *const *words, int count);

#endif
