/* Limits of CPUs, memory and open files (base/machine.h). */
#include "base/machine.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- cgroups ----
 *
 * A line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH. Version 2 has no controllers and lies in
 * ROOT (or ROOT/unified); a controller of version 1 lies in ROOT/CONTROLLER. Inside a container
 * PATH may be the host's path: its folders that do not exist are skipped, up to the root of the
 * mount, which is then the container's own cgroup. */

/* More than any machine has. Version 1 reports such a number if there is no limit. */
#define NO_LIMIT ((uint64_t)1 << 60)

/* The limit that FOLDER itself sets, or NO_LIMIT. */
typedef uint64_t limit_of(const char *folder);

/* Reads up to two numbers of FOLDER/NAME and returns how many there are. "max", 0 and negative
 * numbers end the reading. */
static int read_numbers(const char *folder, const char *name, uint64_t number[2])
{
    char path[PATH_MAX];
    long long value;
    int count = 0;
    FILE *file;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return 0;
    file = fopen(path, "re");
    while (file && count < 2 && fscanf(file, "%lld", &value) == 1 && value > 0)
        number[count++] = (uint64_t)value;
    if (file)
        fclose(file);
    return count;
}

static uint64_t cpus_of(const char *folder)
{
    uint64_t quota[2], period[2], cpus;

    if (read_numbers(folder, "cpu.max", quota) < 2) {
        if (read_numbers(folder, "cpu.cfs_quota_us", quota) < 1 ||
            read_numbers(folder, "cpu.cfs_period_us", period) < 1)
            return NO_LIMIT;
        quota[1] = period[0];
    }
    cpus = quota[0] / quota[1] + (quota[0] % quota[1] > 0);
    return cpus < INT_MAX ? cpus : NO_LIMIT;
}

static uint64_t bytes_of(const char *folder)
{
    uint64_t bytes[2];

    if (read_numbers(folder, "memory.max", bytes) < 1 &&
        read_numbers(folder, "memory.limit_in_bytes", bytes) < 1)
        return NO_LIMIT;
    return bytes[0];
}

/* Lowers *least to the limits of ROOT/BELOW/PATH and of the folders above it, up to ROOT/BELOW.
 * BELOW and PATH begin with a slash or are empty. */
static void least_above(uint64_t *least, const char *root, const char *below, const char *path,
                        limit_of *limit)
{
    char folder[PATH_MAX], *slash;
    size_t top = strlen(root) + strlen(below);

    if (snprintf(folder, sizeof folder, "%s%s%s", root, below, path) >= (int)sizeof folder)
        return;
    do {
        uint64_t found = limit(folder);
        *least = found < *least ? found : *least;
        slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
    } while (slash && slash >= folder + top);
}

/* The least limit for CONTROLLER ("/cpu"); 0: none. */
static uint64_t least(const char *self, const char *root, const char *controller, limit_of *limit)
{
    FILE *file = fopen(self, "re");
    char line[PATH_MAX];
    uint64_t found = NO_LIMIT;

    while (file && fgets(line, sizeof line, file)) {
        char *path = line, *controllers, *word;
        strsep(&path, ":");
        controllers = strsep(&path, ":");
        if (!path)
            continue;
        path[strcspn(path, "\n")] = '\0';
        if (*controllers == '\0') {
            least_above(&found, root, "", path, limit);
            least_above(&found, root, "/unified", path, limit); /* version 2 next to version 1 */
        }
        while ((word = strsep(&controllers, ",")))
            if (strcmp(word, controller + 1) == 0)
                least_above(&found, root, controller, path, limit);
    }
    if (file)
        fclose(file);
    return found < NO_LIMIT ? found : 0;
}

int cgroup_cpus(const char *self, const char *root)
{
    return (int)least(self, root, "/cpu", cpus_of);
}

uint64_t cgroup_memory(const char *self, const char *root)
{
    return least(self, root, "/memory", bytes_of);
}

/* ---- CPUs and cache ---- */

/* The number with which VARIABLE begins ("4", "4,2"); 0 if there is none. */
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

/* Asks the kernel first: inside a virtual machine the kernel reports the cache size more reliably
 * than the processor. */
size_t machine_cache_bytes(void)
{
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "re");
    long size = 0;
    char unit = '\0';

    if (file) {
        if (fscanf(file, "%ld%c", &size, &unit) != 2 || unit != 'K')
            size = 0;
        fclose(file);
    }
    if (size > 0)
        return (size_t)size << 10;
    size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return size > 0 ? (size_t)size : 0;
}

/* ---- memory ---- */

/* Free memory in bytes; UINT64_MAX: unknown. */
static uint64_t free_memory(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    uint64_t kib = 0;

    while (file && kib == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kib = strtoull(line + 13, NULL, 10);
    if (file)
        fclose(file);
    return kib ? kib * 1024 : UINT64_MAX;
}

uint64_t machine_address_space(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
                                                                                : 0;
}

uint64_t machine_memory(void)
{
    const uint64_t limits[] = {cgroup_memory(CGROUP_SELF, CGROUP_ROOT), machine_address_space()};
    uint64_t memory = free_memory();

    for (int i = 0; i < 2; i++)
        if (limits[i] > 0 && limits[i] < memory)
            memory = limits[i];
    return memory;
}

/* ---- open files ---- */

/* Other open files: the standard ones, libraries, a device. */
#define FILES_ELSE 24

int open_files_for(int workers, int each)
{
    rlim_t wanted = (rlim_t)workers * (rlim_t)each + FILES_ELSE;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return workers;
    if (limit.rlim_cur < wanted) {
        struct rlimit raised = {limit.rlim_max < wanted ? limit.rlim_max : wanted, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit = raised;
    }
    if (limit.rlim_cur >= wanted)
        return workers;
    return limit.rlim_cur < FILES_ELSE + (rlim_t)each
               ? 1
               : (int)((limit.rlim_cur - FILES_ELSE) / (rlim_t)each);
}
