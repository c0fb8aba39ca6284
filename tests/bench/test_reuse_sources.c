/* The numbers printed in the textbook's chapter and in the teaching kit, and the answers to their
 * exercises, compared with bench/reuse.h; the notes about errors in these sources; rounding, and
 * the limits of the range. tests/bench/test_reuse.c shows that the formulas hold in general. */
#include <stdint.h>
#include <string.h>

#include "bench/reuse.h"
#include "tests/test.h"

static struct reuse_shape square(int dims, int mask, int tile)
{
    return (struct reuse_shape){
        dims, mask, dims == 1 ? 1 : mask, mask / 2, dims == 1 ? 0 : mask / 2, tile};
}

static void check_reduction(int dims, int mask, int tile, int decimals, const char *expected)
{
    struct reuse_shape shape = square(dims, mask, tile);
    char text[REUSE_TEXT_CHARS];
    struct reuse_counts counts = reuse_tile_count(&shape, REUSE_INSIDE, REUSE_INSIDE);
    reuse_fraction_text(text, reuse_reduction(&counts), decimals);
    CHECKF(strcmp(text, expected) == 0, "%dD k=%d T=%d: %s, expected %s", dims, mask, tile, text,
           expected);
}

static void test_tables_of_the_sources(void)
{
    static const char *const lines[2][5] = {{"4.0", "4.4", "4.7", "4.8", "4.9"},
                                            {"6.0", "7.2", "8.0", "8.5", "8.7"}};
    static const char *const pictures[2][4] = {{"11.1", "16.0", "19.8", "22.1"},
                                               {"20.3", "36.0", "51.8", "64.0"}};
    for (int i = 0; i < 5; i++) {
        check_reduction(1, 5, 16 << i, 1, lines[0][i]);
        check_reduction(1, 9, 16 << i, 1, lines[1][i]);
    }
    for (int i = 0; i < 4; i++) {
        check_reduction(2, 5, 8 << i, 1, pictures[0][i]);
        check_reduction(2, 9, 8 << i, 1, pictures[1][i]);
    }
    check_reduction(1, 5, 8, 1, "3.3");
    check_reduction(1, 11, 32, 2, "8.38");
    check_reduction(1, 11, 128, 2, "10.20");
}

/* "8 outputs, k = 5: 12 loads", and the uses 1 2 3 4 5 5 5 5 4 3 2 1 of module 8.4. */
static void test_eight_outputs(void)
{
    static const int expected[12] = {1, 2, 3, 4, 5, 5, 5, 5, 4, 3, 2, 1};
    struct reuse_shape shape = square(1, 5, 8);
    struct reuse_counts tile = reuse_tile_count(&shape, REUSE_INSIDE, REUSE_INSIDE);
    CHECK(tile.cells == 12 && tile.tiled == 12 && tile.basic == 40);
    struct reuse_fraction reduction = reuse_reduction(&tile);
    CHECK(reduction.numerator == 10 && reduction.denominator == 3);
    for (int i = 0; i < 12; i++)
        CHECK(reuse_uses(5, 8, i) == expected[i]);
}

/* The chapter: T(2n+1) - n(n+1)/2 and T + n for a tile at an edge; 1024 threads, k = 5: 5120 loads,
 * 3 of them avoided at an edge. */
static void test_boundary_tiles(void)
{
    for (int n = 0; n <= 20; n++) {
        struct reuse_shape shape = square(1, 2 * n + 1, 32);
        struct reuse_counts first, last;
        first = reuse_tile_count(&shape, REUSE_FIRST, REUSE_INSIDE);
        last = reuse_tile_count(&shape, REUSE_LAST, REUSE_INSIDE);
        CHECK(first.basic == 32 * (2 * n + 1) - n * (n + 1) / 2 && first.tiled == 32 + n);
        CHECK(memcmp(&first, &last, sizeof first) == 0);
    }
    struct reuse_shape shape = square(1, 5, 1024);
    struct reuse_counts inner, edge;
    inner = reuse_tile_count(&shape, REUSE_INSIDE, REUSE_INSIDE);
    edge = reuse_tile_count(&shape, REUSE_FIRST, REUSE_INSIDE);
    CHECK(inner.basic == 5120 && edge.basic == 5117);
}

/* Exercises 4 to 6 with the answers' formulas for odd masks: m - 1 ghost cells, n*m, and
 * n*m - (m*m - 1)/4 multiplications; products of them in 2D. */
static void test_exercises(void)
{
    struct reuse_shape line = square(1, 5, 16), picture = {2, 5, 3, 2, 1, 16};
    struct reuse_grid grid;
    struct error err;
    CHECK(reuse_grid_count(&line, 1000, 1, 1, &grid, &err));
    CHECK(grid.ghost_cells == 4 && grid.total.multiplications == 5000);
    CHECK(grid.total.basic == 5000 - 6 && grid.blocks_x == 63);
    CHECK(reuse_grid_count(&picture, 20, 10, 1, &grid, &err));
    CHECK(grid.ghost_cells == 24 * 12 - 20 * 10 && grid.total.multiplications == 20 * 10 * 15);
    CHECK(grid.total.basic == (20 * 5 - 6) * (10 * 3 - 2));
}

static void test_blocks(void)
{
    struct reuse_shape line = square(1, 5, 16), picture = square(2, 9, 64);
    struct reuse_block tiled = reuse_block_tiled(&line), cached = reuse_block_cached(&line);
    CHECK(tiled.threads == 16 && tiled.shared_bytes == 80);
    CHECK(cached.threads == 16 && cached.shared_bytes == 64);
    tiled = reuse_block_tiled(&picture);
    cached = reuse_block_cached(&picture);
    CHECK(tiled.threads == 5184 && tiled.shared_bytes == 20736);
    CHECK(cached.threads == 4096 && cached.shared_bytes == 16384);
}

static void check_note(struct reuse_shape shape, const char *prints, const char *exact)
{
    char text[REUSE_NOTE_CHARS];
    const struct reuse_note *note = reuse_note_find(&shape);
    CHECK(note != NULL);
    if (!note)
        return;
    reuse_note_text(text, note, &shape);
    CHECK(strlen(text) < sizeof text - 1); /* nothing is cut off */
    CHECKF(strcmp(note->prints, prints) == 0 && strstr(text, exact), "%s", text);
}

static void test_notes(void)
{
    check_note(square(1, 5, 128), "4.9", "640/132 = 4.8485, rounded 4.8;");
    check_note(square(1, 11, 32), "8.14", "352/42 = 8.3810, rounded 8.38;");
    check_note(square(1, 11, 128), "10.13", "1408/138 = 10.2029, rounded 10.20;");
    check_note(square(2, 5, 32), "19.7", "25600/1296 = 19.7531, rounded 19.8;");
    struct reuse_shape flat = {2, 5, 1, 2, 0, 32}, agreed = square(1, 5, 64);
    CHECK(!reuse_note_find(&flat) && !reuse_note_find(&agreed));
}

static void check_text(long long numerator, long long denominator, int decimals,
                       const char *expected)
{
    char text[REUSE_TEXT_CHARS];
    reuse_fraction_text(text, reuse_fraction_make(numerator, denominator), decimals);
    CHECKF(strcmp(text, expected) == 0, "%s, expected %s", text, expected);
}

static void test_rounding(void)
{
    check_text(81, 4, 1, "20.3"); /* 20.25 lies in the middle: half up */
    check_text(1, 2, 0, "1");
    check_text(0, 7, 1, "0.0");
    check_text(199, 200, 2, "1.00");
    check_text(1, 1000, 2, "0.00");
    check_text(5, 1000, 2, "0.01");
    check_text(INT64_MAX, 1, 0, "9223372036854775807");
    check_text(INT64_MAX, INT64_MAX, 9, "1.000000000");
    check_text(1, INT64_MAX, 9, "0.000000000");
}

static void test_largest(void)
{
    struct reuse_shape shape = square(2, 255, REUSE_MAX_TILE);
    struct reuse_counts tile;
    struct reuse_grid grid;
    struct error err;
    tile = reuse_tile_count(&shape, REUSE_INSIDE, REUSE_INSIDE);
    CHECK(tile.basic == INT64_C(65536) * 65536 * 255 * 255);
    CHECK(tile.tiled == INT64_C(65790) * 65790);
    /* 11909805^2 * 255^2 is the last square of this kind below 2^63. */
    CHECK(reuse_grid_count(&shape, 11909805, 11909805, 1, &grid, &err));
    CHECK(grid.total.multiplications == INT64_C(3037000275) * 3037000275);
    CHECK(!reuse_grid_count(&shape, 11909806, 11909806, 1, &grid, &err));
    CHECK(err.code == EXIT_USAGE && strstr(err.text, "more than 64 bits"));
    CHECK(!reuse_grid_count(&shape, 11909805, 11909805, 2, &grid, &err));
    CHECK(!reuse_grid_count(&shape, INT32_MAX, INT32_MAX, 4, &grid, &err));
    shape = square(1, 255, 1);
    CHECK(reuse_grid_count(&shape, INT32_MAX, 1, 1, &grid, &err));
    CHECK(grid.total.multiplications == INT64_C(255) * INT32_MAX);
    CHECK(grid.internal.tiles == INT32_MAX - 254);
}

int main(void)
{
    TEST(test_tables_of_the_sources);
    TEST(test_eight_outputs);
    TEST(test_boundary_tiles);
    TEST(test_exercises);
    TEST(test_blocks);
    TEST(test_notes);
    TEST(test_rounding);
    TEST(test_largest);
    return test_finish();
}
