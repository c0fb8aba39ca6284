/* Writes results as JUnit XML. In the file the counts come before the cases, so the cases are kept
 * in memory until all are known. */
#include "compare/junit.h"

#include <stdlib.h>

#include "base/text.h"
#include "codec/output.h"

bool junit_begin(struct junit *junit, const char *suite, const char *path, struct error *err)
{
    *junit = (struct junit){.suite = suite};
    junit->out = open_memstream(&junit->text, &junit->bytes);
    return junit->out || error_set(err, EXIT_INPUT, "%s: no memory to write it", path);
}

void junit_case(struct junit *junit, const char *name, double seconds, enum junit_kind kind,
                const char *message)
{
    FILE *out = junit->out;

    if (!out)
        return;
    junit->cases++;
    junit->failures += kind == JUNIT_FAILURE;
    junit->errors += kind == JUNIT_ERROR;
    junit->seconds += seconds;
    fprintf(out, "  <testcase classname=\"%s\" name=\"", junit->suite);
    markup_put(out, name);
    fprintf(out, "\" time=\"%.3f\"", seconds);
    if (kind == JUNIT_PASSED) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n    <%s message=\"", kind == JUNIT_FAILURE ? "failure" : "error");
    markup_put(out, message);
    fputs("\"/>\n  </testcase>\n", out);
}

bool junit_end(struct junit *junit, const char *path, struct error *err)
{
    char *whole = NULL;
    int bytes = -1;

    if (!junit->out)
        return true;
    if (fclose(junit->out) == 0)
        bytes = asprintf(&whole,
                         "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"%s\" "
                         "tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\">\n"
                         "%s</testsuite>\n",
                         junit->suite, junit->cases, junit->failures, junit->errors, junit->seconds,
                         junit->text);
    bool good = bytes >= 0 ? !path || output_whole(path, whole, (size_t)bytes, err)
                           : error_set(err, EXIT_INPUT, "%s: no memory to write it", junit->suite);
    free(junit->text);
    if (bytes >= 0)
        free(whole);
    return good;
}
