/* PSD through the codec interface, sample by sample: with alpha and more channels, 8 and 16 bits,
 * with and without PackBits; and its metadata. */
#include <stdlib.h>
#include <string.h>

#include "tests/codec/codec_memory.h"
#include "tests/test.h"

static uint32_t random_state;

static uint8_t random8(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint8_t)(random_state >> 24);
}

static uint8_t *put(uint8_t *to, uint64_t value, int bytes)
{
    for (; bytes > 0; bytes--)
        *to++ = (uint8_t)(value >> 8 * (bytes - 1));
    return to;
}

static uint8_t *put_resource(uint8_t *to, int kind, const void *data, size_t bytes)
{
    memcpy(to, "8BIM", 4);
    to = put(to + 4, (uint32_t)kind, 2);
    to = put(to, 0x03616263, 4); /* a name of odd length */
    to = put(to, (uint32_t)bytes, 4);
    memcpy(to, data, bytes);
    to += bytes;
    return bytes % 2 ? put(to, 0, 1) : to;
}

/* PackBits: runs, literals, and bytes that mean nothing. */
static uint8_t *pack(uint8_t *to, const uint8_t *row, size_t bytes)
{
    for (size_t i = 0, n; i < bytes; i += n) {
        size_t run = 1;
        while (run < 128 && i + run < bytes && row[i + run] == row[i])
            run++;
        if (run > 1) {
            n = run;
            *to++ = (uint8_t)(257 - run);
            *to++ = row[i];
        } else {
            n = 1 + random8() % 128U;
            n = n < bytes - i ? n : bytes - i;
            *to++ = (uint8_t)(n - 1);
            memcpy(to, row + i, n);
            to += n;
        }
        if (random8() % 4 == 0)
            *to++ = 128;
    }
    return to;
}

struct plan {
    int width, height, colours, channels, sample_bytes;
    bool packed;
};

static uint8_t *put_head(uint8_t *to, const struct plan *plan)
{
    memcpy(to, "8BPS", 4);
    to = put(to + 4, 1, 2);
    to = put(put(to, 0, 6), (uint32_t)plan->channels, 2);
    to = put(put(to, (uint32_t)plan->height, 4), (uint32_t)plan->width, 4);
    return put(put(to, 8 * (uint32_t)plan->sample_bytes, 2), (uint32_t)plan->colours, 2);
}

static void check_plan(const struct plan *plan)
{
    size_t row = (size_t)(plan->width * plan->sample_bytes);
    size_t rows = (size_t)(plan->height * plan->channels);
    uint8_t *samples = malloc(row * rows), *file = malloc(500 + 2 * rows + 4 * row * rows), *p;
    int channels = plan->channels > plan->colours ? plan->colours + 1 : plan->colours;
    char warning[256];
    struct image image;
    struct error err;

    for (size_t i = 0; i < row * rows; i++)
        samples[i] = i > 0 && random8() % 3 ? samples[i - 1] : random8();
    p = put_head(file, plan);
    p = put(put(p, 2, 4), 0, 2);      /* a palette */
    p = put(p, 0, 4);                 /* no resources */
    p = put(put(p, 5, 4), 0x1234, 4); /* layers */
    p = put(put(p, 0, 1), plan->packed, 2);
    if (plan->packed) {
        uint8_t *lengths = p;
        p += 2 * rows;
        for (size_t i = 0; i < rows; i++) {
            uint8_t *end = pack(p, samples + i * row, row);
            put(lengths + 2 * i, (uint32_t)(end - p), 2);
            p = end;
        }
    } else {
        memcpy(p, samples, row * rows);
        p += row * rows;
    }
    memory_read(file, (size_t)(p - file), &image, warning, &err);
    CHECKF(image.data && image.channels == channels && !*warning, "%s",
           image.data ? warning : err.text);
    for (int y = 0; y < plan->height && image.data && !test_failures; y++)
        for (int i = 0; i < plan->width * channels; i++) {
            const uint8_t *at = samples + (size_t)((i % channels) * plan->height + y) * row +
                                i / channels * plan->sample_bytes;
            uint32_t want = plan->sample_bytes == 1 ? at[0] : at[0] * 256U + at[1];
            CHECKF(image_sample(image_row(&image, y), image.type, (size_t)i) == want,
                   "row %d, sample %d", y, i);
        }
    image_free(&image);
    if (plan->channels == channels) { /* all channels are read: none may be cut */
        memory_read(file, (size_t)(p - file) - 1, &image, warning, &err);
        CHECK(!image.data && strstr(err.text, "truncated PSD"));
        image_free(&image);
    }
    free(file);
    free(samples);
}

static void every_kind_reads_exactly(void)
{
    static const int sizes[][2] = {{1, 1}, {1, 9}, {13, 1}, {33, 7}, {700, 3}};

    for (int more = 0; more <= 2; more++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int kind = 0; kind < 3; kind++) { /* 8 bits, packed, 16 bits */
                struct plan plan = {sizes[s][0], sizes[s][1], 3, 3 + more, 1 + kind / 2, kind == 1};
                if (!test_failures)
                    check_plan(&plan);
            }
}

/* stb_image halves packed samples, and knows no gray. */
static void other_kinds_are_refused(void)
{
    static const struct {
        struct plan plan;
        const char *sentence;
    } files[] = {{{1, 1, 3, 3, 2, true}, "unusual compression is not read; try: convert "},
                 {{1, 1, 1, 1, 1, false}, "other colours than RGB is not read; try: convert "},
                 {{1, 1, 3, 17, 1, false}, "more than 16 channels is not read; try: convert "}};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        uint8_t file[200] = {0}, *p = put(put(put_head(file, &files[i].plan), 0, 8), 0, 4);
        char warning[256];
        struct image image;
        struct error err;

        p = put(p, files[i].plan.packed, 2) + 100;
        memory_read(file, (size_t)(p - file), &image, warning, &err);
        CHECKF(!image.data && strstr(err.text, files[i].sentence), "file %zu: %s", i, err.text);
        image_free(&image);
    }
}

static void metadata_is_taken(void)
{
    static const struct plan plan = {1, 1, 3, 3, 1, false};
    uint8_t file[1000], profile[132] = {[3] = 132, [36] = 'a', 'c', 's', 'p'}, *p, *length;
    uint8_t density[16] = {0, 72, 0x80, 0, 0, 1, 0, 1, 1, 44, 0, 0, 0, 1, 0, 1};
    const struct metadata *metadata;
    struct source *source = NULL;
    char path[] = "test_psd.psd";
    struct error err;
    FILE *out;

    memcpy(profile + 16, "RGB ", 4);
    p = put(put_head(file, &plan), 0, 4);
    length = p;
    p = put_resource(p + 4, 1039, profile, sizeof profile);
    p = put_resource(p, 1005, density, sizeof density);
    p = put_resource(p, 1060, "<x/>!", 5);
    p = put_resource(p, 1058, "II*\0\10\0\0\0\0\0\0\0\0\0", 14);
    put(length, (uint32_t)(p - length - 4), 4);
    p = put(put(put(p, 0, 4), 0, 2), 0x4d4e4f, 3);
    out = fopen(path, "wb");
    CHECK(out && fwrite(file, 1, (size_t)(p - file), out) > 0 && fclose(out) == 0);
    CHECKF(source_open(&source, path, &err), "%s", err.text);
    metadata = source ? source_metadata(source) : NULL;
    CHECK(metadata && metadata->icc.size == 132 && metadata->xmp.size == 5);
    CHECK(metadata && memcmp(metadata->xmp.bytes, "<x/>!", 5) == 0 && metadata->exif.size == 14);
    CHECK(metadata && metadata->density.x == 73 && metadata->density.y == 300);
    CHECK(source && !source_warning(source, FORMAT_PNG));
    CHECK(source && strstr(source_warning(source, FORMAT_BMP),
                           "ICC profile, EXIF data and XMP data are not kept"));
    source_close(source);
    remove(path);
}

int main(void)
{
    TEST(every_kind_reads_exactly);
    TEST(other_kinds_are_refused);
    TEST(metadata_is_taken);
    return test_finish();
}
