/* Reads and writes audio files with libsndfile, in memory: so the input may be a pipe, and the
 * output goes through codec/output.h like any other. libsndfile silently accepts a truncated file
 * and drops unknown chunks; a walk over the file's chunks detects both here.
 *
 * libsndfile gives and takes whole-number samples in the upper bits of 32. */
#include "signal/audio.h"

#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/text.h"
#include "codec/codec.h"
#include "codec/output.h"
#include "kernel/signal_job.h"

/* A program that writes into a pipe cannot go back to fill in the size, and leaves about this
 * value. The samples then reach to the end of the file. */
#define UNKNOWN_SIZE 0x7fffff00u

/* Samples that are decoded at a time. */
#define BLOCK ((size_t)1 << 16)

struct audio_tags {
    char *text[SF_STR_LAST + 1];
    int *loudspeaker; /* one for each channel, where they are known */
    bool has_loudspeakers;
};

/* ---- libsndfile ---- */

#define LIBRARY "libsndfile.so.1"

#define FUNCTIONS(each)                                                                            \
    each(close) each(command) each(error) each(format_check) each(get_string) each(open_virtual)   \
        each(readf_int) each(set_string) each(strerror) each(writef_int)

/* The functions of libsndfile, without the prefix sf_. */
static struct {
#define MEMBER(name) __typeof__(sf_##name) *name;
    FUNCTIONS(MEMBER)
} sf;

static bool load(const char *name, const char *what, struct error *err)
{
#define NAME(name) "sf_" #name,
    static const char *const names[] = {FUNCTIONS(NAME)};
    static bool loaded;

    loaded = loaded || library_load(LIBRARY, names, sizeof names / sizeof *names, &sf);
    return loaded || error_set(err, EXIT_INPUT, "%s: %s: " LIBRARY " cannot be loaded", name, what);
}

/* ---- memory as a file ---- */

struct memory {
    uint8_t *bytes; /* for reading: owned by the caller */
    size_t size, at;
};

static sf_count_t memory_length(void *context)
{
    return (sf_count_t)((struct memory *)context)->size;
}

static sf_count_t memory_tell(void *context)
{
    return (sf_count_t)((struct memory *)context)->at;
}

static sf_count_t memory_seek(sf_count_t offset, int whence, void *context)
{
    struct memory *memory = context;
    sf_count_t from = whence == SEEK_SET   ? 0
                      : whence == SEEK_CUR ? (sf_count_t)memory->at
                                           : (sf_count_t)memory->size;
    if (offset < -from)
        return -1;
    memory->at = (size_t)(from + offset);
    return (sf_count_t)memory->at;
}

static sf_count_t memory_read(void *into, sf_count_t count, void *context)
{
    struct memory *memory = context;
    size_t left = memory->at < memory->size ? memory->size - memory->at : 0;
    size_t n = (size_t)count < left ? (size_t)count : left;
    memcpy(into, memory->bytes + memory->at, n);
    memory->at += n;
    return (sf_count_t)n;
}

/* Returns a short count if memory runs out: libsndfile then reports that it has written less. */
static sf_count_t memory_write(const void *from, sf_count_t count, void *context)
{
    struct memory *memory = context;
    size_t end = memory->at + (size_t)count;

    if (end > memory->size) {
        uint8_t *larger = realloc(memory->bytes, end);
        if (!larger)
            return 0;
        memset(larger + memory->size, 0, end - memory->size);
        memory->bytes = larger;
        memory->size = end;
    }
    memcpy(memory->bytes + memory->at, from, (size_t)count);
    memory->at = end;
    return count;
}

static SF_VIRTUAL_IO memory_file = {.get_filelen = memory_length,
                                    .seek = memory_seek,
                                    .read = memory_read,
                                    .write = memory_write,
                                    .tell = memory_tell};

/* ---- formats ---- */

/* Sets ERR to libsndfile's message about FILE (NULL: about opening a file). */
static bool fail(const char *name, SNDFILE *file, const char *what, struct error *err)
{
    const char *text = sf.strerror(file);
    char why[160];

    clean_text_copy(why, sizeof why, text, strcspn(text, ".\n"));
    return error_set(err, EXIT_INPUT, "%s: %s: %s", name, what, why);
}

static const struct {
    int subtype, bits;
} SUBTYPES[] = {{SF_FORMAT_PCM_U8, 8},
                {SF_FORMAT_PCM_S8, 8},
                {SF_FORMAT_PCM_16, 16},
                {SF_FORMAT_PCM_24, 24},
                {SF_FORMAT_PCM_32, 32}};

static const struct {
    int type;
    enum audio_container container;
} TYPES[] = {{SF_FORMAT_WAV, AUDIO_WAV},
             {SF_FORMAT_WAVEX, AUDIO_WAV},
             {SF_FORMAT_RF64, AUDIO_WAV},
             {SF_FORMAT_FLAC, AUDIO_FLAC},
             {SF_FORMAT_AIFF, AUDIO_AIFF}};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The bits of a sample; 0 where samples are not stored as whole numbers. */
static int bits_of(int format)
{
    for (size_t i = 0; i < COUNT(SUBTYPES); i++)
        if ((format & SF_FORMAT_SUBMASK) == SUBTYPES[i].subtype)
            return SUBTYPES[i].bits;
    return 0;
}

static enum audio_container container_of(int format)
{
    for (size_t i = 0; i < COUNT(TYPES); i++)
        if ((format & SF_FORMAT_TYPEMASK) == TYPES[i].type)
            return TYPES[i].container;
    return AUDIO_NONE;
}

/* The format for PATH: the input's format if the container is the same, else the first format with
 * this container and number of bits (8 bits are unsigned in WAV files only). */
static SF_INFO info_for(const struct audio *audio, const char *path)
{
    enum audio_container container = audio_of_path(path);
    SF_INFO info = {
        .samplerate = audio->rate, .channels = audio->channels, .format = audio->format};
    size_t type = 0, subtype = container != AUDIO_WAV;

    if (container == AUDIO_NONE || container == audio->container)
        return info;
    while (TYPES[type].container != container)
        type++;
    while (SUBTYPES[subtype].bits != audio->bits)
        subtype++;
    info.format = TYPES[type].type | SUBTYPES[subtype].subtype;
    return info;
}

static bool check_format(struct audio *audio, const char *name, struct error *err)
{
    SF_FORMAT_INFO subtype = {.format = audio->format & SF_FORMAT_SUBMASK};

    if (audio->container == AUDIO_NONE)
        return error_set(err, EXIT_INPUT, "%s: WAV, FLAC and AIFF files are read, and no others",
                         name);
    if (audio->bits > 0)
        return true;
    sf.command(NULL, SFC_GET_FORMAT_INFO, &subtype, sizeof subtype);
    return error_set(err, EXIT_INPUT,
                     "%s: its samples (%s) are no whole numbers; convert it to PCM of 16, 24 or "
                     "32 bits first",
                     name, subtype.name ? subtype.name : "of an unknown kind");
}

/* ---- chunks ---- */

/* audio_read walks over the chunks of its file: a samples' chunk that is longer than the file is an
 * EXIT_INPUT, and a warning names the chunks that audio_write does not keep. */

static uint32_t get32(const uint8_t *at, bool big)
{
    return big ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
               : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

/* Adds a name to the warning: TEXT, LENGTH bytes from the file or from a table. */
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

/* Does the output keep the chunk? Format, samples and text tags are kept; padding is empty. */
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
static bool walk_flac(struct audio *audio, const char *name, const uint8_t *bytes, size_t size)
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
    return true;
}

/* ---- reading ---- */

/* Reads all frames of the file. Memory grows with the frames that were read: a false header cannot
 * cause a large allocation. */
static bool read_samples(struct audio *audio, SNDFILE *file, const char *name, struct error *err)
{
    size_t channels = (size_t)audio->channels, block = BLOCK / channels + 1, capacity = 0;
    size_t frames = 0;
    sf_count_t got;

    do {
        if (frames + block > capacity) {
            capacity = 2 * capacity + block;
            int32_t *larger = realloc(audio->sample, capacity * channels * sizeof *larger);
            if (!larger)
                return error_set(err, EXIT_INPUT, "%s: no memory for its samples", name);
            audio->sample = larger;
        }
        got = sf.readf_int(file, audio->sample + frames * channels, (sf_count_t)block);
        frames += got > 0 ? (size_t)got : 0;
        if (frames > SIGNAL_MAX_CELLS)
            return error_set(err, EXIT_INPUT, "%s: more than %d samples a channel", name,
                             SIGNAL_MAX_CELLS);
    } while (got > 0);
    if (sf.error(file))
        return fail(name, file, "damaged audio file", err);
    if (frames == 0)
        return error_set(err, EXIT_INPUT, "%s: holds no samples", name);
    audio->frames = (int)frames;
    return true;
}

static bool read_tags(struct audio *audio, SNDFILE *file)
{
    size_t bytes = (size_t)audio->channels * sizeof *audio->tags->loudspeaker;
    struct audio_tags *tags = audio->tags = calloc(1, sizeof *tags);

    if (!tags || !(tags->loudspeaker = malloc(bytes)))
        return false;
    for (int i = SF_STR_FIRST; i <= SF_STR_LAST; i++) {
        const char *text = sf.get_string(file, i);
        if (text && !(tags->text[i] = strdup(text)))
            return false;
    }
    tags->has_loudspeakers =
        sf.command(file, SFC_GET_CHANNEL_MAP_INFO, tags->loudspeaker, (int)bytes);
    return true;
}

bool audio_read(struct audio *audio, const char *name, const uint8_t *bytes, size_t size,
                struct error *err)
{
    struct memory memory = {.bytes = (uint8_t *)bytes, .size = size};
    SF_INFO info = {0};
    SNDFILE *file;
    bool good;

    memset(audio, 0, sizeof *audio);
    if (!load(name, "cannot be read", err))
        return false;
    file = sf.open_virtual(&memory_file, SFM_READ, &info, &memory);
    if (!file)
        return fail(name, NULL, "cannot be read", err);
    audio->format = info.format;
    audio->container = container_of(info.format);
    audio->bits = bits_of(info.format);
    audio->rate = info.samplerate;
    audio->channels = info.channels;
    good = check_format(audio, name, err) &&
           (audio->container == AUDIO_FLAC ? walk_flac(audio, name, bytes, size)
                                           : walk_riff(audio, name, bytes, size, err)) &&
           read_samples(audio, file, name, err);
    if (good && info.frames < SF_COUNT_MAX && audio->frames < info.frames)
        good = error_set(err, EXIT_INPUT, "%s: truncated %s: %d of %lld samples", name,
                         audio_name(audio->container), audio->frames, (long long)info.frames);
    if (good && !read_tags(audio, file))
        good = error_set(err, EXIT_INPUT, "%s: no memory for its tags", name);
    sf.close(file);
    if (!good)
        audio_free(audio);
    return good;
}

void audio_free(struct audio *audio)
{
    if (audio->tags) {
        for (int i = SF_STR_FIRST; i <= SF_STR_LAST; i++)
            free(audio->tags->text[i]);
        free(audio->tags->loudspeaker);
    }
    free(audio->tags);
    free(audio->sample);
    memset(audio, 0, sizeof *audio);
}

/* ---- writing ---- */

bool audio_check_output(const struct audio *audio, const char *path, struct error *err)
{
    SF_INFO info = info_for(audio, path);
    uint64_t bytes =
        (uint64_t)audio->frames * (uint64_t)audio->channels * (uint64_t)audio->bits / 8;
    int type = info.format & SF_FORMAT_TYPEMASK;

    if (!load(codec_sentence_name(path), "cannot be written", err))
        return false;
    if (!sf.format_check(&info))
        return error_set(err, EXIT_INPUT,
                         "%s: %s cannot hold %d channel%s of %d bits at %d Hz; write .wav or .aiff",
                         codec_sentence_name(path), audio_name(container_of(info.format)),
                         audio->channels, audio->channels == 1 ? "" : "s", audio->bits,
                         audio->rate);
    /* Sizes in these files have 32 bits; a megabyte is left for everything besides the samples. */
    if (bytes > UINT32_MAX - (1 << 20) && type != SF_FORMAT_RF64 && type != SF_FORMAT_FLAC)
        return error_set(err, EXIT_INPUT, "%s: %s holds at most 4 GB; write .flac",
                         codec_sentence_name(path), audio_name(container_of(info.format)));
    return true;
}

/* Makes the file in memory. */
static bool encode(const struct audio *audio, const char *path, struct memory *memory,
                   struct error *err)
{
    SF_INFO info = info_for(audio, path);
    SNDFILE *file = sf.open_virtual(&memory_file, SFM_WRITE, &info, memory);
    bool good;

    if (!file)
        return fail(codec_sentence_name(path), NULL, "cannot be written", err);
    for (int i = SF_STR_FIRST; i <= SF_STR_LAST; i++)
        if (audio->tags->text[i])
            sf.set_string(file, i, audio->tags->text[i]);
    if (audio->tags->has_loudspeakers)
        sf.command(file, SFC_SET_CHANNEL_MAP_INFO, audio->tags->loudspeaker,
                   (int)((size_t)audio->channels * sizeof *audio->tags->loudspeaker));
    good = sf.writef_int(file, audio->sample, audio->frames) == audio->frames ||
           fail(codec_sentence_name(path), file, "cannot be written", err);
    if (sf.close(file) != 0 && good)
        good = fail(codec_sentence_name(path), NULL, "cannot be written", err);
    return good;
}

bool audio_write(const struct audio *audio, const char *path, struct error *err)
{
    struct memory memory = {0};
    bool good = audio_check_output(audio, path, err) && encode(audio, path, &memory, err) &&
                output_whole(path, memory.bytes, memory.size, err);
    free(memory.bytes);
    return good;
}
