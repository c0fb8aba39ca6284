/* Private to src/plan: what plan/filter.c asks about order filters (median, erode, ...). */
#ifndef STENCIL_PLAN_ORDER_H
#define STENCIL_PLAN_ORDER_H

#include "plan/filter.h"

/* Makes the window of --radius and --shape. */
bool order_build_window(struct mask *mask, const struct filter_request *request, struct error *err);

/* Makes a mask of any weights a window: the cells that are not 0. */
bool order_flatten(struct mask *mask, struct error *err);

/* Does a step make a difference? Then the alpha of an opaque picture would become 0. */
bool order_makes_difference(const struct filter *filter);

/* Finishes a plan that has everything but its steps; does nothing for other kinds than PLAN_ORDER.
 * On failure the plan must be freed, too. */
bool order_make_steps(struct plan *plan, const struct filter_request *request, struct error *err);

#endif
