/* The folders that the commands of a suite run in. */
#ifndef STENCIL_COMPARE_GOLDEN_FOLDER_H
#define STENCIL_COMPARE_GOLDEN_FOLDER_H

#include "compare/golden.h"

/* A new folder in TMPDIR, with bin/stencilcli: this program. Malloc'ed path. */
char *golden_scratch_make(struct error *err);

/* FOLDER with copies of the inputs of ONE, below their names. */
bool golden_folder_make(const struct golden_suite *suite, const struct golden_case *one,
                        const char *folder, struct error *err);

/* The name of something in FOLDER that is neither input nor picture of ONE, malloc'ed; NULL:
 * nothing. Not below folders. */
char *golden_folder_stray(const struct golden_suite *suite, const struct golden_case *one,
                          const char *folder);

/* Removes it with everything in it. */
void golden_folder_remove(const char *folder);

/* Between these no file is open for writing by golden_copy: a command that starts meanwhile would
 * hold it open too, for a moment, and whoever wants to run it then hears "Text file busy". */
void golden_spawn_begin(void);
void golden_spawn_end(void);

bool golden_copy(const char *from, const char *to, struct error *err);

#endif
