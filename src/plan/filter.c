/* The table of filters, the masks that a filter has with the options it was given, and the
 * plan for one picture: integers of the masks, a set of channels of --channels and --alpha,
 * a sample value of the border. A filter is a name for a mask (a gradient: for two) and for
 * the options that choose another mask. A new filter is one row in the table below.
 *
 * The default masks are here as text, so that the program filters without any file beside
 * it. The folder masks/ holds the same masks for people to copy and to change; a test
 * compares the two. */
#include "plan/filter.h"

#include <stdio.h>
#include <string.h>

#define MAX_REPEAT 1000

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

/* ---- masks ---- */

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

/* ---- channels ---- */

/* The channels of a picture with COUNT of them, in order; a gray one is g or y. */
static const char *const letters[5] = {"", "g", "ga", "rgb", "rgba"};
static const char *const described[5] = {"", "gray (g)", "gray and alpha (g, a)", "r, g and b",
                                         "r, g, b and a"};

/* The channel that C names in a picture with CHANNELS of them, or -1. */
static int channel_of(char c, int channels)
{
    const char *place;
    if (c >= '0' && c < '0' + channels)
        return c - '0';
    if (c == 'y' && channels <= 2)
        return 0;
    place = c ? strchr(letters[channels], c) : NULL;
    return place ? (int)(place - letters[channels]) : -1;
}

static bool resolve_channels(const char *text, int channels, unsigned *set, struct error *err)
{
    *set = (1u << channels) - 1;
    if (!text)
        return true;
    *set = 0;
    for (const char *c = text; *c; c++) {
        int channel = channel_of(*c, channels);
        if (channel >= 0)
            *set |= 1u << channel;
        else if (*c != ',')
            return error_set(err, EXIT_USAGE,
                             "--channels %.40s: no channel '%c' in a picture of %s", text, *c,
                             described[channels]);
    }
    if (*set == 0)
        return error_set(err, EXIT_USAGE, "--channels %.40s: expected at least one channel", text);
    return true;
}

/* Without a picture: names that no picture has. */
static bool check_channels(const char *text, struct error *err)
{
    bool any = false;
    for (const char *c = text ? text : ""; *c; c++) {
        any |= *c != ',';
        if (*c != ',' && channel_of(*c, 4) < 0 && channel_of(*c, 2) < 0)
            return error_set(err, EXIT_USAGE,
                             "--channels %.40s: expected letters of rgba, g or y for gray, or "
                             "numbers from 0 to 3, got '%c'",
                             text, *c);
    }
    if (text && !any)
        return error_set(err, EXIT_USAGE, "--channels %.40s: expected at least one channel", text);
    return true;
}

/* Weighted filtering divides by sums of weights times alpha: no weight may be negative, and not all
 * may be 0. With other masks, and for gradients, alpha is left alone. */
static bool resolve_alpha(struct plan *plan, enum alpha_mode wanted, struct error *err)
{
    const struct plan_mask *mask = &plan->mask[0];

    plan->alpha = wanted;
    if (!image_has_alpha(plan->channels))
        plan->alpha = ALPHA_PLAIN;
    else if (wanted == ALPHA_WEIGHTED &&
             (plan->kind == PLAN_GRADIENT || mask->has_negative || mask->sum == 0))
        plan->alpha = ALPHA_IGNORE;
    if (plan->alpha != ALPHA_IGNORE)
        return true;
    plan->filtered &= ~(1u << (plan->channels - 1));
    if (plan->filtered == 0)
        return error_set(err, EXIT_USAGE,
                         "--channels names only alpha, which this filter leaves alone; with "
                         "--alpha plain it is filtered");
    return true;
}

/* ---- plans ---- */

/* The request's masks as integers for samples up to MAX; nothing is left behind on failure. */
static bool make_masks(const struct filter_request *request, struct plan *plan, uint32_t max,
                       struct error *err)
{
    struct mask own[2] = {0};
    const struct mask *masks = request->mask_count ? request->masks : own;
    int count = request->mask_count;
    bool good = count > 0 || filter_masks(request, own, &count, err);

    for (int i = 0; i < count && good; i++) {
        good = plan_mask_make(&plan->mask[i], &masks[i], &request->overrides, max, err);
        plan->masks += good;
    }
    mask_free(&own[0]);
    mask_free(&own[1]);
    plan->kind = count == 2 ? PLAN_GRADIENT : PLAN_LINEAR;
    if (!good)
        plan_free(plan);
    return good;
}

bool filter_plan(const struct filter_request *request, int channels, enum sample_type type,
                 uint32_t max, struct plan *plan, struct error *err)
{
    memset(plan, 0, sizeof *plan);
    if (!make_masks(request, plan, max, err))
        return false;
    plan->border = request->border.border;
    plan->max = max;
    plan->type = type;
    plan->channels = channels;
    plan->repeat = request->repeat;
    if (border_value(&request->border, max, &plan->border_value, err) &&
        resolve_channels(request->channels, channels, &plan->filtered, err) &&
        resolve_alpha(plan, request->alpha, err))
        return true;
    plan_free(plan);
    return false;
}

bool filter_load(struct filter_request *request, struct error *err)
{
    struct plan plan = {0};
    uint32_t value;
    int count;

    request->mask_count = 0;
    if (request->repeat < 1 || request->repeat > MAX_REPEAT)
        return error_set(err, EXIT_USAGE, "--repeat %d: expected a whole number from 1 to %d",
                         request->repeat, MAX_REPEAT);
    /* The largest samples that exist for the border, the smallest for the mask: options that fail
     * with these fail with every picture. */
    if (!check_channels(request->channels, err) ||
        !border_value(&request->border, 65535, &value, err) ||
        !filter_masks(request, request->masks, &count, err))
        return false;
    request->mask_count = count;
    if (!make_masks(request, &plan, 1, err)) {
        filter_unload(request);
        return false;
    }
    plan_free(&plan);
    return true;
}

void filter_unload(struct filter_request *request)
{
    for (int i = 0; i < request->mask_count; i++)
        mask_free(&request->masks[i]);
    request->mask_count = 0;
}
