/* The values of the limits of a comparison. They are words of a golden suite too, so
 * compare/verdict.c reads them. */
#include "cli/option_table.h"

bool option_set_limit(struct options *options, const struct option_spec *spec, const char *value,
                      struct error *err)
{
    const char *expected = compare_limit_read(&options->limits, spec->name, value);
    return !expected ||
           error_set(err, EXIT_USAGE, "--%s %s: expected %s", spec->name, value, expected);
}
