/* The parts of a batch that need no pictures: patterns, shards, names of temporaries. Also the
 * headers that limit its memory, compared with the decoders' results. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/glob.h"
#include "batch/batch.h"
#include "batch/shard.h"
#include "codec/codec.h"
#include "codec/output.h"
#include "tests/test.h"

static void patterns(void)
{
    static const struct {
        const char *pattern, *path;
        bool match;
    } cases[] = {
        {"*.png", "a.png", true},
        {"*.png", "sub/a.png", true},
        {"*.png", "a.png.bak", false},
        {"*.png", ".png", true},
        {"a?c", "x/abc", true},
        {"[!a-c]*", "d", true},
        {"[!a-c]*", "b", false},
        {"sub", "sub", true},
        {"sub/", "sub", true},
        {"sub/", "x/sub", true},
        {"sub/", "sub/a", false},
        {"x/sub/", "x/sub", true},
        {"x/sub/", "y/x/sub", false},
        {"/", "sub", false},
        {"sub/*.png", "sub/a.png", true},
        {"sub/*.png", "sub/deep/a.png", false},
        {"sub/*.png", "x/sub/a.png", false},
        {"/a.png", "a.png", true},
        {"/a.png", "sub/a.png", false},
        {"**/a.png", "a.png", true},
        {"**/a.png", "x/y/a.png", true},
        {"sub/**", "sub/a/b/c", true},
        {"sub/**", "sub", true},
        {"sub/**", "other/a", false},
        {"a/**/b/**/c", "a/b/c", true},
        {"a/**/b/**/c", "a/x/b/y/b/z/c", true},
        {"a/**/b/**/c", "a/x/c/y/c", false},
        {"**/*.d/*", "x/y.d/z", true},
        {"**/**/**", "a", true},
        {"a/*", "a", false},
        {"\377*", "\377\376", true},
        {"*\n*", "a\nb", true},
        {"*.{png,jpg}", "x/a.jpg", true},
        {"*.{png,jpg}", "a.gif", false},
        {"{a,b/c}/*.png", "b/c/d.png", true},
        {"{a,b/c}/*.png", "b/d.png", false},
        {"a{,.b}.png", "a.png", true},
        {"a{.c,}.png", "a.png", true},
        {"a{,.b}.png", "a.b.png", true},
        {"{a,{b,c}d}{1,2}", "cd2", true},
        {"{a,{b,c}d}{1,2}", "c2", false},
        {"{a}", "{a}", true}, /* braces without a comma are ordinary */
        {"{a}", "a", false},
        {"{a,b", "{a,b", true},
        {"a,b}", "a,b}", true},
        {"\\{a,b}", "{a,b}", true},
        {"{x{a,b}", "{xb", true},
        {"{a\\,b,c}", "a,b", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECKF(glob_match(cases[i].pattern, cases[i].path) == cases[i].match, "%s on %s",
               cases[i].pattern, cases[i].path);
}

static void shards_are_even(void)
{
    struct shard shard[7];
    struct error err;
    int count[7] = {0};

    for (int i = 0; i < 7; i++) {
        char text[8];
        snprintf(text, sizeof text, "%d/7", i + 1);
        CHECK(shard_choose(&shard[i], text, &err));
    }
    for (int file = 0; file < 7000; file++) {
        char name[32];
        int owners = 0;
        snprintf(name, sizeof name, "photos/%05d.png", file);
        for (int i = 0; i < 7; i++)
            if (shard_has(&shard[i], name)) {
                owners++;
                count[i]++;
            }
        CHECK(owners == 1);
    }
    for (int i = 0; i < 7; i++)
        CHECKF(count[i] > 850 && count[i] < 1150, "shard %d: %d", i + 1, count[i]);
}

/* Which GPU of a machine this process uses. */
static void local_ranks(void)
{
    static const char *const names[] = {"SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK",
                                        "MPI_LOCALRANKID", "PMI_LOCAL_RANK"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    CHECK(shard_local_rank() == -1);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        setenv(names[i], "3", 1);
        CHECKF(shard_local_rank() == 3, "%s", names[i]);
        setenv(names[i], "-3", 1);
        CHECKF(shard_local_rank() == -1, "%s", names[i]);
        unsetenv(names[i]);
    }
    /* Below mpirun, Slurm's rank is the launcher's, and the launcher is alone on its machine. */
    for (i = 1; i < sizeof names / sizeof *names; i++) {
        setenv("SLURM_LOCALID", "0", 1);
        setenv(names[i], "3", 1);
        CHECKF(shard_local_rank() == 3, "%s beside SLURM_LOCALID", names[i]);
        unsetenv(names[i]);
        unsetenv("SLURM_LOCALID");
    }
}

static void temporaries_by_name(void)
{
    CHECK(temporary_is_name(".a.png.stencilcli-0123456789abcdef-0"));
    CHECK(temporary_is_name(".a.stencilcli-x.stencilcli-0123456789abcdef-12"));
    CHECK(!temporary_is_name("a.png.stencilcli-0123456789abcdef-0"));
    CHECK(!temporary_is_name(".stencilcli-0123456789abcdef-0"));
    CHECK(!temporary_is_name(".a.stencilcli-0123456789abcde-0"));
    CHECK(!temporary_is_name(".a.stencilcli-0123456789abcdefg-0"));
    CHECK(!temporary_is_name(".a.stencilcli-0123456789abcdef-"));
    CHECK(!temporary_is_name(".a.stencilcli-0123456789abcdef-0.png"));
    CHECK(!temporary_is_name(".a.stencilcli-0123456789abcdef-0.stencilcli-"));
}

/* ---- headers ---- */

static int opened;

static void check_cost(const char *path)
{
    struct batch_cost cost;
    struct source *source = NULL;
    struct error err;
    struct stat status;
    int fd = open(path, O_RDONLY);

    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return;
    }
    cost = batch_cost_of(path, fd, (uint64_t)status.st_size);
    close(fd);
    CHECKF(cost.bytes > (uint64_t)status.st_size, "%s", path);
    if (source_open(&source, path, &err)) {
        const struct image_info *info = source_info(source);
        uint64_t pixels = (uint64_t)info->width * (uint64_t)info->height;
        uint64_t bytes = 2 * pixels * (uint64_t)info->channels * (uint64_t)info->type;
        CHECKF(cost.pixels == pixels, "%s: %ju pixels, not %ju", path, (uintmax_t)cost.pixels,
               (uintmax_t)pixels);
        bytes += source_held(source);
        CHECKF(cost.bytes >= bytes, "%s: %ju bytes, not %ju", path, (uintmax_t)cost.bytes,
               (uintmax_t)bytes);
        opened++;
    }
    source_close(source);
}

/* A damaged file may at worst give a wrong cost. */
static void costs_as_decoded(void)
{
    static const char *const folders[] = {"testdata", "testdata/hostile"};

    for (int i = 0; i < 2; i++) {
        DIR *folder = opendir(folders[i]);
        struct dirent *entry;
        CHECK(folder != NULL);
        while (folder && (entry = readdir(folder))) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
            check_cost(path);
        }
        if (folder)
            closedir(folder);
    }
    CHECKF(opened >= 10, "%d", opened);
}

int main(void)
{
    TEST(patterns);
    TEST(shards_are_even);
    TEST(local_ranks);
    TEST(temporaries_by_name);
    TEST(costs_as_decoded);
    return test_finish();
}
