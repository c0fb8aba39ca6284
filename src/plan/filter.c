/* The table of filters; the masks of a filter with its options; and the plan for one picture, in
 * which masks are integers, channels and alpha are a set of channels, and the border is a sample
 * value. A new filter is one row. */
#include "plan/filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/bilateral.h"
#include "plan/order.h"

#define SCALED (FILTER_MASK | FILTER_DIVISOR | FILTER_OFFSET | FILTER_NORMALIZE)
#define SIZED  (SCALED | FILTER_RADIUS)
#define SMOOTH (SIZED | FILTER_SIGMA)
#define WINDOW (FILTER_MASK | FILTER_RADIUS | FILTER_SHAPE)

/* The steps of order filters. The window of one step of open and close is turned, so that opening
 * once more changes nothing. */
static const struct filter_step
    MEDIAN[] = {{.rank = "50"}},
    ANY_RANK[] = {{.rank = NULL}}, ERODE[] = {{.rank = "0"}}, DILATE[] = {{.rank = "100"}},
    OPEN[] = {{.rank = "0"}, {.rank = "100", .turned = true}},
    CLOSE[] = {{.rank = "100", .turned = true}, {.rank = "0"}},
    OUTLINE[] = {{.rank = "0"}, {.rank = "100", .of_picture = true, .minus = MINUS_LAST}},
    TOPHAT[] = {{.rank = "0"}, {.rank = "100", .turned = true, .minus = PICTURE_MINUS}},
    BLACKHAT[] = {{.rank = "100", .turned = true}, {.rank = "0", .minus = MINUS_PICTURE}};

/* A row of an order filter, from its kind on: options besides WINDOW, an example, steps. */
#define ORDER(options, example, step)                                                              \
    PLAN_ORDER, WINDOW | (options), BUILD_WINDOW, "a square, --radius 1", {NULL}, example,         \
        sizeof(step) / sizeof *(step), step
/* The end of a row that has no steps. */
#define NO_STEPS 0, NULL

/* A row: name, group and idea; kind, options and build; the default mask; an example's options. */
/* clang-format off */
static const struct filter filters[] = {
    {"convolve", GROUP_ANY, "any mask, given by --mask, --sigma or --radius",
     PLAN_LINEAR, SMOOTH, BUILD_ANY, NULL, {NULL}, "--mask '1 1 1 1 1' --divisor 5", NO_STEPS},
    {"blur", GROUP_SMOOTH, "a soft blur",
     PLAN_LINEAR, SMOOTH, BUILD_GAUSS, "gauss5", {"gauss5"}, "--border mirror", NO_STEPS},
    {"box", GROUP_SMOOTH, "the mean of a square; --radius sets its size",
     PLAN_LINEAR, SIZED, BUILD_BOX, "box3", {"box3"}, "--radius 4", NO_STEPS},
    {"gauss", GROUP_SMOOTH, "a Gaussian blur of any width",
     PLAN_LINEAR, SMOOTH, BUILD_GAUSS, "--sigma 1", {NULL}, "--sigma 2.5", NO_STEPS},
    {"bilateral", GROUP_SMOOTH, "a blur that keeps edges: only cells of similar samples count",
     PLAN_BILATERAL, FILTER_SIGMA | FILTER_RADIUS | FILTER_RANGE, BUILD_GAUSS,
     "--sigma 1 --range 10%", {NULL}, "--sigma 2 --range 25", NO_STEPS},
    {"sharpen", GROUP_SHARPEN, "sharpen with the four neighbours of each pixel",
     PLAN_LINEAR, SCALED, BUILD_NOTHING, "sharpen", {"sharpen"}, "", NO_STEPS},
    {"unsharp", GROUP_SHARPEN, "sharpen: add what a blur removes",
     PLAN_LINEAR, SMOOTH | FILTER_AMOUNT, BUILD_UNSHARP, "--sigma 1 --amount 1", {NULL},
     "--sigma 1.5 --amount 0.8", NO_STEPS},
    {"edge", GROUP_EDGES, "edges in all directions; flat areas become black",
     PLAN_LINEAR, SCALED, BUILD_NOTHING, "edge8", {"edge8"}, "", NO_STEPS},
    {"laplace", GROUP_EDGES, "the Laplacian of a Gaussian: edges, with less noise",
     PLAN_LINEAR, SCALED, BUILD_NOTHING, "laplace5", {"laplace5"}, "", NO_STEPS},
    {"emboss", GROUP_EDGES, "a relief on middle gray, lit from the top left",
     PLAN_LINEAR, SCALED, BUILD_NOTHING, "emboss", {"emboss"}, "", NO_STEPS},
    {"sobel", GROUP_EDGES, "edge strength (gradient) by Sobel's masks",
     PLAN_GRADIENT, FILTER_DIVISOR, BUILD_NOTHING, "sobel_x and sobel_y",
     {"sobel_x", "sobel_y"}, "", NO_STEPS},
    {"prewitt", GROUP_EDGES, "edge strength (gradient) by Prewitt's masks",
     PLAN_GRADIENT, FILTER_DIVISOR, BUILD_NOTHING, "prewitt_x and prewitt_y",
     {"prewitt_x", "prewitt_y"}, "", NO_STEPS},
    {"scharr", GROUP_EDGES, "edge strength (gradient) by Scharr's masks",
     PLAN_GRADIENT, FILTER_DIVISOR, BUILD_NOTHING, "scharr_x and scharr_y, divided by 4",
     {"scharr_x", "scharr_y"}, "", NO_STEPS},
    {"median", GROUP_SORT, "the middle of the sorted cells: removes specks and keeps edges",
     ORDER(0, "--radius 2", MEDIAN)},
    {"rank", GROUP_SORT, "any place of the sorted cells, in percent (--rank)",
     ORDER(FILTER_RANK, "--rank 20%", ANY_RANK)},
    {"erode", GROUP_SORT, "the least cell: dark areas grow", ORDER(0, "--radius 2", ERODE)},
    {"dilate", GROUP_SORT, "the greatest cell: bright areas grow",
     ORDER(0, "--shape disc --radius 4", DILATE)},
    {"open", GROUP_SORT, "erode, then dilate: removes small bright spots",
     ORDER(0, "--radius 3", OPEN)},
    {"close", GROUP_SORT, "dilate, then erode: removes small dark spots",
     ORDER(0, "--radius 3", CLOSE)},
    {"outline", GROUP_SORT, "dilate minus erode: the edges of areas",
     ORDER(0, "--shape cross", OUTLINE)},
    {"tophat", GROUP_SORT, "the picture minus open: only small bright spots",
     ORDER(0, "--radius 5", TOPHAT)},
    {"blackhat", GROUP_SORT, "close minus the picture: only small dark spots",
     ORDER(0, "--radius 5", BLACKHAT)},
};
/* clang-format on */
#define FILTER_COUNT (int)(sizeof filters / sizeof filters[0])

const struct filter *filter_table(int *count)
{
    *count = FILTER_COUNT;
    return filters;
}

const char *filter_group_title(enum filter_group group)
{
    static const char *const titles[] = {[GROUP_ANY] = "Any mask",
                                         [GROUP_SMOOTH] = "Smooth",
                                         [GROUP_SHARPEN] = "Sharpen",
                                         [GROUP_EDGES] = "Find edges",
                                         [GROUP_SORT] = "Compare the cells of a window"};
    return titles[group];
}

const struct filter *filter_find(const char *name)
{
    for (int i = 0; i < FILTER_COUNT; i++)
        if (strcmp(filters[i].name, name) == 0)
            return &filters[i];
    return NULL;
}

const char *filter_kind_name(enum plan_kind kind)
{
    static const char *const names[] = {[PLAN_LINEAR] = "linear",
                                        [PLAN_GRADIENT] = "gradient",
                                        [PLAN_LONG] = "long",
                                        [PLAN_ORDER] = "order",
                                        [PLAN_BILATERAL] = "bilateral"};
    return names[kind];
}

const char *filter_kind_formula(enum plan_kind kind)
{
    static const char *const formulas[] = {
        [PLAN_GRADIENT] = "sqrt(gx^2 + gy^2) / divisor, rounded, of two masks",
        [PLAN_LONG] = "the weighted sum of a column pass and a row pass",
        [PLAN_ORDER] = "one of the window's cells, by its place when they are sorted",
        [PLAN_BILATERAL] = "the mean of the cells, each with the mask's weight times a weight for "
                           "its difference from the middle"};
    return formulas[kind];
}

const char *filter_kind_refusal(enum plan_kind kind)
{
    return kind == PLAN_LINEAR
               ? "it is not for weighted sums of masks up to 255 cells along an axis"
           : kind == PLAN_GRADIENT  ? "it runs one mask, not gradients"
           : kind == PLAN_LONG      ? "it runs masks of at most 255 cells along an axis"
           : kind == PLAN_ORDER     ? "it makes weighted sums and does not sort"
           : kind == PLAN_BILATERAL ? "its weights do not depend on the samples"
                                    : "it knows no plan of this kind";
}

/* ---- options ---- */

static const struct {
    const char *name;
    enum filter_option option;
} option_names[] = {
    {"mask", FILTER_MASK},           {"sigma", FILTER_SIGMA},     {"radius", FILTER_RADIUS},
    {"amount", FILTER_AMOUNT},       {"divisor", FILTER_DIVISOR}, {"offset", FILTER_OFFSET},
    {"normalize", FILTER_NORMALIZE}, {"shape", FILTER_SHAPE},     {"rank", FILTER_RANK},
    {"range", FILTER_RANGE},
};
#define OPTION_NAMES (sizeof option_names / sizeof option_names[0])

bool filter_takes(const struct filter *filter, const char *option)
{
    for (size_t i = 0; i < OPTION_NAMES; i++)
        if (strcmp(option_names[i].name, option) == 0)
            return (filter->options & option_names[i].option) != 0;
    return true;
}

/* Does the filter take every option that was given, and do they go together? */
static bool check_options(const struct filter_request *request, struct error *err)
{
    const struct plan_overrides *overrides = &request->overrides;
    /* in the order of option_names */
    const bool given[OPTION_NAMES] = {
        request->mask != NULL,   request->has_sigma,         request->radius >= 0,
        request->amount != NULL, overrides->divisor != NULL, overrides->offset != NULL,
        overrides->normalize,    request->shape != NULL,     request->rank != NULL,
        request->range != NULL,
    };

    for (size_t i = 0; i < OPTION_NAMES; i++) {
        bool builds =
            option_names[i].option & (FILTER_SIGMA | FILTER_RADIUS | FILTER_AMOUNT | FILTER_SHAPE);
        if (!given[i])
            continue;
        if (!filter_takes(request->filter, option_names[i].name))
            return error_set(err, EXIT_USAGE, "%s takes no --%s", request->filter->name,
                             option_names[i].name);
        if (request->mask && builds)
            return error_set(err, EXIT_USAGE, "--mask and --%s exclude each other",
                             option_names[i].name);
    }
    return true;
}

/* --sigma, else a third of the radius. With a radius of 0 the mask is one cell for any sigma. */
static double sigma_of(const struct filter_request *request)
{
    if (request->has_sigma)
        return request->sigma;
    return request->radius > 0 ? request->radius / 3.0 : 1;
}

/* Is the mask made of numbers, not of the text of --mask or of the filter's default mask? */
static bool is_built(const struct filter_request *request)
{
    bool given = request->has_sigma || request->radius >= 0 || request->amount || request->shape;
    return !request->mask && (given || !request->filter->mask[0]);
}

bool filter_masks_differ(const struct filter_request *request)
{
    enum filter_build build = request->filter->build;
    return is_built(request) && request->filter->kind != PLAN_BILATERAL &&
           (build == BUILD_GAUSS || build == BUILD_UNSHARP ||
            (build == BUILD_ANY && request->has_sigma));
}

static bool build(struct mask *mask, const struct filter_request *request, enum sample_type type,
                  struct error *err)
{
    enum filter_build build = request->filter->build;
    enum mask_units units =
        type == SAMPLE_U8 || !filter_masks_differ(request) ? MASK_UNITS_2048 : MASK_UNITS_65536;

    if (build == BUILD_WINDOW)
        return order_build_window(mask, request, err);
    if (build == BUILD_UNSHARP)
        return mask_build_unsharp(mask, sigma_of(request), request->radius,
                                  request->amount ? request->amount : "1", units, err);
    if (build == BUILD_BOX || (build == BUILD_ANY && !request->has_sigma))
        return mask_build_box(mask, request->radius, MASK_SQUARE, err);
    return mask_build_gauss(mask, sigma_of(request), request->radius, MASK_SQUARE, units, err);
}

/* The masks before the overrides. */
static bool load_masks(struct filter_request *request, enum sample_type type, struct error *err)
{
    const struct filter *filter = request->filter;
    bool built = is_built(request);

    if (request->mask || built) {
        if (built && filter->build == BUILD_ANY && !request->has_sigma && request->radius < 0)
            return error_set(err, EXIT_USAGE, "%s needs a mask: --mask, --sigma or --radius",
                             filter->name);
        request->mask_count = 1;
        return request->mask ? mask_load(&request->masks[0], request->mask, err)
                             : build(&request->masks[0], request, type, err);
    }
    for (int i = 0; i < 2 && filter->mask[i]; i++, request->mask_count++)
        if (!mask_builtin(&request->masks[i], filter->mask[i], err))
            return false;
    return true;
}

static void unload_step(struct filter_request *request)
{
    while (request->mask_count > 0)
        mask_free(&request->masks[--request->mask_count]);
}

bool filter_masks(struct filter_request *request, enum sample_type type, struct error *err)
{
    bool good;

    request->mask_count = 0;
    good = check_options(request, err) && load_masks(request, type, err);
    for (int i = 0; good && i < request->mask_count; i++)
        good = plan_mask_override(&request->masks[i], &request->overrides, err) &&
               (request->filter->kind != PLAN_ORDER || order_flatten(&request->masks[i], err)) &&
               (request->filter->kind != PLAN_BILATERAL || bilateral_check(request, err));
    if (!good)
        unload_step(request);
    return good;
}

void filter_unload(struct filter_request *request)
{
    for (; request; request = request->next)
        unload_step(request);
}

/* ---- the plan for one picture ---- */

#define MAX_REPEAT 1000

/* Each channel has three names of one character. Index: the number of channels; [0]: any
 * picture. */
static const char *const channel_names[5] = {"rgba0123y", "gy0", "gy0aa1", "rr0gg1bb2",
                                             "rr0gg1bb2aa3"};
static const char *const described[5] = {"", "gray (g)", "gray and alpha (g, a)", "r, g and b",
                                         "r, g, b and a"};

/* Reads the channels that TEXT names (NULL: all) in a picture of CHANNELS channels. Without a
 * picture (CHANNELS is 0) it refuses only names that no picture has. */
static bool read_channels(const char *text, int channels, unsigned *set, struct error *err)
{
    *set = text ? 0 : (1u << channels) - 1;
    for (const char *c = text ? text : ""; *c; c++) {
        const char *place = strchr(channel_names[channels], *c);
        if (place)
            *set |= 1u << (place - channel_names[channels]) / 3;
        else if (*c != ',' && channels == 0)
            return error_set(err, EXIT_USAGE,
                             "--channels %.40s: expected letters of rgba, g or y for gray, or "
                             "numbers from 0 to 3, got '%c'",
                             text, *c);
        else if (*c != ',')
            return error_set(err, EXIT_USAGE,
                             "--channels %.40s: no channel '%c' in a picture of %s", text, *c,
                             described[channels]);
    }
    return !text || *set != 0 ||
           error_set(err, EXIT_USAGE, "--channels %.40s: expected at least one channel", text);
}

/* Weighted filtering divides by sums of weights times alpha, so no weight may be negative and not
 * all may be 0. Other masks, and gradients, leave alpha alone. Order filters do not weight: they
 * treat alpha like a colour, or leave it alone if they make a difference. */
static bool resolve_alpha(struct plan *plan, enum alpha_mode wanted, bool makes_difference,
                          struct error *err)
{
    const struct plan_mask *mask = &plan->mask[0];

    plan->alpha = wanted;
    if (!image_has_alpha(plan->channels))
        plan->alpha = ALPHA_PLAIN;
    else if (wanted == ALPHA_WEIGHTED && plan->kind == PLAN_ORDER)
        plan->alpha = makes_difference ? ALPHA_IGNORE : ALPHA_PLAIN;
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

/* ---- what surrounds the filter ---- */

/* Refuses --light and --nodata for filters for which they make no sense. */
static bool check_around(const struct filter_request *request, const struct plan *plan,
                         struct error *err)
{
    const char *name = request->filter->name;
    const bool sums = plan->kind == PLAN_LINEAR || plan->kind == PLAN_LONG;

    if (request->light && !sums && plan->kind != PLAN_GRADIENT)
        return error_set(err, EXIT_USAGE,
                         "--light is for filters that add samples: %s compares them", name);
    if (request->light && request->alpha == ALPHA_PLAIN)
        return error_set(err, EXIT_USAGE,
                         "--light linear and --alpha plain exclude each other: alpha is linear");
    if (request->has_nodata && (!sums || plan->mask[0].has_negative || plan->mask[0].sum == 0))
        return error_set(err, EXIT_USAGE,
                         "--nodata is for masks without negative weights, as of box and gauss");
    if (request->has_nodata && request->light)
        return error_set(err, EXIT_USAGE, "--nodata and --light exclude each other");
    return true;
}

/* The plan has the picture's shape; MAX is of its samples. */
static bool set_around(const struct filter_request *request, struct plan *plan, uint32_t max,
                       struct error *err)
{
    plan->region = request->region;
    plan->where = request->where ? &request->where_picture : NULL;
    plan->where_max = request->where_max;
    plan->has_nodata = request->has_nodata;
    plan->nodata = request->nodata;
    if (plan->has_nodata && plan->nodata > max)
        return error_set(err, EXIT_USAGE,
                         "--nodata %" PRIu32 ": the picture's samples are at most %" PRIu32,
                         request->nodata, max);
    if (plan->light && plan->border == BORDER_CONSTANT)
        plan->border_value = plan->light->light[plan->border_value];
    return true;
}

/* ---- plans ---- */

/* The request's masks as integers: those for pictures of samples of TYPE, for samples up to MAX. On
 * failure nothing needs to be freed. */
static bool make_masks(const struct filter_request *request, struct plan *plan,
                       enum sample_type type, uint32_t max, struct error *err)
{
    const bool loaded =
        request->mask_count > 0 && (type == SAMPLE_U8 || !filter_masks_differ(request));
    struct filter_request own = *request;
    bool good = loaded || filter_masks(&own, type, err);

    plan->kind = request->filter->kind;
    for (; good && plan->masks < own.mask_count; plan->masks += good)
        good = plan_mask_make(&plan->mask[plan->masks], &own.masks[plan->masks], max, err);
    if (good && plan->kind == PLAN_LINEAR && plan_mask_is_long(&plan->mask[0]))
        plan->kind = PLAN_LONG;
    if (!loaded)
        unload_step(&own);
    if (!good)
        plan_free(plan);
    return good;
}

static bool plan_step(const struct filter_request *request, int channels, enum sample_type type,
                      uint32_t max, struct plan *plan, struct error *err)
{
    plan->light = request->light ? light_find(max, err) : NULL;
    if (request->light && !plan->light)
        return false;
    plan->max = plan->light ? plan->light->top : max;
    plan->type = plan->light ? plan->light->type : type;
    if (!make_masks(request, plan, type, plan->max, err))
        return false;
    plan->border = request->border.border;
    plan->channels = channels;
    plan->repeat = request->repeat;
    if (border_value(&request->border, max, &plan->border_value, err) &&
        read_channels(request->channels, channels, &plan->filtered, err) &&
        resolve_alpha(plan, request->alpha, order_makes_difference(request->filter), err) &&
        set_around(request, plan, max, err) && order_make_steps(plan, request, err) &&
        bilateral_make_range(plan, request, err))
        return true;
    plan_free(plan);
    return false;
}

bool filter_plan(const struct filter_request *request, int channels, enum sample_type type,
                 uint32_t max, struct plan *plan, struct error *err)
{
    struct plan *last = plan;
    int step = request->next ? 1 : 0;

    memset(plan, 0, sizeof *plan);
    plan->step = step;
    if (!plan_step(request, channels, type, max, plan, err))
        return error_in_step(err, step);
    while ((request = request->next)) {
        last->next = calloc(1, sizeof *plan);
        if (last->next)
            last->next->step = ++step;
        else
            error_set(err, EXIT_INPUT, "no memory for the plan");
        if (!last->next || !plan_step(request, channels, type, max, last->next, err)) {
            plan_free(plan);
            return error_in_step(err, step);
        }
        last = last->next;
    }
    return true;
}

static bool load_step(struct filter_request *request, struct error *err)
{
    struct plan plan = {0};
    uint32_t value;
    unsigned set;

    request->mask_count = 0;
    if (request->repeat < 1 || request->repeat > MAX_REPEAT)
        return error_set(err, EXIT_USAGE, "--repeat %d: expected a whole number from 1 to %d",
                         request->repeat, MAX_REPEAT);
    /* The border is checked with the largest samples, the mask with the smallest: a request that
     * fails here fails with every picture. */
    if (!read_channels(request->channels, 0, &set, err) ||
        !border_value(&request->border, 65535, &value, err) ||
        !filter_masks(request, SAMPLE_U8, err))
        return false;
    bool good = make_masks(request, &plan, SAMPLE_U8, 1, err) &&
                check_around(request, &plan, err) && order_make_steps(&plan, request, err);
    plan_free(&plan);
    if (!good)
        unload_step(request);
    return good;
}

bool filter_load(struct filter_request *request, struct error *err)
{
    int number = request->next ? 1 : 0;

    for (struct filter_request *step = request; step; step = step->next, number++)
        if (!load_step(step, err)) {
            filter_unload(request);
            return error_in_step(err, number);
        }
    return true;
}
