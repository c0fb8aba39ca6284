/* Directories of TIFF files, and the metadata in them (codec/tiff/tiff.h). Files may be hostile:
 * every place is checked against the file's size before it is read, and memory is taken only for
 * values that lie in the file.
 *
 * Tags that describe how the samples are stored are not carried, since the output is stored in its
 * own way, nor are tags that hold a second, unfiltered picture. All others are carried. */
#include <stdlib.h>
#include <string.h>

#include "codec/tiff/tiff.h"

/* Directories that a directory leads to: EXIF and GPS. A hostile file could have many. */
#define MOST_NESTED 2

#define TAG_KIND             254
#define TAG_PHOTOMETRIC      262
#define TAG_PALETTE          320
#define TAG_X_DENSITY        282
#define TAG_Y_DENSITY        283
#define TAG_UNIT             296
#define TAG_XMP              700
#define TAG_IPTC             33723
#define TAG_PHOTOSHOP        34377 /* with IPTC data */
#define TAG_EXIF             34665
#define TAG_ICC              34675
#define TAG_GPS              34853
#define TAG_INTEROPERABILITY 40965
#define TAG_DNG              50706 /* the version of this format of RAW photographs */

/* The bytes of a value of each type; 0: an unknown type. */
static const uint8_t type_bytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};

#define TYPES (sizeof type_bytes)

/* ---- lists ---- */

static size_t padded(uint64_t bytes)
{
    return (size_t)(bytes + 7) & ~(size_t)7;
}

bool tiff_list_add(struct tiff_list *list, unsigned tag, unsigned type, const void *values,
                   size_t bytes)
{
    struct metadata_part *part = &list->part;
    struct tiff_tag head = {.tag = (uint16_t)tag, .type = (uint16_t)type, .bytes = bytes};
    size_t size = part->size + sizeof head + padded(bytes);

    if (bytes > METADATA_MOST_BYTES || part->size > METADATA_MOST_BYTES)
        return false;
    if (size > list->room) {
        uint8_t *larger = realloc(part->bytes, 2 * size);
        if (!larger)
            return false;
        part->bytes = larger;
        list->room = 2 * size;
    }
    memset(part->bytes + part->size, 0, size - part->size);
    memcpy(part->bytes + part->size, &head, sizeof head);
    if (bytes > 0)
        memcpy(part->bytes + part->size + sizeof head, values, bytes);
    part->size = size;
    return true;
}

bool tiff_list_add_number(struct tiff_list *list, unsigned tag, unsigned type, uint64_t value)
{
    const uint16_t narrow = (uint16_t)value;
    const uint32_t wide = (uint32_t)value;

    return type_bytes[type] == 2 ? tiff_list_add(list, tag, type, &narrow, 2)
                                 : tiff_list_add(list, tag, type, &wide, 4);
}

const struct tiff_tag *tiff_list_next(const struct metadata_part *part, size_t *at)
{
    const struct tiff_tag *tag;

    if (*at == part->size)
        return NULL;
    tag = (const void *)(part->bytes + *at);
    *at += sizeof *tag + padded(tag->bytes);
    return tag;
}

static const struct tiff_tag *find(const struct metadata_part *part, unsigned tag)
{
    const struct tiff_tag *found;

    for (size_t at = 0; (found = tiff_list_next(part, &at)) != NULL;)
        if (found->tag == tag)
            break;
    return found;
}

/* ---- what is carried ---- */

/* First and last of the tags that are not. */
static const uint16_t stored[][2] = {
    {254, 259},     {262, 266},     {273, 274},     {277, 281}, {284, 284},
    {288, 293},     {301, 301},     {317, 317},     {320, 325}, {326, 328},
    {330, 330},     {332, 347},     {351, 351},     {400, 435}, {512, 532},
    {559, 559},     {34232, 34232}, {37724, 37724}, /* Photoshop's layers */
    {34908, 34911}, {50674, 50675}, {65000, 65535},
};

/* Tags without which samples would be read wrongly; the library ignores them if their type is not
 * one of whole numbers. */
static bool needs_whole_number(unsigned tag)
{
    static const uint16_t known[] = {256, 257, 258, 259, 262, 266, 273, 274, 277, 278,
                                     279, 284, 317, 320, 322, 323, 324, 325, 338, 339};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == tag)
            return true;
    return false;
}

static bool is_carried(unsigned tag)
{
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++)
        if (tag >= stored[i][0] && tag <= stored[i][1])
            return false;
    return true;
}

/* Values that lead to another directory, which is carried. */
static bool is_nested(unsigned tag, int depth)
{
    return depth == 0 ? tag == TAG_EXIF || tag == TAG_GPS
                      : depth == 1 && tag == TAG_INTEROPERABILITY;
}

/* enum dropped; those that EXIF data hold are DROPPED_EXIF. */
static unsigned dropped_by(unsigned tag)
{
    static const struct {
        uint16_t tag;
        unsigned dropped;
    } known[] = {
        {TAG_X_DENSITY, 0},     {TAG_Y_DENSITY, 0},       {TAG_UNIT, 0},
        {TAG_XMP, DROPPED_XMP}, {TAG_IPTC, DROPPED_IPTC}, {TAG_PHOTOSHOP, DROPPED_IPTC},
        {TAG_ICC, DROPPED_ICC}, {33550, DROPPED_GEO},     {33922, DROPPED_GEO},
        {34264, DROPPED_GEO},   {34735, DROPPED_GEO},     {34736, DROPPED_GEO},
        {34737, DROPPED_GEO},   {42112, DROPPED_GEO},     {42113, DROPPED_GEO},
    };
    static const uint16_t exif[][2] = {{0, 32767},     {33432, 33437}, {TAG_EXIF, TAG_EXIF},
                                       {34850, 34866}, {36864, 37521}, {40091, 40095},
                                       {40960, 42240}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].tag == tag)
            return known[i].dropped;
    for (size_t i = 0; i < sizeof exif / sizeof *exif; i++)
        if (tag >= exif[i][0] && tag <= exif[i][1])
            return DROPPED_EXIF;
    return DROPPED_PRIVATE;
}

static bool is_in_exif(unsigned tag)
{
    return (dropped_by(tag) & ~(unsigned)DROPPED_EXIF) == 0;
}

/* ---- reading ---- */

static bool take(const struct tiff_bytes *file, uint64_t place, void *to, size_t bytes,
                 struct error *err)
{
    size_t got = bytes;

    if (place > file->size || bytes > file->size - place)
        return error_file(err, file->name,
                          "damaged TIFF: a directory refers to byte %llu; the file has %llu",
                          (unsigned long long)place, (unsigned long long)file->size);
    if (!file->input)
        memcpy(to, file->memory + place, bytes);
    else if (!input_read_at(file->input, place, to, bytes, &got, err))
        return false;
    return got == bytes || error_file(err, file->name, "the file became shorter while it was read");
}

/* Reverses the bytes of each of COUNT numbers of BYTES bytes. */
static void swap_numbers(uint8_t *numbers, size_t bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, numbers += bytes)
        for (size_t k = 0; k < bytes / 2; k++) {
            uint8_t kept = numbers[k];
            numbers[k] = numbers[bytes - 1 - k];
            numbers[bytes - 1 - k] = kept;
        }
}

/* The number of BYTES bytes at FROM. */
static uint64_t number_at(const struct tiff_bytes *file, const uint8_t *from, size_t bytes)
{
    uint64_t number = 0;

    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t)from[file->swap ? bytes - 1 - i : i] << 8 * i;
    return number;
}

static bool ends_in_header(const struct tiff_bytes *file, struct error *err)
{
    return error_file(err, file->name, "truncated TIFF: the file ends inside its header");
}

bool tiff_header_read(struct tiff_bytes *file, uint64_t *first, struct error *err)
{
    uint8_t header[TIFF_HEADER_BYTES];

    if (file->size < 8)
        return ends_in_header(file, err);
    if (!take(file, 0, header, 8, err))
        return false;
    file->swap = header[0] == 'M';
    file->big = number_at(file, header + 2, 2) == 43;
    if (file->big && file->size < sizeof header)
        return ends_in_header(file, err);
    if (file->big && !take(file, 0, header, sizeof header, err))
        return false;
    *first = number_at(file, header + (file->big ? 8 : 4), file->big ? 8 : 4);
    return true;
}

/* How a directory is laid out. */
struct layout {
    size_t count, entry, word; /* bytes of the number of entries, an entry, a place */
};

static struct layout layout_of(bool big)
{
    return big ? (struct layout){8, 20, 8} : (struct layout){2, 12, 4};
}

static bool read_entries(const struct tiff_bytes *file, struct tiff_directory *directory, int depth,
                         struct tiff_list *list, struct error *err);

/* Reads the directory that a value leads to. */
static bool read_nested(const struct tiff_bytes *file, uint64_t place, unsigned tag, int depth,
                        struct tiff_list *list, unsigned *lost, struct error *err)
{
    struct tiff_directory directory = {.place = place};
    struct tiff_list nested = {0};
    bool ok = read_entries(file, &directory, depth + 1, &nested, err);

    if (ok && (directory.lost ||
               !tiff_list_add(list, tag, TIFF_IFD, nested.part.bytes, nested.part.size)))
        *lost |= dropped_by(tag);
    free(nested.part.bytes);
    return ok;
}

/* Reads one entry. TYPE has a known size. */
static bool read_entry(const struct tiff_bytes *file, const uint8_t *entry, int depth,
                       struct tiff_list *list, struct tiff_directory *directory, struct error *err)
{
    const struct layout layout = layout_of(file->big);
    const unsigned tag = (unsigned)number_at(file, entry, 2);
    const unsigned type = (unsigned)number_at(file, entry + 2, 2);
    const uint64_t count = number_at(file, entry + 4, layout.word), size = type_bytes[type];
    const uint8_t *value = entry + 4 + layout.word;
    uint64_t place = number_at(file, value, layout.word);
    uint8_t *values, inside[8];
    bool ok;

    if (count > file->size / size || (count * size > layout.word && place > file->size) ||
        (count * size > layout.word && count * size > file->size - place))
        return error_file(err, file->name,
                          "damaged TIFF: the values of tag %u lie outside of the file", tag);
    directory->raw |= tag == TAG_DNG;
    directory->has_palette |= depth == 0 && tag == TAG_PALETTE;
    if (depth == 0 && tag == TAG_KIND && count == 1)
        directory->kind = (uint32_t)number_at(file, value, (size_t)size);
    if (depth == 0 && tag == TAG_PHOTOMETRIC && count == 1)
        directory->photometric = (uint32_t)number_at(file, value, (size_t)size);
    if (!list || (depth == 0 && !is_carried(tag)))
        return true;
    directory->found |= depth == 0 ? dropped_by(tag) : 0;
    if (is_nested(tag, depth) && directory->nested++ >= MOST_NESTED)
        return true;
    if (is_nested(tag, depth))
        return read_nested(file, number_at(file, value, (size_t)size <= 4 ? 4 : 8), tag, depth,
                           list, &directory->lost, err);
    if (type == TIFF_IFD || type == TIFF_IFD8) /* what it leads to is not known */
        return true;
    if (list->part.size + count * size > METADATA_MOST_BYTES) { /* count is limited above */
        directory->lost |= depth == 0 ? dropped_by(tag) : DROPPED_EXIF;
        return true;
    }
    values = count * size <= sizeof inside ? inside : malloc((size_t)(count * size));
    if (!values)
        return error_file(err, file->name, "no memory to read it");
    ok = true;
    if (count * size <= layout.word)
        memcpy(values, value, (size_t)(count * size));
    else
        ok = take(file, place, values, (size_t)(count * size), err);
    if (ok && file->swap && (type == TIFF_RATIONAL || type == TIFF_SRATIONAL))
        swap_numbers(values, 4, (size_t)(2 * count));
    else if (ok && file->swap)
        swap_numbers(values, (size_t)size, (size_t)count);
    if (ok && !tiff_list_add(list, tag, type, values, (size_t)(count * size)))
        directory->lost |= depth == 0 ? dropped_by(tag) : DROPPED_EXIF;
    if (values != inside)
        free(values);
    return ok;
}

static bool read_entries(const struct tiff_bytes *file, struct tiff_directory *directory, int depth,
                         struct tiff_list *list, struct error *err)
{
    const struct layout layout = layout_of(file->big);
    uint8_t number[8], *entries;
    uint64_t count;
    bool ok;

    if (!take(file, directory->place, number, layout.count, err))
        return false;
    count = number_at(file, number, layout.count);
    if (count == 0 || count > UINT16_MAX || count * layout.entry > file->size)
        return error_file(err, file->name, "damaged TIFF: a directory of %llu tags",
                          (unsigned long long)count);
    entries = malloc((size_t)count * layout.entry + layout.word);
    if (!entries)
        return error_file(err, file->name, "no memory to read it");
    ok = take(file, directory->place + layout.count, entries,
              (size_t)count * layout.entry + layout.word, err);
    for (uint64_t i = 0; ok && i < count; i++) {
        const uint8_t *entry = entries + i * layout.entry;
        const unsigned tag = (unsigned)number_at(file, entry, 2);
        const unsigned type = (unsigned)number_at(file, entry + 2, 2);
        if (depth == 0 && needs_whole_number(tag) && type != TIFF_SHORT && type != TIFF_LONG &&
            type != TIFF_LONG8)
            ok = error_file(err, file->name, "damaged TIFF: tag %u has the type %u", tag, type);
        else if (type < TYPES && type_bytes[type] > 0) /* the standard says: ignore others */
            ok = read_entry(file, entry, depth, list, directory, err);
    }
    directory->bytes = layout.count + count * layout.entry + layout.word;
    if (ok)
        directory->next = number_at(file, entries + count * layout.entry, layout.word);
    free(entries);
    return ok;
}

bool tiff_directory_read(const struct tiff_bytes *file, struct tiff_directory *directory,
                         struct tiff_list *list, struct error *err)
{
    return read_entries(file, directory, 0, list, err);
}

/* ---- writing ---- */

bool tiff_memory_add(struct tiff_memory *memory, const void *bytes, size_t count)
{
    if (count > memory->room - memory->size) {
        size_t room = memory->size + count + memory->size / 2 + 4096;
        uint8_t *larger = realloc(memory->bytes, room);
        if (!larger)
            return false;
        memory->bytes = larger;
        memory->room = room;
    }
    if (bytes)
        memcpy(memory->bytes + memory->size, bytes, count);
    else
        memset(memory->bytes + memory->size, 0, count);
    memory->size += count;
    return true;
}

static uint8_t *put_number(uint8_t *to, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(number >> 8 * i);
    return to + bytes;
}

size_t tiff_header_make(uint8_t header[TIFF_HEADER_BYTES], uint64_t first, bool big)
{
    memset(header, 0, TIFF_HEADER_BYTES);
    memcpy(header, big ? "II+\0\10\0\0\0" : "II*\0", big ? 8 : 4);
    put_number(header + (big ? 8 : 4), first, big ? 8 : 4);
    return big ? 16 : 8;
}

/* Tags in a directory are in the order of their numbers; of the same ones, the first counts. */
static int compare_tags(const void *a, const void *b)
{
    const struct tiff_tag *one = *(const struct tiff_tag *const *)a,
                          *other = *(const struct tiff_tag *const *)b;

    if (one->tag != other->tag)
        return one->tag < other->tag ? -1 : 1;
    return one < other ? -1 : one > other;
}

/* Numbers of 64 bits, which only a BigTIFF has, if 32 bits hold them. */
static bool is_narrowed(const struct tiff_tag *tag, bool big)
{
    const uint64_t *numbers = tiff_values(tag);

    if (big || tag->type != TIFF_LONG8)
        return false;
    for (uint64_t i = 0; i < tag->bytes / 8; i++)
        if (numbers[i] > UINT32_MAX)
            return false;
    return true;
}

static bool add_narrowed(struct tiff_memory *memory, const struct tiff_tag *tag)
{
    const uint64_t *numbers = tiff_values(tag);
    const size_t start = memory->size, count = (size_t)tag->bytes / 8;

    if (!tiff_memory_add(memory, NULL, 4 * count))
        return false;
    for (size_t i = 0; i < count; i++)
        put_number(memory->bytes + start + 4 * i, numbers[i], 4);
    return true;
}

static bool add_values(struct tiff_memory *memory, uint64_t base, const struct tiff_tag *tag,
                       bool big)
{
    const struct metadata_part inner = {(uint8_t *)(uintptr_t)tiff_values(tag), (size_t)tag->bytes};
    size_t unused;

    if (tag->type == TIFF_IFD)
        return tiff_directory_write(memory, base, &inner, big, &unused);
    return is_narrowed(tag, big) ? add_narrowed(memory, tag)
                                 : tiff_memory_add(memory, inner.bytes, inner.size);
}

/* Writes a tag's values behind the directory, and its entry at ENTRY of the memory. */
static bool write_tag(struct tiff_memory *memory, uint64_t base, size_t entry,
                      const struct tiff_tag *tag, bool big)
{
    const struct layout layout = layout_of(big);
    const bool nested = tag->type == TIFF_IFD;
    const unsigned type = nested                  ? (big ? TIFF_IFD8 : TIFF_LONG)
                          : is_narrowed(tag, big) ? TIFF_LONG
                                                  : tag->type;
    const uint64_t count = nested ? 1 : tag->bytes / type_bytes[tag->type];
    const uint64_t bytes = count * type_bytes[type];
    size_t start;
    uint8_t *to;

    if ((base + memory->size) % 2 != 0 && !tiff_memory_add(memory, NULL, 1)) /* places are even */
        return false;
    start = memory->size;
    if (!add_values(memory, base, tag, big))
        return false;
    to = put_number(memory->bytes + entry, tag->tag, 2);
    to = put_number(to, type, 2);
    to = put_number(to, count, layout.word);
    if (nested || bytes > layout.word) {
        put_number(to, base + start, layout.word);
    } else { /* the entry holds the values themselves */
        memcpy(to, memory->bytes + start, (size_t)bytes);
        memory->size = start;
    }
    return true;
}

bool tiff_directory_write(struct tiff_memory *memory, uint64_t base,
                          const struct metadata_part *tags, bool big, size_t *link)
{
    const struct layout layout = layout_of(big);
    const size_t start = memory->size;
    const struct tiff_tag **sorted, *tag;
    size_t count = 0, kept = 0;
    bool ok;

    for (size_t at = 0; tiff_list_next(tags, &at);)
        count++;
    sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    count = 0;
    for (size_t at = 0; (tag = tiff_list_next(tags, &at)) != NULL;)
        sorted[count++] = tag;
    qsort(sorted, count, sizeof *sorted, compare_tags);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || sorted[kept - 1]->tag != sorted[i]->tag)
            sorted[kept++] = sorted[i];
    *link = start + layout.count + kept * layout.entry;
    ok = tiff_memory_add(memory, NULL, layout.count + kept * layout.entry + layout.word);
    if (ok)
        put_number(memory->bytes + start, kept, layout.count);
    for (size_t i = 0; ok && i < kept; i++)
        ok = write_tag(memory, base, start + layout.count + i * layout.entry, sorted[i], big);
    free(sorted);
    return ok;
}

void tiff_directory_link(struct tiff_memory *memory, size_t link, uint64_t place, bool big)
{
    put_number(memory->bytes + link, place, layout_of(big).word);
}

/* ---- metadata ---- */

static struct metadata_part part_of(const struct metadata_part *own, unsigned tag)
{
    const struct tiff_tag *found = find(own, tag);

    if (!found || type_bytes[found->type] != 1)
        return (struct metadata_part){0};
    return (struct metadata_part){(uint8_t *)(uintptr_t)tiff_values(found), (size_t)found->bytes};
}

static void make_exif(struct metadata *metadata, struct tiff_memory *exif)
{
    uint8_t header[TIFF_HEADER_BYTES];
    struct tiff_list list = {0};
    const struct tiff_tag *tag;
    size_t unused;
    bool ok = true;

    for (size_t at = 0; ok && (tag = tiff_list_next(&metadata->own, &at)) != NULL;)
        if (is_in_exif(tag->tag))
            ok = tiff_list_add(&list, tag->tag, tag->type, tiff_values(tag), (size_t)tag->bytes);
    ok = ok && list.part.size > 0 &&
         tiff_memory_add(exif, header, tiff_header_make(header, 8, false)) &&
         tiff_directory_write(exif, 0, &list.part, false, &unused);
    if (ok)
        metadata->exif = (struct metadata_part){exif->bytes, exif->size};
    free(list.part.bytes);
}

static void exchange_densities(struct metadata_part *own)
{
    for (size_t at = 0; at < own->size;) {
        struct tiff_tag *tag = (void *)(own->bytes + at);
        if (tag->tag == TAG_X_DENSITY || tag->tag == TAG_Y_DENSITY)
            tag->tag ^= TAG_X_DENSITY ^ TAG_Y_DENSITY;
        at += sizeof *tag + padded(tag->bytes);
    }
}

void tiff_metadata_find(struct metadata *metadata, bool gray, bool turned, struct tiff_memory *exif)
{
    struct metadata_part icc = part_of(&metadata->own, TAG_ICC);

    if (turned)
        exchange_densities(&metadata->own);
    metadata->xmp = part_of(&metadata->own, TAG_XMP);
    if (metadata_profile_fits(icc.bytes, icc.size, gray) &&
        (metadata->icc.bytes = malloc(icc.size)) != NULL) {
        memcpy(metadata->icc.bytes, icc.bytes, icc.size);
        metadata->icc.size = icc.size;
    }
    make_exif(metadata, exif);
}

static bool add_density(struct tiff_list *list, struct density density)
{
    const uint32_t divisor = density.unit == DENSITY_METRE ? 100 : 1;
    const uint32_t x[2] = {density.x, divisor}, y[2] = {density.y, divisor};
    const unsigned unit = density.unit == DENSITY_METRE ? DENSITY_CENTIMETRE : density.unit;

    return density.x == 0 || density.y == 0 ||
           (tiff_list_add(list, TAG_X_DENSITY, TIFF_RATIONAL, x, sizeof x) &&
            tiff_list_add(list, TAG_Y_DENSITY, TIFF_RATIONAL, y, sizeof y) &&
            tiff_list_add_number(list, TAG_UNIT, TIFF_SHORT, unit + 1));
}

/* Appends the tags of EXIF data that are not about its storage. Damaged data is left out as far as
 * it is damaged. */
static bool add_exif(struct tiff_list *list, struct metadata_part exif)
{
    struct tiff_bytes file = {.memory = exif.bytes, .size = exif.size, .name = ""};
    struct tiff_directory directory = {0};
    struct tiff_list tags = {0};
    const struct tiff_tag *tag;
    struct error ignored;
    bool ok = true;

    if (tiff_header_read(&file, &directory.place, &ignored))
        tiff_directory_read(&file, &directory, &tags, &ignored);
    for (size_t at = 0; ok && (tag = tiff_list_next(&tags.part, &at)) != NULL;)
        ok = tiff_list_add(list, tag->tag, tag->type, tiff_values(tag), (size_t)tag->bytes);
    free(tags.part.bytes);
    return ok;
}

bool tiff_metadata_list(const struct metadata *metadata, enum format format, struct tiff_list *list)
{
    const struct tiff_tag *tag;
    bool ok = true;

    if (format == FORMAT_TIFF) {
        for (size_t at = 0; ok && (tag = tiff_list_next(&metadata->own, &at)) != NULL;)
            ok = tiff_list_add(list, tag->tag, tag->type, tiff_values(tag), (size_t)tag->bytes);
        return ok;
    }
    /* A tag may be added twice: the first one counts. */
    return (metadata->xmp.size == 0 ||
            tiff_list_add(list, TAG_XMP, TIFF_BYTE, metadata->xmp.bytes, metadata->xmp.size)) &&
           (metadata->icc.size == 0 || tiff_list_add(list, TAG_ICC, TIFF_UNDEFINED,
                                                     metadata->icc.bytes, metadata->icc.size)) &&
           (metadata->exif.size == 0 || add_exif(list, metadata->exif)) &&
           (find(&list->part, TAG_X_DENSITY) || add_density(list, metadata->density));
}
