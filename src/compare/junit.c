/* Writes results as JUnit's XML. The counts come before the cases in the file, so the cases are
 * kept in memory until all are known. */
#include "compare/junit.h"

#include <stdlib.h>
#include <string.h>

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

static bool write_file(const struct junit *junit, const char *path, struct error *err)
{
    static const char end[] = "</testsuite>\n";
    char begin[256];
    struct output *output;

    if (!output_open(&output, path, err))
        return false;
    snprintf(begin, sizeof begin,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"%s\" tests=\"%d\" "
             "failures=\"%d\" errors=\"%d\" time=\"%.3f\">\n",
             junit->suite, junit->cases, junit->failures, junit->errors, junit->seconds);
    bool good = output_write(output, begin, strlen(begin), err) &&
                output_write(output, junit->text, junit->bytes, err) &&
                output_write(output, end, strlen(end), err);
    return output_end(output, good, err);
}

bool junit_end(struct junit *junit, const char *path, struct error *err)
{
    if (!junit->out)
        return true;
    bool good = fclose(junit->out) == 0 ||
                error_set(err, EXIT_INPUT, "%s: no memory to write it", junit->suite);
    good = good && (!path || write_file(junit, path, err));
    free(junit->text);
    return good;
}
