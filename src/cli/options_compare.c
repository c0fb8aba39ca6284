/* The values of the limits of a comparison: they are words of a golden suite too, so what reads
 * them is compare/limits.c. */
#include "cli/option_table.h"
#include "compare/limits.h"

bool option_set_limit(struct options *options, const struct option_spec *spec, const char *value,
                      struct error *err)
{
    const char *expected = compare_limit_read(&options->limits, spec->name, value);
    return !expected ||
           error_set(err, EXIT_USAGE, "--%s %s: expected %s", spec->name, value, expected);
}
