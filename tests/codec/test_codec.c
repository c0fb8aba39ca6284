/* The work of codec/source.c, sink.c and formats.c for every format: names, recognition by content,
 * what each format refuses and suggests instead, conversions for a format, and the counting of
 * rows. tests/codec/test_pnm.c and its siblings test the formats' own bytes. */
#include "tests/codec/test_pictures.h"

#include "codec/format.h"

static const struct sink_options plain_options = {.quality = 90, .threads = 1};
static const struct sink_options drop_options = {.quality = 90, .threads = 1, .drop_alpha = true};

static void names(void)
{
    CHECK(format_of_path("a.png") == FORMAT_PNG && format_of_path("a.b/c.PPM") == FORMAT_PPM);
    CHECK(format_of_path("a.jpg") == FORMAT_JPEG && format_of_path("a.JPeg") == FORMAT_JPEG);
    CHECK(format_of_path("a.bmp") == FORMAT_BMP && format_of_path("a.pgm") == FORMAT_PGM);
    CHECK(format_of_path("a.png.pam") == FORMAT_PAM && format_of_path("x.pnm") == FORMAT_PNM);
    CHECK(format_of_path("png") == FORMAT_NONE && format_of_path(".png") == FORMAT_NONE);
    CHECK(format_of_path("a.png/b") == FORMAT_NONE && format_of_path("a.") == FORMAT_NONE);
    CHECK(format_of_path("a.pngx") == FORMAT_NONE && format_of_path("a.xcf") == FORMAT_NONE);
    CHECK(format_of_name("jpg") == FORMAT_JPEG && format_of_name("") == FORMAT_NONE);
    CHECK(strcmp(format_name(FORMAT_JPEG), "jpeg") == 0);
    CHECK(strcmp(format_name(FORMAT_PNM), "pnm") == 0);
    CHECK(strcmp(format_name(FORMAT_NONE), "none") == 0);
}

/* A file of every row of the table is recognised as the row's format under each of its names. */
static void every_format_is_recognised(void)
{
    struct image image = make_picture(9, 7, 3, 255, 0, 1);
    char known[FORMAT_KNOWN_BYTES], path[32], name[16];

    for (enum format format = FORMAT_NONE + 1; format < FORMATS; format++) {
        const struct format_row *row = format_row(format);
        const enum format expected = row->colour_as != FORMAT_NONE ? row->colour_as : format;
        struct source *source = NULL;
        struct error err;
        if (format_describe(format).package) /* this build lacks its library */
            continue;
        image.channels = !row->colour && row->colour_as == FORMAT_NONE ? 1 : 3;
        snprintf(path, sizeof path, "row.%s", row->name);
        CHECK(row->decoder->recognise && format_of_name(row->name) == format);
        CHECK(row->decode_rate > 0 || row->colour_as != FORMAT_NONE);
        if (!format_is_written(row) || row->video) /* tests/codec/test_y4m.c writes videos */
            continue;
        CHECKF(write_picture(path, &image, 255, &plain_options, 7, &err), "%s", err.text);
        CHECKF(source_open(&source, path, &err), "%s", err.text);
        CHECKF(source && source_info(source)->format == expected, "%s", path);
        source_close(source);
        CHECK(row->encoder->open);
        CHECK(!row->encoder->write != !row->encoder->make);
        snprintf(name, sizeof name, " %s", row->name);
        CHECKF(strstr(format_known(known), name), "%s", path);
        CHECK(!row->short_name || format_of_name(row->short_name) == format);
    }
    free(image.data);
}

/* ---- refusals ---- */

/* EXPECTED: the message, or NULL if the format can hold the picture. */
static void check_refusal(const char *path, int channels, uint32_t max, bool drop,
                          const char *expected)
{
    struct image_info info = {5, 4, channels, max > 255 ? SAMPLE_U16 : SAMPLE_U8, max, FORMAT_PNG};
    struct error err = {0};
    bool ok = sink_check(path, &info, drop ? &drop_options : &plain_options, &err);

    CHECKF(ok == !expected && strcmp(err.text, expected ? expected : "") == 0,
           "%s, %d channels, max %u: '%s'", path, channels, max, err.text);
    CHECK(ok || err.code == EXIT_INPUT);
}

static void refusals(void)
{
    int channels;

    check_refusal("o.pgm", 3, 255, false,
                  "o.pgm: PGM holds gray only; the picture is RGB: use .ppm, .pam or .png");
    check_refusal("o.pgm", 4, 255, false,
                  "o.pgm: PGM holds gray only; the picture is RGBA: use .pam or .png");
    check_refusal("o.pgm", 4, 999, true,
                  "o.pgm: PGM holds gray only; the picture is RGB: use .ppm, .pam or .png");
    check_refusal(
        "o.ppm", 4, 255, false,
        "o.ppm: PPM holds no alpha; the picture is RGBA: use .pam or .png, or --alpha drop");
    check_refusal("o.pnm", 2, 65535, false,
                  "o.pnm: PGM holds no alpha; the picture is gray with alpha: use .pam or .png, or "
                  "--alpha drop");
    check_refusal(
        "o.jpg", 2, 255, false,
        "o.jpg: JPEG holds no alpha; the picture is gray with alpha: use .pam or .png, or "
        "--alpha drop");
    check_refusal("o.jpg", 3, 256, false,
                  "o.jpg: JPEG output has 8 bits a sample; the picture has 16: use .ppm, .pam "
                  "or .png");
    check_refusal("o.bmp", 4, 65535, false,
                  "o.bmp: BMP output has 8 bits a sample; the picture has 16: use .pam or .png");
    for (channels = 1; channels <= 4; channels++) {
        check_refusal("o.pam", channels, 65535, false, NULL);
        check_refusal("o.png", channels, 100, false, NULL);
        check_refusal("o.png", channels, 999, false, NULL);
        check_refusal("o.bmp", channels, 255, false, NULL);
        check_refusal("o.jpg", channels, 255, true, NULL);
        check_refusal("o.ppm", channels, 65535, true, NULL);
        check_refusal("o.pnm", channels, 65535, true, NULL);
    }
    check_refusal("o.pgm", 2, 255, true, NULL);
}

static void check_unknown(const char *path, enum format input, const char *expected)
{
    struct image_info info = {5, 4, 3, SAMPLE_U8, 255, input};
    struct error err = {0};
    struct sink *sink;

    CHECK(!sink_check(path, &info, &plain_options, &err));
    CHECKF(strcmp(err.text, expected) == 0, "'%s'", err.text);
    CHECK(err.code == EXIT_USAGE);
    CHECK(!sink_open(&sink, path, &info, &plain_options, &err) && !sink);
}

static void unknown_formats(void)
{
    struct image_info info = {70000, 4, 3, SAMPLE_U8, 255, FORMAT_PAM};
    struct sink_options options = plain_options;
    struct error err = {0};

    check_unknown("o.xyz", FORMAT_PNG,
                  "o.xyz: unknown output format '.xyz' "
                  "(known: png jpg jpeg webp tif tiff bmp tga pgm ppm pam pnm)");
    check_unknown(
        "folder.png/o", FORMAT_PNG,
        "folder.png/o: no extension that tells the output format: add one or use --format (known: "
        "png jpg jpeg webp tif tiff bmp tga pgm ppm pam pnm); for a folder write folder.png/o/");
    check_unknown(
        "-", FORMAT_NONE,
        "standard output: no format given: use --format (known: png jpg jpeg webp tif tiff bmp tga "
        "pgm ppm pam pnm)");
    CHECK(sink_check("-", &info, &options, &err)); /* the input's format */
    options.format = FORMAT_PNG;
    CHECK(sink_check("o.xyz", &info, &options, &err));
    options.format = FORMAT_JPEG;
    CHECK(!sink_check("-", &info, &options, &err));
    CHECKF(strcmp(err.text, "standard output: JPEG holds at most 65500 pixels a side; the picture "
                            "has 70000 x 4") == 0,
           "'%s'", err.text);
}

static void unknown_inputs(void)
{
    struct source *source;
    struct error err;
    int saved = dup(STDIN_FILENO), ends[2];

    write_file("in.png", BYTES("not a picture"));
    CHECK(!source_open(&source, "in.png", &err) && !source);
    CHECKF(strcmp(err.text,
                  "in.png: not in a format that is read ('stencilcli list formats' names them)") ==
               0,
           "%s", err.text);
    write_file("in.png", "", 0);
    CHECK(!source_open(&source, "in.png", &err));
    CHECKF(strcmp(err.text, "in.png: the file is empty") == 0, "%s", err.text);
    CHECK(pipe(ends) == 0 && close(ends[1]) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    CHECK(!source_open(&source, "-", &err));
    CHECKF(strcmp(err.text, "standard input: it is empty") == 0, "%s", err.text);
    close(ends[0]);
    dup2(saved, STDIN_FILENO);
    close(saved);
    write_file("in.xyz", BYTES("P5 1 1 255 a")); /* recognised by content, not by name */
    CHECK(source_open(&source, "in.xyz", &err) && source_info(source)->format == FORMAT_PGM);
    source_close(source);
}

/* ---- conversions ---- */

/* v -> round(v*M/max), half up: n is correct if 2*v*M lies in [(2n-1)*max, (2n+1)*max). */
static void scale_tables(void)
{
    static const uint32_t maxes[] = {1, 2, 3, 7, 100, 254, 255, 256, 257, 1000, 65534, 65535};
    size_t i;

    for (i = 0; i < sizeof maxes / sizeof *maxes; i++) {
        int64_t max = maxes[i], full = max < 256 ? 255 : 65535, v;
        uint16_t *table = codec_scale_table(maxes[i]);
        CHECK(codec_scaled_max(maxes[i]) == full);
        for (v = 0; v <= max; v++)
            if (2 * v * full < (2 * table[v] - 1) * max || 2 * v * full >= (2 * table[v] + 1) * max)
                break;
        CHECKF(v == max + 1, "max %lld: %lld becomes %u", (long long)max, (long long)v, table[v]);
        CHECK(table[0] == 0 && table[max] == full && table[full] == full);
        free(table);
    }
}

static unsigned sample_at(const struct image *image, int y, int i)
{
    const void *row = image_row(image, y);

    return image->type == SAMPLE_U8 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
}

/* FROM[c] is the input channel for output channel c. */
static void check_channels(int in_channels, int out_channels, const int *from, uint32_t max)
{
    struct image in = make_picture(13, 5, in_channels, max, 4, 77);
    struct image out = make_picture(13, 5, out_channels, max, 6, 0);
    uint16_t *scale = max != 255 && max != 65535 ? codec_scale_table(max) : NULL;
    int x, y, c;

    codec_convert(&in, &out, scale);
    CHECK(guards_intact(&out));
    for (y = 0; y < 5; y++)
        for (x = 0; x < 13; x++)
            for (c = 0; c < out_channels; c++) {
                unsigned v = sample_at(&in, y, x * in_channels + from[c]);
                unsigned got = sample_at(&out, y, x * out_channels + c);
                CHECKF(got == (scale ? scale[v] : v), "%d -> %d, max %u: %u became %u", in_channels,
                       out_channels, max, v, got);
            }
    free(scale);
    free(in.data);
    free(out.data);
}

static void channel_conversions(void)
{
    static const uint32_t maxes[] = {255, 65535, 9, 5000};
    size_t i;

    for (i = 0; i < sizeof maxes / sizeof *maxes; i++) {
        check_channels(1, 1, (const int[]){0}, maxes[i]);
        check_channels(2, 1, (const int[]){0}, maxes[i]);
        check_channels(4, 4, (const int[]){0, 1, 2, 3}, maxes[i]);
        check_channels(4, 3, (const int[]){0, 1, 2}, maxes[i]);
        check_channels(1, 3, (const int[]){0, 0, 0}, maxes[i]);
        check_channels(2, 3, (const int[]){0, 0, 0}, maxes[i]);
        check_channels(2, 4, (const int[]){0, 0, 0, 1}, maxes[i]);
    }
}

/* Writes GIVEN to PATH and reads it back, whole and in strips; the result must be EXPECTED. */
static void check_through(const char *path, const struct image *given, uint32_t max,
                          const struct sink_options *options, const struct image *expected,
                          uint32_t expected_max)
{
    struct image all = {0}, strips = make_picture(expected->width, expected->height,
                                                  expected->channels, expected_max, 2, 0);
    struct source *source = NULL;
    struct error err = {0};
    int y;

    CHECKF(write_picture(path, given, max, options, 40, &err), "%s", err.text);
    CHECKF(source_open(&source, path, &err), "%s", err.text);
    CHECK(source && source_info(source)->max == expected_max);
    CHECKF(source && source_read_all(source, &all, &err), "%s", err.text);
    CHECKF(all.data && same_samples(expected, &all), "%s: %d channels, max %u", path,
           given->channels, max);
    image_free(&all);
    source_close(source);
    CHECKF(source_open(&source, path, &err), "%s", err.text);
    for (y = 0; source && y < strips.height; y += 30) {
        struct image part = image_rows(&strips, y, strips.height - y < 30 ? strips.height - y : 30);
        CHECKF(source_read(source, &part, &err), "%s", err.text);
    }
    CHECK(same_samples(expected, &strips) && guards_intact(&strips));
    source_close(source);
    free(strips.data);
}

static struct image converted(const struct image *in, int channels, uint32_t max, uint32_t new_max)
{
    struct image out = make_picture(in->width, in->height, channels, new_max, 0, 0);
    uint16_t *scale = max == new_max ? NULL : codec_scale_table(max);

    codec_convert(in, &out, scale);
    free(scale);
    return out;
}

static void conversions_in_files(void)
{
    static const struct {
        const char *path;
        int channels, expected_channels;
        uint32_t max, expected_max;
    } cases[] = {
        {"c.ppm", 1, 3, 255, 255}, {"c.ppm", 2, 3, 255, 255}, {"c.ppm", 4, 3, 9999, 9999},
        {"c.pgm", 2, 1, 99, 99},   {"c.pam", 4, 3, 255, 255}, {"c.pam", 2, 1, 65535, 65535},
        {"c.png", 1, 1, 100, 255}, {"c.png", 3, 3, 1, 255},   {"c.png", 4, 3, 200, 255},
        {"c.png", 2, 1, 255, 255}, {"c.bmp", 1, 3, 255, 255}, {"c.bmp", 2, 3, 77, 255},
        {"c.bmp", 4, 3, 255, 255}, {"c.bmp", 3, 3, 254, 255},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* more rows than one band holds */
        struct image given = make_picture(1201, 150, cases[i].channels, cases[i].max, 2, 5);
        struct image expected =
            converted(&given, cases[i].expected_channels, cases[i].max, cases[i].expected_max);
        check_through(cases[i].path, &given, cases[i].max, &drop_options, &expected,
                      cases[i].expected_max);
        free(given.data);
        free(expected.data);
    }
}

/* ---- rows ---- */

static void wrong_rows(void)
{
    struct image image = make_picture(5, 4, 3, 255, 0, 3), part, other;
    struct image_info info = info_of(&image, 255);
    struct source *source = NULL;
    struct sink *sink = NULL;
    struct error err;

    CHECK(sink_open(&sink, "r.ppm", &info, &plain_options, &err));
    part = image_rows(&image, 0, 3);
    CHECK(sink_write(sink, &part, &err) && !sink_write(sink, &part, &err)); /* 6 of 4 rows */
    other = part;
    other.channels = 1;
    other.height = 1;
    CHECK(!sink_write(sink, &other, &err));
    CHECK(!sink_finish(sink, &err) && access("r.ppm", F_OK) != 0);
    CHECKF(strcmp(err.text, "r.ppm: only 3 of 4 rows were given") == 0, "%s", err.text);

    CHECK(write_picture("r.ppm", &image, 255, &plain_options, 4, &err));
    CHECK(source_open(&source, "r.ppm", &err));
    CHECK(source_read(source, &part, &err) && !source_read(source, &part, &err));
    CHECK(!source_read_all(source, &other, &err));
    source_close(source);
    source_close(NULL);
    sink_abort(NULL);
    free(image.data);
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder))
        return 1;
    TEST(names);
    TEST(every_format_is_recognised);
    TEST(refusals);
    TEST(unknown_formats);
    TEST(unknown_inputs);
    TEST(scale_tables);
    TEST(channel_conversions);
    TEST(conversions_in_files);
    TEST(wrong_rows);
    return test_finish() || !leave_test_folder(folder);
}
