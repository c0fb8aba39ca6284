/* Suggestions for mistyped words, for error sentences. */
#ifndef STENCIL_BASE_DID_YOU_MEAN_H
#define STENCIL_BASE_DID_YOU_MEAN_H

/* The word nearest to TEXT, if it is near enough to suggest, else NULL. */
const char *did_you_mean(const char *text, const char *const *words, int count);

#endif
