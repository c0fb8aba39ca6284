/* Reading bytes from a file or stdin. A codec can ask for the file's length before it trusts the
 * header. Files are not mapped: truncating a mapped file kills its reader. */
#ifndef STENCIL_CODEC_INPUT_H
#define STENCIL_CODEC_INPUT_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

struct input;

/* Opens PATH; "-" is stdin. A folder, a missing or unreadable file: EXIT_INPUT. */
bool input_open(struct input **input, const char *path, struct error *err);
/* May be called from another thread: a read that waits for a pipe or a terminal fails at once, and
 * so does every later one. Reads of files are not affected, since they do not wait. */
void input_stop(struct input *input);

/* When reading is given up. */
struct input_limit {
    double end_ms; /* of base/clock.h */
    const atomic_bool *stopped;
};

/* For inputs that this thread opens from now on; NULL: no limit. The limit must outlive them. */
void input_set_limit(const struct input_limit *limit);

/* False, with an error, if the input's limit is reached. All reads ask; so does whoever decodes for
 * long without reading. */
bool input_goes_on(const struct input *input, struct error *err);

void input_close(struct input *input); /* NULL is harmless */

const char *input_name(const struct input *input); /* the path, or "standard input" */

/* Total bytes of a regular file; UINT64_MAX if unknown (pipes). */
uint64_t input_size(const struct input *input);

/* Returns up to WANT bytes (<= 4096) from the current place without consuming them; *got is less
 * than WANT only at the end. */
bool input_peek(struct input *input, size_t want, const uint8_t **bytes, size_t *got,
                struct error *err);

/* Consumes BYTES bytes that were peeked. */
void input_skip(struct input *input, size_t bytes);

/* Hands out and consumes the next bytes, as many as are buffered; *got is 0 only at the end. They
 * are valid until the next call. */
bool input_next(struct input *input, const uint8_t **bytes, size_t *got, struct error *err);

/* Reads exactly BYTES bytes, or fewer at the end of the input; *got is the number. */
bool input_read(struct input *input, void *into, size_t bytes, size_t *got, struct error *err);

/* Reads everything from the current place to the end; the input owns the bytes. From then on
 * input_size is known. */
bool input_read_all(struct input *input, const uint8_t **bytes, size_t *size, struct error *err);

/* As input_read_all, but at most MOST bytes: the rest is not read. */
bool input_read_most(struct input *input, uint64_t most, const uint8_t **bytes, size_t *size,
                     struct error *err);

/* ---- bytes by their place ----
 *
 * A regular file is read through a window, so that memory does not grow with the file; the bytes of
 * a pipe are kept in memory. These functions work only if nothing was consumed before. */

/* Makes input_size known: reads a pipe to its end. */
bool input_hold(struct input *input, struct error *err);

/* The bytes at PLACE, counted from the start of the input: WANT (<= 1024) or more, fewer only at
 * the end; *have is the number. Valid until the next call. NULL: the file cannot be read. */
const uint8_t *input_at(struct input *input, uint64_t place, size_t want, size_t *have,
                        struct error *err);

/* Copies the BYTES bytes at PLACE, fewer at the end; *got is the number. */
bool input_read_at(struct input *input, uint64_t place, void *into, size_t bytes, size_t *got,
                   struct error *err);
/* Copies exactly BYTES bytes from PLACE, which the input's size covers; an error if the file has
 * become shorter. */
bool input_copy(struct input *input, uint64_t place, void *to, size_t bytes, struct error *err);

#endif
