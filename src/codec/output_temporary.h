/* The temporary files behind codec/output.c, and their removal when a signal ends the
 * program. Private to codec/output*.c; several may exist at once, on several threads. */
#ifndef STENCIL_CODEC_OUTPUT_TEMPORARY_H
#define STENCIL_CODEC_OUTPUT_TEMPORARY_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct temporary;

/* Creates a temporary in the folder of TARGET (.../NAME), without a name if possible; *fd is open
 * for writing. The file stays locked until it is renamed or freed. NULL with errno set. */
struct temporary *temporary_create(const char *target, mode_t mode, int *fd);

/* Renames the file to TARGET; false with errno set (the file then still exists). */
bool temporary_rename(struct temporary *temporary, const char *target);

/* Removes the file, unless it was renamed, and frees its slot. */
void temporary_free(struct temporary *temporary);

/* Removes all existing temporaries; for the signal handler. */
void temporary_unlink_all(void);

/* ---- signals (codec/output_signals.c) ---- */

/* A file is created between signals_hold and signals_release, so that no deadly signal is handled
 * before the file is in the table. signals_hold does not return if the process is being ended. */
sigset_t signals_hold(void);
void signals_release(const sigset_t *before);

/* Does not return if the handler has begun: the handler removes files, so it may have caused the
 * failure that the caller has met. */
void signals_wait_if_dying(void);

#endif
