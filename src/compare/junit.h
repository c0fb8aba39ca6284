/* Results as JUnit's XML, which build servers show. Names and messages may hold any bytes. */
#ifndef STENCIL_COMPARE_JUNIT_H
#define STENCIL_COMPARE_JUNIT_H

#include "base/error.h"

enum junit_kind {
    JUNIT_PASSED,
    JUNIT_FAILURE, /* a difference */
    JUNIT_ERROR,   /* it could not be compared */
};

struct junit;

/* NULL without memory. The other functions ignore NULL, so that reports are optional. */
struct junit *junit_new(const char *suite);
/* MESSAGE is shown unless the case passed. */
void junit_case(struct junit *junit, const char *name, double seconds, enum junit_kind kind,
                const char *message);
/* Writes PATH whole and frees. */
bool junit_finish(struct junit *junit, const char *path, struct error *err);
void junit_free(struct junit *junit);

#endif
