/* The values of options for folders of pictures. */
#include "cli/option_table.h"

bool option_add_glob(struct options *options, const struct option_spec *spec, const char *value,
                     struct error *err)
{
    struct globs *globs = (struct globs *)(void *)((char *)options + spec->field);

    if (*value == '\0')
        return error_set(err, EXIT_USAGE, "--%s: expected %s, got an empty word", spec->name,
                         spec->argument);
    if (globs->count == GLOBS_MAX)
        return error_set(err, EXIT_USAGE, "--%s %s: at most %d patterns", spec->name, value,
                         GLOBS_MAX);
    globs->text[globs->count++] = value;
    return true;
}
