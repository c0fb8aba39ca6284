/* What codecs share about metadata: ICC profiles, EXIF data and densities. They may be hostile, so
 * every offset is checked before it is followed. */
#include <string.h>

#include "codec/format.h"

/* ---- ICC profiles ---- */

#define PROFILE_HEADER  128
#define PROFILE_COLOURS 16 /* offset of the colour space in a profile's header */
#define PROFILE_MARK    36 /* offset of 'acsp' in it */

static unsigned get16(const uint8_t *p, bool big)
{
    return big ? p[0] * 256U + p[1] : p[1] * 256U + p[0];
}

static uint32_t get32(const uint8_t *p, bool big)
{
    uint32_t first = get16(p, big), second = get16(p + 2, big);
    return big ? first << 16 | second : second << 16 | first;
}

bool metadata_profile_fits(const uint8_t *profile, size_t bytes, bool gray)
{
    return bytes >= PROFILE_HEADER && get32(profile, true) == bytes &&
           memcmp(profile + PROFILE_MARK, "acsp", 4) == 0 &&
           memcmp(profile + PROFILE_COLOURS, gray ? "GRAY" : "RGB ", 4) == 0;
}

/* ---- EXIF ----
 *
 * EXIF data is a small TIFF file: a header, then directories of entries. The first directory
 * describes the picture, the second one a thumbnail. */

#define HEADER_BYTES     8
#define ENTRY_BYTES      12
#define TAG_ORIENTATION  0x0112
#define TAG_THUMBNAIL    0x0201 /* its place */
#define TAG_THUMB_LENGTH 0x0202
#define TYPE_SHORT       3
#define TYPE_LONG        4
#define TYPE_SLONG       9

struct directory {
    uint8_t *entry;
    unsigned entries; /* that lie inside the data */
    uint8_t *next;    /* the offset of the next directory; NULL: the data ends before it */
};

static struct directory directory_at(uint8_t *tiff, size_t bytes, size_t place, bool big)
{
    struct directory directory = {0};
    size_t left;

    if (place < HEADER_BYTES || place > bytes || bytes - place < 2)
        return directory;
    left = bytes - place - 2;
    directory.entry = tiff + place + 2;
    directory.entries = get16(tiff + place, big);
    if (left / ENTRY_BYTES < directory.entries)
        directory.entries = (unsigned)(left / ENTRY_BYTES);
    else if (left - directory.entries * ENTRY_BYTES >= 4)
        directory.next = directory.entry + directory.entries * ENTRY_BYTES;
    return directory;
}

/* The single whole number of the first entry with TAG, and the place of its lowest byte; 0 and NULL
 * if there is no such entry. */
static uint32_t number_of(const struct directory *directory, unsigned tag, bool big,
                          uint8_t **lowest)
{
    for (unsigned i = 0; i < directory->entries; i++) {
        uint8_t *entry = directory->entry + (size_t)i * ENTRY_BYTES, *value = entry + 8;
        unsigned type = get16(entry + 2, big);
        bool wide = type == TYPE_LONG || type == TYPE_SLONG;
        if (get16(entry, big) != tag || get32(entry + 4, big) != 1 || (type != TYPE_SHORT && !wide))
            continue;
        *lowest = value + (!big ? 0 : wide ? 3 : 1);
        return wide ? get32(value, big) : get16(value, big);
    }
    *lowest = NULL;
    return 0;
}

/* Clears the thumbnail and the offset of its directory. */
static void drop_thumbnail(uint8_t *tiff, size_t bytes, uint8_t *next, bool big)
{
    struct directory second = directory_at(tiff, bytes, get32(next, big), big);
    uint8_t *lowest;
    size_t place = number_of(&second, TAG_THUMBNAIL, big, &lowest);
    size_t length = number_of(&second, TAG_THUMB_LENGTH, big, &lowest);

    memset(next, 0, 4);
    if (place >= HEADER_BYTES && place < bytes)
        memset(tiff + place, 0, length < bytes - place ? length : bytes - place);
}

bool metadata_exif_sound(const uint8_t *tiff, size_t bytes)
{
    return bytes >= HEADER_BYTES &&
           (memcmp(tiff, "II*\0", 4) == 0 || memcmp(tiff, "MM\0*", 4) == 0);
}

int metadata_exif_upright(uint8_t *tiff, size_t bytes)
{
    struct directory first;
    uint32_t orientation;
    uint8_t *lowest;
    bool big;

    if (!metadata_exif_sound(tiff, bytes))
        return 1;
    big = tiff[0] == 'M';
    first = directory_at(tiff, bytes, get32(tiff + 4, big), big);
    orientation = number_of(&first, TAG_ORIENTATION, big, &lowest);
    if (first.next)
        drop_thumbnail(tiff, bytes, first.next, big);
    if (orientation < 2 || orientation > 8)
        return 1;
    *lowest = 1; /* the higher bytes are 0 */
    return (int)orientation;
}

/* ---- density ---- */

struct density metadata_density(struct density density, enum density_unit unit)
{
    static const double in_a_metre[] = {
        [DENSITY_INCH] = 1 / 0.0254, [DENSITY_CENTIMETRE] = 100, [DENSITY_METRE] = 1};
    double factor = 1 / in_a_metre[unit];

    if (density.unit == DENSITY_RATIO)
        return density;
    factor *= in_a_metre[density.unit];
    return (struct density){(uint32_t)(density.x * factor + 0.5),
                            (uint32_t)(density.y * factor + 0.5), unit};
}
