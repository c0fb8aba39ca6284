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
    struct filter_request request = options->request.filter;
    bool builds = request.has_sigma || request.radius >= 0 || request.amount;
    struct mask masks[2];
    int count;

    if (operand && request.mask)
        return error_set(err, EXIT_USAGE, "two masks, '%.80s' and --mask: expected one", operand);
    if (!operand && !request.mask && !builds)
        return error_set(err, EXIT_USAGE,
                         "mask needs a mask: a name, a file, rows of numbers, --sigma or --radius");
    if (operand && builds)
        return error_set(
            err, EXIT_USAGE,
            "the mask '%.80s' is given: --sigma, --radius and --amount would make another",
            operand);
    if (operand)
        request.mask = operand;
    request.filter = filter_with(request.amount ? "amount" : "mask");
    if (!filter_masks(&request, masks, &count, err))
        return false;
    *mask = masks[0];
    if (plan_mask_override(mask, &request.overrides, err))
        return true;
    mask_free(mask);
    return false;
}

bool command_mask(const struct options *options, struct error *err)
{
    struct mask mask;
    char *text = NULL;

    if (!make_mask(options, &mask, err))
        return false;
    if (options->json)
        mask_print_json(stdout, &mask);
    else if ((text = mask_print(&mask, err)))
        fputs(text, stdout);
    bool good = options->json || text;
    free(text);
    mask_free(&mask);
    return good;
}
