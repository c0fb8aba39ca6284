/* The temporary files behind output.c, and their removal when a signal ends the
 * program. Private to output.c and the batch, which removes what killed runs have left;
 * several may exist at once, on several threads. */
#ifndef STENCIL_OUTPUT_TEMPORARY_H
#define STENCIL_OUTPUT_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

struct temporary;

/* In the name of every temporary: .NAME.stencilcli-RUN-N, RUN the process in 16 hex digits. */
#define TEMPORARY_MARK ".stencilcli-"

/* Creates a temporary in the folder of TARGET (.../NAME), open for writing in *fd and locked until
 * it is renamed or freed. NULL with errno set. */
struct temporary *temporary_create(const char *target, mode_t mode, int *fd);

/* Puts it in TARGET's place; false with errno set (then it still exists). */
bool temporary_rename(struct temporary *temporary, const char *target);

/* Removes the file, unless it was renamed, and forgets it. */
void temporary_free(struct temporary *temporary);

/* ---- output_stale.c ---- */

/* True for a name that temporary_create could have made. */
bool temporary_is_name(const char *name);

/* Removes the temporaries in FOLDER whose runs are dead (nobody holds their lock); returns how
 * many. What cannot be opened or locked stays. */
int temporary_remove_stale(const char *folder);

#endif
