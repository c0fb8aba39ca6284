/* Audio files in a build without libsndfile: they are recognised, and refused with
 * the reason. */
#include <string.h>

#include "signal/audio.h"

bool audio_available(void)
{
    return false;
}

bool audio_read(struct audio *audio, const char *name, const uint8_t *bytes, size_t size,
                struct error *err)
{
    (void)bytes, (void)size;
    memset(audio, 0, sizeof *audio);
    return error_set(err, EXIT_INPUT,
                     "%s: an audio file, and this build reads none: it was made without libsndfile",
                     name);
}

void audio_free(struct audio *audio)
{
    memset(audio, 0, sizeof *audio);
}

bool audio_check_output(const struct audio *audio, const char *path, struct error *err)
{
    (void)audio;
    return error_set(
        err, EXIT_INPUT,
        "%s: an audio file, and this build writes none: it was made without libsndfile", path);
}

bool audio_write(const struct audio *audio, const char *path, struct error *err)
{
    return audio_check_output(audio, path, err);
}
