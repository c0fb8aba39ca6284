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

/* Bytes at PLACE, counted from where the input began, whatever was read before; only where
 * input_size is known. *got is less than BYTES only at the end. */
bool input_read_at(struct input *input, uint64_t place, void *into, size_t bytes, size_t *got,
                   struct error *err);

/* Everything from the current place to the end, owned by the input. */
bool input_read_all(struct input *input, const uint8_t **bytes, size_t *size, struct error *err);

#endif
