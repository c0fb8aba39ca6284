/* What codecs share about metadata: ICC profiles, EXIF data and densities. They may be hostile, so
 * every offset is checked before it is followed. */
#include <endian.h>
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

unsigned metadata_parts(const struct metadata *metadata)
{
    return (metadata->icc.size > 0 ? DROPPED_ICC : 0U) |
           (metadata->exif.size > 0 ? DROPPED_EXIF : 0U) |
           (metadata->xmp.size > 0 ? DROPPED_XMP : 0U);
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
#define TAG_X_DENSITY    0x011a
#define TAG_Y_DENSITY    0x011b
#define TAG_UNIT         0x0128
#define TAG_EXIF         0x8769
#define TAG_MAKER_NOTE   0x927c
#define TAG_THUMBNAIL    0x0201 /* its place */
#define TAG_THUMB_LENGTH 0x0202
#define TYPE_SHORT       3
#define TYPE_LONG        4
#define TYPE_RATIONAL    5
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

/* The first entry with TAG; NULL: none. */
static uint8_t *entry_of(const struct directory *directory, unsigned tag, bool big)
{
    for (unsigned i = 0; i < directory->entries; i++)
        if (get16(directory->entry + (size_t)i * ENTRY_BYTES, big) == tag)
            return directory->entry + (size_t)i * ENTRY_BYTES;
    return NULL;
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

/* The densities of a picture whose axes are exchanged. */
static void exchange_densities(const struct directory *first, bool big)
{
    uint8_t *x = entry_of(first, TAG_X_DENSITY, big), *y = entry_of(first, TAG_Y_DENSITY, big);
    uint8_t kept[ENTRY_BYTES - 2];

    if (!x || !y)
        return;
    memcpy(kept, x + 2, sizeof kept);
    memcpy(x + 2, y + 2, sizeof kept);
    memcpy(y + 2, kept, sizeof kept);
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
    if (orientation >= 5)
        exchange_densities(&first, big);
    return (int)orientation;
}

void metadata_xmp_upright(uint8_t *xmp, size_t bytes)
{
    static const char name[] = "tiff:Orientation";
    const size_t length = sizeof name - 1;

    for (size_t at = 0; at + length + 3 < bytes; at++) {
        size_t value = at + length; /* behind ="  =' or > */
        if (memcmp(xmp + at, name, length) != 0)
            continue;
        value += xmp[value] == '=' ? 2 : 1;
        if (xmp[value] >= '2' && xmp[value] <= '8')
            xmp[value] = '1';
    }
}

/* A RATIONAL times FACTOR, rounded; 0: there is none. */
static uint32_t rational_of(const struct metadata_part *exif, const struct directory *directory,
                            unsigned tag, uint32_t factor, bool big)
{
    const uint8_t *entry = entry_of(directory, tag, big);
    size_t place = entry ? get32(entry + 8, big) : 0;
    uint64_t above, below;

    if (!entry || get16(entry + 2, big) != TYPE_RATIONAL || get32(entry + 4, big) != 1 ||
        exif->size < 8 || place > exif->size - 8)
        return 0;
    above = get32(exif->bytes + place, big);
    below = get32(exif->bytes + place + 4, big);
    above = below == 0 ? 0 : (above * factor + below / 2) / below;
    return above <= INT32_MAX ? (uint32_t)above : 0;
}

static struct directory first_directory(const struct metadata_part *exif, bool *big)
{
    if (!metadata_exif_sound(exif->bytes, exif->size))
        return (struct directory){0};
    *big = exif->bytes[0] == 'M';
    return directory_at(exif->bytes, exif->size, get32(exif->bytes + 4, *big), *big);
}

struct density metadata_exif_density(struct metadata_part exif)
{
    bool big = false;
    const struct directory first = first_directory(&exif, &big);
    uint8_t *unused;
    uint32_t unit = number_of(&first, TAG_UNIT, big, &unused), factor = 1;
    struct density density = {.unit = unit == 0 ? DENSITY_INCH : (enum density_unit)(unit - 1)};

    if (unit > 3)
        return (struct density){0};
    /* PNG's whole numbers of a metre come back. */
    if (density.unit == DENSITY_CENTIMETRE &&
        (rational_of(&exif, &first, TAG_X_DENSITY, 100, big) % 100 != 0 ||
         rational_of(&exif, &first, TAG_Y_DENSITY, 100, big) % 100 != 0)) {
        density.unit = DENSITY_METRE;
        factor = 100;
    }
    density.x = rational_of(&exif, &first, TAG_X_DENSITY, factor, big);
    density.y = rational_of(&exif, &first, TAG_Y_DENSITY, factor, big);
    if (density.unit == DENSITY_RATIO && density.x == density.y) /* 1:1 says nothing */
        return (struct density){0};
    return density;
}

static uint8_t *put_entry(uint8_t *to, unsigned tag, unsigned type, uint32_t value)
{
    const uint16_t head[] = {htole16((uint16_t)tag), htole16((uint16_t)type), htole16(1), 0};

    value = htole32(value);
    memcpy(to, head, sizeof head);
    memcpy(to + sizeof head, &value, sizeof value);
    return to + ENTRY_BYTES;
}

void metadata_exif_make(struct density density, uint8_t exif[METADATA_EXIF_DENSITY_BYTES])
{
    const uint32_t divisor = density.unit == DENSITY_METRE ? 100 : 1;
    const unsigned unit = density.unit == DENSITY_METRE ? DENSITY_CENTIMETRE : density.unit;
    const uint32_t values[] = {htole32(density.x), htole32(divisor), htole32(density.y),
                               htole32(divisor)};
    uint8_t *to = exif;

    memcpy(to, "II*\0\10\0\0\0\3", HEADER_BYTES + 2);
    to = put_entry(to + HEADER_BYTES + 2, TAG_X_DENSITY, TYPE_RATIONAL, 50);
    to = put_entry(to, TAG_Y_DENSITY, TYPE_RATIONAL, 58);
    to = put_entry(to, TAG_UNIT, TYPE_SHORT, unit + 1);
    memset(to, 0, 4);
    memcpy(to + 4, values, sizeof values);
}

bool metadata_exif_has_places(struct metadata_part exif)
{
    static const struct {
        size_t bytes;
        char begin[12];
    } without[] = {{7, "Nikon\0\2"}, {8, "OLYMPUS"},  {10, "OM SYSTEM"},
                   {9, "Apple iOS"}, {8, "FUJIFILM"}, {8, "PENTAX "}};
    bool big = false;
    struct directory directory = first_directory(&exif, &big);
    uint8_t *unused;
    const uint8_t *entry;
    size_t place, size;

    directory =
        directory_at(exif.bytes, exif.size, number_of(&directory, TAG_EXIF, big, &unused), big);
    entry = entry_of(&directory, TAG_MAKER_NOTE, big);
    size = entry ? get32(entry + 4, big) : 0;
    place = entry ? get32(entry + 8, big) : 0;
    if (size < 12 || place > exif.size || size > exif.size - place)
        return false;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (memcmp(exif.bytes + place, without[i].begin, without[i].bytes) == 0)
            return false;
    return true;
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
