/* `stencilcli mask MASK | --sigma S | --radius R`: prints the mask that a filter would use, found
 * or built for a --depth, and changed by --divisor, --offset, --anchor and --flip. For people who
 * want to see, keep or change a mask. The text is a valid mask file, with facts about the mask
 * (sum, rank, symmetry, bounds) in comment lines at the end: parsing it gives exactly the same
 * numbers. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* Longer exact numbers are of no use to a reader. */
#define SHORT_NUMBER 24

/* The row and column of a rank-1 mask are shown if they are not longer than this. */
#define SHOWN_FACTOR 31

/* ---- facts ---- */

const char *mask_number(char text[MASK_NUMBER_CHARS], mpq_srcptr value)
{
    if (!rational_print(text, value) || strlen(text) > SHORT_NUMBER)
        snprintf(text, MASK_NUMBER_CHARS, "about %.10g", mpq_get_d(value));
    return text;
}

/* Cell (i, j) is mapped to (i or height-1-i, j or width-1-j), or to (j, i) for transpose. With
 * negate the image must have the opposite sign. */
static const struct mirror {
    const char *name;
    bool rows, columns, transpose, negate;
} mirrors[] = {
    {"horizontal", false, true, false, false},        {"vertical", true, false, false, false},
    {"transposed", false, false, true, false},        {"point", true, true, false, false},
    {"point-antisymmetric", true, true, false, true},
};
#define MIRRORS ((int)(sizeof mirrors / sizeof mirrors[0]))

/* Whether every cell equals its image. Outer masks, which are built, are symmetric in every way. */
static bool has_mirror(const struct mask *mask, const struct mirror *mirror)
{
    mpq_t image;
    bool equal = !mirror->transpose || mask->width == mask->height;

    if (mask->outer)
        return !mirror->negate;
    mpq_init(image);
    for (int k = 0; k < mask->width * mask->height && equal; k++) {
        int i = k / mask->width, j = k % mask->width;
        int y = mirror->rows ? mask->height - 1 - i : i;
        int x = mirror->columns ? mask->width - 1 - j : j;
        mpq_set(image, mask->weight[mirror->transpose ? x * mask->width + y : y * mask->width + x]);
        if (mirror->negate)
            mpq_neg(image, image);
        equal = mpq_equal(image, mask->weight[k]) != 0;
    }
    mpq_clear(image);
    return equal;
}

static void quotient(char text[MASK_NUMBER_CHARS], int64_t numerator, int64_t denominator)
{
    mpq_t value;
    mpq_init(value);
    mpq_set_si(value, numerator, (unsigned long)denominator);
    mpq_canonicalize(value);
    mask_number(text, value);
    mpq_clear(value);
}

/* The smallest and the largest value of S/d for samples of 0..max: the result before rounding and
 * clamping. */
static void mask_range(const struct plan_mask *plan, uint32_t max, char lowest[MASK_NUMBER_CHARS],
                       char highest[MASK_NUMBER_CHARS])
{
    /* These values are within the plan's bound, so within 62 bits. */
    int64_t above = (plan->sum_abs + plan->sum) / 2 * max;
    int64_t below = (plan->sum_abs - plan->sum) / 2 * max;
    quotient(lowest, plan->offset - below, plan->divisor);
    quotient(highest, plan->offset + above, plan->divisor);
}

/* ---- the file format ---- */

/* COUNT numbers on one line. */
static void print_line(FILE *out, const char *name, mpq_t *number, int count)
{
    char text[MASK_NUMBER_CHARS];

    fputs(name, out);
    for (int k = 0; k < count; k++)
        fprintf(out, " %s", mask_number(text, number[k]));
    fputc('\n', out);
}

/* A mask file holds no outer mask: its numbers are comments. */
static void print_outer(FILE *out, const struct mask *mask)
{
    fprintf(out,
            "# too long for a mask file; each weight is a number of the column times one of the "
            "row\n");
    print_line(out, "# column", mask->weight, mask->height);
    print_line(out, "# row", mask->weight + mask->height, mask->width);
    if (mpq_sgn(mask->centre) != 0)
        print_line(out, "# added to the middle weight:", (mpq_t *)&mask->centre, 1);
}

static bool print_rows(FILE *out, const struct mask *mask, struct error *err)
{
    int cells = mask->width * mask->height, widths[MASK_LONGEST] = {0};
    char text[MASK_NUMBER_CHARS];

    for (int k = 0; k < cells; k++) {
        int *width = &widths[k % mask->width];
        if (!rational_print(text, mask->weight[k]))
            return error_set(err, EXIT_USAGE,
                             "the weight in row %d, column %d needs more than %d characters",
                             k / mask->width + 1, k % mask->width + 1, RATIONAL_MAX_CHARS);
        *width = (int)strlen(text) > *width ? (int)strlen(text) : *width;
    }
    for (int k = 0; k < cells; k++) {
        int j = k % mask->width;
        rational_print(text, mask->weight[k]);
        fprintf(out, "%*s%c", widths[j], text, j == mask->width - 1 ? '\n' : ' ');
    }
    return true;
}

static bool print_divisor(FILE *out, const struct mask *mask, struct error *err)
{
    char text[MASK_NUMBER_CHARS];
    mpq_t sum;

    if (mpq_cmp_ui(mask->divisor, 1, 1) == 0)
        return true;
    if (rational_print(text, mask->divisor)) {
        fprintf(out, "divisor %s\n", text);
        return true;
    }
    /* Only the sum, as divisor, can be so long. */
    mpq_init(sum);
    mask_sum(sum, mask);
    bool is_sum = mpq_equal(sum, mask->divisor) != 0;
    mpq_clear(sum);
    if (is_sum)
        fprintf(out, "normalize\n");
    return is_sum || error_set(err, EXIT_USAGE, "the divisor needs more than %d characters",
                               RATIONAL_MAX_CHARS);
}

static bool print_offset(FILE *out, const struct mask *mask, struct error *err)
{
    char text[MASK_NUMBER_CHARS];
    mpq_t offset, scale;
    bool good;

    if (mpq_sgn(mask->offset) == 0 && !mask->offset_percent)
        return true;
    mpq_inits(offset, scale, NULL);
    mpq_set_ui(scale, mask->offset_percent ? 100 : 1, 1);
    mpq_mul(offset, mask->offset, scale);
    good = rational_print(text, offset);
    if (good)
        fprintf(out, "offset %s%s\n", text, mask->offset_percent ? "%" : "");
    else
        error_set(err, EXIT_USAGE, "the offset needs more than %d characters", RATIONAL_MAX_CHARS);
    mpq_clears(offset, scale, NULL);
    return good;
}

/* ---- comment lines ---- */

static void print_sum(FILE *out, const struct mask *mask)
{
    char text[MASK_NUMBER_CHARS];
    mpq_t sum;

    mpq_init(sum);
    mask_sum(sum, mask);
    fprintf(out, "# sum %s", mask_number(text, sum));
    if (mpq_cmp_ui(mask->divisor, 1, 1) != 0) {
        /* mpq_div is slow for long sums. Short results are exact. */
        mpz_mul(mpq_numref(sum), mpq_numref(sum), mpq_denref(mask->divisor));
        mpz_mul(mpq_denref(sum), mpq_denref(sum), mpq_numref(mask->divisor));
        if (mpz_sizeinbase(mpq_denref(sum), 2) < 100000)
            mpq_canonicalize(sum);
        fprintf(out, ", divided: %s", mask_number(text, sum));
    }
    fprintf(out, "\n");
    mpq_clear(sum);
}

static void print_factor(FILE *out, const char *name, const int64_t *values, int n)
{
    fprintf(out, "%s", name);
    for (int i = 0; i < n; i++)
        fprintf(out, " %" PRId64, values[i]);
}

static void print_rank(FILE *out, const struct mask *mask, const struct plan_mask *plan)
{
    const char *before = "\n# symmetry: ";

    fprintf(out, "# rank %d", plan_mask_rank(plan));
    if (plan->row && plan->width <= SHOWN_FACTOR && plan->height <= SHOWN_FACTOR) {
        print_factor(out, ": row", plan->row, plan->width);
        print_factor(out, ", column", plan->column, plan->height);
    }
    for (int i = 0; i < MIRRORS; i++)
        if (has_mirror(mask, &mirrors[i])) {
            fprintf(out, "%s%s", before, mirrors[i].name);
            before = ", ";
        }
    fprintf(out, "%s\n", *before == '\n' ? "\n# symmetry: none" : "");
}

static void print_depth(FILE *out, const struct mask *mask, int bits)
{
    char lowest[MASK_NUMBER_CHARS], highest[MASK_NUMBER_CHARS];
    struct plan_mask plan;
    struct error why;

    if (!plan_mask_make(&plan, mask, (1u << bits) - 1, &why)) {
        fprintf(out, "# %d bits: numbers too large to be filtered with\n", bits);
        return;
    }
    if (bits == 8)
        print_rank(out, mask, &plan);
    mask_range(&plan, (1u << bits) - 1, lowest, highest);
    fprintf(out, "# %d bits: results from %s to %s before clamping, %s-bit sums", bits, lowest,
            highest, plan.accumulator == ACCUMULATOR_I32 ? "32" : "64");
    if (plan.float_exact && plan.accumulator == ACCUMULATOR_I32)
        fprintf(out, ", exact in float too");
    if (plan.quantised_bits >= 0)
        fprintf(out, ", weights in 1/2^%d (a sample changes by %.2g at most)", plan.quantised_bits,
                plan.quantised_error);
    fprintf(out, "\n");
    plan_mask_free(&plan);
}

char *mask_print(const struct mask *mask, struct error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (!out) {
        error_set(err, EXIT_INPUT, "no memory for the mask's text");
        return NULL;
    }
    if (mask->title)
        fprintf(out, "# %s\n", mask->title);
    bool good = print_divisor(out, mask, err) && print_offset(out, mask, err);
    if (mask->anchor_x != mask->width / 2 || mask->anchor_y != mask->height / 2)
        fprintf(out, "anchor %d %d\n", mask->anchor_x, mask->anchor_y);
    if (mask->outer)
        print_outer(out, mask);
    else
        good = good && print_rows(out, mask, err);
    if (good) {
        fprintf(out, "# size %d x %d, anchor %d %d\n", mask->width, mask->height, mask->anchor_x,
                mask->anchor_y);
        print_sum(out, mask);
        print_depth(out, mask, 8);
        print_depth(out, mask, 16);
    }
    bool lost = ferror(out) != 0;
    lost = fclose(out) != 0 || lost;
    if (good && lost)
        good = error_set(err, EXIT_INPUT, "no memory for the mask's text");
    if (good)
        return text;
    free(text);
    return NULL;
}

/* ---- JSON ---- */

/* The facts for samples of BITS bits; null if the mask's numbers are too large for this depth. */
static void json_depth(const struct mask *mask, int bits)
{
    char lowest[MASK_NUMBER_CHARS], highest[MASK_NUMBER_CHARS];
    struct plan_mask plan;
    struct error why;
    bool made = plan_mask_make(&plan, mask, (1u << bits) - 1, &why);

    if (bits == 8)
        json_print(stdout, made ? ",'rank':%d" : ",'rank':null", made ? plan_mask_rank(&plan) : 0);
    if (!made) {
        json_print(stdout, ",'bits%d':null", bits);
        return;
    }
    mask_range(&plan, (1u << bits) - 1, lowest, highest);
    json_print(stdout,
               ",'bits%d':{'divisor':'%" PRId64 "','offset':'%" PRId64
               "','lowest':%s,'highest':%s,'sum_bits':%d,'float_exact':%i",
               bits, plan.divisor, plan.offset, lowest, highest,
               plan.accumulator == ACCUMULATOR_I32 ? 32 : 64, plan.float_exact);
    if (plan.quantised_bits >= 0)
        json_print(stdout, ",'quantised_bits':%d,'quantised_error':%.6g}", plan.quantised_bits,
                   plan.quantised_error);
    else
        json_print(stdout, ",'quantised_bits':null,'quantised_error':0}");
    plan_mask_free(&plan);
}

static void json_weights(const struct mask *mask)
{
    char text[MASK_NUMBER_CHARS];

    json_print(stdout, ",'weights':[");
    for (int k = 0; k < mask->width * mask->height; k++) {
        if (!rational_print(text, mask->weight[k]))
            mask_number(text, mask->weight[k]);
        printf("%s\"%s\"", k % mask->width ? "," : k ? "],[" : "[", text);
    }
    fputs("]]", stdout);
}

static void json_outer(const struct mask *mask)
{
    char text[MASK_NUMBER_CHARS];

    for (int k = 0; k < mask_numbers(mask); k++) {
        bool first = k == 0 || k == mask->height;
        fputs(k == 0 ? ",\"column\":[" : first ? "],\"row\":[" : ",", stdout);
        json_print_text(stdout, mask_number(text, mask->weight[k]));
    }
    json_print(stdout, "],'centre':%s", mask_number(text, mask->centre));
}

/* Prints one object on one line. Numbers are strings, because most JSON readers store numbers as
 * doubles. Weights are always exact; mask_number would shorten long ones. */
static void json_mask(const struct mask *mask)
{
    char text[MASK_NUMBER_CHARS], offset[MASK_NUMBER_CHARS];
    const char *before = "";
    mpq_t sum;

    json_print(stdout,
               "{'title':%s,'width':%d,'height':%d,'anchor':[%d,%d],'divisor':%s,'offset':%s,"
               "'offset_of_max':%i",
               mask->title, mask->width, mask->height, mask->anchor_x, mask->anchor_y,
               mask_number(text, mask->divisor), mask_number(offset, mask->offset),
               mask->offset_percent);
    if (mask->outer)
        json_outer(mask);
    else
        json_weights(mask);
    mpq_init(sum);
    mask_sum(sum, mask);
    json_print(stdout, ",'sum':%s,'symmetry':[", mask_number(text, sum));
    mpq_clear(sum);
    for (int i = 0; i < MIRRORS; i++)
        if (has_mirror(mask, &mirrors[i])) {
            printf("%s\"%s\"", before, mirrors[i].name);
            before = ",";
        }
    putchar(']');
    json_depth(mask, 8);
    json_depth(mask, 16);
    puts("}");
}

/* ---- the command ---- */

/* The first filter that takes OPTION. */
static const struct filter *filter_with(const char *option)
{
    int count;
    const struct filter *filter = filter_table(&count);
    while (!filter_takes(filter, option))
        filter++;
    return filter;
}

/* Makes the mask by the rules of the filter that the options select. */
static bool make_mask(const struct options *options, struct mask *mask, struct error *err)
{
    const char *operand = options->operands > 0 ? options->operand[0] : NULL;
    struct filter_request request = options->request.filter;
    bool builds = request.has_sigma || request.radius >= 0 || request.amount;
    bool deep = options->depth && strcmp(options->depth, "16") == 0;

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
    if (!filter_masks(&request, deep ? SAMPLE_U16 : SAMPLE_U8, err))
        return false;
    *mask = request.masks[0];
    return true;
}

bool command_mask(const struct options *options, struct error *err)
{
    struct mask mask;
    char *text = NULL;

    if (!make_mask(options, &mask, err))
        return false;
    if (options->json)
        json_mask(&mask);
    else if ((text = mask_print(&mask, err)))
        fputs(text, stdout);
    bool good = options->json || text;
    free(text);
    mask_free(&mask);
    return good;
}
