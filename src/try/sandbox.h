/* Private to src/try: what a process that runs a student's code, or the compiler on it, may do.
 * docs/promise.md says what this promises and what it does not. */
#ifndef STENCIL_TRY_SANDBOX_H
#define STENCIL_TRY_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

struct sandbox_limits {
    int seconds;      /* of CPU time */
    size_t memory;    /* bytes of addresses */
    size_t file_size; /* bytes of a file that it writes; 0: it may write none */
};

/* Limits the calling process. False: it cannot be limited. */
bool sandbox_limit(const struct sandbox_limits *limits);

/* From now on the process can read files below these folders only, and those of the system that
 * programs need; it can write below WRITES only (NULL: nowhere). Does nothing where the kernel has
 * no Landlock. */
void sandbox_files(const char *reads, const char *writes);

/* From now on the process can compute, read files and write to open files, and nothing else: any
 * other wish ends in a signal SIGSYS. False: the kernel cannot do it. */
bool sandbox_calls(void);

/* "starts another process", ... for the number of a system call. */
const char *sandbox_wish(int call);

#endif
