/* The packed weights of the kernels dp4a and weighted, multiplied on the CPU as the kernels do it:
 * four adjacent outputs take the words of a window, plane after plane. The results must be the sums
 * with the mask's own weights, and words that the unrolled kernels skip must be zero. */
#include <stdlib.h>
#include <string.h>

#include "kernels/dp4a_window.h"
#include "kernels/image_job.h"
#include "tests/test.h"

#define MOST 40 /* longest side of a mask */

static uint32_t state = 1;

static uint32_t random_bits(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* The instruction: four unsigned bytes times four signed or unsigned bytes. */
static int32_t dp4a(const uint8_t *cells, const uint8_t *weights, bool is_signed, int32_t sum)
{
    for (int i = 0; i < 4; i++)
        sum += cells[i] * (is_signed ? (int8_t)weights[i] : weights[i]);
    return sum;
}

struct case_at {
    int width, height, anchor_x, planes;
    bool is_unsigned; /* for the kernel weighted */
    int64_t weight[MOST * MOST];
    uint8_t window[MOST][MOST + 16]; /* its first cell is `pad` before the first output's */
    uint8_t fragments[3 * MOST * (MOST + 16) * 4];
};

static void make(struct case_at *c, int64_t low, int64_t high)
{
    for (int i = 0; i < c->width * c->height; i++)
        c->weight[i] = low + (int64_t)(random_bits() % (uint32_t)(high - low + 1));
    c->weight[0] = low;
    c->weight[c->width * c->height - 1] = high;
    c->planes =
        (c->is_unsigned ? weighted_planes : int8_mma_planes)(c->weight, c->width * c->height);
    for (size_t i = 0; i < sizeof c->window; i++)
        ((uint8_t *)c->window)[i] = (uint8_t)(random_bits() % 5 ? random_bits() : 255);
    dp4a_pack(c->weight, c->width, c->height, c->anchor_x, c->planes, c->fragments);
}

/* The kernel's sum for output J. */
static int64_t packed_sum(const struct case_at *c, int groups, int j)
{
    const uint8_t *weights = c->fragments + 4 * j;
    int64_t sum = 0;
    for (int p = 0; p < c->planes; p++) {
        sum *= 256;
        for (int w = 0; w < groups; w++)
            for (int i = 0; i < c->height; i++, weights += 16)
                sum += dp4a(&c->window[i][4 * w], weights, p == 0 && !c->is_unsigned, 0);
    }
    return sum;
}

static int64_t plain_sum(const struct case_at *c, int pad, int j)
{
    int64_t sum = 0;
    for (int i = 0; i < c->height; i++)
        for (int k = 0; k < c->width; k++)
            sum += c->weight[i * c->width + k] * c->window[i][pad + j + k];
    return sum;
}

static void check(const struct case_at *c)
{
    struct int8_window window = int8_window_of(c->width, c->height, c->anchor_x);
    const uint8_t zero[4] = {0};

    CHECK((c->anchor_x + window.pad) % 4 == 0 && 4 * window.groups <= MOST + 16);
    CHECK(dp4a_fragment_bytes(c->width, c->height, c->anchor_x, c->planes) ==
          (size_t)(16 * c->planes * window.groups * c->height));
    for (int j = 0; j < 4; j++) {
        CHECKF(packed_sum(c, window.groups, j) == plain_sum(c, window.pad, j),
               "%dx%d, anchor %d, %d planes, output %d", c->width, c->height, c->anchor_x,
               c->planes, j);
        for (int at = 0; at < window.groups * c->height; at++)
            if (!DP4A_SEES(at / c->height, j, window.pad, c->width))
                CHECK(memcmp(c->fragments + 16 * at + 4 * j, zero, 4) == 0);
    }
}

static void check_masks(int64_t low, int64_t high, int planes, bool is_unsigned)
{
    static const int sides[] = {1, 2, 3, 4, 5, 6, 7, 9, 15, 16, 31, MOST};
    struct case_at *c = malloc(sizeof *c);
    const int count = (int)(sizeof sides / sizeof *sides);
    bool same = true;

    CHECK(c != NULL);
    if (c)
        c->is_unsigned = is_unsigned;
    for (int i = 0; c && i < count * count; i++) {
        c->width = sides[i % count];
        c->height = sides[i / count];
        for (c->anchor_x = 0; c->anchor_x < c->width; c->anchor_x++) {
            make(c, low, high);
            same = same && c->planes == planes;
            check(c);
        }
    }
    CHECK(same);
    free(c);
}

static void test_int8_weights(void)
{
    check_masks(-128, 127, 1, false);
}

static void test_two_planes(void)
{
    check_masks(-129, 128, 2, false);
    check_masks(-3000, 5000, 2, false);
    check_masks(0, 255, 2, false);
}

static void test_unsigned_weights(void)
{
    static const int64_t past[] = {1 << 24}, below[] = {5, -1}, zero[] = {0};

    check_masks(0, 255, 1, true);
    check_masks(0, 256, 2, true);
    check_masks(3, 65535, 2, true);
    check_masks(0, 65536, 3, true);
    check_masks(0, 0xffffff, 3, true);
    CHECK(weighted_planes(past, 1) == 0 && weighted_planes(below, 2) == 0);
    CHECK(weighted_planes(zero, 1) == 1);
}

/* Sums of products with alpha, and half of the sums of alpha, exceed 32 bits. */
static void test_wide_sums(void)
{
    CHECK((int64_t)65025 * 65921 + 255 * 65921 / 2 <= UINT32_MAX);
    CHECK(!weighted_is_wide(255, 65921) && weighted_is_wide(255, 65922));
    CHECK(!weighted_is_wide(1, INT32_MAX / 2) && weighted_is_wide(7, INT32_MAX / 8));
}

/* 16-bit weights at the limits where sums still fit 32 bits. */
static void test_limits(void)
{
    struct case_at *c = calloc(1, sizeof *c);

    CHECK(c != NULL);
    for (int i = 0; c && i < 200; i++) {
        c->width = 1 + (int)(random_bits() % 8);
        c->height = 1 + (int)(random_bits() % 8);
        c->anchor_x = (int)(random_bits() % (uint32_t)c->width);
        make(c, INT16_MIN, INT16_MAX);
        check(c);
    }
    free(c);
}

/* The number of words of a mask row that four outputs multiply: width + 3, for any anchor. */
static void test_words_seen(void)
{
    for (int width = 1; width < 64; width++)
        for (int anchor = 0; anchor < width; anchor++) {
            struct int8_window window = int8_window_of(width, 1, anchor);
            int seen = 0;
            for (int at = 0; at < 4 * window.groups; at++)
                seen += DP4A_SEES(at / 4, at % 4, window.pad, width);
            CHECKF(seen == width + 3, "width %d, anchor %d: %d", width, anchor, seen);
        }
}

int main(void)
{
    TEST(test_int8_weights);
    TEST(test_two_planes);
    TEST(test_unsigned_weights);
    TEST(test_wide_sums);
    TEST(test_limits);
    TEST(test_words_seen);
    return test_finish();
}
