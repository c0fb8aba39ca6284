/* Results as JUnit's XML, which build servers show. Names and messages may hold any bytes. */
#ifndef STENCIL_COMPARE_JUNIT_H
#define STENCIL_COMPARE_JUNIT_H

#include "base/error.h"

enum junit_kind {
    JUNIT_PASSED,
    JUNIT_FAILURE, /* a difference */
    JUNIT_ERROR,   /* it could not be found out */
};

struct junit;

/* NULL without memory; the other functions take it as what nobody asked for. */
struct junit *junit_new(const char *suite);
/* MESSAGE is shown where KIND is no JUNIT_PASSED. */
void junit_case(struct junit *junit, const char *name, double seconds, enum junit_kind kind,
                const char *message);
/* Writes PATH whole and frees. */
bool junit_finish(struct junit *junit, const char *path, struct error *err);
void junit_free(struct junit *junit);

#endif
