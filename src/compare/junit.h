/* Results as JUnit XML, which build servers display. Names and messages may contain any bytes. */
#ifndef STENCIL_COMPARE_JUNIT_H
#define STENCIL_COMPARE_JUNIT_H

#include <stdio.h>

#include "base/error.h"

enum junit_kind {
    JUNIT_PASSED,
    JUNIT_FAILURE, /* a difference */
    JUNIT_ERROR,   /* could not be compared */
};

struct junit {
    const char *suite;
    FILE *out; /* writes the cases to memory; NULL: no report is wanted */
    char *text;
    size_t bytes;
    int cases, failures, errors;
    double seconds;
};

/* PATH is only for the error message (no memory). */
bool junit_begin(struct junit *junit, const char *suite, const char *path, struct error *err);

/* MESSAGE is shown unless the case passed. */
void junit_case(struct junit *junit, const char *name, double seconds, enum junit_kind kind,
                const char *message);

/* Writes PATH (nothing if PATH is NULL) and frees the memory. */
bool junit_end(struct junit *junit, const char *path, struct error *err);

#endif
