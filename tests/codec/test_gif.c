/* GIF through the codec interface, sample by sample. The tests compress pictures by the format's
 * description, with an encoder of their own. */
#include <stdlib.h>
#include <string.h>

#include "tests/codec/codec_memory.h"
#include "tests/test.h"

#define CODES 4096

/* CLEAR_LATE: after as many codes as stb_image allows. */
enum full { CLEAR_WHEN_FULL, CLEAR_LATE, CLEAR_OFTEN, WAYS, NEVER_CLEAR = WAYS };

/* One file. */
struct plan {
    int width, height;              /* of the canvas */
    int left, top, columns, rows;   /* of the picture on it */
    int bits;                       /* of an index; the palette is full */
    int transparent;                /* index; -1: none */
    bool interlaced, local_palette; /* the canvas has another palette */
    enum full full;
    int piece; /* bytes of a piece of data */
};

static uint32_t random_state;

static uint8_t random8(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint8_t)(random_state >> 24);
}

static uint8_t *put16(uint8_t *to, int value)
{
    *to++ = (uint8_t)value;
    *to++ = (uint8_t)(value >> 8);
    return to;
}

/* ---- the encoder ---- */

struct writer {
    uint8_t *data;
    size_t bits; /* so far */
};

static void put_code(struct writer *writer, int code, int bits)
{
    for (int i = 0; i < bits; i++, writer->bits++)
        writer->data[writer->bits / 8] |= (uint8_t)((code >> i & 1) << writer->bits % 8);
}

/* Compresses COUNT indices to DATA, which is cleared; returns the bytes. */
static size_t compress(const struct plan *plan, const uint8_t *indices, int count, uint8_t *data)
{
    static int next[CODES][256]; /* the code of a string and one more index; 0: there is none */
    struct writer writer = {data, 0};
    int clear = 1 << plan->bits, known = clear + 2, bits = plan->bits + 1, code = indices[0];
    int codes = 0; /* since the last clear code */

    memset(next, 0, sizeof next);
    put_code(&writer, clear, bits);
    for (int i = 1; i <= count; i++) {
        if (i < count && next[code][indices[i]]) {
            code = next[code][indices[i]];
            continue;
        }
        put_code(&writer, code, bits);
        codes++;
        if (i == count)
            break;
        if (known < CODES) {
            next[code][indices[i]] = known++;
            if (known - 1 == 1 << bits && bits < 12)
                bits++;
        }
        if ((known == CODES && plan->full == CLEAR_WHEN_FULL) ||
            (plan->full == CLEAR_LATE && codes == 8191 - clear) ||
            (plan->full == CLEAR_OFTEN && i % 7 == 0)) {
            put_code(&writer, clear, bits);
            memset(next, 0, (size_t)known * sizeof *next);
            known = clear + 2;
            bits = plan->bits + 1;
            codes = 0;
        }
        code = indices[i];
    }
    /* The reader's table has one string more by then. */
    if (known < CODES && known == 1 << bits && bits < 12)
        bits++;
    put_code(&writer, clear + 1, bits);
    return (writer.bits + 7) / 8;
}

static uint8_t *put_palette(uint8_t *to, uint8_t *palette, int entries)
{
    for (int i = 0; i < 3 * entries; i++)
        *to++ = palette[i] = random8();
    return to;
}

/* The order of an interlaced picture's rows. */
static int row_of(const struct plan *plan, int place)
{
    static const int start[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};

    for (int part = 0; plan->interlaced && part < 4; part++)
        for (int y = start[part]; y < plan->rows; y += step[part])
            if (place-- == 0)
                return y;
    return place;
}

static size_t make_file(const struct plan *plan, const uint8_t *indices, uint8_t *palette,
                        uint8_t *file)
{
    const int entries = 1 << plan->bits, count = plan->columns * plan->rows;
    uint8_t *data = calloc(2 * (size_t)count + 100, 1), *p = file, other[768];
    uint8_t *stored = malloc((size_t)count);
    size_t bytes, done;

    memcpy(p, "GIF89a", 6);
    p = put16(put16(p + 6, plan->width), plan->height);
    *p++ = (uint8_t)(0x80 | (plan->bits - 1));
    *p++ = 1;
    *p++ = 0;
    p = put_palette(p, plan->local_palette ? other : palette, entries);
    memcpy(p, "!\xfe\2hi\3you\0!\xf9\4", 13);
    p += 13;
    *p++ = plan->transparent >= 0;
    p = put16(p, 5);
    *p++ = (uint8_t)(plan->transparent >= 0 ? plan->transparent : 0);
    *p++ = 0;
    *p++ = ',';
    p = put16(put16(put16(put16(p, plan->left), plan->top), plan->columns), plan->rows);
    *p++ = (uint8_t)((plan->local_palette ? 0x80 | (plan->bits - 1) : 0) |
                     (plan->interlaced ? 0x40 : 0));
    if (plan->local_palette)
        p = put_palette(p, palette, entries);
    for (int i = 0; i < plan->rows; i++)
        memcpy(stored + i * plan->columns, indices + row_of(plan, i) * plan->columns,
               (size_t)plan->columns);
    *p++ = (uint8_t)plan->bits;
    bytes = compress(plan, stored, count, data);
    for (done = 0; done < bytes;) {
        size_t n = bytes - done < (size_t)plan->piece ? bytes - done : (size_t)plan->piece;
        *p++ = (uint8_t)n;
        memcpy(p, data + done, n);
        p += n;
        done += n;
    }
    *p++ = 0;
    free(stored);
    free(data);
    return (size_t)(p - file);
}

/* ---- reading ---- */

static void check_pixels(const struct plan *plan, const uint8_t *indices, const uint8_t *palette,
                         const struct image *image)
{
    for (int y = 0; y < plan->height; y++)
        for (int x = 0; x < plan->width; x++) {
            const uint8_t *pixel = memory_pixel(image, x, y), none[4] = {0};
            int column = x - plan->left, row = y - plan->top;
            bool inside = column >= 0 && row >= 0 && column < plan->columns && row < plan->rows;
            int index = inside ? indices[row * plan->columns + column] : -1;
            CHECKF(memcmp(pixel, inside ? palette + 3 * index : none, 3) == 0, "x %d, y %d", x, y);
            if (image->channels == 4)
                CHECK(pixel[3] == (inside && index != plan->transparent ? 255 : 0));
            if (test_failures)
                return;
        }
}

static void check_plan(const struct plan *plan)
{
    const int count = plan->columns * plan->rows;
    const bool opaque = plan->transparent < 0 && count == plan->width * plan->height;
    uint8_t *indices = malloc((size_t)count), palette[768];
    uint8_t *file = malloc(3 * (size_t)count + 3000);
    char warning[256];
    struct image image;
    struct error err;
    size_t bytes;

    for (int i = 0; i < count; i++) /* noise, and runs, whose codes name strings just being made */
        indices[i] = (uint8_t)(i / 40 % 2 ? i / 300 : random8()) & ((1 << plan->bits) - 1);
    bytes = make_file(plan, indices, palette, file);
    file[bytes] = ';';
    memory_read(file, bytes + 1, &image, warning, &err);
    CHECKF(image.data && image.channels == (opaque ? 3 : 4) && !*warning, "%s",
           image.data ? warning : err.text);
    if (image.data)
        check_pixels(plan, indices, palette, &image);
    image_free(&image);
    /* A file that ends in the picture is refused. */
    for (size_t cut = 2; cut < bytes - 4 && !test_failures; cut += 1 + cut * cut / 40) {
        memory_read(file, bytes - cut, &image, warning, &err);
        /* The last two bytes may hold the end of the data only. */
        CHECKF(cut < 5 || (!image.data && (strstr(err.text, "truncated GIF: ") ||
                                           strstr(err.text, "it holds no whole picture"))),
               "%zu bytes less: %s", cut, err.text);
        image_free(&image);
    }
    free(file);
    free(indices);
}

static void every_kind_reads_exactly(void)
{
    static const int sizes[][2] = {{1, 1}, {1, 30}, {9, 1}, {13, 7}, {300, 61}};

    for (int bits = 1; bits <= 8; bits++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int way = 0; way < WAYS * 2; way++) {
                struct plan plan = {.width = sizes[s][0],
                                    .height = sizes[s][1],
                                    .columns = sizes[s][0],
                                    .rows = sizes[s][1]};
                plan.bits = bits < 2 ? 2 : bits;
                plan.transparent = random8() % 2 ? random8() % (1 << bits) : -1;
                plan.interlaced = way % 2;
                plan.local_palette = random8() % 2;
                plan.full = (enum full)(way / 2);
                plan.piece = 1 + random8() % 255;
                if (random8() % 2) {
                    plan.width += plan.left = random8() % 5;
                    plan.height += plan.top = random8() % 5;
                }
                if (!test_failures)
                    check_plan(&plan);
            }
}

/* stb_image counts further codes of a full table, but not for ever. */
static void full_tables_are_refused(void)
{
    static const struct plan plan = {.width = 200,
                                     .height = 100,
                                     .columns = 200,
                                     .rows = 100,
                                     .bits = 8,
                                     .transparent = -1,
                                     .full = NEVER_CLEAR,
                                     .piece = 99};
    static uint8_t indices[20000], file[80000], palette[768];
    char warning[256];
    struct image image;
    struct error err;

    for (size_t i = 0; i < sizeof indices; i++)
        indices[i] = random8();
    memory_read(file, make_file(&plan, indices, palette, file), &image, warning, &err);
    CHECKF(!image.data && strstr(err.text, "a GIF with more than 8192 codes in one table is not "
                                           "read; try: convert "),
           "%s", err.text);
    image_free(&image);
}

/* Behind its first picture, GIF89a may hold more. */
static void more_pictures_are_named(void)
{
    static const struct plan plan = {
        .width = 2, .height = 2, .columns = 2, .rows = 2, .bits = 2, .transparent = 0, .piece = 9};
    static const uint8_t indices[4] = {0, 1, 2, 3};
    uint8_t file[500], palette[768];
    size_t bytes = make_file(&plan, indices, palette, file);
    char warning[256];
    struct image image;
    struct error err;

    memcpy(file + bytes, "!\xf9\4\1\0\0\1\0,", 9); /* another transparent index, for it alone */
    memory_read(file, bytes + 9, &image, warning, &err);
    CHECK(image.data && memory_pixel(&image, 0, 0)[3] == 0 && memory_pixel(&image, 1, 0)[3] == 255);
    CHECKF(strcmp(warning, "animation frames are not kept") == 0, "%s", warning);
    image_free(&image);
    memcpy(file + bytes, "!\xff\13ICCRGBG1012\1x\0;", 18);
    memory_read(file, bytes + 18, &image, warning, &err);
    CHECKF(strcmp(warning, "ICC profile is not kept") == 0, "%s", warning);
    image_free(&image);
    memory_read(file, bytes, &image, warning, &err); /* the picture is whole */
    CHECK(image.data && !*warning);
    image_free(&image);
}

int main(void)
{
    TEST(every_kind_reads_exactly);
    TEST(full_tables_are_refused);
    TEST(more_pictures_are_named);
    return test_finish();
}
