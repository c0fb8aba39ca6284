/* A small framework for the C tests. A test program runs functions with TEST(name), which print TAP
 * lines ("ok 1 - name"), and ends with test_finish(). A failed check prints its place and its
 * condition, and the test continues, so that one run shows all failures. */
#ifndef STENCIL_TEST_H
#define STENCIL_TEST_H

#include <stdbool.h>
#include <stdio.h>

extern int test_failures; /* failed checks in the running test */

void test_run(const char *name, void (*function)(void));
void test_result(const char *name, bool ok);       /* a test that was run elsewhere */
void test_skip(const char *name, const char *why); /* counted as skipped */
int test_finish(void);                             /* prints the TAP plan; the exit code for main */

#define TEST(function) test_run(#function, function)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("# %s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition);                 \
            test_failures++;                                                                       \
        }                                                                                          \
    } while (0)

/* The same with a printf-style explanation. */
#define CHECKF(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("# %s:%d: CHECK(%s) failed: ", __FILE__, __LINE__, #condition);                 \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
            test_failures++;                                                                       \
        }                                                                                          \
    } while (0)

#endif
