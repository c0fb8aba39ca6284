/* The picture that the bench generates: equal for any number of threads, no sample 0 or at the
 * maximum, every shape that can be requested. */
#include <string.h>

#include "bench/bench.h"
#include "tests/test.h"

static struct image shape_of(int width, int height, int channels, enum sample_type type)
{
    return (struct image){.width = width, .height = height, .channels = channels, .type = type};
}

static void test_picture(void)
{
    struct image one = shape_of(301, 67, 3, SAMPLE_U8), two = one;
    struct error err;
    unsigned least = 255, most = 0;
    CHECK(bench_picture_make(&one, 1, &err) && bench_picture_make(&two, 3, &err));
    for (int y = 0; y < 67; y++) {
        const unsigned char *row = image_row(&one, y);
        CHECK(memcmp(row, image_row(&two, y), 903) == 0);
        for (int i = 0; i < 903; i++) {
            least = row[i] < least ? row[i] : least;
            most = row[i] > most ? row[i] : most;
        }
    }
    CHECKF(least >= 1 && most <= 254 && most > least + 60, "samples from %u to %u", least, most);
    image_free(&one);
    image_free(&two);
}

/* A 16-bit picture has the 8-bit picture in its high bytes, and low bytes that vary. */
static void test_picture_shapes(void)
{
    struct error err;
    for (int channels = 1; channels <= 4; channels++) {
        struct image bytes = shape_of(45, 33, channels, SAMPLE_U8);
        struct image words = shape_of(45, 33, channels, SAMPLE_U16);
        unsigned low_all = 255, low_any = 0;
        CHECK(bench_picture_make(&bytes, 1, &err) && bench_picture_make(&words, 2, &err));
        for (int y = 0; y < 33; y++)
            for (int i = 0; i < 45 * channels; i++) {
                unsigned word = ((const uint16_t *)image_row(&words, y))[i];
                CHECK(word >> 8 == ((const uint8_t *)image_row(&bytes, y))[i]);
                low_all &= word;
                low_any |= word;
            }
        CHECK(bytes.channels == channels && (low_all & 255) == 0 && (low_any & 255) == 255);
        image_free(&bytes);
        image_free(&words);
    }
}

int main(void)
{
    TEST(test_picture);
    TEST(test_picture_shapes);
    return test_finish();
}
