/* What this process may use of the machine. A container or a scheduler gives a part of the CPUs in
 * one of several ways; the least of them is what threads can run on. */
#include "base/machine.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cgroup.h"

/* The number that VARIABLE begins with ("4", "4,2"); 0 where it says none. */
static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    long number = text ? strtol(text, NULL, 10) : 0;

    return number > 0 && number < INT_MAX ? (int)number : 0;
}

int machine_cpus(void)
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

/* What the kernel says about the cache that this core shares, which inside a virtual machine is
 * nearer to the truth than what the processor says. */
size_t machine_cache_bytes(void)
{
    char line[32] = "", *end = line;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "re");
    long bytes;
    if (file) {
        if (!fgets(line, sizeof line, file))
            line[0] = '\0';
        fclose(file);
    }
    bytes = strtol(line, &end, 10);
    if (bytes > 0 && *end == 'K')
        return (size_t)bytes << 10;
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : 0;
}
