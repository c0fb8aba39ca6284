/* The PNM reader and writer: round trips of each format, maximum and channel count, and handmade
 * files with known samples. tests/codec/test_pnm_damage.c tests damage; tests/codec/test_codec.c
 * tests what formats can hold and the conversion of rows; tests/codec/test_output.c tests outputs
 * as files (temporaries, symlinks, signals). */
#include "tests/codec/test_pictures.h"

static const struct sink_options plain_options = {.quality = 90, .threads = 1};

/* ---- round trips ---- */

static void check_round_trip(const char *path, int width, int height, int channels, uint32_t max,
                             size_t gap)
{
    struct image given = make_picture(width, height, channels, max, gap, max + (uint32_t)width);
    struct image twin = make_picture(width, height, channels, max, gap, max + (uint32_t)width);
    struct image got = make_picture(width, height, channels, max, gap, 0), all = {0};
    struct source *source = NULL;
    struct error err = {0};
    int y, rows;

    CHECKF(write_picture(path, &given, max, &plain_options, 1 + height / 3, &err), "%s", err.text);
    CHECK(same_samples(&given, &twin) && guards_intact(&given));
    CHECKF(source_open(&source, path, &err), "%s", err.text);
    if (source) {
        const struct image_info *info = source_info(source);
        CHECK(info->width == width && info->height == height && info->channels == channels);
        CHECK(info->max == max && info->type == given.type && !source_warning(source, FORMAT_NONE));
        CHECK(info->format == format_of_path(path));
        for (y = 0, rows = 1; y < height; y += rows, rows = rows % 7 + 1) {
            struct image part = image_rows(&got, y, rows < height - y ? rows : height - y);
            CHECKF(source_read(source, &part, &err), "%s", err.text);
        }
        CHECKF(same_samples(&given, &got) && guards_intact(&got), "%s %dx%d max %u gap %zu", path,
               width, height, max, gap);
        source_close(source);
    }
    CHECK(source_open(&source, path, &err) && source_read_all(source, &all, &err));
    CHECK(all.data && same_samples(&given, &all));
    source_close(source);
    image_free(&all);
    free(given.data);
    free(twin.data);
    free(got.data);
}

static void round_trips(void)
{
    static const uint32_t maxes[] = {1, 100, 254, 255, 256, 1000, 65534, 65535};
    static const int sizes[][2] = {{1, 1}, {7, 3}, {1, 61}, {131, 17}};
    size_t m, s, gap;
    int channels;

    for (m = 0; m < sizeof maxes / sizeof *maxes; m++)
        for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (gap = 0; gap <= 6; gap += 6) {
                int w = sizes[s][0], h = sizes[s][1];
                check_round_trip("a.pgm", w, h, 1, maxes[m], gap);
                check_round_trip("a.ppm", w, h, 3, maxes[m], gap);
                for (channels = 1; channels <= 4; channels++)
                    check_round_trip("a.pam", w, h, channels, maxes[m], gap);
            }
}

/* Pictures larger than every buffer: the input's, the output's, the reader's groups, the writer's
 * pieces. */
static void large_round_trips(void)
{
    check_round_trip("a.ppm", 700, 350, 3, 65535, 0);
    check_round_trip("a.ppm", 700, 350, 3, 999, 64);
    check_round_trip("a.ppm", 1001, 400, 3, 255, 0);
    check_round_trip("a.pam", 150001, 3, 4, 255, 2);
    check_round_trip("a.pam", 150001, 2, 4, 4000, 0);
    check_round_trip("a.pgm", 3, 200003, 1, 200, 0);
}

static void check_written(const char *path, int channels, uint32_t max, const char *expected,
                          size_t count)
{
    struct image image = make_picture(2, 1, channels, max, 0, 0);
    struct error err = {0};
    uint8_t *bytes;
    size_t i, got;

    for (i = 0; i < 2u * (unsigned)channels; i++)
        if (image.type == SAMPLE_U8)
            ((uint8_t *)image.data)[i] = (uint8_t)(i + 'a');
        else
            ((uint16_t *)image.data)[i] = (uint16_t)(256 * ('A' + i) + 'a' + i);
    CHECKF(write_picture(path, &image, max, &plain_options, 1, &err), "%s", err.text);
    got = read_file(path, &bytes);
    CHECKF(got == count && memcmp(bytes, expected, count) == 0, "%s holds '%.*s'", path, (int)got,
           (const char *)bytes);
    free(bytes);
    free(image.data);
}

static void written_bytes(void)
{
    check_written("b.pgm", 1, 255, BYTES("P5\n2 1\n255\nab"));
    check_written("b.ppm", 3, 200, BYTES("P6\n2 1\n200\nabcdef"));
    check_written("b.ppm", 1, 255, BYTES("P6\n2 1\n255\naaabbb"));
    check_written("b.pnm", 1, 255, BYTES("P5\n2 1\n255\nab"));
    check_written("b.pnm", 3, 255, BYTES("P6\n2 1\n255\nabcdef"));
    check_written("b.pgm", 1, 30000, BYTES("P5\n2 1\n30000\nAaBb"));
    check_written("b.ppm", 1, 30000, BYTES("P6\n2 1\n30000\nAaAaAaBbBbBb"));
    check_written("b.pam", 2, 255,
                  BYTES("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\n"
                        "TUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nabcd"));
    check_written("b.PAM", 4, 300,
                  BYTES("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 300\n"
                        "TUPLTYPE RGB_ALPHA\nENDHDR\nAaBbCcDdEeFfGgHh"));
}

/* ---- reading handmade files ---- */

/* Reads TEXT as a file, and again as a pipe; both must give the samples. */
static void check_read(const char *text, size_t count, enum format format, int width, int height,
                       int channels, uint32_t max, const uint16_t *samples)
{
    struct source *source = NULL;
    struct error err = {0};
    struct image image = {0};
    int pass, ends[2], saved = dup(STDIN_FILENO);
    size_t i;

    write_file("hand.pnm", text, count);
    CHECK(pipe(ends) == 0 && write(ends[1], text, count) == (ssize_t)count);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    for (pass = 0; pass < 2; pass++) {
        const struct image_info *info;
        CHECKF(source_open(&source, pass ? "-" : "hand.pnm", &err), "%.20s: %s", text, err.text);
        if (!source)
            continue;
        info = source_info(source);
        CHECKF(info->width == width && info->height == height && info->channels == channels &&
                   info->max == max && info->format == format,
               "%.20s", text);
        CHECKF(source_read_all(source, &image, &err), "%.20s: %s", text, err.text);
        for (i = 0; image.data && i < (size_t)(width * height * channels); i++) {
            size_t y = i / (size_t)(width * channels), x = i % (size_t)(width * channels);
            const void *row = image_row(&image, (int)y);
            unsigned value = max > 255 ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
            CHECKF(value == samples[i], "%.20s: sample %zu is %u", text, i, value);
        }
        image_free(&image);
        source_close(source);
    }
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(ends[0]);
}

static void hand_made_files(void)
{
    static const uint16_t count6[] = {1, 2, 3, 4, 5, 6};
    static const uint16_t wide[] = {0x0102, 999};
    static const uint16_t bits[] = {0,   255, 255, 0, 255, 255, 255, 255, 255, 0,
                                    255, 0,   0,   0, 0,   0,   0,   0,   0,   255};
    static const uint16_t single[] = {35}; /* the sample '#' does not begin a comment */

    check_read(BYTES("P2 3 2 6 1 2 3 4 5 6"), FORMAT_PGM, 3, 2, 1, 6, count6);
    check_read(BYTES("P3\n# c\n2 1\n255\n1 2 3\t4\r\n5\v6\f"), FORMAT_PPM, 2, 1, 3, 255, count6);
    check_read(BYTES("P2#a\n#b\r 3#c\n2#d#e\n#\n6#f\n1#g\n2 #h\n3 4 5 0006#"), FORMAT_PGM, 3, 2, 1,
               6, count6);
    check_read(BYTES("P5 3 2 255\n\1\2\3\4\5\6"), FORMAT_PGM, 3, 2, 1, 255, count6);
    check_read(BYTES("P5 1 1 255\n#"), FORMAT_PGM, 1, 1, 1, 255, single);
    check_read(BYTES("P5 1 1 255#x\n#"), FORMAT_PGM, 1, 1, 1, 255, single);
    check_read(BYTES("P6\r\n1\r\n2\r\n7\n\1\2\3\4\5\6"), FORMAT_PPM, 1, 2, 3, 7, count6);
    check_read(BYTES("P5 2 1 999 \1\2\3\347"), FORMAT_PGM, 2, 1, 1, 999, wide);
    check_read(BYTES("P2 2 1 999 258 999"), FORMAT_PGM, 2, 1, 1, 999, wide);
    check_read(BYTES("P1 10 2\n1001000001\n0 1 1#x\n11 11110"), FORMAT_PGM, 10, 2, 1, 255, bits);
    check_read(BYTES("P4 10 2\n\x90\x7F\x7F\xBF"), FORMAT_PGM, 10, 2, 1, 255, bits);
    check_read(BYTES("P7\n#c\n\n HEIGHT 1 \r\nWIDTH\t3\nDEPTH 2\nMAXVAL 6\nTUPLTYPE "
                     "GRAYSCALE_ALPHA\nENDHDR\n\1\2\3\4\5\6"),
               FORMAT_PAM, 3, 1, 2, 6, count6);
    check_read(BYTES("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nENDHDR\n\1\2\3\4\5\6"),
               FORMAT_PAM, 2, 1, 3, 255, count6);
}

static void more_than_one_picture(void)
{
    struct source *source = NULL;
    struct error err;

    write_file("two.pgm", BYTES("P5 2 1 255 abP5 2 1 255 cd"));
    CHECK(source_open(&source, "two.pgm", &err));
    CHECK(source && source_warning(source, FORMAT_NONE) &&
          strcmp(source_warning(source, FORMAT_NONE),
                 "two.pgm: only the first picture is read; 13 bytes follow it") == 0);
    source_close(source);
    write_file("one.pgm", BYTES("P5 2 1 255 ab\r\n"));
    CHECK(source_open(&source, "one.pgm", &err) && !source_warning(source, FORMAT_NONE));
    source_close(source);
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder))
        return 1;
    TEST(round_trips);
    TEST(large_round_trips);
    TEST(written_bytes);
    TEST(hand_made_files);
    TEST(more_than_one_picture);
    return test_finish() || !leave_test_folder(folder);
}
