/* Prints a mask in the file format, with facts about it (sum, rank, symmetry, bounds) in comment
 * lines below, or as JSON. The text is a mask file again: parsing it gives the same mask, number
 * by number. */
#include "cli/print_mask.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* Longer exact numbers do not help a reader. */
#define SHORT_NUMBER 24

/* The row and column of a rank-1 mask are shown if they are not longer than this. */
#define SHOWN_FACTOR 31

/* ---- facts ---- */

void mask_number(char text[MASK_NUMBER_CHARS], mpq_srcptr value)
{
    if (!rational_print(text, value) || strlen(text) > SHORT_NUMBER)
        snprintf(text, MASK_NUMBER_CHARS, "about %.10g", mpq_get_d(value));
}

/* Is every cell equal to its image in a mirror? The image of (i, j) is (i or height-1-i, j or
 * width-1-j), or (j, i) for TRANSPOSE; with NEGATE the image has the opposite sign. */
static bool has_mirror(const struct mask *mask, bool rows, bool columns, bool transpose,
                       bool negate)
{
    mpq_t image;
    bool equal = !transpose || mask->width == mask->height;

    mpq_init(image);
    for (int i = 0; i < mask->height && equal; i++)
        for (int j = 0; j < mask->width && equal; j++) {
            int y = rows ? mask->height - 1 - i : i, x = columns ? mask->width - 1 - j : j;
            mpq_set(image, mask->weight[transpose ? x * mask->width + y : y * mask->width + x]);
            if (negate)
                mpq_neg(image, image);
            equal = mpq_equal(image, mask->weight[i * mask->width + j]) != 0;
        }
    mpq_clear(image);
    return equal;
}

/* The INDEX-th symmetry that the mask has ("horizontal", "vertical", ...), NULL past the last. */
static const char *mask_symmetry(const struct mask *mask, int index)
{
    static const struct {
        const char *name;
        bool rows, columns, transpose, negate;
    } mirrors[] = {
        {"horizontal", false, true, false, false},        {"vertical", true, false, false, false},
        {"transposed", false, false, true, false},        {"point", true, true, false, false},
        {"point-antisymmetric", true, true, false, true},
    };

    for (size_t k = 0; k < sizeof mirrors / sizeof mirrors[0]; k++)
        if (has_mirror(mask, mirrors[k].rows, mirrors[k].columns, mirrors[k].transpose,
                       mirrors[k].negate) &&
            index-- == 0)
            return mirrors[k].name;
    return NULL;
}

/* The smallest and the largest value of S/d for samples of 0..max: the result before rounding and
 * clamping. */
static void mask_range(const struct plan_mask *plan, uint32_t max, char lowest[MASK_NUMBER_CHARS],
                       char highest[MASK_NUMBER_CHARS])
{
    /* All within the plan's bound, so within 62 bits. */
    int64_t above = (plan->sum_abs + plan->sum) / 2 * max + plan->offset;
    int64_t below = (plan->sum_abs - plan->sum) / 2 * -(int64_t)max + plan->offset;
    mpq_t value;

    mpq_init(value);
    mpq_set_si(value, below, (unsigned long)plan->divisor);
    mpq_canonicalize(value);
    mask_number(lowest, value);
    mpq_set_si(value, above, (unsigned long)plan->divisor);
    mpq_canonicalize(value);
    mask_number(highest, value);
    mpq_clear(value);
}

/* ---- the file format ---- */

/* One weight in each line of TEXT, of RATIONAL_MAX_CHARS+1 bytes. */
typedef char number_text[RATIONAL_MAX_CHARS + 1];

static bool print_rows(FILE *out, const struct mask *mask, struct error *err)
{
    size_t cells = (size_t)mask->width * (size_t)mask->height;
    int widths[MASK_MAX_SIDE] = {0};
    number_text *text = malloc(cells * sizeof *text);

    if (!text)
        return error_set(err, EXIT_USAGE, "no memory for the mask's text");
    for (size_t k = 0; k < cells; k++) {
        int j = (int)(k % (size_t)mask->width);
        if (!rational_print(text[k], mask->weight[k])) {
            free(text);
            return error_set(err, EXIT_USAGE,
                             "the weight in row %zu, column %d needs more than %d characters",
                             k / (size_t)mask->width + 1, j + 1, RATIONAL_MAX_CHARS);
        }
        int length = (int)strlen(text[k]);
        widths[j] = length > widths[j] ? length : widths[j];
    }
    for (size_t k = 0; k < cells; k++) {
        int j = (int)(k % (size_t)mask->width);
        fprintf(out, "%*s%c", widths[j], text[k], j == mask->width - 1 ? '\n' : ' ');
    }
    free(text);
    return true;
}

static bool print_divisor(FILE *out, const struct mask *mask, struct error *err)
{
    number_text text;
    mpq_t sum;

    if (mpq_cmp_ui(mask->divisor, 1, 1) == 0)
        return true;
    if (rational_print(text, mask->divisor)) {
        fprintf(out, "divisor %s\n", text);
        return true;
    }
    /* The only divisor that can be so long is the sum. */
    mpq_init(sum);
    mask_sum(sum, mask);
    bool is_sum = mpq_equal(sum, mask->divisor) != 0;
    mpq_clear(sum);
    if (!is_sum)
        return error_set(err, EXIT_USAGE, "the divisor needs more than %d characters",
                         RATIONAL_MAX_CHARS);
    fprintf(out, "normalize\n");
    return true;
}

static bool print_offset(FILE *out, const struct mask *mask, struct error *err)
{
    number_text text;
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
    mask_number(text, sum);
    fprintf(out, "# sum %s", text);
    if (mpq_cmp_ui(mask->divisor, 1, 1) != 0) {
        /* Not mpq_div, which is slow for long sums. Short results are exact. */
        mpz_mul(mpq_numref(sum), mpq_numref(sum), mpq_denref(mask->divisor));
        mpz_mul(mpq_denref(sum), mpq_denref(sum), mpq_numref(mask->divisor));
        if (mpz_sizeinbase(mpq_denref(sum), 2) < 100000)
            mpq_canonicalize(sum);
        mask_number(text, sum);
        fprintf(out, ", divided: %s", text);
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

static void print_rank(FILE *out, const struct plan_mask *plan)
{
    fprintf(out, "# rank %d", plan_mask_rank(plan));
    if (plan->row && plan->width <= SHOWN_FACTOR && plan->height <= SHOWN_FACTOR) {
        print_factor(out, ": row", plan->row, plan->width);
        print_factor(out, ", column", plan->column, plan->height);
    }
    fprintf(out, "\n");
}

static void print_symmetry(FILE *out, const struct mask *mask)
{
    const char *name = mask_symmetry(mask, 0);
    fprintf(out, "# symmetry: %s", name ? name : "none");
    for (int i = 1; name && (name = mask_symmetry(mask, i)); i++)
        fprintf(out, ", %s", name);
    fprintf(out, "\n");
}

static void print_depth(FILE *out, int bits, const struct plan_mask *plan)
{
    char lowest[MASK_NUMBER_CHARS], highest[MASK_NUMBER_CHARS];

    mask_range(plan, (1u << bits) - 1, lowest, highest);
    fprintf(out, "# %d bits: results from %s to %s before clamping, %s-bit sums", bits, lowest,
            highest, plan->accumulator == ACCUMULATOR_I32 ? "32" : "64");
    if (plan->float_exact)
        fprintf(out, ", exact in float too");
    if (plan->quantised_bits >= 0)
        fprintf(out, ", weights in 1/2^%d (a sample changes by %.2g at most)", plan->quantised_bits,
                plan->quantised_error);
    fprintf(out, "\n");
}

static void print_facts(FILE *out, const struct mask *mask)
{
    fprintf(out, "# size %d x %d, anchor %d %d\n", mask->width, mask->height, mask->anchor_x,
            mask->anchor_y);
    print_sum(out, mask);
    for (int bits = 8; bits <= 16; bits += 8) {
        struct plan_mask plan;
        struct error why;
        if (!plan_mask_make(&plan, mask, (1u << bits) - 1, &why)) {
            fprintf(out, "# %d bits: numbers too large to be filtered with\n", bits);
            continue;
        }
        if (bits == 8) {
            print_rank(out, &plan);
            print_symmetry(out, mask);
        }
        print_depth(out, bits, &plan);
        plan_mask_free(&plan);
    }
}

char *mask_print(const struct mask *mask, struct error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (!out) {
        error_set(err, EXIT_USAGE, "no memory for the mask's text");
        return NULL;
    }
    if (mask->title)
        fprintf(out, "# %s\n", mask->title);
    bool good = print_divisor(out, mask, err) && print_offset(out, mask, err);
    if (mask->anchor_x != mask->width / 2 || mask->anchor_y != mask->height / 2)
        fprintf(out, "anchor %d %d\n", mask->anchor_x, mask->anchor_y);
    good = good && print_rows(out, mask, err);
    if (good)
        print_facts(out, mask);
    bool written = !ferror(out);
    if (fclose(out) != 0)
        written = false;
    if (good && !written)
        good = error_set(err, EXIT_USAGE, "no memory for the mask's text");
    if (good)
        return text;
    free(text);
    return NULL;
}

/* ---- JSON ---- */

/* Numbers are strings, because most JSON readers hold numbers in doubles. */
static void json_number(FILE *out, const char *key, mpq_srcptr value)
{
    char text[MASK_NUMBER_CHARS];
    mask_number(text, value);
    fprintf(out, ",\"%s\":\"%s\"", key, text);
}

/* Weights are exact however long they are, where mask_number would shorten them. */
static void json_weights(FILE *out, const struct mask *mask)
{
    char text[MASK_NUMBER_CHARS];
    json_print(out, ",'weights':[");
    for (int k = 0; k < mask->width * mask->height; k++) {
        if (!rational_print(text, mask->weight[k]))
            mask_number(text, mask->weight[k]);
        fprintf(out, "%s\"%s\"", k % mask->width ? "," : k ? "],[" : "[", text);
    }
    json_print(out, "]]");
}

static void json_symmetry(FILE *out, const struct mask *mask)
{
    const char *name;
    fputs(",\"symmetry\":[", out);
    for (int i = 0; (name = mask_symmetry(mask, i)); i++)
        fprintf(out, "%s\"%s\"", i > 0 ? "," : "", name);
    fputc(']', out);
}

/* The facts for samples of BITS bits; null if the mask's numbers are too large for this depth. */
static void json_depth(FILE *out, const struct mask *mask, int bits, bool with_rank)
{
    char lowest[MASK_NUMBER_CHARS], highest[MASK_NUMBER_CHARS];
    struct plan_mask plan;
    struct error why;

    if (!plan_mask_make(&plan, mask, (1u << bits) - 1, &why)) {
        if (with_rank)
            json_print(out, ",'rank':null");
        json_print(out, ",'bits%d':null", bits);
        return;
    }
    if (with_rank)
        json_print(out, ",'rank':%d", plan_mask_rank(&plan));
    mask_range(&plan, (1u << bits) - 1, lowest, highest);
    json_print(out,
               ",'bits%d':{'divisor':'%" PRId64 "','offset':'%" PRId64
               "','lowest':%s,'highest':%s,'sum_bits':%d,'float_exact':%i",
               bits, plan.divisor, plan.offset, lowest, highest,
               plan.accumulator == ACCUMULATOR_I32 ? 32 : 64, plan.float_exact);
    if (plan.quantised_bits >= 0)
        json_print(out, ",'quantised_bits':%d,'quantised_error':%.6g}", plan.quantised_bits,
                   plan.quantised_error);
    else
        json_print(out, ",'quantised_bits':null,'quantised_error':0}");
    plan_mask_free(&plan);
}

void mask_print_json(FILE *out, const struct mask *mask)
{
    mpq_t sum;
    json_print(out, "{'title':%s,'width':%d,'height':%d,'anchor':[%d,%d]", mask->title, mask->width,
               mask->height, mask->anchor_x, mask->anchor_y);
    json_number(out, "divisor", mask->divisor);
    json_number(out, "offset", mask->offset);
    json_print(out, ",'offset_of_max':%i", mask->offset_percent);
    json_weights(out, mask);
    mpq_init(sum);
    mask_sum(sum, mask);
    json_number(out, "sum", sum);
    mpq_clear(sum);
    json_symmetry(out, mask);
    json_depth(out, mask, 8, true);
    json_depth(out, mask, 16, false);
    json_print(out, "}\n");
}
