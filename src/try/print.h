/* Private to src/try: the whole of a run, and how it is printed (print.c). */
#ifndef STENCIL_TRY_PRINT_H
#define STENCIL_TRY_PRINT_H

#include "try/judge.h"

struct try_report {
    struct try_file file;
    struct try_battery battery;
    struct try_result *results;
    struct try_trial trial;
    struct try_verdict verdict;
    bool compiles;
    char *printed; /* what the student's file printed */
    size_t printed_bytes;
    double seconds;
};

/* Prints the verdict, or ERR (with JSON only) if there is none, and returns the exit code. JUNIT: a
 * file, or NULL. TROUBLE: why that could not be written. */
int try_print(const struct try_report *report, const struct error *err, const char *path, bool json,
              const char *junit, struct error *trouble);

#endif
