/* The steps before and after a pass, on any device: --light, --region and --where. Kernels know
 * none of these options: they get pictures of the plan's samples, and rows to filter. */
#ifndef STENCIL_KERNEL_AROUND_H
#define STENCIL_KERNEL_AROUND_H

#include "kernel/kernel.h"

/* Does the plan ask for any of it? */
bool around_is_needed(const struct plan *plan);

/* Does one pass of job->plan by RUN, which filters rows of the plan's samples, and what surrounds
 * it. */
bool around_run(const struct kernel_job *job, passes_function *run, const void *context,
                struct error *err);

#endif
