/* Gray JPEG files out of stb's colour JPEG: stb_image_write always writes three components, and a
 * gray picture must come back gray.
 *
 * For a gray picture stb writes luma (Y), which is the picture, and two chroma
 * components that are zero throughout. What a gray file holds instead is the Y blocks
 * alone, row by row. Coded bits cannot be moved freely, because each block's DC is coded
 * as a difference from the Y block before it; but stb's order is known (one MCU after
 * the other, and in it four blocks when chroma is subsampled, else one). So stb is given
 * the picture's blocks stacked such that it writes them in the order of a gray file, one
 * MCU wide, and the chroma codes between them are left out. Transform, quantisation and
 * codes stay stb's; Huffman codes are read only to see where they end. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/jpeg/jpeg.h"
#include "codec/stb.h"

/* stb subsamples chroma up to this quality. */
#define SUBSAMPLED_QUALITY 90

/* A Huffman table by the next 16 bits: the code's length and its symbol; length 0: none. */
struct code {
    uint8_t length, symbol;
};

struct gray {
    const struct image *image;
    size_t blocks_x, blocks, per_mcu;
    struct code *codes[2][2]; /* DC and AC, of Y and of chroma */
    /* coming in: stb's coded data */
    const uint8_t *in, *in_end;
    uint64_t in_bits; /* the next bit is the highest */
    int in_count;
    /* going out */
    uint8_t *out;
    uint64_t out_bits;
    int out_count;
};

/* ---- stacking the blocks ---- */

static void copy_block(const struct image *image, size_t block_x, size_t block_y, uint8_t *to,
                       size_t pitch)
{
    size_t x, y;

    /* Past the edges the last column and row are repeated, as stb does itself. */
    for (y = 0; y < 8; y++) {
        size_t from_y = 8 * block_y + y, last_y = (size_t)image->height - 1;
        const uint8_t *row = image_row(image, (int)(from_y < last_y ? from_y : last_y));
        for (x = 0; x < 8; x++) {
            size_t from_x = 8 * block_x + x, last_x = (size_t)image->width - 1;
            to[y * pitch + x] = row[from_x < last_x ? from_x : last_x];
        }
    }
}

static bool stack_blocks(const struct gray *gray, struct image *stack)
{
    size_t mcus = (gray->blocks + gray->per_mcu - 1) / gray->per_mcu;
    size_t side = gray->per_mcu == 4 ? 16 : 8, i;

    *stack = (struct image){.width = (int)side,
                            .height = (int)(side * mcus),
                            .channels = 1,
                            .pitch = side,
                            .type = SAMPLE_U8,
                            .data = large_alloc(side * side * mcus)};
    if (!stack->data)
        return false;
    memset((uint8_t *)stack->data + side * side * (mcus - 1), 0, side * side);
    for (i = 0; i < gray->blocks; i++) {
        size_t mcu = i / gray->per_mcu, part = i % gray->per_mcu;
        copy_block(gray->image, i % gray->blocks_x, i / gray->blocks_x,
                   (uint8_t *)image_row(stack, (int)(side * mcu + part / 2 * 8)) + part % 2 * 8,
                   side);
    }
    return true;
}

/* ---- bits ---- */

static void refill(struct gray *gray)
{
    while (gray->in_count <= 48) {
        uint64_t byte = 0;
        if (gray->in < gray->in_end) {
            byte = *gray->in++;
            gray->in += byte == 0xff; /* and the 0 that is stuffed behind it */
        }
        gray->in_bits |= byte << (56 - gray->in_count);
        gray->in_count += 8;
    }
}

static void put_byte(struct gray *gray, uint8_t byte)
{
    *gray->out++ = byte;
    if (byte == 0xff)
        *gray->out++ = 0;
}

/* Moves COUNT (1..32) bits on: to the output, or nowhere. */
static void move_bits(struct gray *gray, int count, bool keep)
{
    uint64_t bits = gray->in_bits >> (64 - count);

    gray->in_bits <<= count;
    gray->in_count -= count;
    if (!keep)
        return;
    gray->out_bits = gray->out_bits << count | bits;
    gray->out_count += count;
    while (gray->out_count >= 8) {
        gray->out_count -= 8;
        put_byte(gray, (uint8_t)(gray->out_bits >> gray->out_count));
    }
}

/* One code and the value bits that its symbol announces. -1: not a code of stb's. */
static int move_code(struct gray *gray, const struct code *codes, bool keep)
{
    struct code code;

    refill(gray);
    code = codes[gray->in_bits >> 48];
    if (code.length == 0)
        return -1;
    move_bits(gray, code.length + (code.symbol & 15), keep);
    return code.symbol;
}

static bool move_block(struct gray *gray, struct code *const codes[2], bool keep)
{
    int symbol = move_code(gray, codes[0], keep), k;

    for (k = 1; symbol >= 0 && k < 64; k++) {
        symbol = move_code(gray, codes[1], keep);
        if (symbol == 0) /* the rest of the block is zero */
            break;
        if (symbol > 0)
            k += symbol >> 4;
    }
    return symbol >= 0;
}

static bool move_blocks(struct gray *gray)
{
    size_t i, part;

    for (i = 0; i < gray->blocks; i += gray->per_mcu) {
        for (part = 0; part < gray->per_mcu; part++)
            if (!move_block(gray, gray->codes[0], i + part < gray->blocks))
                return false;
        for (part = 0; part < 2; part++)
            if (!move_block(gray, gray->codes[1], false))
                return false;
    }
    if (gray->out_count > 0) /* the last byte is filled up with ones */
        put_byte(gray,
                 (uint8_t)(gray->out_bits << (8 - gray->out_count) | 0xffU >> gray->out_count));
    return true;
}

/* ---- segments ---- */

static void put(struct gray *gray, const void *data, size_t bytes)
{
    memcpy(gray->out, data, bytes);
    gray->out += bytes;
}

/* The Huffman table at P: 16 counts and the symbols, codes in ascending order. */
static struct code *read_codes(const uint8_t *p)
{
    struct code *codes = calloc(1 << 16, sizeof *codes);
    const uint8_t *symbol = p + 16;
    size_t next = 0, i, k;
    int length;

    for (length = 1; codes && length <= 16; length++)
        for (i = 0; i < p[length - 1]; i++, symbol++)
            for (k = 0; k < (size_t)1 << (16 - length) && next < 1 << 16; k++)
                codes[next++] = (struct code){(uint8_t)length, *symbol};
    return codes;
}

/* stb's one DHT segment holds four tables; the gray file keeps the two of Y. */
static bool move_huffman(struct gray *gray, const uint8_t *p, size_t bytes)
{
    uint8_t *length = gray->out + 2;
    size_t i, table;

    put(gray, "\xff\xc4\0\0", 4);
    while (bytes > 17) {
        unsigned kind = p[0] >> 4 & 1, chroma = p[0] & 1;
        for (table = 17, i = 1; i <= 16; i++)
            table += p[i];
        if (table > bytes)
            return false;
        free(gray->codes[chroma][kind]);
        gray->codes[chroma][kind] = read_codes(p + 1);
        if (!gray->codes[chroma][kind])
            return false;
        if (!chroma)
            put(gray, p, table);
        p += table;
        bytes -= table;
    }
    length[0] = (uint8_t)((size_t)(gray->out - length) >> 8);
    length[1] = (uint8_t)(gray->out - length);
    return true;
}

/* One component, number 1, not subsampled, with quantisation table 0. */
static void put_frame(struct gray *gray)
{
    uint8_t frame[] = {0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0};

    frame[5] = (uint8_t)(gray->image->height >> 8);
    frame[6] = (uint8_t)gray->image->height;
    frame[7] = (uint8_t)(gray->image->width >> 8);
    frame[8] = (uint8_t)gray->image->width;
    put(gray, frame, sizeof frame);
}

/* Goes through stb's file once: header, tables, frame, scan, end. */
static bool rewrite(struct gray *gray, const uint8_t *file, size_t bytes)
{
    static const uint8_t scan[] = {0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0};
    const uint8_t *p = file + 2, *end = file + bytes - 2;

    put(gray, file, 2);
    while (end - p > 4) {
        size_t segment = 2 + (size_t)(p[2] * 256 + p[3]);
        if (p[1] == 0xe0) {
            put(gray, p, segment);
        } else if (p[1] == 0xdb) { /* Y's table is the first of two */
            put(gray, "\xff\xdb\0\x43", 4);
            put(gray, p + 4, 65);
        } else if (p[1] == 0xc0) {
            put_frame(gray);
        } else if (p[1] == 0xc4) {
            if (!move_huffman(gray, p + 4, segment - 4))
                return false;
        } else {
            put(gray, scan, sizeof scan);
            gray->in = p + segment;
            gray->in_end = end;
            break;
        }
        p += segment;
    }
    if (!gray->in || !gray->codes[0][0] || !gray->codes[0][1] || !gray->codes[1][0] ||
        !gray->codes[1][1] || !move_blocks(gray))
        return false;
    put(gray, "\xff\xd9", 2);
    return true;
}

uint8_t *jpeg_gray_make(const struct image *image, int quality, size_t *bytes)
{
    size_t blocks_x = ((size_t)image->width + 7) / 8, blocks_y = ((size_t)image->height + 7) / 8;
    struct gray gray = {.image = image,
                        .blocks_x = blocks_x,
                        .blocks = blocks_x * blocks_y,
                        .per_mcu = quality <= SUBSAMPLED_QUALITY ? 4 : 1};
    struct image stack;
    uint8_t *colour = NULL, *out = NULL;
    size_t colour_bytes = 0;
    bool ok = false;

    if (stack_blocks(&gray, &stack))
        colour = stb_make_jpeg(&stack, quality, &colour_bytes);
    image_free(&stack);
    if (colour) /* the gray file has fewer bytes, each of which may need a 0 stuffed behind it */
        gray.out = out = malloc(2 * colour_bytes);
    if (out)
        ok = rewrite(&gray, colour, colour_bytes);
    *bytes = ok ? (size_t)(gray.out - out) : 0;
    if (!ok) {
        free(out);
        out = NULL;
    }
    free(gray.codes[0][0]);
    free(gray.codes[0][1]);
    free(gray.codes[1][0]);
    free(gray.codes[1][1]);
    free(colour);
    return out;
}
