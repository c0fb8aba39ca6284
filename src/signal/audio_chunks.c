/* The outer form of audio files: magic numbers, extensions, and the walk over the
 * chunks. libsndfile shortens a cut file silently and leaves out what it does not
 * know; here both are noticed. Decodes nothing. */
#include "signal/audio_chunks.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Writers that cannot go back (pipes) leave sizes about here: the samples go to the file's end. */
#define UNKNOWN_SIZE 0x7fffff00u

bool audio_recognise(const uint8_t *head, size_t bytes)
{
    static const char *const magic[] = {"RIFF", "RIFX", "RF64", "fLaC", "FORM"};

    for (size_t i = 0; bytes >= 4 && i < sizeof magic / sizeof *magic; i++)
        if (memcmp(head, magic[i], 4) == 0)
            return true;
    return false;
}

enum audio_container audio_of_path(const char *path)
{
    static const struct {
        const char *extension;
        enum audio_container container;
    } known[] = {{"wav", AUDIO_WAV},  {"wave", AUDIO_WAV},  {"flac", AUDIO_FLAC},
                 {"aif", AUDIO_AIFF}, {"aiff", AUDIO_AIFF}, {"aifc", AUDIO_AIFF}};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(dot + 1, known[i].extension) == 0)
            return known[i].container;
    return AUDIO_NONE;
}

const char *audio_name(enum audio_container container)
{
    static const char *const names[] = {"no audio", "WAV", "FLAC", "AIFF"};
    return names[container];
}

/* ---- chunks ---- */

static uint32_t get32(const uint8_t *at, bool big)
{
    return big ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
               : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

/* Adds what is called TEXT, LENGTH bytes of the file or of ours, to the warning. */
static void warn(struct audio *audio, const char *file, const char *text, size_t length)
{
    char name[32];
    size_t used;

    for (size_t i = 0; i < length; i++)
        name[i] = (char)(text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?');
    while (length > 0 && name[length - 1] == ' ')
        length--;
    used = strlen(audio->warning);
    snprintf(audio->warning + used, sizeof audio->warning - used, "%.150s%s%.*s", used ? "" : file,
             used ? ", " : ": not kept: ", (int)length, name);
}

/* Chunks that hold nothing to keep, or what is kept: the format, the samples, text tags, padding.
 */
static bool is_kept(const char *id)
{
    static const char kept[][5] = {"fmt ", "data", "fact", "LIST", "PEAK", "ds64",
                                   "JUNK", "junk", "PAD ", "FLLR", "COMM", "SSND",
                                   "FVER", "NAME", "AUTH", "(c) ", "ANNO", "COMT"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (memcmp(kept[i], id, 4) == 0)
            return true;
    return false;
}

/* RIFF and FORM: ID, size, content, padded to an even length. */
static bool walk_riff(struct audio *audio, const char *name, const uint8_t *bytes, size_t size,
                      struct error *err)
{
    bool is_form = memcmp(bytes, "FORM", 4) == 0;
    bool big = is_form || memcmp(bytes, "RIFX", 4) == 0;
    size_t at = 12;

    while (at < size && size - at >= 8) {
        const char *id = (const char *)bytes + at;
        uint32_t length = get32(bytes + at + 4, big);
        at += 8;
        if (memcmp(id, is_form ? "SSND" : "data", 4) == 0 && length > size - at &&
            length < UNKNOWN_SIZE)
            return error_set(err, EXIT_INPUT,
                             "%s: truncated %s: %zu of %u bytes of samples are there", name,
                             is_form ? "AIFF" : "WAV", size - at, (unsigned)length);
        if (!is_kept(id))
            warn(audio, name, id, 4);
        if (length >= size - at)
            break;
        at += length + length % 2;
    }
    return true;
}

/* FLAC: a byte of type, three of length; the highest bit of the type marks the last block. */
static void walk_flac(struct audio *audio, const char *name, const uint8_t *bytes, size_t size)
{
    static const char *const types[] = {
        [2] = "application data", [5] = "cue sheet", [6] = "picture"};
    size_t at = 4;

    while (size - at >= 4) {
        unsigned type = bytes[at] & 0x7f;
        bool last = bytes[at] >> 7;
        size_t length = get32(bytes + at, true) & 0xffffff;
        at += 4;
        if (type < sizeof types / sizeof *types && types[type])
            warn(audio, name, types[type], strlen(types[type]));
        if (last || length > size - at)
            break;
        at += length;
    }
}

bool audio_chunks_check(struct audio *audio, const char *name, const uint8_t *bytes, size_t size,
                        struct error *err)
{
    if (size >= 4 && memcmp(bytes, "fLaC", 4) == 0) {
        walk_flac(audio, name, bytes, size);
        return true;
    }
    return walk_riff(audio, name, bytes, size, err);
}
