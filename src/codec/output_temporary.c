/* The temporary files that outputs are written to, and those that killed runs have left: see
 * codec/output_temporary.h.
 *
 * Where the file system can make files without a name (O_TMPFILE), a temporary gets its name only
 * when it is complete: a process that is killed leaves nothing. Elsewhere (NFS) a process that is
 * killed with SIGKILL leaves its temporaries. A live process holds a lock on each of its
 * temporaries (flock), and the lock ends with the process in any case. So a file that can be locked
 * belongs to no process and is removed; a file that cannot be locked stays. */
#include "codec/output_temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/parallel.h"
#include "codec/output.h"

/* Part of a temporary's name: .NAME.stencilcli-RUN-N, RUN being the process in 16 hex digits. */
#define MARK       ".stencilcli-"
#define RUN_DIGITS 16

/* More than any thread count has open at once; when all slots are taken, opening fails with EMFILE.
 * Slots that were never used occupy no memory. */
#define SLOTS (PARALLEL_MOST + 64)

struct temporary {
    atomic_bool taken;  /* in use by an output */
    atomic_bool exists; /* the file is at path */
    int lock;           /* a second descriptor of the file: keeps the lock after the close */
    char path[PATH_MAX];
};

static struct temporary slot[SLOTS];
static atomic_uint next_number;

/* Identifies this process; unique among all machines that share the folder. */
static uint64_t run_id;

static void run_id_make(void)
{
    struct timespec now;

    if (getrandom(&run_id, sizeof run_id, GRND_NONBLOCK) == (ssize_t)sizeof run_id)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    run_id = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec << 16 ^ (uint64_t)getpid();
}

/* Makes a name in the target's folder. A NAME near the file system's length limit is shortened so
 * that the temporary's name fits; the cut never splits a UTF-8 character. */
static bool name_temporary(char path[PATH_MAX], const char *target)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *slash = strrchr(target, '/');
    const char *name = slash ? slash + 1 : target;
    char mark[64];
    size_t length = strlen(name), limit;
    int n;

    pthread_once(&once, run_id_make);
    snprintf(mark, sizeof mark, MARK "%016llx-%u", (unsigned long long)run_id,
             atomic_fetch_add(&next_number, 1));
    limit = NAME_MAX - 1 - strlen(mark);
    if (length > limit)
        for (length = limit; length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80;)
            length--;
    n = snprintf(path, PATH_MAX, "%.*s.%.*s%s", (int)(name - target), target, (int)length, name,
                 mark);
    if (n < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Locks the new file. Before it is locked, another run may have taken it for a dead run's file and
 * removed it (st_nlink 0): returns false. If the file system has no locks, no run does so. */
static bool lock_new(struct temporary *temporary, int fd)
{
    struct stat status;

    while (flock(fd, LOCK_EX) != 0)
        if (errno != EINTR)
            break;
    if (fstat(fd, &status) != 0 || status.st_nlink == 0)
        return false;
    temporary->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return true;
}

/* Gives the unnamed file FD a name. Linux before 6.10 allows that only through /proc, which is
 * slower: it makes a folder there for this process. */
static bool give_name(int fd, const char *name)
{
    char file[32];

    if (linkat(fd, "", AT_FDCWD, name, AT_EMPTY_PATH) == 0)
        return true;
    if (errno == EEXIST)
        return false;
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, file, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Creates a file without a name in the target's folder; -1: the file system has none, or the file
 * could not be given a name later. The path will be its name for a moment. */
static int create_unnamed(struct temporary *temporary, const char *target, mode_t mode)
{
    const char *slash = strrchr(target, '/');
    char folder[PATH_MAX] = ".";
    int fd;

    /* The variable is for tests of named temporaries. */
    if (getenv("STENCILCLI_NAMED_TEMPORARIES") || !name_temporary(temporary->path, target))
        return -1;
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - target) + 1, target);
    fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    if (fd < 0)
        return -1;
    temporary->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (temporary->lock >= 0 && flock(fd, LOCK_EX) == 0 && !give_name(fd, ".") && errno == EEXIST)
        return fd;
    if (temporary->lock >= 0)
        close(temporary->lock);
    close(fd);
    return -1;
}

/* Creates a file under a new name and locks it; -1 with errno set. If the name is taken, or another
 * run has removed the file, the next number is tried. */
static int create_locked(struct temporary *temporary, const char *target, mode_t mode)
{
    int fd = -1;

    while (fd < 0) {
        if (name_temporary(temporary->path, target))
            fd = open(temporary->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST && errno != EINTR)
            return -1;
        if (fd >= 0 && !lock_new(temporary, fd)) {
            close(fd);
            fd = -1;
        }
    }
    return fd;
}

struct temporary *temporary_create(const char *target, mode_t mode, int *fd)
{
    sigset_t before = signals_hold();
    struct temporary *temporary = slot, *end = slot + SLOTS;

    *fd = -1;
    while (temporary < end && atomic_exchange(&temporary->taken, true))
        temporary++;
    if (temporary < end) {
        *fd = create_unnamed(temporary, target, mode);
        if (*fd < 0) {
            *fd = create_locked(temporary, target, mode);
            atomic_store(&temporary->exists, *fd >= 0);
        }
        atomic_store(&temporary->taken, *fd >= 0);
    } else {
        errno = EMFILE;
    }
    signals_release(&before);
    return *fd >= 0 ? temporary : NULL;
}

/* Exchanges the two names and removes the old file. On ext4, a rename that replaces a file waits
 * until the new file's blocks are allocated and on their way to the disk (0.7 ms for 150 kB, 50 for
 * 55 MB); an exchange does not wait. False if nothing was done: no old file, or unsupported. */
static bool exchange(struct temporary *temporary, const char *target)
{
    if (renameat2(AT_FDCWD, temporary->path, AT_FDCWD, target, RENAME_EXCHANGE) != 0)
        return false;
    if (unlink(temporary->path) == 0 || errno == ENOENT) /* ENOENT: removed by the handler */
        return true;
    /* TARGET has become a folder meanwhile: exchange back, so that rename reports the error. */
    renameat2(AT_FDCWD, temporary->path, AT_FDCWD, target, RENAME_EXCHANGE);
    return false;
}

/* Gives an unnamed file the name TARGET, or its own path if TARGET exists already. False with errno
 * set. */
static bool link_unnamed(struct temporary *temporary, const char *target)
{
    sigset_t before = signals_hold();
    bool linked = give_name(temporary->lock, target);

    if (!linked && errno == EEXIST) {
        linked = give_name(temporary->lock, temporary->path);
        atomic_store(&temporary->exists, linked);
    }
    signals_release(&before);
    return linked;
}

bool temporary_rename(struct temporary *temporary, const char *target)
{
    if (!atomic_load(&temporary->exists)) {
        if (!link_unnamed(temporary, target))
            return false;
        if (!atomic_load(&temporary->exists))
            return true; /* there was no old file */
    }
    if (!exchange(temporary, target) && rename(temporary->path, target) != 0) {
        signals_wait_if_dying(); /* the handler may have removed the file */
        return false;
    }
    atomic_store(&temporary->exists, false);
    return true;
}

void temporary_free(struct temporary *temporary)
{
    if (atomic_load(&temporary->exists))
        unlink(temporary->path);
    atomic_store(&temporary->exists, false);
    if (temporary->lock >= 0)
        close(temporary->lock);
    atomic_store(&temporary->taken, false);
}

/* Async-signal-safe. */
void temporary_unlink_all(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&slot[i].exists))
            unlink(slot[i].path);
}

/* ---- what killed runs have left ---- */

/* ".NAME.stencilcli-0123456789abcdef-7"; the last mark counts, since NAME may contain one. */
bool temporary_is_name(const char *name)
{
    const char *mark = NULL, *at = name;
    size_t digits;

    while ((at = strstr(at, MARK)))
        mark = at++;
    if (name[0] != '.' || !mark || mark == name)
        return false;
    at = mark + strlen(MARK);
    if (strspn(at, "0123456789abcdef") != RUN_DIGITS || at[RUN_DIGITS] != '-')
        return false;
    at += RUN_DIGITS + 1;
    digits = strspn(at, "0123456789");
    return digits > 0 && at[digits] == '\0';
}

static bool remove_if_stale(int folder, const char *name)
{
    /* Open for writing: a lock over NFS requires it. */
    int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    bool removed = false;

    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 0 &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        /* If its run has renamed the file since it was opened, the name no longer exists. */
        removed = unlinkat(folder, name, 0) == 0;
    close(fd);
    return removed;
}

int temporary_remove_stale(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    int removed = 0;

    while (entries && (entry = readdir(entries)))
        if (temporary_is_name(entry->d_name))
            removed += remove_if_stale(dirfd(entries), entry->d_name);
    if (entries)
        closedir(entries);
    return removed;
}
