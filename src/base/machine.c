/* Limits of CPUs, memory and open files (base/machine.h). */
#include "base/machine.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"

/* ---- small files of the kernel ---- */

/* Reads the beginning of FOLDER/NAME into TEXT; false if the file is not there. Plain calls: stdio
 * would take twice as long, and every run asks for its limits. */
static bool read_text(const char *folder, const char *name, char *text, size_t room)
{
    char path[PATH_MAX];
    ssize_t n = -1;
    int fd = -1;

    if (snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name) < (int)sizeof path)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, room - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* Reads up to two numbers of FOLDER/NAME and returns how many there are. "max", 0 and negative
 * numbers end the reading. */
static int read_numbers(const char *folder, const char *name, uint64_t number[2])
{
    char text[64], *at = text, *end;
    int count = 0;

    if (!read_text(folder, name, text, sizeof text))
        return 0;
    for (long long value; count < 2 && (value = strtoll(at, &end, 10)) > 0 && end > at; at = end)
        number[count++] = (uint64_t)value;
    return count;
}

/* The number behind the line that begins with "NAME " in TEXT; 0: there is none. */
static uint64_t number_in(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
        if (strncmp(text, name, length) == 0 && text[length] == ' ')
            return strtoull(text + length, NULL, 10);
    return 0;
}

/* ---- cgroups ----
 *
 * A line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH. Version 2 has no controllers and lies in
 * ROOT (or ROOT/unified); a controller of version 1 lies in ROOT/CONTROLLER. Inside a container
 * PATH may be the host's path: its folders that do not exist are skipped, up to the root of the
 * mount, which is then the container's own cgroup. */

/* More than any machine has. Version 1 reports such a number if there is no limit. */
#define NO_LIMIT ((uint64_t)1 << 60)

/* The limit that FOLDER itself sets, or NO_LIMIT. */
typedef uint64_t limit_of(const char *folder, int version);

static uint64_t cpus_of(const char *folder, int version)
{
    uint64_t quota[2] = {0}, period[2] = {0}, cpus;

    if (version == 2 && read_numbers(folder, "cpu.max", quota) == 2)
        period[0] = quota[1];
    if (version == 1 && read_numbers(folder, "cpu.cfs_quota_us", quota) > 0)
        read_numbers(folder, "cpu.cfs_period_us", period);
    if (period[0] == 0)
        return NO_LIMIT;
    cpus = quota[0] / period[0] + (quota[0] % period[0] > 0);
    return cpus < INT_MAX ? cpus : NO_LIMIT;
}

/* What is left of the limit. Pages of files do not count as used: the kernel gives them up. */
static uint64_t bytes_of(const char *folder, int version)
{
    char stat[8192];
    uint64_t limit[2], used[2], files;

    if (read_numbers(folder, version == 2 ? "memory.max" : "memory.limit_in_bytes", limit) < 1 ||
        limit[0] >= NO_LIMIT)
        return NO_LIMIT;
    if (read_numbers(folder, version == 2 ? "memory.current" : "memory.usage_in_bytes", used) < 1 ||
        !read_text(folder, "memory.stat", stat, sizeof stat))
        return limit[0];
    files = number_in(stat, version == 2 ? "file" : "total_cache") -
            number_in(stat, version == 2 ? "shmem" : "total_shmem");
    used[0] -= files < used[0] ? files : used[0];
    return used[0] < limit[0] ? limit[0] - used[0] : 1;
}

/* Lowers *least to the limits of ROOT/BELOW/PATH and of the folders above it, up to ROOT/BELOW.
 * BELOW and PATH begin with a slash or are empty. */
static void least_above(uint64_t *least, const char *root, const char *below, const char *path,
                        limit_of *limit, int version)
{
    char folder[PATH_MAX], *slash;
    size_t top = strlen(root) + strlen(below);

    if (snprintf(folder, sizeof folder, "%s%s%s", root, below, path) >= (int)sizeof folder)
        return;
    do {
        uint64_t found = limit(folder, version);
        *least = found < *least ? found : *least;
        slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
    } while (slash && slash >= folder + top);
}

/* The least limit for CONTROLLER ("/cpu"); 0: none. */
static uint64_t least(const char *self, const char *root, const char *controller, limit_of *limit)
{
    char text[2 * PATH_MAX], *rest = text, *line;
    uint64_t found = NO_LIMIT;

    read_text("", self, text, sizeof text);
    while ((line = strsep(&rest, "\n"))) {
        char *path = line, *controllers, *word;
        strsep(&path, ":");
        controllers = strsep(&path, ":");
        if (!path)
            continue;
        if (strcmp(path, "/") == 0)
            path = "";
        if (*controllers == '\0') {
            least_above(&found, root, "", path, limit, 2);
            least_above(&found, root, "/unified", path, limit, 2); /* beside version 1 */
        }
        while ((word = strsep(&controllers, ",")))
            if (strcmp(word, controller + 1) == 0)
                least_above(&found, root, controller, path, limit, 1);
    }
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

size_t machine_l1_bytes(void)
{
    long size = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    return size > 0 ? (size_t)size : 0;
}

/* ---- memory ---- */

/* Free memory in bytes; UINT64_MAX: unknown. */
static uint64_t free_memory(void)
{
    char text[1024];
    uint64_t kib = 0;

    if (read_text("/proc", "meminfo", text, sizeof text))
        kib = number_in(text, "MemAvailable:");
    return kib ? kib * 1024 : UINT64_MAX;
}

/* Number N, from 0, of /proc/self/statm in bytes: 0 is all address space in use, 5 is data and
 * stack. 0: unknown. */
static uint64_t memory_in_use(int n)
{
    char text[128], *at = text;

    if (!read_text("/proc", "self/statm", text, sizeof text))
        return 0;
    for (int i = 0; i < n; i++)
        strtoull(at, &at, 10);
    return strtoull(at, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The bytes that this process may still take of RESOURCE, of which it has taken number N of
 * memory_in_use; N < 0: nothing. UINT64_MAX: no limit. */
static uint64_t left_of(int resource, int n)
{
    struct rlimit limit;
    uint64_t in_use;

    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    in_use = n < 0 ? 0 : memory_in_use(n);
    return limit.rlim_cur > in_use ? limit.rlim_cur - in_use : 0;
}

/* The bytes that `ulimit -v` and `ulimit -d` still allow. */
static uint64_t address_space(void)
{
    uint64_t space = left_of(RLIMIT_AS, 0);
    uint64_t data = left_of(RLIMIT_DATA, 5);

    return data < space ? data : space;
}

uint64_t machine_memory(void)
{
    uint64_t memory = free_memory(), group = cgroup_memory(CGROUP_SELF, CGROUP_ROOT);
    uint64_t space = address_space();

    memory = group > 0 && group < memory ? group : memory;
    return space < memory ? space : memory;
}

/* Writing the lowest of BYTES bytes of stack makes the kernel map all of them. */
static __attribute__((noinline)) void grow_stack(size_t bytes)
{
    volatile char *lowest = __builtin_alloca(bytes);

    *lowest = 0;
}

bool machine_grow_stack(void)
{
    const uint64_t space = left_of(RLIMIT_AS, -1), stack = left_of(RLIMIT_STACK, -1);
    const size_t bytes = stack / 2 < STACK_NEEDED ? (size_t)stack / 2 : STACK_NEEDED;

    if (space == UINT64_MAX)
        return true;
    if (left_of(RLIMIT_AS, 0) < bytes)
        return false;
    grow_stack(bytes);
    return true;
}

/* Stacks, buffers and freed blocks of a thread that filters a large picture. */
#define THREAD_BYTES ((uint64_t)64 << 20)

/* With less memory than this every block counts. */
#define LITTLE_MEMORY ((uint64_t)512 << 20)

/* Without this limit an allocation would succeed, and the kernel would end the process when the
 * pages are used. A part of what the cgroup has left is for memory that the limit does not count:
 * shared rings of rows, and the kernel's own. Stacks count as a whole, so they get small. */
static void limit_data(uint64_t left)
{
    struct rlimit limit;
    uint64_t in_use = memory_in_use(5);

    if (in_use == 0 || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    limit.rlim_cur = in_use + left - left / 8;
    setrlimit(RLIMIT_DATA, &limit);
}

int machine_fit_memory(int threads)
{
    uint64_t group = cgroup_memory(CGROUP_SELF, CGROUP_ROOT), space = address_space();
    uint64_t left = group > 0 && group < space ? group : space;

    if (left == UINT64_MAX)
        return threads;
    if (left < LITTLE_MEMORY || space < UINT64_MAX)
        large_alloc_few_heaps();
    if (group > 0 && group < LITTLE_MEMORY && group < space)
        limit_data(group);
    left /= THREAD_BYTES;
    return left >= (uint64_t)threads ? threads : left > 1 ? (int)left : 1;
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
