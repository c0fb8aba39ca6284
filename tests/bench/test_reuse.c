/* Compares the formulas of bench/reuse.h with counting: small arrays and pictures are walked output
 * by output and cell by cell, every use of a cell is recorded, and the sums must be equal.
 * tests/bench/test_reuse_sources.c tests the numbers of the chapter and the teaching kit. */
#include <string.h>

#include "bench/reuse.h"
#include "tests/test.h"

/* ---- counting by hand ---- */

/* Uses of the cells around one tile. The plane is the picture with a margin for the mask. */
struct plane {
    int width, height, margin_x, margin_y;
    int uses[64 * 64];
};

static int plane_pitch(const struct plane *plane)
{
    return plane->width + 2 * plane->margin_x;
}

static int *plane_at(struct plane *plane, int x, int y)
{
    return &plane->uses[(y + plane->margin_y) * plane_pitch(plane) + x + plane->margin_x];
}

static bool inside(const struct plane *plane, int x, int y)
{
    return x >= 0 && x < plane->width && y >= 0 && y < plane->height;
}

/* Marks the cells used by the outputs of the tile from (x0, y0) on, as far as the picture goes. */
static void use_cells(struct plane *plane, const struct reuse_shape *shape, int x0, int y0)
{
    int tile_height = shape->dims == 1 ? 1 : shape->tile;
    int cells = plane_pitch(plane) * (plane->height + 2 * plane->margin_y);
    memset(plane->uses, 0, (size_t)cells * sizeof plane->uses[0]);
    for (int y = y0; y < y0 + tile_height && y < plane->height; y++)
        for (int x = x0; x < x0 + shape->tile && x < plane->width; x++)
            for (int i = 0; i < shape->mask_height; i++)
                for (int j = 0; j < shape->mask_width; j++)
                    (*plane_at(plane, x - shape->anchor_x + j, y - shape->anchor_y + i))++;
}

/* Counts one tile; *internal is false if the tile is cut off or uses a ghost cell. */
static struct reuse_counts count_tile(struct plane *plane, const struct reuse_shape *shape, int x0,
                                      int y0, bool *internal)
{
    struct reuse_counts sum = {.tiles = 1};
    int tile_height = shape->dims == 1 ? 1 : shape->tile;
    use_cells(plane, shape, x0, y0);
    for (int y = -plane->margin_y; y < plane->height + plane->margin_y; y++) {
        for (int x = -plane->margin_x; x < plane->width + plane->margin_x; x++) {
            int uses = *plane_at(plane, x, y);
            bool own = x >= x0 && x < x0 + shape->tile && y >= y0 && y < y0 + tile_height;
            sum.outputs += own && inside(plane, x, y);
            sum.multiplications += uses;
            sum.cells += uses > 0;
            sum.tiled += uses > 0 && inside(plane, x, y);
            sum.basic += inside(plane, x, y) ? uses : 0;
            sum.shared_uses += own && inside(plane, x, y) ? uses : 0;
        }
    }
    *internal = sum.tiled == sum.cells && sum.outputs == shape->tile * tile_height;
    return sum;
}

static void add(struct reuse_counts *sum, const struct reuse_counts *more, int times)
{
    sum->tiles += more->tiles * times;
    sum->outputs += more->outputs * times;
    sum->cells += more->cells * times;
    sum->multiplications += more->multiplications * times;
    sum->basic += more->basic * times;
    sum->tiled += more->tiled * times;
    sum->shared_uses += more->shared_uses * times;
}

static void print_counts(const char *who, const struct reuse_counts *c)
{
    printf("#   %s: tiles %lld, outputs %lld, cells %lld, multiplications %lld, basic %lld, "
           "tiled %lld, shared %lld\n",
           who, c->tiles, c->outputs, c->cells, c->multiplications, c->basic, c->tiled,
           c->shared_uses);
}

static void check_counts(const char *what, const struct reuse_shape *shape, int width, int height,
                         const struct reuse_counts *found, const struct reuse_counts *counted)
{
    bool same = memcmp(found, counted, sizeof *found) == 0;
    CHECKF(same, "%s, %dD, %d x %d, mask %d x %d, anchor %d %d, tile %d", what, shape->dims, width,
           height, shape->mask_width, shape->mask_height, shape->anchor_x, shape->anchor_y,
           shape->tile);
    if (!same) {
        print_counts("found", found);
        print_counts("counted", counted);
    }
}

static struct plane plane;

static void set_plane(const struct reuse_shape *shape, int width, int height)
{
    plane.width = width;
    plane.height = height;
    plane.margin_x = shape->mask_width;
    plane.margin_y = shape->mask_height;
}

/* Counts every tile of a whole grid, for CHANNELS planes one after the other. */
static void check_grid(const struct reuse_shape *shape, int width, int height, int channels)
{
    struct reuse_counts total = {0}, internal = {0}, boundary = {0};
    struct reuse_grid grid;
    struct error err;
    int tile_height = shape->dims == 1 ? 1 : shape->tile, columns = 0, rows = 0;
    long long around = 0;
    set_plane(shape, width, height);
    for (int y = 0; y < height; y += tile_height) {
        rows++;
        columns = 0;
        for (int x = 0; x < width; x += shape->tile) {
            bool is_internal;
            struct reuse_counts tile = count_tile(&plane, shape, x, y, &is_internal);
            columns++;
            add(&total, &tile, channels);
            add(is_internal ? &internal : &boundary, &tile, channels);
        }
    }
    /* The outside cells that are used by any output. */
    struct reuse_shape all = *shape;
    all.tile = width > height ? width : height;
    use_cells(&plane, &all, 0, 0);
    for (int y = -plane.margin_y; y < height + plane.margin_y; y++)
        for (int x = -plane.margin_x; x < width + plane.margin_x; x++)
            around += !inside(&plane, x, y) && *plane_at(&plane, x, y) > 0;

    CHECKF(reuse_grid_count(shape, width, height, channels, &grid, &err), "%s", err.text);
    CHECK(grid.blocks_x == columns && grid.blocks_y == rows);
    CHECKF(grid.ghost_cells == around * channels, "%lld ghost cells, counted %lld",
           grid.ghost_cells, around * channels);
    check_counts("total", shape, width, height, &grid.total, &total);
    check_counts("internal", shape, width, height, &grid.internal, &internal);
    check_counts("boundary", shape, width, height, &grid.boundary, &boundary);
}

/* The counts of one tile are equal at every place of a grid that is three tiles wide. */
static void check_places(const struct reuse_shape *shape)
{
    int reach = shape->mask_width + shape->mask_height;
    int middle = (reach + shape->tile - 1) / shape->tile; /* in tiles */
    int side = (2 * middle + 1) * shape->tile, height = shape->dims == 1 ? 1 : side;
    set_plane(shape, side, height);
    for (int py = 0; py < (shape->dims == 1 ? 1 : 3); py++) {
        for (int px = 0; px < 3; px++) {
            static const enum reuse_place places[3] = {REUSE_INSIDE, REUSE_FIRST, REUSE_LAST};
            int begins[3] = {middle * shape->tile, 0, side - shape->tile};
            bool is_internal;
            struct reuse_counts found, counted;
            counted = count_tile(&plane, shape, begins[px], shape->dims == 1 ? 0 : begins[py],
                                 &is_internal);
            found = reuse_tile_count(shape, places[px], places[py]);
            check_counts("tile", shape, px, py, &found, &counted);
            if (px == 0 && py == 0)
                CHECK(is_internal);
        }
    }
}

/* Checks the uses of every cell of an internal tile's input tile. */
static void check_uses(const struct reuse_shape *shape)
{
    int reach = shape->mask_width + shape->mask_height;
    int tile_height = shape->dims == 1 ? 1 : shape->tile;
    long long sum = 0;
    set_plane(shape, 2 * reach + shape->tile, shape->dims == 1 ? 1 : 2 * reach + shape->tile);
    int x0 = reach, y0 = shape->dims == 1 ? 0 : reach;
    use_cells(&plane, shape, x0, y0);
    for (int i = 0; i < tile_height + shape->mask_height - 1; i++) {
        for (int j = 0; j < shape->tile + shape->mask_width - 1; j++) {
            int uses = reuse_uses(shape->mask_width, shape->tile, j) *
                       reuse_uses(shape->mask_height, tile_height, i);
            int counted = *plane_at(&plane, x0 - shape->anchor_x + j, y0 - shape->anchor_y + i);
            CHECKF(uses == counted, "cell %d %d: %d, counted %d", j, i, uses, counted);
            sum += uses;
        }
    }
    struct reuse_counts tile = reuse_tile_count(shape, REUSE_INSIDE, REUSE_INSIDE);
    CHECK(sum == tile.basic);
}

static void test_lines(void)
{
    for (int mask = 1; mask <= 9; mask++) {
        for (int anchor = 0; anchor < mask; anchor++) {
            for (int tile = 1; tile <= 12; tile++) {
                struct reuse_shape shape = {1, mask, 1, anchor, 0, tile};
                check_places(&shape);
                check_uses(&shape);
                for (int n = 1; n <= 30; n++)
                    check_grid(&shape, n, 1, 1);
            }
        }
    }
}

static void test_wide_masks(void)
{
    static const int masks[] = {16, 31, 50};
    for (int m = 0; m < 3; m++) {
        for (int tile = 1; tile <= 64; tile = tile * 2 + tile % 2) {
            struct reuse_shape shape = {1, masks[m], 1, masks[m] / 2, 0, tile};
            check_grid(&shape, 7, 1, 2);
            check_grid(&shape, 64, 1, 1);
            shape.anchor_x = masks[m] - 1;
            check_grid(&shape, 11, 1, 3);
            shape.anchor_x = 0;
            check_grid(&shape, 27, 1, 1);
        }
    }
}

static void test_pictures(void)
{
    static const int sizes[][2] = {{1, 1}, {1, 7}, {6, 1}, {4, 4}, {5, 7}, {8, 3}, {11, 9}};
    for (int width = 1; width <= 4; width++) {
        for (int height = 1; height <= 5; height += 2) {
            for (int anchors = 0; anchors < width * height; anchors++) {
                for (int tile = 1; tile <= 5; tile++) {
                    struct reuse_shape shape = {
                        2, width, height, anchors % width, anchors / width, tile};
                    check_uses(&shape);
                    check_places(&shape);
                    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                        check_grid(&shape, sizes[i][0], sizes[i][1], 1 + (int)(i % 4));
                }
            }
        }
    }
}

int main(void)
{
    TEST(test_lines);
    TEST(test_wide_masks);
    TEST(test_pictures);
    return test_finish();
}
