/* How many may work at once, as far as open files go. */
#ifndef STENCIL_BASE_OPEN_FILES_H
#define STENCIL_BASE_OPEN_FILES_H

/* As many of WORKERS as there may be open files for, EACH for every one, and at least 1. Raises the
 * soft limit where that is needed. */
int open_files_for(int workers, int each);

#endif
