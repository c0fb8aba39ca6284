/* EXIF orientation: reading it, and turning a picture upright. The data is a TIFF file in small,
 * written by cameras and by attackers alike: every offset is looked at before it is followed, and
 * only the first directory is read. */
#include <string.h>

#include "codec/jpeg/jpeg.h"

#define TAG_ORIENTATION 0x0112
#define TYPE_SHORT      3
#define ENTRY_BYTES     12

static unsigned get16(const uint8_t *p, bool big)
{
    return big ? p[0] * 256U + p[1] : p[1] * 256U + p[0];
}

static uint32_t get32(const uint8_t *p, bool big)
{
    uint32_t first = get16(p, big), second = get16(p + 2, big);
    return big ? first << 16 | second : second << 16 | first;
}

int exif_orientation(const uint8_t *tiff, size_t bytes)
{
    size_t place, entries, i;
    bool big;

    if (bytes < 8 || (memcmp(tiff, "II*\0", 4) != 0 && memcmp(tiff, "MM\0*", 4) != 0))
        return 1;
    big = tiff[0] == 'M';
    place = get32(tiff + 4, big);
    if (place > bytes || bytes - place < 2)
        return 1;
    entries = get16(tiff + place, big);
    place += 2;
    for (i = 0; i < entries && bytes - place >= ENTRY_BYTES; i++, place += ENTRY_BYTES) {
        const uint8_t *entry = tiff + place;
        unsigned value = get16(entry + 8, big);
        if (get16(entry, big) == TAG_ORIENTATION && get16(entry + 2, big) == TYPE_SHORT &&
            get32(entry + 4, big) == 1)
            return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

bool exif_turn_upright(struct image *image, int orientation, const char *name, struct error *err)
{
    bool exchanged = orientation >= 5;
    /* Of the rows and columns as stored, which run backwards on the upright picture's way. */
    bool columns_back =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool rows_back = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    size_t pixel = (size_t)image->channels * (size_t)image->type;
    ptrdiff_t column = (ptrdiff_t)pixel, row = (ptrdiff_t)image->pitch;
    const uint8_t *first = image->data;
    struct image upright;
    int y, x;

    if (orientation == 1)
        return true;
    if (!image_alloc(&upright, exchanged ? image->height : image->width,
                     exchanged ? image->width : image->height, image->channels, image->type, name,
                     err))
        return false;
    if (columns_back) {
        first += column * (image->width - 1);
        column = -column;
    }
    if (rows_back) {
        first += row * (image->height - 1);
        row = -row;
    }
    for (y = 0; y < upright.height; y++) {
        const uint8_t *from = first + y * (exchanged ? column : row);
        uint8_t *to = image_row(&upright, y);
        for (x = 0; x < upright.width; x++, to += pixel, from += exchanged ? row : column)
            memcpy(to, from, pixel);
    }
    image_free(image);
    *image = upright;
    return true;
}
