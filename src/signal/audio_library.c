/* Loading libsndfile: see signal/audio_library.h. */
#include "signal/audio_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#define FILE_NAME "libsndfile.so.1"

struct audio_library audio_library;
static bool loaded;

/* POSIX has dlsym's pointers hold functions, ISO C converts none. */
static bool find(void *handle, const char *name, void *into)
{
    void *place = dlsym(handle, name);

    memcpy(into, &place, sizeof place);
    return place != NULL;
}

static void load(void)
{
    void *handle = dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL);

    loaded = handle != NULL;
#define AUDIO_LIBRARY_FIND(name) loaded = loaded && find(handle, "sf_" #name, &audio_library.name);
    AUDIO_LIBRARY_FUNCTIONS(AUDIO_LIBRARY_FIND)
#undef AUDIO_LIBRARY_FIND
}

bool audio_library_load(const char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    *why = FILE_NAME " is not there";
    return loaded;
}
