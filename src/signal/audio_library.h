/* libsndfile, loaded when a file needs it. It brings seven libraries along, which every
 * picture would wait for otherwise: 0.7 ms of the 2.4 ms that a start took. */
#ifndef STENCIL_SIGNAL_AUDIO_LIBRARY_H
#define STENCIL_SIGNAL_AUDIO_LIBRARY_H

#include <sndfile.h>
#include <stdbool.h>

#define AUDIO_LIBRARY_FUNCTIONS(each)                                                              \
    each(close) each(command) each(error) each(format_check) each(get_string) each(open_virtual)   \
        each(readf_int) each(set_string) each(strerror) each(writef_int)

/* Its functions without their sf_. */
struct audio_library {
#define AUDIO_LIBRARY_MEMBER(name) __typeof__(sf_##name) *name;
    AUDIO_LIBRARY_FUNCTIONS(AUDIO_LIBRARY_MEMBER)
#undef AUDIO_LIBRARY_MEMBER
};

extern struct audio_library audio_library;

/* False: it is not there; *why says so. From any thread, any number of times. */
bool audio_library_load(const char **why);

#endif
