/* The manifest of a batch: see batch/manifest.h. Lines are read in the exact form in which
 * they are written, no other JSON. */
#include "batch/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "codec/folder.h"

struct entry {
    char *output; /* NULL: the place is free */
    uint64_t bytes, input_bytes;
    int64_t mtime_ns, input_mtime_ns;
};

struct manifest {
    int fd; /* -1: only read */
    char *path;
    char recipe[17];
    bool sync;
    pthread_mutex_t appending; /* among threads, as flock(2) is among processes */
    /* Lines of this recipe by output and what it was then: two runs at once may note one output in
     * another order than they wrote it. Places a power of two, at most half full. */
    struct entry *entry;
    size_t places, used;
};

static int64_t mtime_ns(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

/* ---- the table ---- */

/* The place of what is noted of OUTPUT as it is with these BYTES and this time, or a free one. */
static struct entry *find_place(struct entry *entries, size_t places, const char *output,
                                uint64_t bytes, int64_t time_ns)
{
    size_t at = hash_text(output) & (places - 1);

    while (entries[at].output && (entries[at].bytes != bytes || entries[at].mtime_ns != time_ns ||
                                  strcmp(entries[at].output, output) != 0))
        at = (at + 1) & (places - 1);
    return &entries[at];
}

static bool grow(struct manifest *m)
{
    size_t places = m->places ? 2 * m->places : 1024;
    struct entry *larger = calloc(places, sizeof *larger);

    if (!larger)
        return false;
    for (size_t i = 0; i < m->places; i++) {
        const struct entry *e = &m->entry[i];
        if (e->output)
            *find_place(larger, places, e->output, e->bytes, e->mtime_ns) = *e;
    }
    free(m->entry);
    m->entry = larger;
    m->places = places;
    return true;
}

static bool keep(struct manifest *m, const struct entry *entry)
{
    struct entry *place;
    char *output;

    if (m->used * 2 >= m->places && !grow(m))
        return false;
    place = find_place(m->entry, m->places, entry->output, entry->bytes, entry->mtime_ns);
    output = place->output;
    if (!output && !(output = strdup(entry->output)))
        return false;
    m->used += !place->output;
    *place = *entry;
    place->output = output;
    return true;
}

/* ---- reading ---- */

/* What follows TEXT at AT; NULL where something else stands there or AT is NULL. */
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

/* False where LINE is another recipe's, or not whole. */
static bool parse(const struct manifest *m, char *line, struct entry *entry)
{
    int64_t bytes = 0, input_bytes = 0;
    char *at = after(line, "{\"output\":\"");

    entry->output = at;
    at = at ? json_take_bytes(at) : NULL;
    at = take_number(after(at, ",\"bytes\":"), &bytes);
    at = take_number(after(at, ",\"mtime_ns\":"), &entry->mtime_ns);
    at = after(at, ",\"input\":\"");
    at = at ? json_take_bytes(at) : NULL;
    at = take_number(after(at, ",\"input_bytes\":"), &input_bytes);
    at = take_number(after(at, ",\"input_mtime_ns\":"), &entry->input_mtime_ns);
    at = after(at, ",\"recipe\":\"");
    at = after(at, m->recipe);
    entry->bytes = (uint64_t)bytes;
    entry->input_bytes = (uint64_t)input_bytes;
    return at && strcmp(at, "\"}\n") == 0;
}

/* -1 with ERR, or with the errno of a file that is not there. A pipe is not waited for. */
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
    struct entry entry;
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

/* Whether the file ends in the middle of a line. */
static bool is_torn(int fd)
{
    off_t end = lseek(fd, 0, SEEK_END);
    char last;

    return end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n';
}

/* One write to the end. What a kill or a full disk has torn, in this run or another, is closed by a
 * new line first. False with errno set. */
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

/* Under a lock, so that no other run sees half a line at the end and takes it for torn. Where the
 * file system has no locks a line is still one write. */
static bool append(struct manifest *m, const char *line, size_t bytes, struct error *err)
{
    bool ok;
    int code;

    pthread_mutex_lock(&m->appending);
    while (flock(m->fd, LOCK_EX) != 0 && errno == EINTR)
        ;
    ok = write_line(m, line, bytes);
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
    char *line = NULL;
    size_t bytes = 0;
    FILE *text = open_memstream(&line, &bytes);
    bool ok;

    if (!text)
        return error_set(err, EXIT_INPUT, "%s: no memory to write it", m->path);
    fputs("{\"output\":", text);
    json_put_bytes(text, output);
    fprintf(text, ",\"bytes\":%jd,\"mtime_ns\":%" PRId64 ",\"input\":", (intmax_t)now->st_size,
            mtime_ns(now));
    json_put_bytes(text, input);
    fprintf(text, ",\"input_bytes\":%jd,\"input_mtime_ns\":%" PRId64 ",\"recipe\":\"%s\"}\n",
            (intmax_t)in->st_size, mtime_ns(in), m->recipe);
    ok = fclose(text) == 0 ? append(m, line, bytes, err)
                           : error_set(err, EXIT_INPUT, "%s: no memory to write it", m->path);
    free(line);
    return ok;
}

/* For people and scripts: what the recipe's number stands for. */
static bool add_recipe(struct manifest *m, const char *recipe, struct error *err)
{
    char *line = NULL;
    size_t bytes = 0;
    FILE *text = open_memstream(&line, &bytes);
    bool ok;

    if (!text)
        return error_set(err, EXIT_INPUT, "%s: no memory to write it", m->path);
    fprintf(text, "{\"recipe\":\"%s\",\"text\":", m->recipe);
    json_put_bytes(text, recipe);
    fputs("}\n", text);
    ok = fclose(text) == 0 ? append(m, line, bytes, err)
                           : error_set(err, EXIT_INPUT, "%s: no memory to write it", m->path);
    free(line);
    return ok;
}

static struct manifest *manifest_make(const char *folder, const char *recipe, struct error *err)
{
    struct manifest *m = calloc(1, sizeof *m);

    if (m && grow(m)) {
        m->fd = -1;
        pthread_mutex_init(&m->appending, NULL);
        snprintf(m->recipe, sizeof m->recipe, "%016" PRIx64, hash_text(recipe));
        return m;
    }
    free(m);
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
        snprintf(name, sizeof name, FOLDER_MANIFEST_PREFIX "-%d-of-%d" FOLDER_MANIFEST_SUFFIX, shard, shards);
    m->path = path_join(folder, name);
    if (!m->path)
        return error_set(err, EXIT_INPUT, "%s: no memory for its manifest", folder);
    m->fd = open_regular(m->path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, "write", err);
    return m->fd >= 0 && read_all(m, folder, err) && add_recipe(m, recipe, err);
}

bool manifest_has(const struct manifest *m, const char *output, const struct stat *now,
                  const struct stat *in)
{
    const struct entry *entry =
        find_place(m->entry, m->places, output, (uint64_t)now->st_size, mtime_ns(now));

    return entry->output && entry->input_bytes == (uint64_t)in->st_size &&
           entry->input_mtime_ns == mtime_ns(in);
}

void manifest_close(struct manifest *m)
{
    if (!m)
        return;
    if (m->fd >= 0)
        close(m->fd);
    for (size_t i = 0; i < m->places; i++)
        free(m->entry[i].output);
    free(m->entry);
    free(m->path);
    pthread_mutex_destroy(&m->appending);
    free(m);
}
