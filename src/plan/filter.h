/* The filters by name: convolve, blur, box, ... A filter turns options into a plan; the
 * kernels know plans and no filters. */
#ifndef STENCIL_PLAN_FILTER_H
#define STENCIL_PLAN_FILTER_H

#include "plan/plan.h"

/* What --sigma, --radius and --amount build. ANY: with a sigma a gauss, else a box. */
enum filter_build { BUILD_NOTHING, BUILD_ANY, BUILD_GAUSS, BUILD_BOX, BUILD_UNSHARP };

struct filter {
    const char *name;
    const char *idea;         /* one line for `list filters` and --help */
    const char *default_mask; /* its mask without --mask, as text for people ("gauss5");
                                 NULL: a mask is required */
    /* How plan/filter.c makes its masks. */
    unsigned uses; /* the options that it takes, as bits */
    enum filter_build build;
    const char *text[2]; /* the default mask; the second for gradients; NULL: built or required */
};

/* All filters, in the order in which they are listed; *count is set. */
const struct filter *filter_table(int *count);
const struct filter *filter_find(const char *name); /* NULL if there is none */

/* What the user asked for, as text where exactness matters, and the masks that this means. */
struct filter_request {
    const struct filter *filter;
    const char *mask; /* --mask, or NULL; filter_load reads it */
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
    struct mask masks[2]; /* filter_load's: 1, or 2 for gradients */
    int mask_count;       /* 0: not loaded */
};

/* Parses the masks, once for all pictures, and checks everything that can be checked before a
 * picture is opened: mask text, combinations of options, numbers. Options that the filter cannot
 * use (--mask with sobel, --amount with blur) are EXIT_USAGE. Free with filter_unload; nothing is
 * loaded on failure. */
bool filter_load(struct filter_request *request, struct error *err);
void filter_unload(struct filter_request *request);

/* The plan for a picture of this shape; EXIT_USAGE for options that this picture cannot have
 * (--channels b where it is gray). The masks of a request that is not loaded are parsed for this
 * plan alone. Free with plan_free. */
bool filter_plan(const struct filter_request *request, int channels, enum sample_type type,
                 uint32_t max, struct plan *plan, struct error *err);

/* The masks that a request means, as rationals (1, or 2 for gradients), parsed anew. Free each with
 * mask_free. */
bool filter_masks(const struct filter_request *request, struct mask masks[2], int *count,
                  struct error *err);

#endif
