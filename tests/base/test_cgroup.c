/* Limits of cgroups, in trees laid out as by version 2, version 1, both, and containers. */
#include "base/machine.h"
#include "tests/codec/test_pictures.h"

/* Writes TEXT to PATH and makes its folders. */
static void put(const char *path, const char *text)
{
    char folder[256];
    FILE *file;

    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        mkdir(folder, 0777);
    }
    file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void check(const char *self, int cpus, uint64_t memory)
{
    put("self", self);
    CHECKF(cgroup_cpus("self", "root") == cpus, "%d, not %d", cgroup_cpus("self", "root"), cpus);
    CHECKF(cgroup_memory("self", "root") == memory, "%ju, not %ju",
           (uintmax_t)cgroup_memory("self", "root"), (uintmax_t)memory);
    CHECK(system("rm -r root self") == 0);
}

static void version_2(void)
{
    put("root/a/b/cpu.max", "max 100000\n");
    put("root/a/cpu.max", "250000 100000\n");
    put("root/a/b/memory.max", "max\n");
    put("root/a/memory.max", "1073741824\n");
    put("root/memory.max", "2147483648\n");
    put("root/beside/cpu.max", "1 100000\n");
    check("0::/a/b\n", 3, (uint64_t)1 << 30);

    put("root/cpu.max", "100000 100000\n"); /* a container sees its own cgroup as the root */
    put("root/memory.max", "4096\n");
    check("0::/\n", 1, 4096);
}

/* What is used counts, but not pages of files that the kernel can give up. */
static void memory_left(void)
{
    put("root/a/memory.max", "1000000\n");
    put("root/a/memory.current", "700000\n");
    put("root/a/memory.stat", "anon 100000\nfile 500000\nkernel 90000\nshmem 10000\n");
    check("0::/a\n", 0, 790000);

    put("root/a/memory.max", "1000000\n");
    put("root/a/memory.current", "2000000\n");
    put("root/a/memory.stat", "file_mapped 1\nfile 0\n");
    check("0::/a\n", 0, 1);

    put("root/memory/a/memory.limit_in_bytes", "1000000\n");
    put("root/memory/a/memory.usage_in_bytes", "700000\n");
    put("root/memory/a/memory.stat", "cache 7\nshmem 3\ntotal_cache 500000\ntotal_shmem 10000\n");
    check("4:memory:/a\n", 0, 790000);
}

static void version_1(void)
{
    put("root/cpu/x/cpu.cfs_quota_us", "-1\n");
    put("root/cpu/x/cpu.cfs_period_us", "100000\n");
    put("root/cpu/cpu.cfs_quota_us", "200000\n");
    put("root/cpu/cpu.cfs_period_us", "100000\n");
    put("root/memory/x/y/memory.limit_in_bytes", "9223372036854771712\n"); /* no limit */
    put("root/memory/x/memory.limit_in_bytes", "1000000\n");
    put("root/cpuset/x/memory.limit_in_bytes", "7\n");
    check("12:cpuset:/x\n5:memory:/x/y\n4:cpu,cpuacct:/x\n1:name=systemd:/x\n", 2, 1000000);

    put("root/cpu/cpu.cfs_quota_us", "50000\n"); /* in a container, under the host's path */
    put("root/cpu/cpu.cfs_period_us", "100000\n");
    put("root/memory/memory.limit_in_bytes", "5000\n");
    check("5:memory:/docker/0123\n4:cpu,cpuacct:/docker/0123\n", 1, 5000);

    put("root/unified/x/memory.max", "3000\n"); /* both versions */
    put("root/memory/x/memory.limit_in_bytes", "4000\n");
    check("4:memory:/x\n0::/x\n", 0, 3000);
}

static void none(void)
{
    put("root/cpu/cpu.cfs_quota_us", "200000\n"); /* no period is given */
    put("root/x/cpu.max", "max\n");
    put("root/x/memory.max", "text\n");
    check("4:cpu:/\n0::/x\nno line of this kind\n", 0, 0);
    CHECK(cgroup_cpus("missing", "missing") == 0 && cgroup_memory("missing", "missing") == 0);
    put("root/x/cpu.max", "10 0\n");
    check("0::/x", 0, 0);
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder))
        return 1;
    TEST(version_2);
    TEST(version_1);
    TEST(memory_left);
    TEST(none);
    return test_finish() || !leave_test_folder(folder);
}
