/* --repeat: whole passes, each rounded and clamped, over two pictures in turn. */
#ifndef STENCIL_KERNEL_PASSES_H
#define STENCIL_KERNEL_PASSES_H

#include "kernel/kernel.h"

typedef bool passes_function(const struct kernel_job *job, const void *context, struct error *err);

/* Runs PASS plan->repeat times from job->in to job->out. More than one pass needs
 * the whole picture in job->in and job->out (a pass eats the halo rows of a band). */
bool passes_run(const struct kernel_job *job, passes_function *pass, const void *context,
                struct error *err);

#endif
