/* `stencilcli mask MASK | --sigma S | --radius R`: prints the mask that a filter would use, found
 * or built and changed by --divisor, --offset, --anchor and --flip. For people who want to see a
 * mask, keep it, or change it. It filters nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/print_mask.h"
#include "plan/filter.h"

/* The first filter that takes OPTION. */
static const struct filter *filter_with(const char *option)
{
    int count;
    const struct filter *filter = filter_table(&count);
    while (!filter_takes(filter, option))
        filter++;
    return filter;
}

/* The rules are those of the filter that the options choose. */
static bool make_mask(const struct options *options, struct mask *mask, struct error *err)
{
    const char *operand = options->operands > 0 ? options->operand[0] : NULL;
    struct filter_request request = {
        .filter = filter_with(options->amount ? "amount" : "mask"),
        .mask = operand ? operand : options->mask,
        .has_sigma = options->has_sigma,
        .sigma = options->sigma,
        .radius = options->radius,
        .amount = options->amount,
        .overrides = command_overrides(options),
    };

    if (operand && options->mask)
        return error_set(err, EXIT_USAGE, "two masks, '%.80s' and --mask: expected one", operand);
    if (!request.mask && !options->has_sigma && options->radius < 0 && !options->amount)
        return error_set(err, EXIT_USAGE,
                         "mask needs a mask: a name, a file, rows of numbers, --sigma or --radius");
    if (operand && (options->has_sigma || options->radius >= 0 || options->amount))
        return error_set(
            err, EXIT_USAGE,
            "the mask '%.80s' is given: --sigma, --radius and --amount would make another",
            operand);
    if (!filter_masks(&request, err))
        return false;
    *mask = request.masks[0];
    return true;
}

int command_mask(const struct options *options)
{
    struct mask mask;
    struct error err;

    if (!make_mask(options, &mask, &err))
        return command_fail(&err);
    if (options->json) {
        mask_print_json(stdout, &mask);
    } else {
        char *text = mask_print(&mask, &err);
        if (!text) {
            mask_free(&mask);
            return command_fail(&err);
        }
        fputs(text, stdout);
        free(text);
    }
    mask_free(&mask);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        error_errno(&err, "standard output", "write");
        return command_fail(&err);
    }
    return EXIT_DONE;
}
