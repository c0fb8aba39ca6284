/* The temporary files behind codec/output.c, and their removal when a signal ends the
 * program. Private to codec/output*.c; several may exist at once, on several threads. */
#ifndef STENCIL_CODEC_OUTPUT_TEMPORARY_H
#define STENCIL_CODEC_OUTPUT_TEMPORARY_H

#include <signal.h>
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

/* Removes all files that exist; for the signal handler. */
void temporary_unlink_all(void);

/* ---- signals (codec/output_signals.c) ---- */

/* Between the two a file may be created: no deadly signal is handled before it stands in the table
 * of temporaries. Does not return where the process is being ended. */
sigset_t signals_hold(void);
void signals_release(const sigset_t *before);

/* Does not return where the handler has begun: it removes files, and the failure that its caller
 * has met is the handler's work. */
void signals_wait_if_dying(void);

#endif
