/* The temporary files behind output.c, and their removal when a signal ends the
 * program. Private to output.c; several may exist at once, on several threads. */
#ifndef STENCIL_OUTPUT_TEMPORARY_H
#define STENCIL_OUTPUT_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

struct temporary;

/* Creates `.NAME.stencilcli-PID-N` in the folder of TARGET (.../NAME), open for writing in *fd.
 * NULL with errno set. */
struct temporary *temporary_create(const char *target, mode_t mode, int *fd);

/* Puts it in TARGET's place; false with errno set (then it still exists). */
bool temporary_rename(struct temporary *temporary, const char *target);

/* Removes the file, unless it was renamed, and forgets it. */
void temporary_free(struct temporary *temporary);

#endif
