/* The manifest of a batch: a table in memory, and lines that are read and appended. Lines are
 * read in the exact form in which they are written; other JSON is ignored. */
#include "batch/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

struct noted {
    const char *output;
    int64_t bytes, mtime_ns, input_bytes, input_mtime_ns;
};

struct manifest {
    int fd; /* -1: it is only read */
    char *path;
    char recipe[17];
    bool sync;
    pthread_mutex_t appending; /* among threads, as flock(2) is among processes */
    FILE *line;                /* the line that is being printed, in text */
    char *text;
    size_t bytes;
    /* The lines of this recipe, as a tree of search.h. One output may have several lines with other
     * sizes and times: two runs at once may note it in another order than they wrote it. */
    void *entries;
};

static int64_t mtime_ns(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

/* ---- the table ---- */

static int compare_noted(const void *a, const void *b)
{
    const struct noted *first = a, *second = b;
    int order = strcmp(first->output, second->output);

    if (order == 0)
        order = (first->bytes > second->bytes) - (first->bytes < second->bytes);
    return order ? order
                 : (first->mtime_ns > second->mtime_ns) - (first->mtime_ns < second->mtime_ns);
}

/* Keeps a copy; of lines that agree in output, size and time the last one counts. */
static bool keep(struct manifest *m, const struct noted *entry)
{
    size_t bytes = strlen(entry->output) + 1;
    struct noted *copy = malloc(sizeof *copy + bytes), **place = NULL;

    if (copy) {
        *copy = *entry;
        copy->output = memcpy(copy + 1, entry->output, bytes);
        place = tsearch(copy, &m->entries, compare_noted);
    }
    if (place && *place != copy) {
        (*place)->input_bytes = entry->input_bytes;
        (*place)->input_mtime_ns = entry->input_mtime_ns;
    }
    if (!place || *place != copy)
        free(copy);
    return place != NULL;
}

/* ---- reading ---- */

/* Where TEXT ends that stands at AT; NULL if other text stands there or AT is NULL. */
static char *after(char *at, const char *text)
{
    size_t length = strlen(text);
    return at && strncmp(at, text, length) == 0 ? at + length : NULL;
}

static char *take_number(char *at, int64_t *number)
{
    char *end = NULL;

    if (!at)
        return NULL;
    errno = 0;
    *number = strtoll(at, &end, 10);
    return end > at && errno == 0 ? end : NULL;
}

/* False for a line of another recipe or one that is not whole. */
static bool parse(const struct manifest *m, char *line, struct noted *entry)
{
    char *at = after(line, "{\"output\":\"");

    entry->output = at;
    at = at ? json_take_bytes(at) : NULL;
    at = take_number(after(at, ",\"bytes\":"), &entry->bytes);
    at = take_number(after(at, ",\"mtime_ns\":"), &entry->mtime_ns);
    at = after(at, ",\"input\":\"");
    at = at ? json_take_bytes(at) : NULL;
    at = take_number(after(at, ",\"input_bytes\":"), &entry->input_bytes);
    at = take_number(after(at, ",\"input_mtime_ns\":"), &entry->input_mtime_ns);
    at = after(at, ",\"recipe\":\"");
    at = after(at, m->recipe);
    return at && strcmp(at, "\"}\n") == 0;
}

/* -1 with ERR and errno. Does not wait for the other end of a pipe. */
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

static bool read_lines(struct manifest *m, const char *path, struct error *err)
{
    int fd = open_regular(path, O_RDONLY, "read", err);
    FILE *file;
    char *line = NULL;
    size_t room = 0;
    struct noted entry;
    bool ok = true;

    if (fd < 0)
        return errno == ENOENT;
    file = fdopen(fd, "r");
    if (!file) {
        close(fd);
        return error_set(err, EXIT_INPUT, "%s: no memory to read it", path);
    }
    while (ok && getline(&line, &room, file) > 0)
        if (parse(m, line, &entry) && !keep(m, &entry))
            ok = error_set(err, EXIT_INPUT, "%s: no memory for its lines", path);
    if (ok && ferror(file))
        ok = error_errno(err, path, "read");
    free(line);
    fclose(file);
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

/* Whether the file ends in the middle of a line, which a kill or a full disk has torn. */
static bool is_torn(int fd)
{
    off_t end = lseek(fd, 0, SEEK_END);
    char last;

    return end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n';
}

/* One write to the end; a torn line before it, of this run or another, is ended first. False with
 * errno set. */
static bool write_line(struct manifest *m, const char *line, size_t bytes)
{
    ssize_t n;

    if (is_torn(m->fd) && write(m->fd, "\n", 1) != 1)
        return false;
    do
        n = write(m->fd, line, bytes);
    while (n < 0 && errno == EINTR);
    if (n >= 0 && (size_t)n < bytes)
        errno = ENOSPC;
    return n >= 0 && (size_t)n == bytes;
}

/* A line is written in three steps: begin, print to m->line, end. */
static void line_begin(struct manifest *m)
{
    pthread_mutex_lock(&m->appending);
    rewind(m->line);
}

/* Writes under a lock, so that no other run takes half a line at the end for a torn one. On file
 * systems without locks a line is still one write. */
static bool line_end(struct manifest *m, struct error *err)
{
    bool ok, printed = fflush(m->line) == 0 && !ferror(m->line);
    int code;

    while (flock(m->fd, LOCK_EX) != 0 && errno == EINTR)
        ;
    ok = printed && write_line(m, m->text, m->bytes);
    code = errno;
    flock(m->fd, LOCK_UN);
    pthread_mutex_unlock(&m->appending);
    errno = code;
    if (!ok || (m->sync && fdatasync(m->fd) != 0))
        return error_errno(err, m->path, "write");
    return true;
}

bool manifest_add(struct manifest *m, const char *output, const struct stat *now, const char *input,
                  const struct stat *in, struct error *err)
{
    line_begin(m);
    fputs("{\"output\":", m->line);
    json_put_bytes(m->line, output);
    fprintf(m->line, ",\"bytes\":%jd,\"mtime_ns\":%" PRId64 ",\"input\":", (intmax_t)now->st_size,
            mtime_ns(now));
    json_put_bytes(m->line, input);
    fprintf(m->line, ",\"input_bytes\":%jd,\"input_mtime_ns\":%" PRId64 ",\"recipe\":\"%s\"}\n",
            (intmax_t)in->st_size, mtime_ns(in), m->recipe);
    return line_end(m, err);
}

/* Says, for people and scripts, which recipe the number in the other lines stands for. */
static bool add_recipe(struct manifest *m, const char *recipe, struct error *err)
{
    line_begin(m);
    fprintf(m->line, "{\"recipe\":\"%s\",\"text\":", m->recipe);
    json_put_bytes(m->line, recipe);
    fputs("}\n", m->line);
    return line_end(m, err);
}

static struct manifest *manifest_make(const char *folder, const char *recipe, struct error *err)
{
    struct manifest *m = calloc(1, sizeof *m);

    if (m) {
        m->fd = -1;
        pthread_mutex_init(&m->appending, NULL);
        snprintf(m->recipe, sizeof m->recipe, "%016" PRIx64, hash_text(recipe));
        return m;
    }
    error_set(err, EXIT_INPUT, "%s: no memory for its manifest", folder);
    return NULL;
}

bool manifest_read(struct manifest **manifest, const char *folder, const char *recipe,
                   struct error *err)
{
    *manifest = manifest_make(folder, recipe, err);
    if (!*manifest || access(folder, F_OK) != 0)
        return *manifest != NULL;
    return read_all(*manifest, folder, err);
}

bool manifest_open(struct manifest **manifest, const char *folder, int shard, int shards,
                   const char *recipe, bool sync, struct error *err)
{
    struct manifest *m = *manifest = manifest_make(folder, recipe, err);
    char name[64] = FOLDER_MANIFEST_PREFIX FOLDER_MANIFEST_SUFFIX;

    if (!m)
        return false;
    m->sync = sync;
    if (shards > 1)
        snprintf(name, sizeof name, FOLDER_MANIFEST_PREFIX "-%d-of-%d" FOLDER_MANIFEST_SUFFIX,
                 shard, shards);
    m->path = path_join(folder, name);
    m->line = open_memstream(&m->text, &m->bytes);
    if (!m->path || !m->line)
        return error_set(err, EXIT_INPUT, "%s: no memory for its manifest", folder);
    m->fd = open_regular(m->path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, "write", err);
    return m->fd >= 0 && read_all(m, folder, err) && add_recipe(m, recipe, err);
}

bool manifest_has(const struct manifest *m, const char *output, const struct stat *now,
                  const struct stat *in)
{
    const struct noted key = {.output = output, .bytes = now->st_size, .mtime_ns = mtime_ns(now)};
    struct noted *const *found = tfind(&key, &m->entries, compare_noted);

    return found && (*found)->input_bytes == in->st_size &&
           (*found)->input_mtime_ns == mtime_ns(in);
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
    tdestroy(m->entries, free);
    free(m->path);
    pthread_mutex_destroy(&m->appending);
    free(m);
}
