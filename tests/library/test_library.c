/* The library from outside (include/stencil.h): pictures at the end of memory, in place, bad
 * arguments, several contexts in threads, a locale with decimal commas. tests/python compares its
 * bytes with the program's. */
#include <dirent.h>
#include <locale.h>
#include <pthread.h>
#include <stencil.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/random.h"
#include "tests/test.h"

static stencil_context *open_context(int threads)
{
    stencil_context *context;
    const stencil_options options = {.threads = threads};

    CHECK(stencil_open(&context, &options) == STENCIL_OK);
    return context;
}

static stencil_filter *filter_of(stencil_context *context, const char *words)
{
    stencil_filter *filter = NULL;

    CHECKF(stencil_filter_add(context, &filter, words) == STENCIL_OK, "%s",
           stencil_message(context));
    return filter;
}

/* ---- memory that ends with the last sample ---- */

struct guarded {
    char *memory;
    size_t bytes; /* without the page that nobody may touch */
    stencil_image image;
};

static struct guarded guarded_make(int width, int height, int channels, int sample_bytes, int gap)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t row = (size_t)(width * channels * sample_bytes);
    const size_t pitch = row + (size_t)(gap * sample_bytes);
    const size_t used = pitch * (size_t)(height - 1) + row;
    struct guarded made = {.bytes = (used + page - 1) / page * page};

    made.memory =
        mmap(NULL, made.bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(made.memory + made.bytes, page, PROT_NONE);
    made.image = (stencil_image){.width = width,
                                 .height = height,
                                 .channels = channels,
                                 .sample_bytes = sample_bytes,
                                 .pitch = pitch,
                                 .data = made.memory + made.bytes - used};
    return made;
}

static void guarded_free(struct guarded *made)
{
    munmap(made->memory, made->bytes + (size_t)sysconf(_SC_PAGESIZE));
}

static void fill(const stencil_image *image)
{
    static uint64_t random = 5;

    for (int y = 0; y < image->height; y++)
        for (size_t i = 0; i < (size_t)(image->width * image->channels * image->sample_bytes); i++)
            ((unsigned char *)image->data)[(size_t)y * image->pitch + i] =
                (unsigned char)random_next(&random);
}

static const char *const everything[] = {
    "blur",
    "gauss --sigma 0.6 --border wrap",
    "gauss --sigma 7",
    "box --radius 1",
    "box --radius 9 --border mirror",
    "sobel",
    "unsharp",
    "sharpen --border zero",
    "emboss",
    "median",
    "median --radius 3",
    "median --radius 9",
    "erode --radius 12",
    "open --shape disc",
    "bilateral",
    "convolve --mask '1 2 -3 4 5 6 7'",
    "box --radius 15 --light linear",
    "gauss --sigma 90",
    "convolve --mask '1; 2; 3; 4; 5' --normalize --nodata 0",
    "blur --region 3,2,9,9",
    "blur --repeat 3",
};

static void end_of_memory(void)
{
    static const int widths[] = {1, 2, 15, 16, 17, 63, 64, 65, 131};
    stencil_context *context = open_context(1);

    for (size_t f = 0; f < sizeof everything / sizeof *everything; f++) {
        stencil_filter *filter = filter_of(context, everything[f]);
        for (int k = 0; k < 9 * 8; k++) {
            const int channels = 1 + k % 4, bytes = 1 + k / 4 % 2, width = widths[k / 8];
            struct guarded in = guarded_make(width, 1 + k % 13, channels, bytes, k % 3);
            struct guarded out = guarded_make(width, 1 + k % 13, channels, bytes, k % 2 * 5);
            fill(&in.image);
            stencil_status status = stencil_apply(context, filter, &in.image, &out.image);
            if (strstr(everything[f], "region") == NULL || status != STENCIL_ARGUMENT)
                CHECKF(status == STENCIL_OK, "%s: %s", everything[f], stencil_message(context));
            guarded_free(&in);
            guarded_free(&out);
        }
        stencil_filter_free(filter);
    }
    stencil_close(context);
}

/* ---- bad arguments ---- */

#define WRONG(call, part)                                                                          \
    do {                                                                                           \
        CHECK((call) == STENCIL_ARGUMENT);                                                         \
        CHECKF(strstr(stencil_message(context), part), "%s", stencil_message(context));            \
    } while (0)

/* ---- some rows ---- */

/* Makes WHOLE again, some rows at a time, each time from just the rows of IN that they need. */
static void check_rows(stencil_context *context, const stencil_filter *filter, const char *words,
                       const stencil_image *in, const stencil_image *whole, int rows)
{
    const size_t row = (size_t)(in->width * in->channels * in->sample_bytes);
    stencil_image shape = *in;

    shape.data = NULL;
    for (int y = 0; y < in->height; y += rows) {
        const int count = rows < in->height - y ? rows : in->height - y;
        struct guarded some, out;
        int from, needed;

        CHECKF(stencil_rows_needed(context, filter, &shape, y, count, &from, &needed) == STENCIL_OK,
               "%s", stencil_message(context));
        some = guarded_make(in->width, needed, in->channels, in->sample_bytes, 1);
        out = guarded_make(in->width, count, in->channels, in->sample_bytes, 0);
        for (int i = 0; i < needed; i++)
            memcpy((char *)some.image.data + (size_t)i * some.image.pitch,
                   (char *)in->data + (size_t)(from + i) * in->pitch, row);
        CHECKF(stencil_apply_rows(context, filter, in->height, &some.image, from, &out.image, y) ==
                   STENCIL_OK,
               "%s", stencil_message(context));
        for (int i = 0; i < count; i++)
            CHECKF(memcmp((char *)out.image.data + (size_t)i * out.image.pitch,
                          (char *)whole->data + (size_t)(y + i) * whole->pitch, row) == 0,
                   "row %d of %d, %d at a time: %s", y + i, in->height, rows, words);
        guarded_free(&some);
        guarded_free(&out);
    }
}

static void rows_of_pictures(void)
{
    uint64_t random = 21;
    stencil_context *context = open_context(2);

    for (int turn = 0; turn < 150; turn++) {
        const int width = 1 + (int)(random_next(&random) % 40);
        const int height = 1 + (int)(random_next(&random) % 60);
        const int channels = 1 + turn % 4, steps = 1 + turn % 3;
        struct guarded in = guarded_make(width, height, channels, 1 + turn / 4 % 2, 0);
        struct guarded out = guarded_make(width, height, channels, 1 + turn / 4 % 2, 0);
        stencil_filter *filter = NULL;
        const char *words = NULL; /* of the last step */

        fill(&in.image);
        for (int i = 0; i < steps; i++) {
            words = everything[random_next(&random) % (sizeof everything / sizeof *everything)];
            CHECK(stencil_filter_add(context, &filter, words) == STENCIL_OK);
        }
        /* regions may not fit */
        if (stencil_apply(context, filter, &in.image, &out.image) == STENCIL_OK)
            check_rows(context, filter, words, &in.image, &out.image,
                       1 + (int)(random_next(&random) % (uint64_t)height));
        else
            CHECKF(strstr(stencil_message(context), "--region"), "%s", stencil_message(context));
        stencil_filter_free(filter);
        guarded_free(&in);
        guarded_free(&out);
    }
    stencil_close(context);
}

static void bad_rows(void)
{
    stencil_context *context = open_context(1);
    stencil_filter *filter = filter_of(context, "blur");
    struct guarded in = guarded_make(8, 10, 1, 1, 0), out = guarded_make(8, 10, 1, 1, 0);
    int from, rows;

    CHECK(stencil_rows_needed(context, filter, &in.image, 3, 8, &from, &rows) == STENCIL_ARGUMENT);
    CHECKF(strcmp(stencil_message(context),
                  "first: rows 3 to 10 are not in a picture of 10 rows") == 0,
           "%s", stencil_message(context));
    CHECK(stencil_rows_needed(context, filter, &in.image, 1, INT32_MAX, &from, &rows) ==
          STENCIL_ARGUMENT);
    CHECK(stencil_rows_needed(context, filter, &in.image, -1, 1, &from, &rows) == STENCIL_ARGUMENT);
    CHECK(stencil_rows_needed(context, filter, &in.image, 0, 1, NULL, &rows) == STENCIL_ARGUMENT);
    CHECK(stencil_apply_rows(context, filter, 20, &in.image, 4, &out.image, 4) == STENCIL_ARGUMENT);
    CHECKF(strcmp(stencil_message(context),
                  "in: it holds rows 4 to 13, but rows 2 to 15 are needed") == 0,
           "%s", stencil_message(context));
    CHECK(stencil_apply_rows(context, filter, 12, &in.image, 4, &out.image, 0) == STENCIL_ARGUMENT);
    CHECK(stencil_apply_rows(context, filter, 10, &in.image, 0, &in.image, 0) == STENCIL_ARGUMENT);
    CHECKF(strcmp(stencil_message(context), "out: it overlaps in") == 0, "%s",
           stencil_message(context));
    stencil_filter_free(filter);
    guarded_free(&in);
    guarded_free(&out);
    stencil_close(context);
}

static void bad_pictures(void)
{
    static uint16_t samples[100];
    stencil_context *context = open_context(1);
    stencil_filter *filter = filter_of(context, "blur");
    const stencil_image good = {
        .width = 5, .height = 4, .channels = 1, .sample_bytes = 2, .pitch = 10, .data = samples};
    stencil_image bad = good, out = good;
    const char *text;

    out.data = samples + 50;
    CHECK(stencil_apply(context, filter, &good, &out) == STENCIL_OK);
    CHECK(stencil_message(context)[0] == '\0');
    WRONG(stencil_apply(context, NULL, &good, &out), "filter");
    WRONG(stencil_apply(context, filter, NULL, &out), "in: expected a picture");
    WRONG(stencil_apply(context, filter, &good, NULL), "out: expected a picture");
#define BAD(member, value, part)                                                                   \
    bad = good;                                                                                    \
    bad.member = value;                                                                            \
    WRONG(stencil_apply(context, filter, &bad, &out), part)
    BAD(width, 0, "in: 0 x 4 pixels");
    BAD(height, -1, "in: 5 x -1 pixels");
    BAD(width, INT32_MAX, "pitch");
    BAD(channels, 5, "channels is 5");
    BAD(sample_bytes, 4, "sample_bytes is 4");
    BAD(pitch, 8, "pitch is 8, but a row has 10 bytes");
    BAD(pitch, 11, "even pitch");
    BAD(pitch, SIZE_MAX - 1, "more than memory");
    BAD(data, NULL, "data is NULL");
    BAD(data, (char *)samples + 1, "even address");
    BAD(max, 70000, "max is 70000");
    BAD(max, 300, "out: its shape");
    BAD(width, 4, "out: its shape");
    BAD(data, samples + 49, "overlaps");
    samples[7] = 301;
    bad = out;
    bad.max = 300;
    out = good;
    out.max = 300;
    WRONG(stencil_apply(context, filter, &out, &bad), "sample in row 1, column 2 is 301");
    CHECK(stencil_apply(NULL, filter, &good, &good) == STENCIL_ARGUMENT);
    BAD(height, 0, "in: 5 x 0");
    WRONG(stencil_plan(context, NULL, &good, 0, &text), "filter");
    WRONG(stencil_plan(context, filter, NULL, 0, &text), "in: expected");
    WRONG(stencil_plan(context, filter, &good, 0, NULL), "text");
    stencil_filter_free(filter);
    stencil_close(context);
}

static void bad_filters(void)
{
    static const double weights[] = {1, 0.0 / 1.0, 2};
    stencil_context *context = open_context(1);
    stencil_filter *filter = NULL;

    WRONG(stencil_filter_add(context, NULL, "blur"), "filter");
    WRONG(stencil_filter_add(context, &filter, NULL), "words");
    WRONG(stencil_filter_add(context, &filter, ""), "expected a filter");
    WRONG(stencil_filter_add(context, &filter, "gaus --sigma 2"), "did you mean 'gauss'");
    WRONG(stencil_filter_add(context, &filter, "gauss --sigma -2"), "greater than 0");
    WRONG(stencil_filter_add(context, &filter, "gauss --sigma 'two"), "quote");
    WRONG(stencil_filter_add(context, &filter, "sobel --sigma 2"), "sigma");
    WRONG(stencil_filter_add_weights(context, &filter, NULL, 3, 1, NULL), "weights");
    WRONG(stencil_filter_add_weights(context, &filter, weights, 0, 1, NULL), "0 x 1");
    WRONG(stencil_filter_add_weights(context, &filter, weights, 256, 1, NULL), "256 x 1");
    WRONG(stencil_filter_add_weights(context, &filter, weights, 3, 1, "--colour"), "--colour");
    WRONG(stencil_filter_add_weights(context, &filter, weights, 3, 1, "--mask gauss5"),
          "the weights are the mask: leave out --mask");
    WRONG(stencil_filter_add_weights(context, &filter, weights, 3, 1, "--sigma 2"), "--sigma");
    WRONG(stencil_filter_add_weights(context, &filter, weights, 3, 1, "--radius 0"), "--radius");
    CHECK(filter == NULL);
    CHECK(stencil_filter_add_weights(context, &filter, weights, 3, 1, "--normalize") == STENCIL_OK);
    WRONG(stencil_filter_add(context, &filter, "gaus"), "gauss");
    for (int i = 1; i < 64; i++)
        CHECK(stencil_filter_add(context, &filter, "sharpen") == STENCIL_OK);
    WRONG(stencil_filter_add(context, &filter, "sharpen"), "64 steps");
    stencil_filter_free(filter);
    stencil_filter_free(NULL);
    stencil_close(context);
}

static void bad_contexts(void)
{
    const stencil_options bad[] = {{.threads = -1},
                                   {.device = "tpu"},
                                   {.kernel = "quick"},
                                   {.device_index = -1},
                                   {.kernel = "tiled", .device = "cpu"}};
    stencil_context *context;

    for (int i = 0; i < 5; i++) {
        WRONG(stencil_open(&context, &bad[i]), ": ");
        stencil_close(context);
    }
    CHECK(stencil_open(NULL, NULL) == STENCIL_ARGUMENT);
    stencil_close(NULL);
    CHECK(stencil_message(NULL)[0] == '\0');
}

static void plans(void)
{
    const stencil_image shape = {
        .width = 640, .height = 480, .channels = 3, .sample_bytes = 1, .pitch = 1920};
    stencil_context *context = open_context(3);
    stencil_filter *filter = filter_of(context, "blur --border wrap");
    const char *text;

    CHECK(stencil_plan(context, filter, &shape, 0, &text) == STENCIL_OK);
    CHECKF(strstr(text, "picture   in memory: 640 x 480 pixels, 3 channels, samples 0..255\n") ==
                   text &&
               strstr(text, "border    wrap\n") && strstr(text, "threads   3\n"),
           "%s", text);
    CHECK(stencil_filter_add(context, &filter, "median") == STENCIL_OK);
    CHECK(stencil_plan(context, filter, &shape, 1, &text) == STENCIL_OK);
    CHECKF(strstr(text, "{\"width\":640,") == text && strstr(text, "\"filter\":\"median\""), "%s",
           text);
    stencil_filter_free(filter);
    stencil_close(context);
}

/* ---- files ---- */

static void files(void)
{
    static const unsigned char pixels[12] = {1, 2, 3, 40, 50, 60, 7, 8, 9, 100, 110, 120};
    char folder[] = "/tmp/stencil-library-XXXXXX", in[64], out[64];
    stencil_context *context = open_context(2);
    stencil_filter *filter = filter_of(context, "blur");
    stencil_image image = {.width = 2,
                           .height = 2,
                           .channels = 3,
                           .sample_bytes = 1,
                           .pitch = 6,
                           .data = (void *)pixels};
    stencil_image read, filtered;
    stencil_difference difference;
    unsigned char room[12];

    CHECK(mkdtemp(folder) != NULL);
    snprintf(in, sizeof in, "%s/in.png", folder);
    snprintf(out, sizeof out, "%s/out.png", folder);
    CHECK(stencil_write(context, in, &image, 0) == STENCIL_OK);
    CHECK(stencil_read(context, in, &read) == STENCIL_OK);
    CHECK(stencil_compare(context, &image, &read, &difference) == STENCIL_OK);
    CHECK(stencil_filter_file(context, filter, in, out) == STENCIL_OK);
    CHECK(stencil_read(context, out, &filtered) == STENCIL_OK);
    CHECK(stencil_compare(context, &read, &filtered, &difference) == STENCIL_DIFFERENT);
    CHECK(difference.samples == 12 && difference.differing > 0 && difference.max_diff > 0);
    image.data = room;
    CHECK(stencil_apply(context, filter, &read, &image) == STENCIL_OK);
    CHECK(stencil_compare(context, &image, &filtered, &difference) == STENCIL_OK);
    stencil_image_free(&read);
    stencil_image_free(&filtered);
    CHECK(read.data == NULL);

    WRONG(stencil_read(context, "-", &read), "path");
    WRONG(stencil_read(context, in, NULL), "image");
    WRONG(stencil_write(context, in, &image, 101), "quality");
    WRONG(stencil_write(context, "picture.xyz", &image, 0), "xyz");
    WRONG(stencil_write(context, "picture", &image, 0), "path");
    WRONG(stencil_filter_file(context, filter, in, "picture"), "output");
    CHECK(strstr(stencil_message(context), "--") == NULL);
    WRONG(stencil_filter_file(context, NULL, in, out), "filter");
    WRONG(stencil_filter_file(context, filter, NULL, out), "input");
    CHECK(stencil_read(context, "/missing.png", &read) == STENCIL_FAILED);
    CHECK(strstr(stencil_message(context), "/missing.png") != NULL);
    stencil_filter_free(filter);
    stencil_close(context);
    unlink(in);
    unlink(out);
    rmdir(folder);
}

/* ---- threads ---- */

static int threads_of_process(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;

    if (!folder)
        return 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void threads_are_kept(void)
{
    static unsigned char in[512 * 512], out[512 * 512];
    const int before = threads_of_process();
    stencil_context *context = open_context(3);
    stencil_filter *filter = filter_of(context, "gauss --sigma 5");
    const stencil_image from = {
        .width = 512, .height = 512, .channels = 1, .sample_bytes = 1, .pitch = 512, .data = in};
    stencil_image to = from;
    int kept;

    to.data = out;
    CHECK(stencil_apply(context, filter, &from, &to) == STENCIL_OK);
    kept = threads_of_process();
    CHECK(before == 0 || kept > before);
    CHECK(stencil_apply(context, filter, &from, &to) == STENCIL_OK);
    CHECK(threads_of_process() == kept);
    stencil_filter_free(filter);
    stencil_close(context);
}

static stencil_filter *shared;

/* Filters with a context and filters of its own, and with a filter that all threads use. */
static void *filter_alone(void *argument)
{
    static const unsigned char zero[64 * 64];
    unsigned char in[64 * 64], out[64 * 64], again[64 * 64];
    stencil_context *context = open_context(2);
    stencil_image from = {
        .width = 64, .height = 64, .channels = 1, .sample_bytes = 1, .pitch = 64, .data = in};
    stencil_image to = from, same = from;
    char words[64];

    to.data = out;
    same.data = again;
    snprintf(words, sizeof words, "gauss --sigma %d", *(int *)argument);
    memset(in, 100 + *(int *)argument, sizeof in);
    for (int i = 0; i < 20; i++) {
        stencil_filter *own = filter_of(context, words);
        CHECK(stencil_apply(context, own, &from, &to) == STENCIL_OK);
        CHECK(memcmp(in, out, sizeof in) == 0);
        CHECK(stencil_apply(context, shared, &from, &same) == STENCIL_OK);
        CHECK(memcmp(again, zero, sizeof again) == 0);
        stencil_filter_free(own);
    }
    stencil_close(context);
    return NULL;
}

static void contexts_in_threads(void)
{
    stencil_context *context = open_context(1);
    pthread_t thread[4];
    int number[4];

    shared = filter_of(context, "sobel");
    stencil_close(context); /* a filter outlives the context that made it */
    for (int i = 0; i < 4; i++) {
        number[i] = 1 + i;
        CHECK(pthread_create(&thread[i], NULL, filter_alone, &number[i]) == 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    stencil_filter_free(shared);
}

static void decimal_commas(void)
{
    static const double weights[] = {0.5, 0.25, 0.25};
    stencil_context *context = open_context(1);
    stencil_filter *filter = NULL;

    setlocale(LC_ALL, "de_DE.UTF-8");
    CHECK(stencil_filter_add(context, &filter, "gauss --sigma 1.5") == STENCIL_OK);
    CHECK(stencil_filter_add_weights(context, &filter, weights, 3, 1, NULL) == STENCIL_OK);
    stencil_filter_free(filter);
    stencil_close(context);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    CHECK(strcmp(stencil_version(), STENCIL_VERSION) == 0);
    TEST(end_of_memory);
    TEST(rows_of_pictures);
    TEST(bad_rows);
    TEST(bad_pictures);
    TEST(bad_filters);
    TEST(bad_contexts);
    TEST(plans);
    TEST(files);
    TEST(threads_are_kept);
    TEST(contexts_in_threads);
    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        TEST(decimal_commas);
    else
        test_skip("decimal_commas", "the locale de_DE.UTF-8 is not installed");
    return test_finish();
}
