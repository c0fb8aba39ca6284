/* Reading bytes: see codec/input.h. Everything is read with read(2) through one
 * small buffer; large requests go straight into the caller's memory, so that a
 * picture's samples are copied once, by the kernel. Interrupted calls and short
 * counts are repeated here and nowhere else. */
#include "codec/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/machine.h"

/* Half of a small L2 cache, so that rows copied out of the buffer are still cached. */
#define BUFFER_BYTES ((size_t)128 * 1024)

/* First allocation of input_read_all for a pipe; the allocation doubles as needed. */
#define PIPE_BYTES ((size_t)1024 * 1024)

/* Before so much memory is taken, the system is asked for what it has. */
#define LARGE_BYTES ((size_t)64 << 20)

/* Bytes read by a jump to a place far from the last read. */
#define HOP_BYTES ((size_t)1024)

struct input {
    int fd;
    int stop; /* an eventfd; input_stop makes it readable; -1 for files */
    const struct input_limit *limit;
    bool at_end;     /* read(2) has returned 0: do not ask again (a terminal would wait) */
    uint64_t size;   /* UINT64_MAX: unknown */
    off_t first;     /* the input's start in the file, where the size is known */
    uint64_t window; /* the place of the buffer's first byte, for input_at */
    const char *name;
    uint8_t *all; /* the bytes that input_read_all handed out */
    size_t start, end;
    uint8_t buffer[BUFFER_BYTES];
    char path[]; /* copy of the path, for `name` */
};

static _Thread_local const struct input_limit *thread_limit;

void input_set_limit(const struct input_limit *limit)
{
    thread_limit = limit;
}

bool input_goes_on(const struct input *input, struct error *err)
{
    const struct input_limit *limit = input->limit;

    return !limit || (!*limit->stopped && clock_ms() < limit->end_ms) ||
           error_file(err, input->name, "reading was given up");
}

/* The bytes from the current place to the end, or UINT64_MAX. A length of 0 is not believed: files
 * in /proc report 0 but have content. */
static uint64_t known_size(int fd, const struct stat *status)
{
    off_t place;

    if (!S_ISREG(status->st_mode) || status->st_size == 0)
        return UINT64_MAX;
    place = lseek(fd, 0, SEEK_CUR); /* stdin may be handed over in the middle of a file */
    if (place < 0 || place > status->st_size)
        return UINT64_MAX;
    return (uint64_t)(status->st_size - place);
}

bool input_open(struct input **input, const char *path, struct error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct stat status;
    /* malloc, not calloc: the buffer's pages need not be touched */
    struct input *in = *input = malloc(sizeof *in + strlen(path) + 1);

    if (!in)
        return error_file(err, path, "no memory to read it");
    memset(in, 0, offsetof(struct input, buffer));
    in->stop = -1;
    in->limit = thread_limit;
    in->name = is_stdin ? "standard input" : memcpy(in->path, path, strlen(path) + 1);
    do
        in->fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                          : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (in->fd < 0 && errno == EINTR);
    if (in->fd < 0 || fstat(in->fd, &status) != 0) {
        error_errno(err, in->name, "open");
    } else if (S_ISDIR(status.st_mode)) {
        error_file(err, in->name, "is a folder, not a file");
    } else {
        in->size = known_size(in->fd, &status);
        if (in->size != UINT64_MAX)
            in->first = lseek(in->fd, 0, SEEK_CUR);
        else
            in->stop = eventfd(0, EFD_CLOEXEC); /* without one, input_stop does nothing */
        return true;
    }
    input_close(in);
    *input = NULL;
    return false;
}

void input_close(struct input *input)
{
    if (!input)
        return;
    if (input->fd >= 0)
        close(input->fd); /* only reads were made: a failed close loses nothing */
    if (input->stop >= 0)
        close(input->stop);
    free(input->all);
    free(input);
}

const char *input_name(const struct input *input)
{
    return input->name;
}

uint64_t input_size(const struct input *input)
{
    return input->size;
}

void input_stop(struct input *input)
{
    if (input->stop >= 0)
        eventfd_write(input->stop, 1);
}

/* Waits until data or the end can be read. False after input_stop. */
static bool wait_for_input(struct input *input, struct error *err)
{
    struct pollfd wait[2] = {{.fd = input->fd, .events = POLLIN},
                             {.fd = input->stop, .events = POLLIN}};

    while (poll(wait, input->stop >= 0 ? 2 : 1, -1) < 0)
        if (errno != EINTR)
            return true; /* read(2) will report the error */
    if (wait[1].revents == 0)
        return true;
    return error_file(err, input->name, "reading was given up");
}

/* One read(2) of up to BYTES (>= 1) bytes; *got is 0 only at the end. */
static bool read_some(struct input *input, uint8_t *into, size_t bytes, size_t *got,
                      struct error *err)
{
    *got = 0;
    while (!input->at_end) {
        ssize_t n;
        if (!input_goes_on(input, err))
            return false;
        if (input->stop >= 0 && !wait_for_input(input, err))
            return false;
        n = read(input->fd, into, bytes);
        if (n > 0) {
            *got = (size_t)n;
            return true;
        }
        if (n == 0) {
            input->at_end = true;
        } else if (errno == EAGAIN) {
            /* another program that shares stdin made it non-blocking */
            if (!wait_for_input(input, err))
                return false;
        } else if (errno != EINTR) {
            return error_errno(err, input->name, "read");
        }
    }
    return true;
}

bool input_peek(struct input *input, size_t want, const uint8_t **bytes, size_t *got,
                struct error *err)
{
    if (want > BUFFER_BYTES - input->start) { /* move the peeked bytes to the front to make room */
        memmove(input->buffer, input->buffer + input->start, input->end - input->start);
        input->end -= input->start;
        input->start = 0;
    }
    while (input->end - input->start < want && !input->at_end) {
        size_t n;
        if (!read_some(input, input->buffer + input->end, BUFFER_BYTES - input->end, &n, err))
            return false;
        input->end += n;
    }
    *bytes = input->buffer + input->start;
    *got = input->end - input->start < want ? input->end - input->start : want;
    return true;
}

void input_skip(struct input *input, size_t bytes)
{
    input->start += bytes;
}

bool input_next(struct input *input, const uint8_t **bytes, size_t *got, struct error *err)
{
    if (input->start == input->end) {
        input->start = 0;
        if (!read_some(input, input->buffer, BUFFER_BYTES, &input->end, err))
            return false;
    }
    *bytes = input->buffer + input->start;
    *got = input->end - input->start;
    input->start = input->end;
    return true;
}

bool input_read(struct input *input, void *into, size_t bytes, size_t *got, struct error *err)
{
    uint8_t *place = into;

    *got = 0;
    while (*got < bytes) {
        size_t left = bytes - *got, n = input->end - input->start;
        if (n == 0 && left >= BUFFER_BYTES) {
            if (!read_some(input, place + *got, left, &n, err))
                return false;
        } else {
            if (n == 0) {
                if (!read_some(input, input->buffer, BUFFER_BYTES, &n, err))
                    return false;
                input->start = 0;
                input->end = n;
            }
            n = n < left ? n : left;
            memcpy(place + *got, input->buffer + input->start, n);
            input->start += n;
        }
        if (n == 0)
            break;
        *got += n;
    }
    return true;
}

bool input_read_all(struct input *input, const uint8_t **bytes, size_t *size, struct error *err)
{
    return input_read_most(input, SIZE_MAX, bytes, size, err);
}

bool input_read_most(struct input *input, uint64_t most, const uint8_t **bytes, size_t *size,
                     struct error *err)
{
    size_t capacity = PIPE_BYTES, used = 0, n;
    uint8_t *all = NULL, *larger;

    /* One byte more than the file holds, so that its end is seen without growing the memory. */
    if (input->size < SIZE_MAX)
        capacity = (size_t)input->size + 1;
    capacity = capacity <= most ? capacity : (size_t)most;
    while (capacity < LARGE_BYTES || capacity <= machine_memory()) {
        larger = realloc(all, capacity);
        if (!larger)
            break;
        all = larger;
        if (!input_read(input, all + used, capacity - used, &n, err)) {
            free(all);
            return false;
        }
        used += n;
        if (used < capacity || used == most) {
            free(input->all);
            input->all = all;
            *bytes = all;
            *size = used;
            input->size = used;
            return true;
        }
        if (capacity > SIZE_MAX / 2)
            break;
        capacity = 2 * capacity <= most ? 2 * capacity : (size_t)most;
    }
    free(all);
    return error_file(err, input->name, "no memory to hold the file");
}

/* ---- bytes by their place ---- */

bool input_hold(struct input *input, struct error *err)
{
    const uint8_t *all;
    size_t bytes;

    return input->size < SIZE_MAX || input_read_all(input, &all, &bytes, err);
}

bool input_read_at(struct input *input, uint64_t place, void *into, size_t bytes, size_t *got,
                   struct error *err)
{
    uint64_t left = place < input->size ? input->size - place : 0;

    *got = 0;
    bytes = bytes < left ? bytes : (size_t)left;
    if (input->all) {
        memcpy(into, input->all + place, bytes);
        *got = bytes;
        return true;
    }
    while (*got < bytes && input_goes_on(input, err)) {
        ssize_t n = pread(input->fd, (uint8_t *)into + *got, bytes - *got,
                          input->first + (off_t)(place + *got));
        if (n == 0)
            break;
        if (n > 0)
            *got += (size_t)n;
        else if (errno != EINTR)
            return error_errno(err, input->name, "read");
    }
    return input_goes_on(input, err);
}

/* Moves the window to PLACE. If PLACE is in or just after the window, it reads a full buffer; after
 * a jump (a walk from chunk to chunk) only a few bytes. */
static bool move_window(struct input *input, uint64_t place, struct error *err)
{
    uint64_t held = input->window + input->end;
    size_t bytes = place >= input->window && place <= held ? BUFFER_BYTES : HOP_BYTES;

    input->window = place;
    input->end = 0;
    return input_read_at(input, place, input->buffer, bytes, &input->end, err);
}

const uint8_t *input_at(struct input *input, uint64_t place, size_t want, size_t *have,
                        struct error *err)
{
    size_t left = place < input->size ? (size_t)(input->size - place) : 0;

    *have = left;
    if (input->all)
        return input->all + (input->size - left);
    want = want < left ? want : left;
    if ((place < input->window || place + want > input->window + input->end) &&
        !move_window(input, place, err))
        return NULL;
    if (*have > input->window + input->end - place)
        *have = (size_t)(input->window + input->end - place);
    return input->buffer + (place - input->window);
}

bool input_copy(struct input *input, uint64_t place, void *to, size_t bytes, struct error *err)
{
    size_t got;

    if (!input_read_at(input, place, to, bytes, &got, err))
        return false;
    return got == bytes || error_file(err, input->name, "was changed while it was read");
}
