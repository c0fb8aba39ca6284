/* Shared libraries that are loaded when a file needs them. A linked library is loaded at every
 * start: libtiff and the seven libraries that it loads took half of the time of a small picture. */
#ifndef STENCIL_BASE_LIBRARY_H
#define STENCIL_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Loads the library FILE and stores its COUNT functions NAMES at FUNCTIONS, which is a struct of as
 * many pointers to functions. False: the library or one of the functions cannot be loaded. The
 * library stays loaded. */
bool library_load(const char *file, const char *const *names, size_t count, void *functions);

#endif
