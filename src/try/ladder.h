/* Private to src/try: what is counted of a kernel, and the same counts of our own kernels, for
 * comparison. tests/try/ladder measures the latter. */
#ifndef STENCIL_TRY_LADDER_H
#define STENCIL_TRY_LADDER_H

#include "try/gpu.h"

#define LADDER_COUNTS 11

const char *ladder_count_key(int count);   /* for JSON */
const char *ladder_count_title(int count); /* for people */
double ladder_count_of(const struct try_counts *counts, int count);

/* The KERNEL-th of our own kernels that was counted on such a case; NULL past the last. */
const char *ladder_name(const struct try_case *it, int kernel);
double ladder_count(const struct try_case *it, int kernel, int count);

/* How many times fewer loads of N than one for each weight: what the chapter's ratio predicts for
 * blocks that share their cells, and what was counted. */
struct ladder_reuse {
    double predicted, counted;
    char sentence[200];
};
struct ladder_reuse ladder_reuse_of(const struct try_file *file, const struct try_case *it,
                                    const struct try_counts *of);
/* Writes a sentence: the time that the counted loads would take on the GPU, beside the time that
 * the kernel took, and what the difference means. */
void ladder_say_time(char *text, size_t room, const struct try_file *file,
                     const struct try_counts *of, const struct try_gpu *gpu);

#endif
