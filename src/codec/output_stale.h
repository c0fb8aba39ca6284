/* The temporary files that killed runs have left beside outputs. */
#ifndef STENCIL_CODEC_OUTPUT_STALE_H
#define STENCIL_CODEC_OUTPUT_STALE_H

#include <stdbool.h>

/* True for a name that output_open could have made for a temporary. */
bool temporary_is_name(const char *name);

/* Removes the temporaries in FOLDER whose runs are dead (nobody holds their lock); returns how
 * many. What cannot be opened or locked stays. */
int temporary_remove_stale(const char *folder);

#endif
