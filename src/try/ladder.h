/* Private to src/try: what is counted of a kernel, and the same counts of our own kernels, for
 * comparison. tests/try/ladder measures the latter. */
#ifndef STENCIL_TRY_LADDER_H
#define STENCIL_TRY_LADDER_H

#include "try/way.h"

#define LADDER_COUNTS 10

const char *ladder_count_key(int count);   /* for JSON */
const char *ladder_count_title(int count); /* for people */
double ladder_count_of(const struct try_counts *counts, int count);

/* The KERNEL-th of our own kernels that was counted on such a case; NULL past the last. */
const char *ladder_name(const struct try_case *it, int kernel);
double ladder_count(const struct try_case *it, int kernel, int count);

#endif
