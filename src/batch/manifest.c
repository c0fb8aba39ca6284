/* The manifest of a batch: lines that are only appended. To find a file, its line is printed and
 * searched for among the lines read; lines are not parsed, and other JSON is ignored. */
#include "batch/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "codec/folder.h"

struct manifest {
    int fd; /* -1: read only */
    char *path;
    char recipe[17];
    bool sync;
    pthread_mutex_t appending; /* locks out other threads, as flock(2) locks out other processes */
    FILE *line;                /* the line being printed, in `text`; protected by that lock */
    char *text;
    size_t bytes;
    /* This recipe's lines, as a tree of search.h. An output may have several lines with other sizes
     * and times: two concurrent runs may write and record it in different orders. */
    void *lines;
};

static int64_t mtime_ns(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

/* ---- reading ---- */

static int compare_lines(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Keeps a copy of a complete line, unless the line is kept already. */
static bool keep(struct manifest *m, const char *line)
{
    char *copy = strdup(line), **place = copy ? tsearch(copy, &m->lines, compare_lines) : NULL;

    if (!place || *place != copy)
        free(copy);
    return place != NULL;
}

/* Returns -1 with ERR and errno. Never waits for the other end of a pipe. */
static int open_regular(const char *path, int flags, const char *verb, struct error *err)
{
    int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0666), code = errno;
    struct stat status;

    if (fd < 0)
        error_errno(err, path, verb);
    errno = code;
    if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
        return fd;
    close(fd);
    error_set(err, EXIT_INPUT, "%s: is no regular file", path);
    errno = EINVAL;
    return -1;
}

/* Longer lines are not ours: two names of PATH_MAX bytes, each byte as \u00XX at worst, and numbers
 * take less. */
#define LINE_BYTES (16 * PATH_MAX)

/* Reads lines through a buffer of fixed size, since a damaged manifest may have a line of
 * gigabytes. */
static bool read_lines(struct manifest *m, const char *path, struct error *err)
{
    int fd = open_regular(path, O_RDONLY, "read", err);
    char *buffer, *end;
    size_t used = 0;
    bool ok, skipping = false; /* inside a line that is too long */
    ssize_t n = 0;

    if (fd < 0)
        return errno == ENOENT;
    buffer = malloc(LINE_BYTES + 1);
    ok = buffer || error_set(err, EXIT_INPUT, "%s: no memory to read it", path);
    while (ok &&
           ((n = read(fd, buffer + used, LINE_BYTES - used)) > 0 || (n < 0 && errno == EINTR))) {
        char *line = buffer;
        used += n > 0 ? (size_t)n : 0;
        for (; ok && (end = memchr(line, '\n', used - (size_t)(line - buffer))); line = end + 1) {
            char next = end[1];
            end[1] = '\0';
            if (!skipping && strstr(line, m->recipe) && !keep(m, line))
                ok = error_set(err, EXIT_INPUT, "%s: no memory for its lines", path);
            end[1] = next;
            skipping = false;
        }
        used -= (size_t)(line - buffer);
        memmove(buffer, line, used);
        if (used == LINE_BYTES) {
            skipping = true;
            used = 0;
        }
    }
    if (ok && n < 0)
        ok = error_errno(err, path, "read");
    free(buffer);
    close(fd);
    return ok;
}

static bool read_all(struct manifest *m, const char *folder, struct error *err)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    bool ok = true;

    if (!entries)
        return error_errno(err, folder, "read");
    while (ok && (entry = readdir(entries))) {
        char *path = folder_is_manifest(entry->d_name) ? path_join(folder, entry->d_name) : NULL;
        ok = !path || read_lines(m, path, err);
        free(path);
    }
    closedir(entries);
    return ok;
}

/* ---- writing ---- */

/* Appends the line with one write. If the file ends with a partial line (a kill, a full disk), it
 * ends that line first. False with errno set. */
static bool write_line(const struct manifest *m)
{
    off_t end = lseek(m->fd, 0, SEEK_END);
    char last;
    ssize_t n;

    if (end > 0 && pread(m->fd, &last, 1, end - 1) == 1 && last != '\n' &&
        write(m->fd, "\n", 1) != 1)
        return false;
    do
        n = write(m->fd, m->text, m->bytes);
    while (n < 0 && errno == EINTR);
    if (n >= 0 && (size_t)n < m->bytes)
        errno = ENOSPC;
    return n >= 0 && (size_t)n == m->bytes;
}

/* A line is written in three steps: begin, print to m->line, end. */
static void line_begin(struct manifest *m)
{
    pthread_mutex_lock(&m->appending);
    rewind(m->line);
}

/* Writes under a lock, so that no other run mistakes a line being written for a partial line. On
 * file systems without locks a line is still one write. */
static bool line_end(struct manifest *m, struct error *err)
{
    bool ok, printed = fflush(m->line) == 0 && !ferror(m->line);
    int code;

    while (flock(m->fd, LOCK_EX) != 0 && errno == EINTR)
        ;
    ok = printed && write_line(m);
    code = errno;
    flock(m->fd, LOCK_UN);
    pthread_mutex_unlock(&m->appending);
    errno = code;
    if (!ok || (m->sync && fdatasync(m->fd) != 0))
        return error_errno(err, m->path, "write");
    return true;
}

/* Prints the line for OUTPUT, made from INPUT with this recipe. Call line_begin first. */
static void print_files(struct manifest *m, const char *output, const struct stat *now,
                        const char *input, const struct stat *in)
{
    fputs("{\"output\":", m->line);
    json_put_bytes(m->line, output);
    fprintf(m->line, ",\"bytes\":%jd,\"mtime_ns\":%" PRId64 ",\"input\":", (intmax_t)now->st_size,
            mtime_ns(now));
    json_put_bytes(m->line, input);
    fprintf(m->line, ",\"input_bytes\":%jd,\"input_mtime_ns\":%" PRId64 ",\"recipe\":\"%s\"}\n",
            (intmax_t)in->st_size, mtime_ns(in), m->recipe);
}

bool manifest_add(struct manifest *m, const char *output, const struct stat *now, const char *input,
                  const struct stat *in, struct error *err)
{
    line_begin(m);
    print_files(m, output, now, input, in);
    return line_end(m, err);
}

bool manifest_has(struct manifest *m, const char *output, const struct stat *now, const char *input,
                  const struct stat *in)
{
    bool found;

    line_begin(m);
    print_files(m, output, now, input, in);
    fputc('\0', m->line);
    found = fflush(m->line) == 0 && tfind(m->text, &m->lines, compare_lines);
    pthread_mutex_unlock(&m->appending);
    return found;
}

bool manifest_open(struct manifest **manifest, const char *folder, const struct shard *shard,
                   const char *recipe, bool sync, struct error *err)
{
    struct manifest *m = *manifest = calloc(1, sizeof *m);
    char name[64] = FOLDER_MANIFEST_PREFIX FOLDER_MANIFEST_SUFFIX;

    if (!m)
        return error_set(err, EXIT_INPUT, "%s: no memory for its manifest", folder);
    m->fd = -1;
    m->sync = sync;
    pthread_mutex_init(&m->appending, NULL);
    snprintf(m->recipe, sizeof m->recipe, "%016" PRIx64, hash_text(recipe));
    if (shard && shard->count > 1)
        snprintf(name, sizeof name, FOLDER_MANIFEST_PREFIX "-%d-of-%d" FOLDER_MANIFEST_SUFFIX,
                 shard->index, shard->count);
    m->path = path_join(folder, name);
    m->line = open_memstream(&m->text, &m->bytes);
    if (!m->path || !m->line)
        return error_set(err, EXIT_INPUT, "%s: no memory for its manifest", folder);
    if (!shard)
        return access(folder, F_OK) != 0 || read_all(m, folder, err);
    m->fd = open_regular(m->path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, "write", err);
    if (m->fd < 0 || !read_all(m, folder, err))
        return false;
    /* Tells people and scripts the recipe behind the hash in the other lines. */
    line_begin(m);
    fprintf(m->line, "{\"recipe\":\"%s\",\"text\":", m->recipe);
    json_put_bytes(m->line, recipe);
    fputs("}\n", m->line);
    return line_end(m, err);
}

void manifest_close(struct manifest *m)
{
    if (!m)
        return;
    if (m->fd >= 0)
        close(m->fd);
    if (m->line)
        fclose(m->line);
    free(m->text);
    tdestroy(m->lines, free);
    free(m->path);
    pthread_mutex_destroy(&m->appending);
    free(m);
}
