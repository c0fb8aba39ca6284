/* How many CPUs there are to use: see parallel.h. A container or a scheduler gives a part of
 * the machine in one of several ways; the least of them is what threads can run on. */
#include "parallel.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>

#include "cgroup.h"

/* The number that VARIABLE begins with ("4", "4,2"); 0 where it says none. */
static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    long number = text ? strtol(text, NULL, 10) : 0;

    return number > 0 && number < INT_MAX ? (int)number : 0;
}

int parallel_cpus(void)
{
    const int limits[] = {cgroup_cpus(CGROUP_SELF, CGROUP_ROOT), number_of("SLURM_CPUS_PER_TASK"),
                          number_of("OMP_NUM_THREADS")};
    cpu_set_t set;
    int cpus = 1;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        cpus = CPU_COUNT(&set);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i] > 0 && limits[i] < cpus)
            cpus = limits[i];
    return cpus < 1 ? 1 : cpus;
}
