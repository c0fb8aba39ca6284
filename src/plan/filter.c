/* The table of filters, and the mask that each of them means with the options it
 * was given. A filter is a name for a mask (for a gradient, for two) and for the
 * options that choose another one; a new filter is one row in each table below.
 *
 * The default masks stand here as text, so that the program filters without any
 * file beside it. masks/ holds the same ones for people to copy and to change; a
 * test compares the two. */
#include "plan/filter.h"

#include <stdio.h>
#include <string.h>

/* What --sigma, --radius and --amount build. ANY: with a sigma a gauss, else a box. */
enum build { BUILD_NOTHING, BUILD_ANY, BUILD_GAUSS, BUILD_BOX, BUILD_UNSHARP };

/* The options that a filter can use, as bits. SCALE: --divisor and --offset, for which the
 * formula of a gradient has no place. */
enum { MASK = 1, SIGMA = 2, RADIUS = 4, AMOUNT = 8, SCALE = 16 };

struct filter_spec {
    unsigned uses;
    enum build build;
    const char *text[2]; /* the default mask; the second for gradients; NULL: built or required */
};

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

/* A row's spec, written where it is used. */
#define SPEC(...)                                                                                  \
    &(const struct filter_spec)                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const struct filter filters[] = {
    {"convolve", "any mask: --mask or --sigma says which", NULL,
     SPEC(MASK | SIGMA | RADIUS | SCALE, BUILD_ANY, {NULL})},
    {"blur", "a soft blur", "gauss5", SPEC(MASK | SIGMA | RADIUS | SCALE, BUILD_GAUSS, {gauss5})},
    {"box", "the mean of a square, 2R+1 cells wide with --radius R", "box3",
     SPEC(MASK | RADIUS | SCALE, BUILD_BOX, {box3})},
    {"gauss", "a Gaussian blur of any width", "--sigma 1",
     SPEC(MASK | SIGMA | RADIUS | SCALE, BUILD_GAUSS, {NULL})},
    {"sharpen", "sharpen by the four neighbours", "sharpen",
     SPEC(MASK | SCALE, BUILD_NOTHING, {sharpen})},
    {"unsharp", "sharpen by what a Gaussian blur takes away", "--sigma 1 --amount 1",
     SPEC(MASK | SIGMA | RADIUS | AMOUNT | SCALE, BUILD_UNSHARP, {NULL})},
    {"edge", "edges in all directions; flat areas become black", "edge8",
     SPEC(MASK | SCALE, BUILD_NOTHING, {edge8})},
    {"laplace", "the Laplacian of a Gaussian: edges, with less noise", "laplace5",
     SPEC(MASK | SCALE, BUILD_NOTHING, {laplace5})},
    {"emboss", "a relief, lit from the top left", "emboss",
     SPEC(MASK | SCALE, BUILD_NOTHING, {emboss})},
    {"sobel", "the size of the gradient, by Sobel's masks", "sobel_x and sobel_y",
     SPEC(0, BUILD_NOTHING, {sobel_x, sobel_y})},
    {"prewitt", "the size of the gradient, by Prewitt's masks", "prewitt_x and prewitt_y",
     SPEC(0, BUILD_NOTHING, {prewitt_x, prewitt_y})},
    {"scharr", "the size of the gradient, by Scharr's masks", "scharr_x and scharr_y",
     SPEC(0, BUILD_NOTHING, {scharr_x, scharr_y})},
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

/* Is every mask option that was given one that the filter can use, and do they go together? */
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
        if (!(request->filter->spec->uses & options[i].use))
            return error_set(err, EXIT_USAGE, "%s takes no %s", request->filter->name,
                             options[i].name);
        /* A mask that is given and one that is built */
        if (request->mask && (options[i].use & (SIGMA | RADIUS | AMOUNT)))
            return error_set(err, EXIT_USAGE, "--mask and %s exclude each other", options[i].name);
    }
    return true;
}

/* --sigma, or what a radius alone means: three sigmas reach to it. A radius of 0 is one cell with
 * any sigma. */
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
    enum build build = request->filter->spec->build;

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
    const struct filter_spec *spec = filter->spec;
    bool built = request->has_sigma || request->radius >= 0 || request->amount;

    memset(masks, 0, 2 * sizeof *masks);
    *count = 0;
    if (!check_options(request, err))
        return false;
    if (request->mask || built || !spec->text[0]) {
        if (!request->mask && !built && spec->build == BUILD_ANY)
            return error_set(err, EXIT_USAGE, "%s needs a mask: --mask, --sigma or --radius",
                             filter->name);
        *count = request->mask ? mask_load(&masks[0], request->mask, err)
                               : build(&masks[0], request, err);
        return *count == 1;
    }
    for (int i = 0; i < 2 && spec->text[i]; i++) {
        if (!mask_parse(&masks[i], filter->default_mask, spec->text[i], strlen(spec->text[i]),
                        err)) {
            mask_free(&masks[0]);
            return false;
        }
        ++*count;
    }
    return true;
}
