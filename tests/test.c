/* The TAP printer of test.h. */
#include "tests/test.h"

int test_failures;
static int test_count, test_failed;

void test_run(const char *name, void (*function)(void))
{
    test_failures = 0;
    function();
    test_result(name, test_failures == 0);
}

void test_result(const char *name, bool ok)
{
    test_count++;
    test_failed += !ok;
    printf("%s %d - %s\n", ok ? "ok" : "not ok", test_count, name);
    fflush(stdout);
}

void test_skip(const char *name, const char *why)
{
    printf("ok %d - %s # SKIP %s\n", ++test_count, name, why);
    fflush(stdout);
}

int test_finish(void)
{
    printf("1..%d\n", test_count);
    return test_failed ? 1 : 0;
}
