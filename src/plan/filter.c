/* The table of filters, and the masks that a filter has with the options it was given. A
 * filter is a name for a mask (a gradient: for two) and for the options that choose
 * another mask. A new filter is one row in the table below.
 *
 * The default masks are here as text, so that the program filters without any file beside
 * it. The folder masks/ holds the same masks for people to copy and to change; a test
 * compares the two. */
#include "plan/filter.h"

#include <stdio.h>
#include <string.h>

/* The options that a filter can use, as bits. SCALE: --divisor and --offset, which the formula of a
 * gradient has no place for. */
enum { MASK = 1, SIGMA = 2, RADIUS = 4, AMOUNT = 8, SCALE = 16 };

static const char gauss5[] = "divisor 256\n"
                             "1  4  6  4 1\n"
                             "4 16 24 16 4\n"
                             "6 24 36 24 6\n"
                             "4 16 24 16 4\n"
                             "1  4  6  4 1\n";
static const char box3[] = "divisor 9; 1 1 1; 1 1 1; 1 1 1";
static const char sharpen[] = "0 -1 0; -1 5 -1; 0 -1 0";
static const char edge8[] = "-1 -1 -1; -1 8 -1; -1 -1 -1";
static const char laplace5[] = " 0  0 -1  0  0\n"
                               " 0 -1 -2 -1  0\n"
                               "-1 -2 16 -2 -1\n"
                               " 0 -1 -2 -1  0\n"
                               " 0  0 -1  0  0\n";
static const char emboss[] = "-2 -1 0; -1 1 1; 0 1 2";
static const char sobel_x[] = "-1 0 1; -2 0 2; -1 0 1";
static const char sobel_y[] = "-1 -2 -1; 0 0 0; 1 2 1";
static const char prewitt_x[] = "-1 0 1; -1 0 1; -1 0 1";
static const char prewitt_y[] = "-1 -1 -1; 0 0 0; 1 1 1";
static const char scharr_x[] = "-3 0 3; -10 0 10; -3 0 3";
static const char scharr_y[] = "-3 -10 -3; 0 0 0; 3 10 3";

static const struct filter filters[] = {
    {"convolve",
     "any mask: --mask or --sigma says which",
     NULL,
     MASK | SIGMA | RADIUS | SCALE,
     BUILD_ANY,
     {NULL}},
    {"blur", "a soft blur", "gauss5", MASK | SIGMA | RADIUS | SCALE, BUILD_GAUSS, {gauss5}},
    {"box",
     "the mean of a square, 2R+1 cells wide with --radius R",
     "box3",
     MASK | RADIUS | SCALE,
     BUILD_BOX,
     {box3}},
    {"gauss",
     "a Gaussian blur of any width",
     "--sigma 1",
     MASK | SIGMA | RADIUS | SCALE,
     BUILD_GAUSS,
     {NULL}},
    {"sharpen",
     "sharpen by the four neighbours",
     "sharpen",
     MASK | SCALE,
     BUILD_NOTHING,
     {sharpen}},
    {"unsharp",
     "sharpen by what a Gaussian blur takes away",
     "--sigma 1 --amount 1",
     MASK | SIGMA | RADIUS | AMOUNT | SCALE,
     BUILD_UNSHARP,
     {NULL}},
    {"edge",
     "edges in all directions; flat areas become black",
     "edge8",
     MASK | SCALE,
     BUILD_NOTHING,
     {edge8}},
    {"laplace",
     "the Laplacian of a Gaussian: edges, with less noise",
     "laplace5",
     MASK | SCALE,
     BUILD_NOTHING,
     {laplace5}},
    {"emboss", "a relief, lit from the top left", "emboss", MASK | SCALE, BUILD_NOTHING, {emboss}},
    {"sobel",
     "the size of the gradient, by Sobel's masks",
     "sobel_x and sobel_y",
     0,
     BUILD_NOTHING,
     {sobel_x, sobel_y}},
    {"prewitt",
     "the size of the gradient, by Prewitt's masks",
     "prewitt_x and prewitt_y",
     0,
     BUILD_NOTHING,
     {prewitt_x, prewitt_y}},
    {"scharr",
     "the size of the gradient, by Scharr's masks",
     "scharr_x and scharr_y",
     0,
     BUILD_NOTHING,
     {scharr_x, scharr_y}},
};
#define FILTER_COUNT (int)(sizeof filters / sizeof filters[0])

const struct filter *filter_table(int *count)
{
    *count = FILTER_COUNT;
    return filters;
}

const struct filter *filter_find(const char *name)
{
    for (int i = 0; i < FILTER_COUNT; i++)
        if (strcmp(filters[i].name, name) == 0)
            return &filters[i];
    return NULL;
}

/* ---- options ---- */

/* Refuses options that the filter cannot use, and options that build a mask beside --mask. */
static bool check_options(const struct filter_request *request, struct error *err)
{
    const struct plan_overrides *overrides = &request->overrides;
    const struct {
        const char *name;
        unsigned use;
        bool given;
    } options[] = {
        {"--mask", MASK, request->mask != NULL},
        {"--sigma", SIGMA, request->has_sigma},
        {"--radius", RADIUS, request->radius >= 0},
        {"--amount", AMOUNT, request->amount != NULL},
        {"--divisor", SCALE, overrides->divisor != NULL},
        {"--offset", SCALE, overrides->offset != NULL},
    };

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (!options[i].given)
            continue;
        if (!(request->filter->uses & options[i].use))
            return error_set(err, EXIT_USAGE, "%s takes no %s", request->filter->name,
                             options[i].name);
        if (request->mask && (options[i].use & (SIGMA | RADIUS | AMOUNT)))
            return error_set(err, EXIT_USAGE, "--mask and %s exclude each other", options[i].name);
    }
    return true;
}

/* --sigma; without it a third of the radius, so that the mask reaches three sigmas. With radius 0
 * any sigma gives one cell. */
static double sigma_of(const struct filter_request *request)
{
    if (request->has_sigma)
        return request->sigma;
    return request->radius > 0 ? request->radius / 3.0 : 1;
}

static bool build_unsharp(struct mask *mask, const struct filter_request *request,
                          struct error *err)
{
    const char *text = request->amount ? request->amount : "1", *why;
    mpq_t amount;
    bool good;

    mpq_init(amount);
    good = rational_parse(amount, text, strlen(text), &why);
    if (good)
        good = mask_build_unsharp(mask, sigma_of(request), request->radius, amount, err);
    else
        error_set(err, EXIT_USAGE, "--amount %.80s: %s", text, why);
    mpq_clear(amount);
    return good;
}

static bool build(struct mask *mask, const struct filter_request *request, struct error *err)
{
    enum filter_build build = request->filter->build;

    if (build == BUILD_UNSHARP)
        return build_unsharp(mask, request, err);
    if (build == BUILD_BOX || (build == BUILD_ANY && !request->has_sigma))
        return mask_build_box(mask, request->radius, MASK_SQUARE, err);
    return mask_build_gauss(mask, sigma_of(request), request->radius, MASK_SQUARE, err);
}

bool filter_masks(const struct filter_request *request, struct mask masks[2], int *count,
                  struct error *err)
{
    const struct filter *filter = request->filter;
    bool built = request->has_sigma || request->radius >= 0 || request->amount;

    memset(masks, 0, 2 * sizeof *masks);
    *count = 0;
    if (!check_options(request, err))
        return false;
    if (request->mask || built || !filter->text[0]) {
        if (!request->mask && !built && filter->build == BUILD_ANY)
            return error_set(err, EXIT_USAGE, "%s needs a mask: --mask, --sigma or --radius",
                             filter->name);
        *count = request->mask ? mask_load(&masks[0], request->mask, err)
                               : build(&masks[0], request, err);
        return *count == 1;
    }
    for (int i = 0; i < 2 && filter->text[i]; i++) {
        if (!mask_parse(&masks[i], filter->default_mask, filter->text[i], strlen(filter->text[i]),
                        err)) {
            mask_free(&masks[0]);
            return false;
        }
        ++*count;
    }
    return true;
}
