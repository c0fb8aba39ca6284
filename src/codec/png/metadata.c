/* The chunks of a PNG beside the picture's: noting them, and keeping them for another PNG. */
#include <stdlib.h>
#include <string.h>

#include "codec/png/png.h"
#include "codec/zlib/stream.h"

#define MAX_KEYWORD     79
#define MAX_PROFILE     ((size_t)16 << 20)
#define PROFILE_HEADER  128
#define PROFILE_COLOURS 16 /* where the colour space stands in it, */
#define PROFILE_MARK    36 /* and where 'acsp' */

enum place { EARLY, MIDDLE, ANYWHERE };

static const struct {
    char type[5];
    bool single;      /* a file has one at most */
    enum place place; /* where it must stand: before palette and picture, before the picture */
    uint32_t bytes;   /* 0: any */
} kinds[] = {
    {"iCCP", true, EARLY, 0},     {"sRGB", true, EARLY, 1},     {"gAMA", true, EARLY, 4},
    {"cHRM", true, EARLY, 32},    {"cICP", true, EARLY, 4},     {"pHYs", true, MIDDLE, 9},
    {"eXIf", true, ANYWHERE, 0},  {"tEXt", false, ANYWHERE, 0}, {"zTXt", false, ANYWHERE, 0},
    {"iTXt", false, ANYWHERE, 0},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* The length of the keyword that profiles and texts begin with; 0: there is none. */
static size_t keyword_length(const uint8_t *head, size_t bytes)
{
    const uint8_t *end = memchr(head, 0, bytes < MAX_KEYWORD + 1 ? bytes : MAX_KEYWORD + 1);
    return end ? (size_t)(end - head) : 0;
}

static bool is_sound(size_t kind, const uint8_t *head, uint32_t bytes)
{
    const char *type = kinds[kind].type;
    size_t keyword;

    if (kinds[kind].bytes)
        return bytes == kinds[kind].bytes && (strcmp(type, "sRGB") != 0 || head[0] <= 3) &&
               (strcmp(type, "gAMA") != 0 || png_get32(head) != 0);
    if (strcmp(type, "eXIf") == 0)
        return bytes >= 8 && (memcmp(head, "II*\0", 4) == 0 || memcmp(head, "MM\0*", 4) == 0);
    keyword = keyword_length(head, bytes);
    if (keyword == 0)
        return false;
    if (strcmp(type, "tEXt") == 0)
        return true;
    if (strcmp(type, "iTXt") == 0)
        return bytes >= keyword + 5 && head[keyword + 1] <= 1 && head[keyword + 2] == 0;
    return bytes >= keyword + 2 && head[keyword + 1] == 0; /* compressed as zlib does it */
}

/* Whether the chunk goes on the list, or one like it stands there. */
static bool keep(struct png_notes *notes, const char *type, const uint8_t *head, uint32_t bytes,
                 size_t place, bool early, bool middle)
{
    size_t kind = 0;

    while (kind < KINDS && strcmp(kinds[kind].type, type) != 0)
        kind++;
    if (kind == KINDS)
        return false;
    if (kinds[kind].single && notes->seen & 1U << kind)
        return true;
    if ((kinds[kind].place == EARLY && !early) || (kinds[kind].place == MIDDLE && !middle) ||
        !is_sound(kind, head, bytes))
        return false;
    if (notes->count == PNG_KEPT_CHUNKS || bytes > PNG_KEPT_BYTES - notes->kept_bytes)
        return false;
    notes->seen |= 1U << kind;
    notes->kept[notes->count++] = (struct png_kept){
        .place = place, .bytes = bytes + PNG_CHUNK_OVERHEAD, .profile = strcmp(type, "iCCP") == 0};
    notes->kept_bytes += bytes;
    return true;
}

/* gAMA 1/2.2, cHRM of sRGB and cICP 1 13 0 1 say the same as a file without them. */
void png_metadata_note(struct png_notes *notes, const char *type, const uint8_t *head,
                       uint32_t bytes, size_t place, bool early, bool middle)
{
    static const uint32_t srgb[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    unsigned says = 0, maybe = 0;

    if (strcmp(type, "iCCP") == 0)
        says = DROPPED_ICC;
    else if (strcmp(type, "eXIf") == 0)
        says = DROPPED_EXIF;
    else if (strcmp(type, "cICP") == 0)
        says = bytes == 4 && memcmp(head, "\1\15\0\1", 4) == 0 ? 0U : DROPPED_COLOURS;
    else if (strcmp(type, "acTL") == 0)
        says = DROPPED_FRAMES;
    else if (strcmp(type, "gAMA") == 0 && bytes == 4 && png_get32(head) != 45455)
        maybe = DROPPED_GAMMA;
    else if (strcmp(type, "cHRM") == 0 && bytes == 32)
        for (size_t i = 0; i < 8; i++)
            maybe |= png_get32(head + 4 * i) != srgb[i] ? DROPPED_COLOURS : 0U;
    notes->named_space |=
        strcmp(type, "sRGB") == 0 || strcmp(type, "iCCP") == 0 || strcmp(type, "cICP") == 0;
    notes->dropped |= says;
    notes->maybe |= maybe;
    if (!keep(notes, type, head, bytes, place, early, middle)) {
        notes->lost |= says;
        notes->maybe_lost |= maybe;
    }
}

/* ---- taking them along ---- */

/* True for an iCCP chunk whose profile can be decompressed and is for gray (or RGB) pixels. */
static bool profile_fits(const uint8_t *chunk, size_t bytes, bool gray)
{
    const uint8_t *content = chunk + 8;
    size_t length = bytes - PNG_CHUNK_OVERHEAD, skip = keyword_length(content, length) + 2, got;
    uint8_t *profile = malloc(MAX_PROFILE);
    const char *why;
    bool fits;

    if (!profile)
        return false;
    fits = skip < length &&
           zlib_stream_inflate(content + skip, length - skip, profile, MAX_PROFILE, &got, &why) &&
           got >= PROFILE_HEADER && png_get32(profile) == got &&
           memcmp(profile + PROFILE_MARK, "acsp", 4) == 0 &&
           memcmp(profile + PROFILE_COLOURS, gray ? "GRAY" : "RGB ", 4) == 0;
    free(profile);
    return fits;
}

bool png_metadata_take(struct png_notes *notes, struct input *input, bool gray, uint8_t **chunks,
                       size_t *chunk_bytes, struct error *err)
{
    uint8_t *to;

    *chunks = NULL;
    *chunk_bytes = 0;
    if (!notes->named_space) {
        notes->dropped |= notes->maybe;
        notes->lost |= notes->maybe_lost;
    }
    if (notes->count == 0)
        return true;
    to = *chunks = malloc(notes->kept_bytes + (size_t)notes->count * PNG_CHUNK_OVERHEAD);
    if (!to)
        return error_file(err, input_name(input), "no memory to read it");
    for (int i = 0; i < notes->count; i++) {
        const struct png_kept *kept = &notes->kept[i];
        if (!png_copy(input, kept->place, to, kept->bytes, err))
            return false;
        if (kept->profile && !profile_fits(to, kept->bytes, gray))
            notes->lost |= DROPPED_ICC;
        else
            to += kept->bytes;
    }
    *chunk_bytes = (size_t)(to - *chunks);
    return true;
}
