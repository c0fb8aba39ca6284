/* Shared libraries by dlopen. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_load(const char *file, const char *const *names, size_t count, void *functions)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    bool found = handle != NULL;

    for (size_t i = 0; found && i < count; i++) {
        /* dlsym returns functions as pointers to data. POSIX allows that; ISO C has no cast for
         * it, so the bytes are copied. */
        void *place = dlsym(handle, names[i]);
        memcpy((char *)functions + i * sizeof place, &place, sizeof place);
        found = place != NULL;
    }
    return found;
}
