/* Private to codec/tiff/. The samples of TIFF files are coded by libtiff; directories (the lists of
 * tags) are read and written here, so that tags that libtiff does not know are carried as they are.
 *
 *   library.c   loads libtiff
 *   tags.c      directories and metadata
 *   decoder.c   reading, a strip or a row of tiles at a time
 *   encoder.c   writing, in strips */
#ifndef STENCIL_CODEC_TIFF_TIFF_H
#define STENCIL_CODEC_TIFF_TIFF_H

#include <tiffio.h>

#include "codec/format.h"

/* Every reason not to read a file is found before more than this is allocated for it, or the
 * system is asked what memory it has. */
#define TIFF_LARGE_BYTES ((uint64_t)64 << 20)

/* ---- libtiff ---- */

/* The functions of libtiff that are used, without the prefix TIFF. */
#define LIBTIFF_FUNCTIONS(each)                                                                    \
    each(ClientOpenExt) each(Close) each(ComputeStrip) each(ComputeTile) each(CurrentDirOffset)    \
        each(GetField) each(GetFieldDefaulted) each(GetStrileByteCount) each(GetStrileOffset)      \
            each(IsByteSwapped) each(IsCODECConfigured) each(IsTiled) each(OpenOptionsAlloc)       \
                each(OpenOptionsFree) each(OpenOptionsSetErrorHandlerExtR)                         \
                    each(OpenOptionsSetMaxSingleMemAlloc) each(OpenOptionsSetWarningHandlerExtR)   \
                        each(ReadEncodedStrip) each(ReadEncodedTile) each(ReadScanline)            \
                            each(ReverseBits) each(ScanlineSize64) each(SetField)                  \
                                each(SetSubDirectory) each(SwabArrayOfShort) each(TileRowSize64)   \
                                    each(WriteEncodedStrip)

struct libtiff {
#define LIBTIFF_MEMBER(name) __typeof__(TIFF##name) *name;
    LIBTIFF_FUNCTIONS(LIBTIFF_MEMBER)
#undef LIBTIFF_MEMBER
};
extern struct libtiff libtiff;

/* Loads libtiff if it is not loaded yet. Any thread may call it. NAME: the file that needs it. */
bool libtiff_load(const char *name, struct error *err);

/* ---- lists of tags ----
 *
 * A list is a block of memory: for each tag a struct tiff_tag and its values, in this machine's
 * byte order, padded to 8 bytes. The values of a tag of the type TIFF_IFD are a list themselves. */

struct tiff_tag {
    uint16_t tag, type;
    uint32_t unused;
    uint64_t bytes; /* of the values behind it */
};

struct tiff_list {
    struct metadata_part part;
    size_t room;
};

/* Appends a tag. False: no memory, or the list has METADATA_MOST_BYTES. */
bool tiff_list_add(struct tiff_list *list, unsigned tag, unsigned type, const void *values,
                   size_t bytes);
bool tiff_list_add_number(struct tiff_list *list, unsigned tag, unsigned type, uint64_t value);

/* The first tag at or behind AT, or NULL; the place of the next one is at *at then. */
const struct tiff_tag *tiff_list_next(const struct metadata_part *part, size_t *at);

static inline const void *tiff_values(const struct tiff_tag *tag)
{
    return tag + 1;
}

/* ---- directories ---- */

/* A file, or EXIF data in memory. */
struct tiff_bytes {
    struct input *input; /* NULL: in memory */
    const uint8_t *memory;
    uint64_t size;
    const char *name;
    bool swap, big; /* the other byte order; BigTIFF */
};

/* Reads the header: fills swap and big, and *first, the place of the first directory. */
bool tiff_header_read(struct tiff_bytes *file, uint64_t *first, struct error *err);

/* Appends the metadata of the directory at PLACE to LIST, which may be NULL. *next: the place of
 * the following directory, or 0. Kind and photometric are those tags. *found and *lost: enum
 * dropped, what there is and what did not fit. */
struct tiff_directory {
    uint64_t place, next, bytes; /* bytes: without values */
    uint32_t kind, photometric;
    bool has_palette;
    unsigned found, lost;
    int nested; /* directories that it leads to */
    bool raw;   /* a RAW photograph: its first picture is a preview */
};
bool tiff_directory_read(const struct tiff_bytes *file, struct tiff_directory *directory,
                         struct tiff_list *list, struct error *err);

/* Appends to MEMORY, whose first byte will be at BASE of a file, the directory of the tags and
 * their values. *link: where in the memory the place of the following directory belongs; it is 0.
 * False: no memory. */
struct tiff_memory {
    uint8_t *bytes;
    size_t size, room;
};
bool tiff_memory_add(struct tiff_memory *memory, const void *bytes, size_t count);
bool tiff_directory_write(struct tiff_memory *memory, uint64_t base,
                          const struct metadata_part *tags, bool big, size_t *link);
void tiff_directory_link(struct tiff_memory *memory, size_t link, uint64_t place, bool big);

#define TIFF_HEADER_BYTES 16 /* of BigTIFF; 8 otherwise */

/* Returns the header's length. */
size_t tiff_header_make(uint8_t header[TIFF_HEADER_BYTES], uint64_t first, bool big);

/* ---- metadata ---- */

/* Finds in metadata->own what other formats can hold; *exif keeps the memory of metadata->exif.
 * TURNED: the axes of the picture are exchanged, and so are its densities. */
void tiff_metadata_find(struct metadata *metadata, bool gray, bool turned,
                        struct tiff_memory *exif);

/* Appends to LIST what a TIFF holds of the metadata of a file in FORMAT. */
bool tiff_metadata_list(const struct metadata *metadata, enum format format,
                        struct tiff_list *list);

#endif
