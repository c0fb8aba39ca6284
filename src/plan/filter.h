/* The table of filters (convolve, blur, box, ...). A row is all that the program knows about a
 * filter: the parser, help, completions, `list filters` and --plan read the rows and know no filter
 * by its name. The filter's kind, its masks and the options make a plan (plan/plan.h). Kernels run
 * plans: they know kinds of plans and no filters. */
#ifndef STENCIL_PLAN_FILTER_H
#define STENCIL_PLAN_FILTER_H

#include "plan/plan.h"

/* The options that some filters take and others do not, as bits. */
enum filter_option {
    FILTER_MASK = 1,
    FILTER_SIGMA = 2,
    FILTER_RADIUS = 4,
    FILTER_AMOUNT = 8,
    FILTER_DIVISOR = 16,
    FILTER_OFFSET = 32,
    FILTER_NORMALIZE = 64,
    FILTER_SHAPE = 128,
    FILTER_RANK = 256,
    FILTER_RANGE = 512
};

/* The mask that --sigma, --radius and --amount make. */
enum filter_build {
    BUILD_NOTHING,
    BUILD_ANY, /* a Gaussian if a sigma is given, else a mean; --mask or one of them is required */
    BUILD_GAUSS,
    BUILD_BOX,
    BUILD_UNSHARP,
    BUILD_WINDOW
};

/* A step of an order filter: see struct plan. */
struct filter_step {
    const char *rank; /* in percent; NULL: as --rank says */
    bool turned;      /* the window is turned by 180 degrees */
    bool of_picture;
    enum plan_minus minus;
};

/* Under which title a filter is listed. */
enum filter_group { GROUP_ANY, GROUP_SMOOTH, GROUP_SHARPEN, GROUP_EDGES, GROUP_SORT };

struct filter {
    const char *name;
    enum filter_group group;
    const char *idea;    /* one line for `list filters` and --help */
    enum plan_kind kind; /* which decides its formula and its reference */
    unsigned options;    /* of enum filter_option */
    enum filter_build build;
    const char *default_mask; /* used without options, for help ("gauss5"); NULL: none */
    const char *mask[2];      /* for mask_builtin, two for gradients; NULL: it is built */
    const char *example;      /* options of an example for help; "": none */
    int steps;                /* of PLAN_ORDER: 1 or 2 */
    const struct filter_step *step;
};

/* All filters, in the order in which they are listed; *count is set. */
const struct filter *filter_table(int *count);
const char *filter_group_title(enum filter_group group);
const struct filter *filter_find(const char *name); /* NULL if there is none */

/* Can the filter use this option ("sigma", without dashes)? True for options that all filters take,
 * and for options of no filter. */
bool filter_takes(const struct filter *filter, const char *option);

/* The words of --shape; NULL past the last. */
const char *filter_shape_word(int index);

/* The name of a kind of plan in --plan and --json, and its formula (NULL: the weighted sum). */
const char *filter_kind_name(enum plan_kind kind);
const char *filter_kind_formula(enum plan_kind kind);

/* Why a kernel or a method that does not know this kind of plan refuses it. */
const char *filter_kind_refusal(enum plan_kind kind);

/* The most steps of a chain. */
#define CHAIN_MOST 64

/* What the user asked for (as text if exactness matters), and the masks made from it. */
struct filter_request {
    const struct filter *filter;
    const char *mask; /* --mask, or NULL; filter_load reads it */
    bool has_sigma;
    double sigma;
    int radius;         /* -1: none */
    const char *amount; /* --amount, rational text, or NULL */
    const char *rank;   /* --rank, a percentage as text, or NULL */
    const char *range;  /* --range, rational text or a percentage, or NULL */
    const char *shape;  /* --shape, one of filter_shape_word, or NULL */
    struct plan_overrides overrides;
    struct border_choice border;
    enum alpha_mode alpha;
    const char *channels; /* --channels, or NULL for all: a subset of "rgba", "g" for gray, or
                             indices "0,2" / "02" */
    int repeat;
    bool light;      /* --light linear */
    bool has_nodata; /* --nodata */
    uint32_t nodata;
    struct plan_region region; /* --region; width 0: none */
    const char *where;         /* --where, or NULL; picture_load reads it */
    struct image where_picture;
    uint32_t where_max;
    struct mask masks[2];        /* filter_masks makes them: 1, or 2 for gradients */
    int mask_count;              /* 0: not loaded; filter_load makes them for 8-bit pictures */
    struct filter_request *next; /* the next step of a chain; NULL: this is the last one */
};

/* Makes masks and mask_count from the request for pictures of samples of TYPE, overrides applied.
 * An option that the filter does not take (--mask with sobel) is EXIT_USAGE. Free with
 * filter_unload; after a failure nothing needs to be freed. */
bool filter_masks(struct filter_request *request, enum sample_type type, struct error *err);

/* Does the filter have another mask for 16-bit pictures than for 8-bit ones, as a Gaussian has? */
bool filter_masks_differ(const struct filter_request *request);
void filter_unload(struct filter_request *request);

/* Makes the masks of all steps, once for all pictures, and checks everything that can be checked
 * before a picture is opened: mask text, combinations of options, numbers. So a bad mask is
 * reported before a missing picture. Free with filter_unload; nothing is loaded on failure. */
bool filter_load(struct filter_request *request, struct error *err);

/* Makes the plan of all steps for a picture of this shape; EXIT_USAGE for a channel that the
 * picture does not have. Masks are made for this plan alone if the request is not loaded, or for a
 * 16-bit picture if filter_masks_differ. Free with plan_free. */
bool filter_plan(const struct filter_request *request, int channels, enum sample_type type,
                 uint32_t max, struct plan *plan, struct error *err);

#endif
