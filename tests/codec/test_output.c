/* Outputs as files: they appear only whole. Whatever fails (a full disk, a missing folder, a
 * signal), the old file stays unchanged and no temporary remains. tests/codec/test_output_signals.c
 * tests death by signal, tests/codec/test_output_direct.c devices and pipes. */
#include <fcntl.h>
#include <grp.h>
#include <linux/magic.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "codec/output.h"
#include "tests/codec/test_pictures.h"

#define LARGE_BYTES ((size_t)1000 * 1000)

static char large[LARGE_BYTES];

/* Counts the files whose names begin with PREFIX. */
static int count_files(const char *prefix)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    int count = 0;

    while ((entry = readdir(folder)))
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
                 strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

#define NO_TEMPORARIES() CHECK(count_files(".") == 0)

static mode_t mode_of(const char *path)
{
    struct stat status;

    CHECK(lstat(path, &status) == 0);
    return status.st_mode;
}

static void check_refused(const char *path, const char *sentence)
{
    struct error err = {0};

    CHECK(!put_text(path, "new", &err));
    CHECKF(strcmp(err.text, sentence) == 0, "'%s'", err.text);
    CHECK(err.code == EXIT_INPUT);
    NO_TEMPORARIES();
}

/* ---- whole or not at all ---- */

static void new_file(void)
{
    static const size_t sizes[] = {0, 1, 1000, 131071, 131072, 131073, 300000};
    struct output *output = NULL;
    struct error err;
    size_t i, used = 0;

    umask(027);
    CHECK(output_open(&output, "new.bin", &err));
    CHECK(strcmp(output_name(output), "new.bin") == 0);
    CHECK(access("new.bin", F_OK) != 0 && count_files(".new.bin.stencilcli-") == 1);
    for (i = 0; i < sizeof sizes / sizeof *sizes; used += sizes[i++])
        CHECK(output_write(output, large + used, sizes[i], &err));
    CHECK(access("new.bin", F_OK) != 0);
    CHECK(output_commit(output, &err) && file_holds("new.bin", large, used));
    CHECK(mode_of("new.bin") == (S_IFREG | 0640));
    umask(022);
    NO_TEMPORARIES();
}

/* Bytes that were written can be replaced, whether they are in the buffer or in the file. */
static void replaced(void)
{
    static const size_t sizes[] = {16, 1000, 300000};
    struct output *output = NULL;
    struct error err;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *bytes = malloc(sizes[i]);
        FILE *file;
        CHECK(output_open(&output, "replaced.bin", &err) && output_can_replace(output));
        CHECK(output_write(output, large, sizes[i], &err));
        CHECK(output_replace(output, 3, "header", 6, &err));
        CHECK(output_write(output, "end", 3, &err));
        CHECK(output_commit(output, &err));
        file = fopen("replaced.bin", "rb");
        CHECK(file && fread(bytes, 1, sizes[i], file) == sizes[i]);
        CHECK(memcmp(bytes, large, 3) == 0 && memcmp(bytes + 3, "header", 6) == 0 &&
              memcmp(bytes + 9, large + 9, sizes[i] - 9) == 0);
        CHECK(file && fread(bytes, 1, 4, file) == 3 && memcmp(bytes, "end", 3) == 0);
        fclose(file);
        free(bytes);
        remove("replaced.bin");
    }
    NO_TEMPORARIES();
}

static void discarded(void)
{
    struct output *output = NULL;
    struct error err;

    write_file("old.bin", "old", 3);
    CHECK(output_open(&output, "old.bin", &err));
    CHECK(output_write(output, large, sizeof large, &err) && count_files(".") == 1);
    CHECK(file_holds("old.bin", "old", 3));
    output_discard(output);
    output_discard(NULL);
    CHECK(file_holds("old.bin", "old", 3));
    NO_TEMPORARIES();
}

static void mode_bits_are_kept(void)
{
    static const mode_t modes[] = {0600, 0640, 0755, 0666, 0200};
    struct error err;
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        write_file("mode.bin", "old", 3);
        CHECK(chmod("mode.bin", modes[i]) == 0);
        CHECKF(put_text("mode.bin", "new", &err), "%s", err.text);
        CHECK(mode_of("mode.bin") == (S_IFREG | modes[i]));
        CHECK(unlink("mode.bin") == 0);
    }
}

static void symlinks(void)
{
    struct error err;

    CHECK(mkdir("there", 0777) == 0 && symlink("there/b", "a") == 0);
    CHECK(symlink("../target", "there/b") == 0 && symlink("loop", "loop") == 0);
    CHECK(put_text("a", "dangling", &err)); /* a -> there/b -> target, which does not exist yet */
    CHECK(S_ISLNK(mode_of("a")) && S_ISLNK(mode_of("there/b")) && S_ISREG(mode_of("target")));
    CHECK(file_holds("target", "dangling", 8));
    CHECK(put_text("a", "again", &err) && S_ISLNK(mode_of("a")) &&
          file_holds("target", "again", 5));
    check_refused("loop", "loop: cannot write: Too many levels of symbolic links");
    CHECK(unlink("there/b") == 0 && rmdir("there") == 0 && unlink("loop") == 0);
    check_refused("a", "a: the folder 'there' does not exist");
    CHECK(unlink("a") == 0);
    NO_TEMPORARIES();
}

static void in_place(void)
{
    struct image image = make_picture(300, 400, 3, 255, 0, 9), strip;
    struct image_info info = info_of(&image, 255);
    struct sink_options options = {.quality = 90, .threads = 1};
    struct source *source = NULL;
    struct sink *sink = NULL;
    struct error err;
    int y;

    CHECK(write_picture("same.ppm", &image, 255, &options, 400, &err));
    CHECK(source_open(&source, "same.ppm", &err));
    CHECK(sink_open(&sink, "same.ppm", &info, &options, &err));
    for (y = 0; y < 400; y += 100) {
        strip = make_picture(300, 100, 3, 255, 0, 0);
        CHECK(source_read(source, &strip, &err) && sink_write(sink, &strip, &err));
        free(strip.data);
    }
    CHECK(sink_finish(sink, &err));
    source_close(source);
    CHECK(source_open(&source, "same.ppm", &err) && source_read_all(source, &strip, &err));
    CHECK(same_samples(&image, &strip));
    source_close(source);
    image_free(&strip);
    free(image.data);
    NO_TEMPORARIES();
}

static void long_names(void)
{
    char name[NAME_MAX + 1];
    struct error err;

    memset(name, 'n', NAME_MAX);
    memcpy(name + 200, "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 16);
    name[NAME_MAX] = '\0';
    CHECKF(put_text(name, "long", &err) && file_holds(name, "long", 4), "%s", err.text);
    CHECK(unlink(name) == 0);
    NO_TEMPORARIES();
}

/* ---- refusals ---- */

static void refusals(void)
{
    CHECK(mkdir("folder", 0777) == 0);
    write_file("file", "old", 3);
    check_refused("", "the output's name is empty");
    check_refused("folder", "folder: is a folder, expected a file's name");
    check_refused("nothing/", "nothing/: a folder's name, expected a file's");
    check_refused("nothing/out.png", "nothing/out.png: the folder 'nothing' does not exist");
    check_refused("file/out.png", "file/out.png: cannot write: Not a directory");
    CHECK(file_holds("file", "old", 3) && rmdir("folder") == 0);
}

/* Runs CHECKs in a child without special rights, so that access can be refused. */
static void protected_places(void)
{
    pid_t child;
    int status;

    CHECK(mkdir("closed", 0777) == 0 && chmod(".", 0777) == 0);
    write_file("closed/old", "old", 3);
    write_file("readonly", "old", 3);
    CHECK(chmod("closed", 0555) == 0 && chmod("closed/old", 0666) == 0);
    CHECK(chmod("readonly", 0444) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
            _exit(99);
        check_refused("closed/out",
                      "closed/out: cannot create a file in 'closed': Permission denied");
        check_refused("closed/old",
                      "closed/old: cannot create a file in 'closed': Permission denied");
        check_refused("readonly", "readonly: cannot write: Permission denied");
        fflush(stdout);
        _exit(test_failures ? 1 : 0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(file_holds("readonly", "old", 3) && file_holds("closed/old", "old", 3));
    CHECK(chmod("closed", 0777) == 0 && unlink("closed/old") == 0 && rmdir("closed") == 0);
}

/* A real file that cannot grow: writing fails in the middle of the temporary. */
static void no_room_for_the_temporary(void)
{
    pid_t child;
    int status;

    write_file("small.bin", "old", 3);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct rlimit limit = {200000, 200000};
        struct output *output = NULL;
        struct error err;
        output_install_signal_handlers();
        CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        CHECK(output_open(&output, "small.bin", &err));
        CHECK(!output_write(output, large, sizeof large, &err));
        CHECKF(strcmp(err.text, "small.bin: cannot write: File too large") == 0, "%s", err.text);
        output_discard(output);
        fflush(stdout);
        _exit(test_failures ? 1 : 0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(file_holds("small.bin", "old", 3));
    NO_TEMPORARIES();
}

/* Whether the file system can reserve space; file systems in memory have their own test
 * (room_in_memory). */
static bool can_reserve(void)
{
    int fd = open("probe", O_WRONLY | O_CREAT, 0666);
    struct statfs fs;
    bool can = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 4096) == 0 && fstatfs(fd, &fs) == 0 &&
               fs.f_type != TMPFS_MAGIC;

    close(fd);
    unlink("probe");
    return can;
}

static void room_is_reserved(void)
{
    struct output *output = NULL;
    struct stat status;
    struct error err;

    CHECK(output_open(&output, "expected.bin", &err));
    CHECK(output_expect(output, 2000000, &err));
    CHECK(output_write(output, "few", 3, &err) && output_commit(output, &err));
    CHECK(stat("expected.bin", &status) == 0 && status.st_size == 3);
    CHECK(status.st_blocks * 512 >= 2000000);
    CHECK(output_open(&output, "expected.bin", &err));
    CHECK(!output_expect(output, (uint64_t)1 << 60, &err)); /* an exbibyte */
    CHECKF(strncmp(err.text, "expected.bin: cannot write: ", 28) == 0, "%s", err.text);
    output_discard(output);
    CHECK(file_holds("expected.bin", "few", 3));
    NO_TEMPORARIES();
}

/* As many outputs as there are slots, or file descriptors; each output takes two descriptors. */
static void many_at_once(void)
{
    static struct output *outputs[1100];
    char name[32];
    struct error err;
    int i, open_count;

    for (open_count = 0; open_count < 1100; open_count++) {
        snprintf(name, sizeof name, "many%d", open_count);
        if (!output_open(&outputs[open_count], name, &err))
            break;
    }
    CHECKF(open_count >= 400 && open_count <= 1088, "%d", open_count);
    CHECKF(strstr(err.text, "Too many open files") != NULL, "%s", err.text);
    for (i = 0; i < open_count; i++) {
        CHECK(output_write(outputs[i], large, (size_t)i, &err));
        if (i % 2)
            output_discard(outputs[i]);
        else
            CHECK(output_commit(outputs[i], &err));
    }
    CHECK(count_files("many") == (open_count + 1) / 2);
    for (i = 0; i < open_count; i += 2) {
        snprintf(name, sizeof name, "many%d", i);
        CHECK(file_holds(name, large, (size_t)i) && unlink(name) == 0);
    }
    NO_TEMPORARIES();
}

static bool memory_is_there(void)
{
    struct statfs fs;
    return access("/dev/shm", W_OK) == 0 && statfs("/dev/shm", &fs) == 0 &&
           fs.f_type == TMPFS_MAGIC && fs.f_blocks > 0;
}

/* A file system in memory reserves nothing, but a lack of space is still reported. */
static void room_in_memory(void)
{
    struct output *output;
    struct stat status;
    struct error err;
    char path[64];

    snprintf(path, sizeof path, "/dev/shm/stencilcli-test-%ld", (long)getpid());
    if (!output_open(&output, path, &err)) {
        CHECKF(false, "%s", err.text);
        return;
    }
    CHECK(output_expect(output, (uint64_t)2 << 20, &err));
    CHECK(!output_expect(output, (uint64_t)1 << 60, &err));
    CHECK(strstr(err.text, "No space left on device") || strstr(err.text, "File too large"));
    output_discard(output);
    CHECK(access(path, F_OK) != 0);
    CHECK(output_open(&output, path, &err) && output_expect(output, (uint64_t)20 << 20, &err));
    CHECK(output_write(output, "few", 3, &err) && output_commit(output, &err));
    CHECK(stat(path, &status) == 0 && status.st_size == 3 && status.st_blocks < 20 << 11);
    CHECK(unlink(path) == 0);
}

/* ---- what a replaced file passes on ---- */

/* The owner and the user UID may read and write, the group has the rights GROUP; the mask of the
 * ACL makes the mode's group bits "rw". */
static bool set_acl(const char *path, uint32_t uid, uint16_t group)
{
    const struct {
        uint16_t tag, rights;
    } entries[] = {{1, 6}, {2, 6}, {4, group}, {0x10, 6}, {0x20, 0}};
    uint8_t acl[4 + 8 * 5] = {2};

    for (int i = 0; i < 5; i++) {
        uint32_t id = entries[i].tag == 2 ? uid : UINT32_MAX;
        memcpy(acl + 4 + 8 * i, &entries[i], 4);
        memcpy(acl + 8 + 8 * i, &id, 4);
    }
    return setxattr(path, "system.posix_acl_access", acl, sizeof acl, 0) == 0;
}

/* The rights in the first entry with this tag; -1: none. */
static int acl_rights(const char *path, uint8_t tag)
{
    uint8_t acl[256];
    ssize_t bytes = getxattr(path, "system.posix_acl_access", acl, sizeof acl);

    for (ssize_t at = 4; at + 8 <= bytes; at += 8)
        if (acl[at] == tag)
            return acl[at + 2];
    return -1;
}

static void attributes_are_kept(void)
{
    char value[256];
    struct error err;

    write_file("old.bin", "old", 3);
    CHECK(chmod("old.bin", 0640) == 0);
    bool user = setxattr("old.bin", "user.note", "kept", 4, 0) == 0;
    bool acl = set_acl("old.bin", 12345, 0);
    CHECK(put_text("old.bin", "new", &err) && file_holds("old.bin", "new", 3));
    if (user)
        CHECK(getxattr("old.bin", "user.note", value, sizeof value) == 4 &&
              memcmp(value, "kept", 4) == 0);
    if (acl) {
        CHECK(acl_rights("old.bin", 4) == 0 && acl_rights("old.bin", 2) == 6);
        CHECK(mode_of("old.bin") == (S_IFREG | 0660));
    } else {
        CHECK(mode_of("old.bin") == (S_IFREG | 0640));
    }
    if (!user || !acl)
        printf("# the file system has no %s\n", user ? "ACLs" : "extended attributes");
    CHECK(unlink("old.bin") == 0);
    NO_TEMPORARIES();
}

/* A user who may write the file but gives it another owner and group: the new group gains nothing
 * from the ACL, in which the old group may read. */
static void acl_of_another_group(void)
{
    enum { NOBODY = 65534 };
    struct stat status;
    int ended = 0;

    CHECK(chmod(".", 0755) == 0 && mkdir("open", 0777) == 0 && chmod("open", 0777) == 0);
    write_file("open/old.bin", "old", 3);
    if (geteuid() != 0 || !set_acl("open/old.bin", NOBODY, 4)) {
        printf("# not run by root on a file system with ACLs\n");
    } else {
        pid_t child;
        fflush(stdout);
        child = fork();
        if (child == 0) {
            struct error err;
            _exit(setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
                  setresuid(NOBODY, NOBODY, NOBODY) != 0 || !put_text("open/old.bin", "new", &err));
        }
        CHECK(waitpid(child, &ended, 0) == child && ended == 0);
        CHECK(stat("open/old.bin", &status) == 0 && status.st_gid == NOBODY);
        CHECKF(acl_rights("open/old.bin", 4) == 0 && acl_rights("open/old.bin", 2) == 6,
               "group %d, user %d", acl_rights("open/old.bin", 4), acl_rights("open/old.bin", 2));
    }
    CHECK(unlink("open/old.bin") == 0 && rmdir("open") == 0);
}

/* A file without a name is made where the file system has such files: nothing can remain. */
static void unnamed_until_complete(void)
{
    int fd = open(".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    struct output *output = NULL;
    struct error err;

    if (fd < 0) {
        printf("# the file system has no files without a name\n");
        return;
    }
    close(fd);
    unsetenv("STENCILCLI_NAMED_TEMPORARIES");
    for (int turn = 0; turn < 2; turn++) { /* a new file, then one that is replaced */
        CHECK(output_open(&output, "new.bin", &err) && output_write(output, "text", 4, &err));
        NO_TEMPORARIES();
        CHECK(output_commit(output, &err) && file_holds("new.bin", "text", 4));
        NO_TEMPORARIES();
    }
    CHECK(output_open(&output, "new.bin", &err) && output_write(output, "more", 4, &err));
    output_discard(output);
    CHECK(file_holds("new.bin", "text", 4) && unlink("new.bin") == 0);
    setenv("STENCILCLI_NAMED_TEMPORARIES", "1", 1);
}

int main(void)
{
    char folder[64];
    size_t i;

    for (i = 0; i < sizeof large; i++)
        large[i] = (char)(i * 2654435761u >> 13);
    if (!enter_test_folder(folder))
        return 1;
    setenv("STENCILCLI_NAMED_TEMPORARIES", "1", 1);
    TEST(new_file);
    TEST(replaced);
    TEST(discarded);
    TEST(mode_bits_are_kept);
    TEST(attributes_are_kept);
    TEST(acl_of_another_group);
    TEST(unnamed_until_complete);
    TEST(symlinks);
    TEST(in_place);
    TEST(long_names);
    TEST(refusals);
    TEST(protected_places);
    TEST(no_room_for_the_temporary);
    if (can_reserve())
        TEST(room_is_reserved);
    else
        test_skip("room_is_reserved", "this file system cannot reserve room");
    TEST(many_at_once);
    if (memory_is_there())
        TEST(room_in_memory);
    else
        test_skip("room_in_memory", "no file system in memory at /dev/shm");
    return test_finish() || !leave_test_folder(folder);
}
