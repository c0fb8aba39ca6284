/* Output files that appear only whole: see codec/output.h. This file decides where the bytes go
 * (temporary, device, stdout), checks the result of every write, and renames at the end.
 * codec/output_temporary.c keeps the list of temporaries; codec/output_signals.c removes them when
 * a signal ends the program.
 *
 * Nothing is synced to the disk unless asked for: the promise covers failed runs, not power cuts,
 * and fsync would take longer than most filters. */
#include "codec/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "codec/output_attributes.h"
#include "codec/output_temporary.h"

/* Small writes (headers, single rows) are collected here; larger ones bypass the buffer. */
#define BUFFER_BYTES ((size_t)128 * 1024)

/* Below this size a reservation costs more than it saves. */
#define EXPECT_BYTES ((uint64_t)1024 * 1024)

/* The limit after which Linux itself reports ELOOP. */
#define MAX_LINKS 40

/* Every report has this word near its beginning. */
#define REPORT_MARK  "stencilcli"
#define REPORT_BYTES 1024

struct output {
    int fd;
    const char *name;
    char *target;                /* the file to be replaced: the path with its symlinks resolved */
    struct temporary *temporary; /* NULL: written directly */
    bool sync;
    struct stat *written; /* NULL: not wanted */
    size_t used;
    unsigned char buffer[BUFFER_BYTES];
    char path[]; /* the caller's path */
};

/* Reopening such a file would overwrite its beginning if the shell has opened it with >>, and
 * replacing it would detach it from the shell. */
int output_own_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]), digits;
        if (strncmp(path, folders[i], length) != 0)
            continue;
        digits = strspn(path + length, "0123456789");
        if (digits >= 1 && digits <= 6 && path[length + digits] == '\0')
            return (int)strtol(path + length, NULL, 10);
    }
    return -1;
}

/* realpath would fail if the target does not exist yet. */
char *output_target(const char *path)
{
    char *target = strdup(path);

    for (int i = 0; target && i < MAX_LINKS; i++) {
        char link[PATH_MAX], *joined;
        const char *slash = strrchr(target, '/');
        ssize_t n = readlink(target, link, sizeof link - 1);
        if (n < 0)
            return target; /* not a link, or missing; other errors appear when the file is opened */
        link[n] = '\0';
        if (link[0] == '/' || !slash)
            joined = strdup(link);
        else if (asprintf(&joined, "%.*s/%s", (int)(slash - target), target, link) < 0)
            joined = NULL;
        free(target);
        target = joined;
    }
    if (target) {
        free(target);
        errno = ELOOP;
    }
    return NULL;
}

/* OLD is the status of the file to be replaced, or NULL. */
static bool open_temporary(struct output *out, const struct stat *old, struct error *err)
{
    const char *slash;
    int folder;

    out->target = output_target(out->path);
    if (!out->target)
        return error_errno(err, out->name, "write");
    slash = strrchr(out->target, '/');
    folder = slash ? (int)(slash - out->target) : 0;
    if (slash ? slash[1] == '\0' : out->target[0] == '\0')
        return error_file(err, out->name, "a folder's name, expected a file's");
    /* A rename would replace even a write-protected file, against its owner's will. */
    if (old && faccessat(AT_FDCWD, out->target, W_OK, AT_EACCESS) != 0)
        return error_errno(err, out->name, "write");
    out->temporary = temporary_create(out->target, old ? 0600 : 0666, &out->fd);
    if (!out->temporary && errno == ENOENT)
        return error_file(err, out->name, "the folder '%.*s' does not exist", folder, out->target);
    if (!out->temporary)
        return error_file(err, out->name, "cannot create a file in '%.*s': %s",
                          slash ? (folder ? folder : 1) : 1, slash ? out->target : ".",
                          strerror(errno));
    return !old || output_keep_attributes(out->fd, out->target, old) ||
           error_errno(err, out->name, "set its mode bits");
}

static bool open_target(struct output *out, struct error *err)
{
    int own = strcmp(out->path, "-") == 0 ? STDOUT_FILENO : output_own_descriptor(out->path);
    struct stat status;

    if (out->path[0] == '\0')
        return error_set(err, EXIT_INPUT, "the output's name is empty");
    if (own >= 0) {
        out->fd = fcntl(own, F_DUPFD_CLOEXEC, 0);
        return out->fd >= 0 || error_errno(err, out->name, "write");
    }
    if (stat(out->path, &status) != 0)
        return errno == ENOENT ? open_temporary(out, NULL, err)
                               : error_errno(err, out->name, "write");
    if (S_ISDIR(status.st_mode))
        return error_file(err, out->name, "is a folder, expected a file's name");
    if (S_ISREG(status.st_mode))
        return open_temporary(out, &status, err);
    do
        out->fd = open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    while (out->fd < 0 && errno == EINTR);
    return out->fd >= 0 || error_errno(err, out->name, "write");
}

bool output_open(struct output **output, const char *path, struct error *err)
{
    /* malloc, not calloc: the buffer's pages need not be touched */
    struct output *out = *output = malloc(sizeof *out + strlen(path) + 1);

    if (!out)
        return error_file(err, path, "no memory to write it");
    memset(out, 0, offsetof(struct output, buffer));
    out->fd = -1;
    memcpy(out->path, path, strlen(path) + 1);
    out->name = strcmp(path, "-") == 0 ? "standard output" : out->path;
    if (open_target(out, err))
        return true;
    output_discard(out);
    *output = NULL;
    return false;
}

/* Reserves blocks but keeps the file's size, so that no reader sees padding. On ext4 the
 * reservation also makes the rename fast, which otherwise allocates and flushes all delayed blocks
 * when it replaces a file (25 MB: 9 ms against 24, means of 11). */
bool output_expect(struct output *output, uint64_t bytes, struct error *err)
{
    struct statfs fs;

    if (!output->temporary || bytes < EXPECT_BYTES || bytes > INT64_MAX)
        return true;
    /* In tmpfs a reservation allocates the pages that writing would allocate later, so it gains
     * nothing. */
    if (fstatfs(output->fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC) {
        /* f_blocks is 0 if the file system has no limit */
        if (fs.f_blocks == 0 || bytes / (uint64_t)fs.f_bsize < fs.f_bavail)
            return true;
        errno = ENOSPC;
        return error_errno(err, output->name, "write");
    }
    if (fallocate(output->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) == 0 ||
        (errno != ENOSPC && errno != EDQUOT && errno != EFBIG))
        return true; /* reserving is not supported: writing will show whether there is room */
    return error_errno(err, output->name, "write");
}

static bool write_all(struct output *output, const unsigned char *bytes, size_t count,
                      struct error *err)
{
    while (count > 0) {
        ssize_t n = write(output->fd, bytes, count);
        if (n >= 0) {
            bytes += n;
            count -= (size_t)n;
        } else if (errno == EAGAIN) {
            /* another program that shares stdout made it non-blocking */
            struct pollfd wait = {.fd = output->fd, .events = POLLOUT};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return error_errno(err, output->name, "write");
        }
    }
    return true;
}

static bool flush(struct output *output, struct error *err)
{
    size_t used = output->used;

    output->used = 0;
    return write_all(output, output->buffer, used, err);
}

bool output_write(struct output *output, const void *data, size_t bytes, struct error *err)
{
    if (bytes > BUFFER_BYTES - output->used && !flush(output, err))
        return false;
    if (bytes >= BUFFER_BYTES)
        return write_all(output, data, bytes, err);
    memcpy(output->buffer + output->used, data, bytes);
    output->used += bytes;
    return true;
}

bool output_end_page(struct output *output, struct error *err)
{
    return output->temporary || flush(output, err);
}

bool output_can_replace(const struct output *output)
{
    return output->temporary != NULL;
}

bool output_replace(struct output *output, uint64_t place, const void *data, size_t bytes,
                    struct error *err)
{
    if (!flush(output, err))
        return false;
    for (size_t done = 0; done < bytes;) {
        ssize_t n =
            pwrite(output->fd, (const uint8_t *)data + done, bytes - done, (off_t)(place + done));
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            return error_errno(err, output->name, "write");
    }
    return true;
}

void output_watch(struct output *output, bool sync, struct stat *written)
{
    output->sync = sync;
    output->written = written;
}

/* Sets the file's time and reads its status. A file system that cannot set times keeps its own
 * time. */
static bool look_at(const struct output *output, struct error *err)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};

    clock_gettime(CLOCK_REALTIME, &times[1]);
    futimens(output->fd, times);
    return fstat(output->fd, output->written) == 0 || error_errno(err, output->name, "write");
}

/* Syncs the folder, since it holds the new name. EINVAL: the file system cannot sync folders. */
static bool sync_folder(const struct output *output, struct error *err)
{
    const char *slash = strrchr(output->target, '/');
    char *folder = slash ? strndup(output->target, (size_t)(slash - output->target) + 1) : NULL;
    int fd = open(folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

    free(folder);
    if (!ok)
        error_errno(err, output->name, "sync its folder");
    if (fd >= 0)
        close(fd);
    return ok;
}

bool output_commit(struct output *output, struct error *err)
{
    bool ok =
        flush(output, err) && (!output->temporary || !output->written || look_at(output, err));
    int fd = output->fd;

    output->fd = -1;
    if (ok && output->sync && output->temporary && fsync(fd) != 0)
        ok = error_errno(err, output->name, "sync");
    /* EINTR: Linux has closed the file anyway, and no loss is known. */
    if (close(fd) != 0 && errno != EINTR && ok)
        ok = error_errno(err, output->name, "write");
    if (ok && output->temporary && !temporary_rename(output->temporary, output->target))
        ok = error_errno(err, output->name, "write");
    if (ok && output->sync && output->temporary)
        ok = sync_folder(output, err);
    output_discard(output);
    return ok;
}

void output_discard(struct output *output)
{
    if (!output)
        return;
    if (output->fd >= 0)
        close(output->fd); /* the file is discarded: no error to report */
    if (output->temporary)
        temporary_free(output->temporary);
    free(output->target);
    free(output);
}

const char *output_name(const struct output *output)
{
    return output->name;
}

bool output_end(struct output *output, bool good, struct error *err)
{
    if (good)
        return output_commit(output, err);
    output_discard(output);
    return false;
}

bool output_whole(const char *path, const void *data, size_t bytes, struct error *err)
{
    struct output *output;

    return output_open(&output, path, err) &&
           output_end(output, output_write(output, data, bytes, err), err);
}

bool output_page(const char *path, void (*put)(FILE *out, const void *context), const void *context,
                 struct error *err)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    bool good = false;

    if (out) {
        put(out, context);
        good = !ferror(out);
        good = fclose(out) == 0 && good;
    }
    good = good ? output_whole(path, text, bytes, err)
                : error_set(err, EXIT_INPUT, "%s: no memory to write it", path);
    free(text);
    return good;
}

void output_text_aside(const char *path)
{
    if (path && (strcmp(path, "-") == 0 || output_own_descriptor(path) == STDOUT_FILENO))
        stdout = stderr;
}

bool output_check_report(const char *path, struct error *err)
{
    int fd = strcmp(path, "-") != 0 ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    struct stat status;
    char begin[REPORT_BYTES + 1] = "";
    bool is_file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    ssize_t bytes = is_file ? read(fd, begin, REPORT_BYTES) : -1; /* errors: writing reports them */

    if (fd >= 0)
        close(fd);
    return bytes <= 0 || (begin[0] == '<' && strstr(begin, REPORT_MARK)) ||
           error_set(err, EXIT_USAGE, "%s: exists and is not a report: choose another name", path);
}
