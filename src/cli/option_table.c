/* The option table: see cli/option_table.h. Its rows are in option_rows_*.def; what a row says is
 * what the parser accepts and what -h, --help, the man page and the completions show; nothing of it
 * is written a second time. How a value is read is in cli/options_values.c, longer texts are in
 * cli/option_topics.c. */
#include "cli/option_table.h"

#include <stddef.h>
#include <string.h>

#include "base/parallel.h"

#define FIELD(name) offsetof(struct options, name)

/* `mask` builds and changes a mask as a filter does, and prints it instead of running it. */
#define FOR_MASKS (FOR(COMMAND_FILTER) | FOR(COMMAND_MASK) | FOR(COMMAND_SIGNAL))
/* What filters something, pictures or signals. */
#define FOR_RUNS (FOR(COMMAND_FILTER) | FOR(COMMAND_SIGNAL))

static const char *const group_titles[GROUP_COUNT] = {
    [GROUP_MASK] = "Mask",     [GROUP_FILTER] = "Filtering", [GROUP_RUN] = "Running",
    [GROUP_OUTPUT] = "Output", [GROUP_BATCH] = "Folders",    [GROUP_COMPARE] = "Comparing",
    [GROUP_HELP] = "Help",
};

static const struct option_spec options_rows[] = {
#include "cli/option_rows_mask.def"
#include "cli/option_rows_filter.def"
#include "cli/option_rows_run.def"
#include "cli/option_rows_output.def"
#include "cli/option_rows_batch.def"
#include "cli/option_rows_compare.def"
#include "cli/option_rows_help.def"
};
#define OPTION_ROWS ((int)(sizeof options_rows / sizeof options_rows[0]))
_Static_assert(OPTION_ROWS <= OPTION_MAX, "the parser keeps a mark for each option");

const char *option_group_title(enum option_group group)
{
    return group_titles[group];
}

const struct option_spec *option_table(int *count)
{
    *count = OPTION_ROWS;
    return options_rows;
}

const struct option_spec *option_find(const char *name, size_t length)
{
    for (int i = 0; i < OPTION_ROWS; i++) {
        const char *known = options_rows[i].name;
        if (known && strlen(known) == length && memcmp(known, name, length) == 0)
            return &options_rows[i];
    }
    return NULL;
}

const struct option_spec *option_find_letter(char letter)
{
    for (int i = 0; i < OPTION_ROWS; i++) {
        if (letter != '\0' && options_rows[i].letter == letter)
            return &options_rows[i];
    }
    return NULL;
}
