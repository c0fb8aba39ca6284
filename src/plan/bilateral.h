/* Private to src/plan: what plan/filter.c asks about the filter `bilateral`. */
#ifndef STENCIL_PLAN_BILATERAL_H
#define STENCIL_PLAN_BILATERAL_H

#include "plan/filter.h"

/* Checks the mask and the options of a bilateral filter. */
bool bilateral_check(const struct filter_request *request, struct error *err);

/* Makes the table of range weights of a plan that has everything else; does nothing for other kinds
 * than PLAN_BILATERAL. On failure the plan must be freed, too. */
bool bilateral_make_range(struct plan *plan, const struct filter_request *request,
                          struct error *err);

#endif
