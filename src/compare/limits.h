/* The limits of a comparison by their names: options of the command line and words of a golden
 * suite. */
#ifndef STENCIL_COMPARE_LIMITS_H
#define STENCIL_COMPARE_LIMITS_H

#include "compare/compare.h"

/* Reads VALUE as the limit NAME ("max-diff", "max-fail-percent", "min-psnr", "min-ssim"). NULL, or
 * what was expected: "a whole number from 0 to 65535", "max-diff, ..." for an unknown name. VALUE
 * must outlive the limits. */
const char *compare_limit_read(struct compare_limits *limits, const char *name, const char *value);

#endif
