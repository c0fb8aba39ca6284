/* `stencilcli mask MASK | --sigma S | --radius R`: a mask as a filter would take
 * it (found, built, changed by --divisor, --offset, --anchor and --flip), printed
 * in the file format or with --json as one object. It runs nothing; it is for
 * people who want to see a mask, keep it, or change it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/print_mask.h"
#include "plan/filter.h"

/* ---- which mask ---- */

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
    struct mask masks[2];
    int count;

    if (operand && options->mask)
        return error_set(err, EXIT_USAGE, "two masks, '%.80s' and --mask: expected one", operand);
    if (!request.mask && !options->has_sigma && options->radius < 0 && !options->amount)
        return error_set(err, EXIT_USAGE,
                         "mask needs a mask: a name, a file, rows of numbers, --sigma or --radius");
    if (operand && (options->has_sigma || options->radius >= 0 || options->amount))
        return error_set(err, EXIT_USAGE,
                         "'%.80s' is a mask of its own: --sigma, --radius and --amount build one",
                         operand);
    if (!filter_masks(&request, masks, &count, err))
        return false;
    if (plan_mask_override(&masks[0], &request.overrides, err)) {
        *mask = masks[0];
        return true;
    }
    mask_free(&masks[0]);
    return false;
}

/* ---- JSON ---- */

static void print_number(const char *before, mpq_srcptr value)
{
    char text[MASK_NUMBER_CHARS];
    mask_number(text, value);
    printf("%s\"%s\"", before, text);
}

static void print_weights(const struct mask *mask)
{
    char text[MASK_NUMBER_CHARS];
    for (int i = 0; i < mask->height; i++)
        for (int j = 0; j < mask->width; j++) {
            mpq_srcptr weight = mask->weight[i * mask->width + j];
            printf("%s", j > 0 ? "," : i > 0 ? "],[" : "[[");
            /* Exact however long it is, where mask_number would shorten it */
            if (rational_print(text, weight))
                printf("\"%s\"", text);
            else
                print_number("", weight);
        }
    printf("]]");
}

static void print_sum(const struct mask *mask)
{
    mpq_t sum;
    mpq_init(sum);
    mask_sum(sum, mask);
    print_number(",\"sum\":", sum);
    mpq_clear(sum);
}

static void print_symmetry(const struct mask *mask)
{
    const char *name;
    printf(",\"symmetry\":[");
    for (int i = 0; (name = mask_symmetry(mask, i)); i++)
        printf("%s\"%s\"", i > 0 ? "," : "", name);
    printf("]");
}

/* null where the mask's numbers are too large for this depth */
static void print_depth(const struct mask *mask, int bits, bool with_rank)
{
    char lowest[MASK_NUMBER_CHARS], highest[MASK_NUMBER_CHARS];
    struct plan_mask plan;
    struct error why;

    if (!plan_mask_make(&plan, mask, NULL, (1u << bits) - 1, &why)) {
        printf("%s,\"bits%d\":null", with_rank ? ",\"rank\":null" : "", bits);
        return;
    }
    if (with_rank)
        printf(",\"rank\":%d", plan_mask_rank(&plan));
    mask_range(&plan, (1u << bits) - 1, lowest, highest);
    /* Strings: most JSON readers hold numbers in doubles. */
    printf(",\"bits%d\":{\"divisor\":\"%" PRId64 "\",\"offset\":\"%" PRId64
           "\",\"lowest\":\"%s\",\"highest\":\"%s\",\"sum_bits\":%d,\"float_exact\":%s",
           bits, plan.divisor, plan.offset, lowest, highest,
           plan.accumulator == ACCUMULATOR_I32 ? 32 : 64, plan.float_exact ? "true" : "false");
    if (plan.quantised_bits >= 0)
        printf(",\"quantised_bits\":%d,\"quantised_error\":%.6g}", plan.quantised_bits,
               plan.quantised_error);
    else
        printf(",\"quantised_bits\":null,\"quantised_error\":0}");
    plan_mask_free(&plan);
}

static void print_json(const struct mask *mask)
{
    printf("{\"title\":");
    if (mask->title)
        json_print_text(stdout, mask->title);
    else
        printf("null");
    printf(",\"width\":%d,\"height\":%d,\"anchor\":[%d,%d]", mask->width, mask->height,
           mask->anchor_x, mask->anchor_y);
    print_number(",\"divisor\":", mask->divisor);
    print_number(",\"offset\":", mask->offset);
    printf(",\"offset_of_max\":%s,\"weights\":", mask->offset_percent ? "true" : "false");
    print_weights(mask);
    print_sum(mask);
    print_symmetry(mask);
    print_depth(mask, 8, true);
    print_depth(mask, 16, false);
    printf("}\n");
}

int command_mask(const struct options *options)
{
    struct mask mask;
    struct error err;

    if (!make_mask(options, &mask, &err))
        return command_fail(&err);
    if (options->json) {
        print_json(&mask);
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
