/* The reference: the contract as one plain C function, never optimised.
 * Everything else is compared with it byte for byte. */
#ifndef STENCIL_REFERENCE_H
#define STENCIL_REFERENCE_H

#include "kernel.h"

/* One pass (plan->repeat is not looked at) over rows [first, first+rows) of job->out. */
void reference_rows(const struct kernel_job *job, int first, int rows);

extern const struct kernel kernel_reference;

#endif
