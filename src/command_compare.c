/* `stencilcli compare A B`: two pictures against each other. */
#include <stdio.h>

#include "command.h"
#include "compare_print.h"

static void print_text(const struct options *options, const struct compare_result *result)
{
    if (options->quiet && result->passed)
        return;
    command_print_clean(stdout, options->operand[0]);
    fputs(" and ", stdout);
    command_print_clean(stdout, options->operand[1]);
    printf(": %s%s\n", result->passed ? "" : "different: ", result->why);
    compare_print_table(stdout, result);
}

int command_compare(const struct options *options)
{
    struct compare_result result;
    struct error err;

    if (!compare_files(options->operand[0], options->operand[1], &options->limits, options->threads,
                       NULL, &result, &err))
        return command_fail(&err);
    for (int i = 0; i < 2 && !options->quiet; i++) {
        if (result.warning[i][0])
            fprintf(stderr, "stencilcli: %s\n", result.warning[i]);
    }
    if (options->json) {
        printf("{\"a\":");
        command_print_json(stdout, options->operand[0]);
        printf(",\"b\":");
        command_print_json(stdout, options->operand[1]);
        printf(",");
        compare_print_json(stdout, &result);
        printf("}\n");
    } else {
        print_text(options, &result);
    }
    return result.passed ? EXIT_DONE : EXIT_DIFFERENT;
}
