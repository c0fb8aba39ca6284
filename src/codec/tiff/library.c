/* Loads libtiff when the first TIFF is opened. */
#include <pthread.h>

#include "base/library.h"
#include "codec/tiff/tiff.h"

#define LIBRARY "libtiff.so.6"

struct libtiff libtiff;
static bool loaded;

static void load(void)
{
#define NAME(name) "TIFF" #name,
    static const char *const names[] = {LIBTIFF_FUNCTIONS(NAME)};

    loaded = library_load(LIBRARY, names, sizeof names / sizeof *names, &libtiff);
}

bool libtiff_load(const char *name, struct error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return loaded || error_file(err, name, LIBRARY " cannot be loaded");
}
