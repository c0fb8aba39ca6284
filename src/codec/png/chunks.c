/* The structure of a PNG file: the walk over its chunks, with a function for each important chunk
 * (other chunks only get their CRC checked), the compressed data in the IDAT chunks, and the chunks
 * that are copied into another PNG. The file may change after its chunks were checked, so later
 * reads go no further than the bytes that were counted then.
 *
 * An error about damage names the chunk and its place: "the CRC of chunk IDAT at byte 1234 does not
 * match". The place is the byte of the chunk's length, counted from 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/png/png.h"
#include "codec/zlib/stream.h"

#define SIGNATURE_BYTES 8

/* The longest chunk whose content is read here is a palette. */
#define CHUNK_HEAD_BYTES (3 * 256)

#define MAX_KEYWORD 79
#define MAX_PROFILE ((size_t)16 << 20)

const char png_xmp_head[22] = "XML:com.adobe.xmp";
const char png_comment_head[12] = "Comment";

static const uint8_t signature[SIGNATURE_BYTES] = {137, 'P', 'N', 'G', 13, 10, 26, 10};

struct walk {
    struct png_file *png;
    bool read_data; /* also read the content of IDAT chunks, to check their CRC */
    bool header_seen, data_over;
    struct error *err;
    /* the current chunk: */
    size_t place;
    uint32_t bytes;
    char type[5];
    uint8_t data[CHUNK_HEAD_BYTES]; /* its first bytes */
};

bool png_recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 4 && memcmp(head, signature, 4) == 0;
}

/* For each colour type, the samples of a pixel and the sum of the allowed depths (depths are powers
 * of two, so the sum keeps them apart). A colour type without depths does not exist. */
static const struct {
    int samples, depths;
} colours[] = {[PNG_GRAY] = {1, 1 | 2 | 4 | 8 | 16},
               [PNG_RGB] = {3, 8 | 16},
               [PNG_PALETTE] = {1, 1 | 2 | 4 | 8},
               [PNG_GRAY_ALPHA] = {2, 8 | 16},
               [PNG_RGBA] = {4, 8 | 16}};
#define COLOURS (int)(sizeof colours / sizeof *colours)

int png_samples_stored(const struct png_header *header)
{
    return colours[header->colour].samples;
}

int png_channels(const struct png_file *png)
{
    int stored = png->header.colour == PNG_PALETTE ? 3 : png_samples_stored(&png->header);

    return stored + (png->transparency_bytes > 0);
}

static bool is(const struct walk *walk, const char *type)
{
    return strcmp(walk->type, type) == 0;
}

static bool damaged(struct walk *walk, const char *what)
{
    return error_file(walk->err, walk->png->name, "damaged PNG: %s in chunk %s at byte %zu", what,
                      walk->type, walk->place);
}

/* ---- the chunks beside the picture ---- */

enum place { EARLY, MIDDLE, ANYWHERE };

static const struct {
    char type[5];
    bool single;      /* a file has one at most */
    enum place place; /* EARLY: before palette and picture; MIDDLE: before the picture */
    uint32_t bytes;   /* 0: any */
} kinds[] = {
    {"iCCP", true, EARLY, 0},     {"sRGB", true, EARLY, 1},     {"gAMA", true, EARLY, 4},
    {"cHRM", true, EARLY, 32},    {"cICP", true, EARLY, 4},     {"pHYs", true, MIDDLE, 9},
    {"eXIf", true, ANYWHERE, 0},  {"tEXt", false, ANYWHERE, 0}, {"zTXt", false, ANYWHERE, 0},
    {"iTXt", false, ANYWHERE, 0},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* The length of the keyword at the start of profiles and texts; 0: there is none. */
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
    return bytes >= keyword + 2 && head[keyword + 1] == 0; /* the compression method is zlib's */
}

/* Puts the chunk on the list. True if it, or an earlier one of its kind, is on the list. */
static bool keep(const struct walk *walk)
{
    const struct png_file *png = walk->png;
    struct png_notes *notes = &walk->png->notes;
    size_t kind = 0;

    while (kind < KINDS && !is(walk, kinds[kind].type))
        kind++;
    if (kind == KINDS)
        return false;
    if (kinds[kind].single && notes->seen & 1U << kind)
        return true;
    if ((kinds[kind].place == EARLY && png->palette_entries > 0) ||
        (kinds[kind].place != ANYWHERE && png->data_chunks > 0) ||
        !is_sound(kind, walk->data, walk->bytes) || notes->count == PNG_KEPT_CHUNKS ||
        walk->bytes > METADATA_MOST_BYTES - notes->kept_bytes)
        return false;
    notes->seen |= 1U << kind;
    notes->kept[notes->count++] = (struct png_kept){.place = walk->place,
                                                    .bytes = walk->bytes + PNG_CHUNK_OVERHEAD,
                                                    .profile = is(walk, "iCCP")};
    notes->kept_bytes += walk->bytes;
    return true;
}

/* The kind of metadata in a text, of enum dropped: some programs put profiles into texts. */
static unsigned text_kind(const struct walk *walk)
{
    static const char begin[] = "Raw profile type ";
    static const struct {
        char kind[5];
        unsigned dropped;
    } known[] = {{"exif", DROPPED_EXIF}, {"APP1", DROPPED_EXIF}, {"xmp", DROPPED_XMP},
                 {"iptc", DROPPED_IPTC}, {"8bim", DROPPED_IPTC}, {"icc", DROPPED_ICC},
                 {"icm", DROPPED_ICC}};
    const char *keyword = (const char *)walk->data;
    const size_t length = sizeof begin - 1;

    if (walk->bytes < length + 5 || memcmp(keyword, begin, length) != 0)
        return DROPPED_TEXT;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (memcmp(keyword + length, known[i].kind, strlen(known[i].kind) + 1) == 0)
            return known[i].dropped;
    return DROPPED_TEXT;
}

/* gAMA 1/2.2, cHRM of sRGB and cICP 1 13 0 1 have no effect: a PNG without them means the same. */
static void note_metadata(const struct walk *walk)
{
    static const uint32_t srgb[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    struct png_notes *notes = &walk->png->notes;
    unsigned says = 0, maybe = 0;

    if (is(walk, "iCCP"))
        says = DROPPED_ICC;
    else if (is(walk, "eXIf"))
        says = DROPPED_EXIF;
    else if (is(walk, "iTXt") && walk->bytes > sizeof png_xmp_head &&
             memcmp(walk->data, png_xmp_head, strlen(png_xmp_head) + 1) == 0)
        says = DROPPED_XMP;
    else if (is(walk, "tEXt") || is(walk, "zTXt") || is(walk, "iTXt"))
        says = text_kind(walk);
    else if (is(walk, "cICP"))
        says = walk->bytes == 4 && memcmp(walk->data, "\1\15\0\1", 4) == 0 ? 0U : DROPPED_COLOURS;
    else if (is(walk, "acTL"))
        says = DROPPED_FRAMES;
    else if (is(walk, "gAMA") && walk->bytes == 4 && png_get32(walk->data) != 45455)
        maybe = DROPPED_GAMMA;
    else if (is(walk, "cHRM") && walk->bytes == 32)
        for (size_t i = 0; i < 8; i++)
            maybe |= png_get32(walk->data + 4 * i) != srgb[i] ? DROPPED_COLOURS : 0U;
    notes->named_space |= is(walk, "sRGB") || is(walk, "iCCP") || is(walk, "cICP");
    notes->dropped |= says;
    notes->maybe |= maybe;
    if (!keep(walk)) {
        notes->lost |= says;
        notes->maybe_lost |= maybe;
    }
}

/* ---- the chunks of the picture ---- */

static bool walk_header(struct walk *walk)
{
    const char *name = walk->png->name;
    const uint8_t *data = walk->data;
    uint32_t width = png_get32(data), height = png_get32(data + 4);
    int depth = data[8], colour = data[9];

    if (walk->header_seen)
        return damaged(walk, "a second header");
    if (walk->bytes != 13)
        return damaged(walk, "a header of the wrong length");
    if (width == 0 || height == 0)
        return error_file(walk->err, name, "damaged PNG: %u x %u pixels are no picture", width,
                          height);
    if (width > PNG_MAX_SIDE || height > PNG_MAX_SIDE)
        return error_file(walk->err, name, "%u x %u pixels: more than %d on a side cannot be read",
                          width, height, PNG_MAX_SIDE);
    /* The test of the sum of depths works only for a power of two. */
    if ((depth & (depth - 1)) != 0 || colour >= COLOURS || (colours[colour].depths & depth) == 0)
        return error_file(walk->err, name, "damaged PNG: there is no colour type %d with %d bits",
                          colour, depth);
    if (data[10] != 0 || data[11] != 0)
        return damaged(walk, "an unknown compression or filter method");
    if (data[12] > 1)
        return damaged(walk, "an unknown interlace method");
    walk->png->header = (struct png_header){.width = (int)width,
                                            .height = (int)height,
                                            .depth = depth,
                                            .colour = (enum png_colour)colour,
                                            .interlaced = data[12] == 1};
    walk->header_seen = true;
    return true;
}

static bool walk_palette(struct walk *walk)
{
    struct png_file *png = walk->png;

    if (png->palette_entries > 0)
        return damaged(walk, "a second palette");
    if (png->data_chunks > 0)
        return damaged(walk, "a palette behind the picture");
    if (png->header.colour == PNG_GRAY || png->header.colour == PNG_GRAY_ALPHA)
        return damaged(walk, "a palette beside gray samples");
    if (png->transparency_bytes > 0)
        return damaged(walk, "a palette behind the transparency");
    if (walk->bytes == 0 || walk->bytes % 3 != 0 || walk->bytes > sizeof png->palette)
        return damaged(walk, "a palette of the wrong length");
    memcpy(png->palette, walk->data, walk->bytes);
    png->palette_entries = (int)(walk->bytes / 3);
    if (png->header.colour == PNG_PALETTE && png->palette_entries > 1 << png->header.depth)
        png->palette_entries = 1 << png->header.depth; /* no index can reach further entries */
    return true;
}

static bool walk_transparency(struct walk *walk)
{
    struct png_file *png = walk->png;
    enum png_colour colour = png->header.colour;
    uint32_t least = 2 * (uint32_t)png_samples_stored(&png->header), most = least;

    if (png->transparency_bytes > 0)
        return damaged(walk, "a second transparency");
    if (png->data_chunks > 0)
        return damaged(walk, "a transparency behind the picture");
    if (colour == PNG_GRAY_ALPHA || colour == PNG_RGBA)
        return damaged(walk, "a transparency beside an alpha channel");
    if (colour == PNG_PALETTE) {
        least = 1;
        most = (uint32_t)png->palette_entries;
    }
    if (walk->bytes < least || walk->bytes > most)
        return damaged(walk, "a transparency of the wrong length");
    memcpy(png->transparency, walk->data, walk->bytes);
    png->transparency_bytes = walk->bytes;
    for (uint32_t i = 0; i < walk->bytes && colour != PNG_PALETTE && png->header.depth <= 8;
         i += 2) {
        png->transparency[i] = 0; /* clear the bits above the depth */
        png->transparency[i + 1] &= (uint8_t)((1 << png->header.depth) - 1);
    }
    return true;
}

/* HAVE is the number of the chunk's bytes in the file, less than its length in a truncated file. */
static bool walk_data(struct walk *walk, size_t have)
{
    struct png_file *png = walk->png;

    if (walk->data_over)
        return damaged(walk, "picture data that is not in one piece");
    if (png->header.colour == PNG_PALETTE && png->palette_entries == 0)
        return damaged(walk, "no palette before the picture");
    if (png->data_chunks++ == 0)
        png->data_place = walk->place;
    png->data_bytes += have;
    return true;
}

/* Handles one complete chunk. */
static bool walk_chunk(struct walk *walk)
{
    struct png_file *png = walk->png;

    if (is(walk, "IHDR"))
        return walk_header(walk);
    if (!walk->header_seen)
        return error_file(walk->err, png->name,
                          "damaged PNG: chunk %s at byte %zu stands before the header", walk->type,
                          walk->place);
    if (is(walk, "IDAT"))
        return walk_data(walk, walk->bytes);
    walk->data_over = png->data_chunks > 0;
    if (is(walk, "IEND"))
        return walk->bytes == 0 || damaged(walk, "content where none belongs");
    if (is(walk, "PLTE"))
        return walk_palette(walk);
    if (is(walk, "tRNS"))
        return walk_transparency(walk);
    if ((walk->type[0] & 32) == 0) /* upper case: a critical chunk, needed to show the picture */
        return error_file(walk->err, png->name,
                          "unknown kind of PNG: it needs chunk %s at byte %zu to be understood",
                          walk->type, walk->place);
    note_metadata(walk);
    return true;
}

/* ---- the walk ---- */

/* Notes that the file ends early. Without a header no rows can be counted: an error. */
static bool cut(struct walk *walk, const char *where)
{
    struct png_file *png = walk->png;

    snprintf(png->truncation, sizeof png->truncation, "%s", where);
    png->truncated = true;
    return walk->header_seen || error_file(walk->err, png->name, "truncated PNG: %s", where);
}

/* Reads the content's first bytes, and checks the CRC of all of it. */
static bool read_content(struct walk *walk)
{
    struct input *input = walk->png->input;
    size_t place = walk->place + PNG_CHUNK_HEAD, done = 0, have;
    uint32_t crc = zlib_crc32(0, (const uint8_t *)walk->type, 4);
    const uint8_t *piece;

    for (; done < walk->bytes; done += have) {
        piece = input_at(input, place + done, 1, &have, walk->err);
        if (!piece || have == 0)
            return piece && cut(walk, "the file was cut while it was read");
        have = have < walk->bytes - done ? have : walk->bytes - done;
        crc = zlib_crc32(crc, piece, have);
        if (done < CHUNK_HEAD_BYTES)
            memcpy(walk->data + done, piece,
                   have < CHUNK_HEAD_BYTES - done ? have : CHUNK_HEAD_BYTES - done);
    }
    piece = input_at(input, place + done, 4, &have, walk->err);
    if (!piece || have < 4)
        return piece && cut(walk, "the file was cut while it was read");
    return crc == png_get32(piece) ||
           error_file(walk->err, walk->png->name,
                      "damaged PNG: the CRC of chunk %s at byte %zu does not match", walk->type,
                      walk->place);
}

/* Reads the chunk at the walk's place. Sets png->truncated if the file ends inside the chunk. */
static bool read_chunk(struct walk *walk)
{
    struct png_file *png = walk->png;
    char where[128];
    size_t left;
    const uint8_t *head = input_at(png->input, walk->place, PNG_CHUNK_HEAD, &left, walk->err);

    if (!head)
        return false;
    if (left < PNG_CHUNK_HEAD)
        return cut(walk, left == 0 ? "the file ends before its last chunk"
                                   : "the file ends inside the head of a chunk");
    left = (size_t)input_size(png->input) - walk->place - PNG_CHUNK_HEAD;
    walk->bytes = png_get32(head);
    memcpy(walk->type, head + 4, 4);
    for (int i = 0; i < 4; i++)
        if ((walk->type[i] | 32) < 'a' || (walk->type[i] | 32) > 'z')
            return error_file(walk->err, png->name, "damaged PNG: there is no chunk at byte %zu",
                              walk->place);
    if (walk->bytes > INT32_MAX)
        return damaged(walk, "an impossible length");
    if (left >= (size_t)walk->bytes + 4)
        return (is(walk, "IDAT") && walk->bytes > 0 && !walk->read_data) || read_content(walk);
    snprintf(where, sizeof where, "the file ends inside chunk %s at byte %zu", walk->type,
             walk->place);
    if (walk->header_seen && is(walk, "IDAT") &&
        !walk_data(walk, left < walk->bytes ? left : walk->bytes))
        return false;
    return cut(walk, where);
}

static bool walk_file(struct png_file *png, struct input *input, bool read_data, struct error *err)
{
    struct walk walk = {.png = png, .read_data = read_data, .err = err, .place = SIGNATURE_BYTES};
    size_t have;
    const uint8_t *head = input_at(input, 0, SIGNATURE_BYTES, &have, err);

    memset(png, 0, sizeof *png);
    png->input = input;
    png->name = input_name(input);
    if (!head)
        return false;
    if (have < SIGNATURE_BYTES)
        return cut(&walk, "the file ends inside its signature");
    if (memcmp(head, signature, SIGNATURE_BYTES) != 0)
        return error_file(err, png->name,
                          "damaged PNG: its signature was changed (by a transfer as text?)");
    while (!is(&walk, "IEND")) {
        if (!read_chunk(&walk) || (!png->truncated && !walk_chunk(&walk)))
            return false;
        if (png->truncated)
            return true;
        walk.place += PNG_CHUNK_OVERHEAD + (size_t)walk.bytes;
    }
    return png->data_chunks > 0 ||
           error_file(err, png->name, "damaged PNG: it holds no picture data");
}

bool png_chunks_walk(struct png_file *png, struct input *input, struct error *err)
{
    if (!input_hold(input, err))
        return false;
    /* To report the first damage in a bad file, walk again and check all CRCs. */
    return (walk_file(png, input, false, err) && !png->truncated) ||
           walk_file(png, input, true, err);
}

void png_chunks_explain(struct input *input, struct error *err)
{
    struct png_file png;
    struct error why;

    if (!walk_file(&png, input, true, &why))
        *err = why;
}

/* ---- content ---- */

struct png_pieces png_pieces_begin(const struct png_file *png)
{
    return (struct png_pieces){
        .input = png->input, .place = png->data_place, .left = png->data_bytes};
}

/* Checks the CRC after the chunk's data has been handed out. */
static bool check_crc(struct png_pieces *pieces)
{
    size_t have;
    const uint8_t *at = input_at(pieces->input, pieces->place, 4, &have, &pieces->err);

    pieces->in_chunk = false;
    pieces->place += 4;
    pieces->failed = !at || have < 4 || png_get32(at) != pieces->crc;
    if (pieces->failed && at) /* replaced by png_chunks_explain, unless the file is sound by now */
        error_file(&pieces->err, input_name(pieces->input), "was changed while it was read");
    return !pieces->failed;
}

/* Advances to the next chunk that is not empty. The chunks follow each other without a gap. */
static bool next_chunk(struct png_pieces *pieces)
{
    static const uint8_t type[] = {'I', 'D', 'A', 'T'};
    size_t have;

    while (pieces->chunk_left == 0) {
        const uint8_t *at;
        if ((pieces->in_chunk && !check_crc(pieces)) || pieces->left == 0)
            return false;
        at = input_at(pieces->input, pieces->place, PNG_CHUNK_HEAD, &have, &pieces->err);
        pieces->failed = !at;
        if (!at || have < PNG_CHUNK_HEAD)
            return false;
        pieces->chunk_left = png_get32(at);
        pieces->place += PNG_CHUNK_HEAD;
        pieces->in_chunk = true;
        pieces->crc = zlib_crc32(0, type, sizeof type);
    }
    return pieces->left > 0; /* the last chunk may be truncated */
}

const uint8_t *png_pieces_next(void *context, size_t *bytes)
{
    struct png_pieces *pieces = context;
    const uint8_t *at;
    size_t have;

    *bytes = 0;
    if (pieces->failed || !next_chunk(pieces))
        return NULL;
    at = input_at(pieces->input, pieces->place, 1, &have, &pieces->err);
    pieces->failed = !at;
    if (!at || have == 0)
        return NULL;
    have = have < pieces->chunk_left ? have : pieces->chunk_left;
    have = have < pieces->left ? have : pieces->left;
    pieces->crc = zlib_crc32(pieces->crc, at, have);
    pieces->chunk_left -= have;
    pieces->left -= have;
    pieces->place += have;
    *bytes = have;
    return at;
}

/* ---- metadata for another PNG ---- */

/* Callback for zlib_reader_new: all of CONTEXT (a struct metadata_part), and then nothing. */
static const uint8_t *take_part(void *context, size_t *bytes)
{
    struct metadata_part *part = context;
    const uint8_t *all = part->bytes;

    *bytes = part->size;
    part->bytes = NULL;
    return all;
}

/* The profile of an iCCP chunk if it is for gray (or RGB) pixels; malloc'ed, else nothing. */
static struct metadata_part take_profile(uint8_t *chunk, size_t bytes, bool gray)
{
    uint8_t *content = chunk + PNG_CHUNK_HEAD;
    size_t length = bytes - PNG_CHUNK_OVERHEAD, skip = keyword_length(content, length) + 2;
    struct metadata_part profile = {.bytes = malloc(MAX_PROFILE)};
    struct metadata_part packed = {content + skip, skip < length ? length - skip : 0};
    struct zlib_reader *inflate = zlib_reader_new(take_part, &packed);
    const char *why;
    bool ok = profile.bytes && packed.size > 0 && inflate &&
              zlib_reader_read(inflate, profile.bytes, MAX_PROFILE, &profile.size, &why) &&
              zlib_reader_end(inflate, &why) &&
              metadata_profile_fits(profile.bytes, profile.size, gray);

    zlib_reader_free(inflate);
    if (ok) {
        uint8_t *smaller = realloc(profile.bytes, profile.size);
        profile.bytes = smaller ? smaller : profile.bytes;
        return profile;
    }
    free(profile.bytes);
    return (struct metadata_part){0};
}

/* Notes a text; one that is titled as a comment, and is not compressed, is for other formats. */
static void find_comment(struct metadata *metadata, uint8_t *chunk)
{
    uint8_t *content = chunk + PNG_CHUNK_HEAD;
    size_t bytes = png_get32(chunk), head = strlen(png_comment_head) + 1;
    const bool plain = chunk[4] == 't', utf8 = chunk[4] == 'i';

    metadata->texts++;
    head = utf8 ? sizeof png_comment_head : head;
    if (metadata->comment.size == 0 && (plain || utf8) && bytes > head &&
        memcmp(content, png_comment_head, head) == 0)
        metadata->comment = (struct metadata_part){content + head, bytes - head};
}

/* Finds what other formats can hold in a copied chunk. */
static void find_parts(struct metadata *metadata, uint8_t *chunk)
{
    uint8_t *content = chunk + PNG_CHUNK_HEAD;
    size_t bytes = png_get32(chunk);

    if (memcmp(chunk + 4, "eXIf", 4) == 0)
        metadata->exif = (struct metadata_part){content, bytes};
    if (memcmp(chunk + 4, "iTXt", 4) == 0 && bytes > sizeof png_xmp_head &&
        memcmp(content, png_xmp_head, sizeof png_xmp_head) == 0)
        metadata->xmp =
            (struct metadata_part){content + sizeof png_xmp_head, bytes - sizeof png_xmp_head};
    else if (memcmp(chunk + 5, "TXt", 3) == 0 || memcmp(chunk + 4, "tEXt", 4) == 0)
        find_comment(metadata, chunk);
    if (memcmp(chunk + 4, "pHYs", 4) == 0)
        metadata->density = (struct density){png_get32(content), png_get32(content + 4),
                                             content[8] == 1 ? DENSITY_METRE : DENSITY_RATIO};
}

bool png_metadata_take(struct png_file *png, bool gray, struct metadata *metadata,
                       struct error *err)
{
    struct png_notes *notes = &png->notes;
    uint8_t *to;

    if (!notes->named_space) {
        notes->dropped |= notes->maybe;
        notes->lost |= notes->maybe_lost;
    }
    if (notes->count == 0)
        return true;
    to = metadata->own.bytes =
        malloc(notes->kept_bytes + (size_t)notes->count * PNG_CHUNK_OVERHEAD);
    if (!to)
        return error_file(err, png->name, "no memory to read it");
    for (int i = 0; i < notes->count; i++) {
        const struct png_kept *kept = &notes->kept[i];
        if (!input_copy(png->input, kept->place, to, kept->bytes, err))
            return false;
        if (kept->profile)
            metadata->icc = take_profile(to, kept->bytes, gray);
        find_parts(metadata, to);
        if (kept->profile && metadata->icc.size == 0)
            notes->lost |= DROPPED_ICC;
        else
            to += kept->bytes;
    }
    metadata->own.size = (size_t)(to - metadata->own.bytes);
    return true;
}

void png_metadata_turn(struct metadata *metadata)
{
    struct density *density = &metadata->density;
    uint8_t *chunk;
    uint32_t x = density->x;

    density->x = density->y;
    density->y = x;
    for (size_t at = 0; at < metadata->own.size; at += PNG_CHUNK_OVERHEAD + png_get32(chunk)) {
        chunk = metadata->own.bytes + at;
        if (memcmp(chunk + 4, "pHYs", 4) == 0) /* its CRC is made anew when it is written */
            png_put32(png_put32(chunk + PNG_CHUNK_HEAD, density->x), density->y);
    }
}
