/* Makes the plan for one picture from a request: masks become integers, channels and alpha become
 * a set of channels, the border becomes a sample value. filter_load checks what does not depend
 * on the picture, before the picture is opened. */
#include "plan/filter.h"

#include <string.h>

#define MAX_REPEAT 1000

/* ---- channels ---- */

/* The letters of the channels, by the number of channels. Gray is g or y. */
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

/* The channels that TEXT names (NULL: all) in a picture with CHANNELS of them. Without a picture
 * (CHANNELS is 0) names are refused that no picture has. */
static bool read_channels(const char *text, int channels, unsigned *set, struct error *err)
{
    *set = text ? 0 : (1u << channels) - 1;
    for (const char *c = text ? text : ""; *c; c++) {
        int channel = channel_of(*c, channels ? channels : 4);
        if (channel < 0 && channels == 0)
            channel = channel_of(*c, 2);
        if (channel >= 0)
            *set |= 1u << channel;
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
 * all may be 0. Other masks, and gradients, leave alpha alone. */
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

/* The request's masks as integers, for samples up to MAX. On failure nothing needs to be freed. */
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
    plan->kind = request->filter->kind;
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
        read_channels(request->channels, channels, &plan->filtered, err) &&
        resolve_alpha(plan, request->alpha, err))
        return true;
    plan_free(plan);
    return false;
}

bool filter_load(struct filter_request *request, struct error *err)
{
    struct plan plan = {0};
    uint32_t value;
    unsigned set;
    int count;

    request->mask_count = 0;
    if (request->repeat < 1 || request->repeat > MAX_REPEAT)
        return error_set(err, EXIT_USAGE, "--repeat %d: expected a whole number from 1 to %d",
                         request->repeat, MAX_REPEAT);
    /* The border is checked with the largest samples, the mask with the smallest: what fails with
     * these fails with every picture. */
    if (!read_channels(request->channels, 0, &set, err) ||
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
