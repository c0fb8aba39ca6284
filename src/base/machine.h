/* What this process may use of the machine: CPUs, memory, open files. A container or a scheduler
 * may give less than the machine has; the least of all limits counts. */
#ifndef STENCIL_BASE_MACHINE_H
#define STENCIL_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of CPUs that this process may use: the least of its affinity, its cgroups' limits,
 * SLURM_CPUS_PER_TASK and OMP_NUM_THREADS; at least 1. */
int machine_cpus(void);

/* The bytes of the last-level cache; 0: unknown. */
size_t machine_cache_bytes(void);

/* The bytes of the first-level data cache; 0: unknown. */
size_t machine_l1_bytes(void);

/* Where the kernel lists the cgroups of this process. Tests use folders of their own. */
#define CGROUP_SELF "/proc/self/cgroup"
#define CGROUP_ROOT "/sys/fs/cgroup"

/* The limits of this process's cgroups and of all parent cgroups, in versions 1 and 2: CPUs,
 * rounded up, and the bytes of memory that are left. 0: no limit. */
int cgroup_cpus(const char *self, const char *root);
uint64_t cgroup_memory(const char *self, const char *root);

/* Bytes of memory that this process may have: the least of free memory, the cgroups' limits,
 * `ulimit -v` and `ulimit -d`; UINT64_MAX: unknown. */
uint64_t machine_memory(void);

/* Grows the main thread's stack to what the program needs, if the address space is limited: when
 * buffers have taken the rest of it, the kernel ends a process whose stack must grow. False: there
 * is no room. */
bool machine_grow_stack(void);

/* How many of THREADS the limits of memory allow; at least 1. Where a limit is small, it also makes
 * allocations fail that the kernel would punish later by ending the process, and saves memory at
 * the expense of time. Call it before threads start. */
int machine_fit_memory(int threads);

/* How many of WORKERS can work at once if each needs EACH open files; at least 1. Raises the soft
 * limit of open files if that helps. */
int open_files_for(int workers, int each);

#endif
