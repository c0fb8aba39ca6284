/* Writes results as JUnit's XML. The counts come before the cases in the file, so the cases are
 * kept in memory until all are known. */
#include "compare/junit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "codec/output.h"

struct junit {
    char *suite, *text;
    size_t bytes;
    FILE *out; /* writes text */
    int cases, failures, errors;
    double seconds;
};

struct junit *junit_new(const char *suite)
{
    struct junit *junit = calloc(1, sizeof *junit);
    if (junit && (junit->suite = strdup(suite)) &&
        (junit->out = open_memstream(&junit->text, &junit->bytes)))
        return junit;
    junit_free(junit);
    return NULL;
}

void junit_case(struct junit *junit, const char *name, double seconds, enum junit_kind kind,
                const char *message)
{
    if (!junit)
        return;
    FILE *out = junit->out;
    junit->cases++;
    junit->failures += kind == JUNIT_FAILURE;
    junit->errors += kind == JUNIT_ERROR;
    junit->seconds += seconds;
    fputs("  <testcase classname=\"", out);
    markup_put(out, junit->suite);
    fputs("\" name=\"", out);
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

bool junit_finish(struct junit *junit, const char *path, struct error *err)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    bool good = out && fflush(junit->out) == 0;

    if (good) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"", out);
        markup_put(out, junit->suite);
        fprintf(out,
                "\" tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\">\n%s</testsuite>\n",
                junit->cases, junit->failures, junit->errors, junit->seconds, junit->text);
    }
    if (out)
        good = fclose(out) == 0 && good;
    good = good ? output_text(path, text, bytes, err)
                : error_set(err, EXIT_INPUT, "%s: no memory to write it", path);
    free(text);
    junit_free(junit);
    return good;
}

void junit_free(struct junit *junit)
{
    if (!junit)
        return;
    if (junit->out)
        fclose(junit->out);
    free(junit->text);
    free(junit->suite);
    free(junit);
}
