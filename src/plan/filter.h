/* The filters by name: convolve, blur, box, ... Each is a way to get from
 * options to a plan; nothing below this knows filters any more. */
#ifndef STENCIL_PLAN_FILTER_H
#define STENCIL_PLAN_FILTER_H

#include "plan/plan.h"

struct filter {
    const char *name;
    const char *idea;               /* one line for `list filters` and --help */
    const char *default_mask;       /* what it does without --mask, as text for people ("gauss5");
                                       NULL: a mask is required */
    const struct filter_spec *spec; /* how it comes to its mask: plan/filter.c's own */
};

/* All filters, in the order in which they are listed; *count is set. */
const struct filter *filter_table(int *count);
const struct filter *filter_find(const char *name); /* NULL if there is none */

/* What the user asked for, as text where exactness matters. */
struct filter_request {
    const struct filter *filter;
    const char *mask; /* --mask, or NULL */
    bool has_sigma;
    double sigma;
    int radius;         /* -1: none */
    const char *amount; /* --amount, rational text, or NULL */
    struct plan_overrides overrides;
    struct border_choice border;
    enum alpha_mode alpha;
    const char *channels; /* --channels, or NULL for all: a subset of "rgba", "g" for gray, or
                             indices "0,2" / "02" */
    int repeat;
};

/* The plan for a picture of this shape. Options that the filter cannot use
 * (--mask with sobel, --amount with blur, --channels b on a gray picture) are
 * EXIT_USAGE. Free with plan_free. */
bool filter_plan(const struct filter_request *request, int channels, enum sample_type type,
                 uint32_t max, struct plan *plan, struct error *err);

/* Everything of filter_plan that can be checked before a picture is opened: mask
 * text, option combinations, numbers. So a bad mask is reported first. */
bool filter_check(const struct filter_request *request, struct error *err);

/* The mask(s) that a request means, as rationals (1, or 2 for gradients). For
 * `stencilcli mask` and filter_plan. Free each with mask_free. */
bool filter_masks(const struct filter_request *request, struct mask masks[2], int *count,
                  struct error *err);

#endif
