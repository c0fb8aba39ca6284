/* What this process may use of the machine. */
#ifndef STENCIL_BASE_MACHINE_H
#define STENCIL_BASE_MACHINE_H

#include <stddef.h>

/* The number of CPUs that this process may use: the least of those that it may run on, what its
 * cgroups, SLURM_CPUS_PER_TASK and OMP_NUM_THREADS give it. */
int machine_cpus(void);

/* The bytes of the last cache before memory; 0: unknown. */
size_t machine_cache_bytes(void);

#endif
