/* The reference: the contract as one plain C function, never optimised.
 * Everything else is compared with it byte for byte. */
#ifndef STENCIL_KERNEL_REFERENCE_H
#define STENCIL_KERNEL_REFERENCE_H

#include "kernel/kernel.h"

/* One pass (plan->repeat is not looked at) over rows [first, first+rows) of job->out. */
void reference_rows(const struct kernel_job *job, int first, int rows);

/* The rows for pictures and for signals. */
extern const struct kernel kernel_reference, kernel_signal_reference;

#endif
