/* What a container or a scheduler lets this process have: the limits of its cgroups and of
 * those above them, in versions 1 and 2. */
#ifndef STENCIL_BASE_CGROUP_H
#define STENCIL_BASE_CGROUP_H

#include <stdint.h>

/* Where the kernel says it; tests have folders of their own. */
#define CGROUP_SELF "/proc/self/cgroup"
#define CGROUP_ROOT "/sys/fs/cgroup"

/* CPUs, a part of one counted as one; 0: no limit. */
int cgroup_cpus(const char *self, const char *root);

/* Bytes; 0: no limit. */
uint64_t cgroup_memory(const char *self, const char *root);

#endif
