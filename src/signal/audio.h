/* Audio files with whole-number samples: WAV, FLAC and AIFF with PCM of 8, 16, 24 or
 * 32 bits, through libsndfile where the build has it. A file is read whole and
 * written whole, so that an output appears only when it is complete.
 *
 * Samples are signed: 8-bit WAV files, which store 0 to 255, are read as -128 to 127. */
#ifndef STENCIL_SIGNAL_AUDIO_H
#define STENCIL_SIGNAL_AUDIO_H

#include <stdint.h>

#include "base/error.h"

enum audio_container { AUDIO_NONE, AUDIO_WAV, AUDIO_FLAC, AUDIO_AIFF };

/* A file's text tags (title, artist, ...) and its loudspeaker positions. */
struct audio_tags;

struct audio {
    enum audio_container container;
    int format; /* libsndfile's, for writing the same format again */
    int rate, channels, bits;
    int frames;      /* samples of a channel */
    int32_t *sample; /* interleaved, each sample times audio_unit; owned */
    struct audio_tags *tags;
    char warning[256]; /* names the parts of the file that are not kept; may be empty */
};

/* Samples fill the upper bits of 32: a sample of 16 bits is stored times 2^16. */
static inline int32_t audio_unit(const struct audio *audio)
{
    return (int32_t)1 << (32 - audio->bits);
}

/* Does a file that begins with HEAD look like an audio file? */
bool audio_recognise(const uint8_t *head, size_t bytes);

/* The container of the extension; AUDIO_NONE if no such container is written. */
enum audio_container audio_of_path(const char *path);

/* Is libsndfile in this build? If not, the functions below do not exist. */
bool audio_available(void);

/* "WAV", "FLAC", "AIFF" */
const char *audio_name(enum audio_container container);

/* Reads samples from the SIZE bytes of a file. Floats, compressed samples and damage are
 * EXIT_INPUT. NAME is for error sentences. Free with audio_free. */
bool audio_read(struct audio *audio, const char *name, const uint8_t *bytes, size_t size,
                struct error *err);
void audio_free(struct audio *audio);

/* Can PATH hold the samples ("-": in the input's container)? If not, EXIT_INPUT and a sentence that
 * names a format that can. */
bool audio_check_output(const struct audio *audio, const char *path, struct error *err);

/* Writes AUDIO to PATH through codec/output.h, in the container of PATH's extension. */
bool audio_write(const struct audio *audio, const char *path, struct error *err);

#endif
