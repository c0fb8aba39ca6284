/* Limits of cgroups: see base/cgroup.h. A line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH;
 * version 2 has no controllers and lies in ROOT (or ROOT/unified), a controller of version 1
 * in ROOT/CONTROLLER. Inside a container PATH may be that of the host: what of it is not
 * there is passed over, up to the mount's own folder, which is then the container's. */
#include "base/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Past any machine; version 1 says so where there is no limit. */
#define MOST ((uint64_t)1 << 60)

/* The limit that FOLDER itself sets; 0: none. */
typedef uint64_t limit_of(const char *folder);

/* Up to two numbers of FOLDER/NAME; how many there are. "max" and what is negative is none. */
static int read_numbers(const char *folder, const char *name, uint64_t number[2])
{
    char path[PATH_MAX], line[64] = "", *at = line, *end;
    int count = 0;
    FILE *file;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return 0;
    file = fopen(path, "re");
    if (file && !fgets(line, sizeof line, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    for (; count < 2; count++, at = end) {
        long long value = strtoll(at, &end, 10);
        if (end == at || value <= 0)
            break;
        number[count] = (uint64_t)value;
    }
    return count;
}

static uint64_t cpus_of(const char *folder)
{
    uint64_t quota[2], period[2], cpus;

    if (read_numbers(folder, "cpu.max", quota) < 2) {
        if (read_numbers(folder, "cpu.cfs_quota_us", quota) < 1 ||
            read_numbers(folder, "cpu.cfs_period_us", period) < 1)
            return 0;
        quota[1] = period[0];
    }
    cpus = quota[0] / quota[1] + (quota[0] % quota[1] > 0);
    return cpus < INT_MAX ? cpus : 0;
}

static uint64_t bytes_of(const char *folder)
{
    uint64_t bytes[2];

    if (read_numbers(folder, "memory.max", bytes) < 1 &&
        read_numbers(folder, "memory.limit_in_bytes", bytes) < 1)
        return 0;
    return bytes[0] < MOST ? bytes[0] : 0;
}

/* The least of 0 (none), BEFORE, and the limits of ROOT/PATH and of the folders above up to ROOT.
 */
static uint64_t least_above(uint64_t before, const char *root, const char *path, limit_of *limit)
{
    char folder[PATH_MAX];
    uint64_t found;

    if (snprintf(folder, sizeof folder, "%s%s", root, path) >= (int)sizeof folder)
        return before;
    for (;;) {
        char *slash = strrchr(folder, '/');
        found = limit(folder);
        if (found > 0 && (before == 0 || found < before))
            before = found;
        if (!slash || slash < folder + strlen(root))
            return before;
        *slash = '\0';
    }
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word), bytes;

    for (; *list; list += bytes + (list[bytes] == ',')) {
        bytes = strcspn(list, ",");
        if (bytes == length && memcmp(list, word, length) == 0)
            return true;
    }
    return false;
}

static uint64_t least(const char *self, const char *root, const char *controller, limit_of *limit)
{
    FILE *file = fopen(self, "re");
    char line[PATH_MAX], below[PATH_MAX];
    uint64_t found = 0;

    while (file && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        bool unified = controllers[1] == '\0';
        if (unified)
            found = least_above(found, root, path, limit);
        else if (!has_word(controllers + 1, controller))
            continue;
        /* Version 2 beside version 1 has a folder too. */
        if (snprintf(below, sizeof below, "%s/%s", root, unified ? "unified" : controller) <
            (int)sizeof below)
            found = least_above(found, below, path, limit);
    }
    if (file)
        fclose(file);
    return found;
}

int cgroup_cpus(const char *self, const char *root)
{
    return (int)least(self, root, "cpu", cpus_of);
}

uint64_t cgroup_memory(const char *self, const char *root)
{
    return least(self, root, "memory", bytes_of);
}
