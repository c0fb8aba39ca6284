/* What can be told of an audio file without decoding it. Private to signal/audio.c. */
#ifndef STENCIL_SIGNAL_AUDIO_CHUNKS_H
#define STENCIL_SIGNAL_AUDIO_CHUNKS_H

#include "signal/audio.h"

/* Walks the chunks of a file that audio_recognise knows: an EXIT_INPUT where the samples' chunk is
 * longer than the file, and a warning that names the chunks which audio_write does not keep. */
bool audio_chunks_check(struct audio *audio, const char *name, const uint8_t *bytes, size_t size,
                        struct error *err);

#endif
