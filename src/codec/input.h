/* Reading bytes from a file or stdin. Codecs can ask how long the file is before they believe its
 * header. Nothing is mapped: a mapped file that is cut while it is read kills the process. */
#ifndef STENCIL_CODEC_INPUT_H
#define STENCIL_CODEC_INPUT_H

#include <stdint.h>

#include "base/error.h"

struct input;

/* "-" is stdin. A folder, a missing or unreadable file: EXIT_INPUT. */
bool input_open(struct input **input, const char *path, struct error *err);
/* From another thread: a read that waits for a pipe or a terminal fails at once, and so does every
 * later one. Files keep nobody waiting: their reads go on. */
void input_stop(struct input *input);

void input_close(struct input *input); /* NULL is harmless */

const char *input_name(const struct input *input); /* the path, or "standard input" */

/* Total bytes of a regular file; UINT64_MAX where only reading to the end tells (pipes). */
uint64_t input_size(const struct input *input);

/* Up to WANT bytes (<= 4096) from the current place without consuming them; *got < want only at
 * the end. */
bool input_peek(struct input *input, size_t want, const uint8_t **bytes, size_t *got,
                struct error *err);

/* Consumes BYTES bytes that were peeked. */
void input_skip(struct input *input, size_t bytes);

/* Exactly BYTES bytes unless the end comes first: *got says how many. */
bool input_read(struct input *input, void *into, size_t bytes, size_t *got, struct error *err);

/* Everything from the current place to the end, owned by the input. Its size is known from then
 * on. */
bool input_read_all(struct input *input, const uint8_t **bytes, size_t *size, struct error *err);

/* ---- bytes by their place ----
 *
 * A regular file is read through a window, so that memory does not grow with it; the bytes of a
 * pipe are held in memory. Only where nothing was consumed before. */

/* Makes input_size known. */
bool input_hold(struct input *input, struct error *err);

/* The bytes at PLACE, counted from where the input began: WANT (<= 1024) or more, fewer only at the
 * end; *have says how many. Valid until the next call. NULL: the file cannot be read. */
const uint8_t *input_at(struct input *input, uint64_t place, size_t want, size_t *have,
                        struct error *err);

#endif
