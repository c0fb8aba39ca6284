/* The temporary files behind codec/output.c, and their removal when a signal ends the
 * program. Private to codec/output.c; several may exist at once, on several threads. */
#ifndef STENCIL_CODEC_OUTPUT_TEMPORARY_H
#define STENCIL_CODEC_OUTPUT_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

struct temporary;

/* Creates a temporary in the folder of TARGET (.../NAME), open for writing in *fd and locked until
 * it is renamed or freed. NULL with errno set. */
struct temporary *temporary_create(const char *target, mode_t mode, int *fd);

/* Puts it in TARGET's place; false with errno set (then it still exists). */
bool temporary_rename(struct temporary *temporary, const char *target);

/* Removes the file, unless it was renamed, and forgets it. */
void temporary_free(struct temporary *temporary);

#endif
