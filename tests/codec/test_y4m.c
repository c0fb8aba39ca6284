/* The Y4M reader and writer: the planes of all layouts as pages, headers, samples of 16 bits, and
 * damage in a pipe. tests/codec/test_hostile.c has damaged files; tests/cli/video.sh compares
 * filtered videos with their planes filtered as pictures. */
#include "tests/codec/test_pictures.h"

static const char second[] = "FRAME Xpar=1\n";

/* Writes a video of two frames, whose bytes count from 0. */
static size_t make_video(const char *path, const char *header, size_t frame_bytes)
{
    FILE *file = fopen(path, "wb");
    size_t value = 0;

    CHECK(file != NULL);
    fprintf(file, "%s\n", header);
    for (int frame = 0; frame < 2; frame++) {
        fputs(frame == 0 ? "FRAME\n" : second, file);
        for (size_t i = 0; i < frame_bytes; i++, value++)
            fputc((int)(value % 251), file);
    }
    CHECK(fclose(file) == 0);
    return value;
}

struct layout {
    const char *word;
    uint32_t max;
    int planes, width, height; /* of the chroma planes in a video of 5 x 3 pixels */
};

static const struct layout layouts[] = {
    {"", 255, 3, 3, 2},           {" C420", 255, 3, 3, 2},      {" C420mpeg2", 255, 3, 3, 2},
    {" C420paldv", 255, 3, 3, 2}, {" C422", 255, 3, 3, 3},      {" C440", 255, 3, 5, 2},
    {" C411", 255, 3, 2, 3},      {" C444", 255, 3, 5, 3},      {" C444alpha", 255, 4, 5, 3},
    {" Cmono", 255, 1, 0, 0},     {" Cmono16", 65535, 1, 0, 0}, {" C420p16", 65535, 3, 3, 2},
};

static void check_plane(const struct source *source, const struct layout *l, int plane)
{
    const struct image_info *info = source_info(source);
    bool chroma = plane == 1 || plane == 2;

    CHECKF(info->width == (chroma ? l->width : 5) && info->height == (chroma ? l->height : 3) &&
               info->channels == 1 && info->max == l->max && info->format == FORMAT_Y4M &&
               info->type == (l->max > 255 ? SAMPLE_U16 : SAMPLE_U8),
           "%s, plane %d: %d x %d, max %u", l->word, plane, info->width, info->height, info->max);
}

/* The bytes of a plane go on counting where the last ones ended. */
static void check_samples(struct source *source, size_t *value)
{
    struct image image;
    struct error err;

    CHECKF(source_read_all(source, &image, &err), "%s", err.text);
    for (int y = 0; image.data && y < image.height; y++)
        for (size_t i = 0; i < image_row_bytes(&image); i++, ++*value)
            CHECK(((uint8_t *)image_row(&image, y))[i] == *value % 251);
    image_free(&image);
}

static void planes_are_pages(void)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const struct layout *l = &layouts[i];
        size_t chroma = (size_t)(l->planes == 1 ? 0 : 2 * l->width * l->height);
        size_t frame = (15 + chroma + (l->planes == 4 ? 15 : 0)) * (l->max > 255 ? 2 : 1);
        size_t value = 0, bytes;
        struct source *source;
        struct error err;
        char header[80];

        snprintf(header, sizeof header, "YUV4MPEG2 W5 H3 F25:1%s", l->word);
        bytes = make_video("in.y4m", header, frame);
        CHECKF(source_open_pages(&source, "in.y4m", &err), "%s", err.text);
        for (int page = 0; source && page < 2 * l->planes; page++) {
            const struct metadata_part *own = &source_metadata(source)->own;
            const bool last = page == 2 * l->planes - 1;
            check_plane(source, l, page % l->planes);
            if (page == 0)
                CHECK(own->size == strlen(header) + 7);
            else if (page == l->planes)
                CHECK(own->size == sizeof second - 1 && memcmp(own->bytes, second, own->size) == 0);
            else
                CHECK(own->size == 0);
            check_samples(source, &value);
            CHECK(source_has_more(source, FORMAT_Y4M) == !last);
            CHECK(!source_has_more(source, FORMAT_PGM));
            CHECK(last || source_next(source, &err));
        }
        CHECK(value == bytes && source_is_stream(source));
        source_close(source);
    }
}

static void copies_are_equal(void)
{
    struct sink_pages pages = {0};
    struct sink_options options = {.threads = 1, .pages = &pages};
    struct source *source;
    struct sink *sink;
    struct error err;
    struct image image;
    uint8_t *bytes;
    size_t count;

    make_video("in.y4m", "YUV4MPEG2 W5 H3 F30:1 Ip A1:1 C420jpeg XSOME=1", 27);
    CHECK(source_open_pages(&source, "in.y4m", &err));
    do {
        options.metadata = source_metadata(source);
        CHECK(sink_open(&sink, "out.y4m", source_info(source), &options, &err));
        CHECK(source_read_all(source, &image, &err) && sink_write(sink, &image, &err));
        image_free(&image);
        CHECKF(sink_finish_page(sink, source, &err), "%s", err.text);
    } while (pages.more && source_next(source, &err));
    source_close(source);
    count = read_file("in.y4m", &bytes);
    CHECK(file_holds("out.y4m", bytes, count));
    free(bytes);
}

static void videos_are_no_pictures(void)
{
    struct image_info picture = {3, 2, 1, SAMPLE_U8, 255, FORMAT_PGM}, video = picture;
    struct sink_options options = {.threads = 1}, drop = {.threads = 1, .drop_alpha = true};
    struct source *source;
    struct error err;

    make_video("in.y4m", "YUV4MPEG2 W5 H3", 27);
    CHECK(!source_open(&source, "in.y4m", &err) && !source && err.code == EXIT_INPUT);
    CHECKF(strcmp(err.text, "in.y4m: is a video, expected a picture; try: ffmpeg -i in.y4m "
                            "frame%04d.png") == 0,
           "%s", err.text);
    CHECK(!sink_check("out.y4m", &picture, &options, &err));
    CHECKF(strcmp(err.text, "out.y4m: Y4M holds a video, and the input is a picture: use .pgm, "
                            ".pam or .png") == 0,
           "%s", err.text);
    video.format = FORMAT_Y4M;
    CHECK(sink_check("out.y4m", &video, &options, &err));
    CHECK(!sink_check("out.png", &video, &options, &err));
    CHECKF(strcmp(err.text, "out.png: PNG holds a picture, and the input is a video: write .y4m, "
                            "or make pictures of it first (ffmpeg -i VIDEO frame%04d.png)") == 0,
           "%s", err.text);
    CHECK(!sink_check("-", &video, &drop, &err));
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder))
        return 1;
    TEST(planes_are_pages);
    TEST(copies_are_equal);
    TEST(videos_are_no_pictures);
    return test_finish() || !leave_test_folder(folder);
}
