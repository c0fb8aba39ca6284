/* How many CPUs there are to use: see parallel.h. A container or a scheduler gives a part of
 * the machine in one of several ways; the least of them is what threads can run on. */
#include "parallel.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CGROUPS "/sys/fs/cgroup"

/* "QUOTA PERIOD" or "max PERIOD" in FOLDER's cpu.max; 0 where there is no limit. */
static int quota_of(const char *folder)
{
    char path[PATH_MAX], line[64], *end;
    long long quota, period;
    FILE *file;
    bool have_line;

    snprintf(path, sizeof path, "%s/cpu.max", folder);
    file = fopen(path, "re");
    have_line = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    if (!have_line)
        return 0;
    quota = strtoll(line, &end, 10);
    if (end == line || quota <= 0)
        return 0;
    period = strtoll(end, NULL, 10);
    if (period <= 0 || quota / period >= INT_MAX)
        return 0;
    return (int)((quota + period - 1) / period);
}

/* The least quota of the process's cgroup and of those above it; 0: none. In a container its own
 * is all that is seen. */
static int cgroup_cpus(void)
{
    char folder[PATH_MAX] = CGROUPS, line[PATH_MAX - sizeof CGROUPS];
    FILE *file = fopen("/proc/self/cgroup", "re");
    int least = 0;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(folder, sizeof folder, CGROUPS "%s", line + 3);
        }
    if (file)
        fclose(file);
    for (;;) {
        int quota = quota_of(folder);
        char *slash = strrchr(folder, '/');
        if (quota > 0 && (least == 0 || quota < least))
            least = quota;
        if (!slash || slash < folder + strlen(CGROUPS))
            return least;
        *slash = '\0';
    }
}

/* The number that VARIABLE begins with ("4", "4,2"); 0 where it says none. */
static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    long number = text ? strtol(text, NULL, 10) : 0;

    return number > 0 && number < INT_MAX ? (int)number : 0;
}

int parallel_cpus(void)
{
    const int limits[] = {cgroup_cpus(), number_of("SLURM_CPUS_PER_TASK"),
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
