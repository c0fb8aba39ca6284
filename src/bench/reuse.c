/* Closed formulas for the loads of convolution, and notes on numbers that differ in the textbook or
 * the teaching kit. Each count is first made for one axis and then multiplied. Only the product for
 * a large picture can exceed 64 bits, so only this product is checked. tests/bench/test_reuse.c
 * counts cell by cell and compares. */
#include "bench/reuse.h"

#include <limits.h>

__extension__ typedef __int128 int128;

/* One axis, along which an output x uses the cells x - left .. x + right. */
struct axis {
    long long mask, left, right, tile;
};

static struct axis axis_of(const struct reuse_shape *shape, bool down)
{
    long long mask = down ? shape->mask_height : shape->mask_width;
    long long left = down ? shape->anchor_y : shape->anchor_x;
    return (struct axis){mask, left, mask - 1 - left, down && shape->dims == 1 ? 1 : shape->tile};
}

static long long least(long long a, long long b)
{
    return a < b ? a : b;
}

static long long divide_up(long long a, long long b)
{
    return (a + b - 1) / b;
}

/* first + (first - step) + (first - 2*step) + ..., at most TERMS terms and only positive ones. With
 * step 1 it is the chapter's series 1 + 2 + ... + n: the outputs nearest to an edge use n, n-1, ...
 * cells beyond the edge. With step = the tile's width it counts the ghost cells of the tiles that
 * begin at 0, T, 2T, ... */
static long long falling_sum(long long first, long long step, long long terms)
{
    if (first <= 0)
        return 0;
    terms = least(terms, divide_up(first, step));
    return terms * first - step * (terms * (terms - 1) / 2);
}

/* Pairs of an output and a cell that it uses, both among N cells in a row: the loads of the basic
 * kernel on an array of N cells, or the uses inside an output tile of N cells. */
static long long inner_uses(const struct axis *axis, long long n)
{
    return n * axis->mask - falling_sum(axis->left, 1, n) - falling_sum(axis->right, 1, n);
}

/* The counts of TILES tiles with N outputs in total, with GHOSTS halo cells beyond an edge. */
static struct reuse_counts axis_counts(const struct axis *axis, long long tiles, long long n,
                                       long long ghosts, long long basic, long long shared_uses)
{
    long long cells = n + tiles * (axis->mask - 1);
    return (struct reuse_counts){
        .tiles = tiles,
        .outputs = n,
        .cells = cells,
        .multiplications = n * axis->mask,
        .basic = basic,
        .tiled = cells - ghosts,
        .shared_uses = shared_uses,
    };
}

static struct reuse_counts axis_place(const struct axis *axis, enum reuse_place place)
{
    long long n = axis->tile;
    long long ghosts = place == REUSE_FIRST ? axis->left : place == REUSE_LAST ? axis->right : 0;
    return axis_counts(axis, 1, n, ghosts, n * axis->mask - falling_sum(ghosts, 1, n),
                       inner_uses(axis, n));
}

/* The counts of all tiles of an axis of N cells. */
static struct reuse_counts axis_grid(const struct axis *axis, long long n)
{
    long long tiles = divide_up(n, axis->tile);
    long long last = n - (tiles - 1) * axis->tile; /* outputs of the last tile, 1 to T */
    /* Counted from the left, tiles begin at 0, T, 2T, ... Counted from the right, they end at n, n
     * - last, n - last - T, ... */
    long long ghosts = falling_sum(axis->left, axis->tile, tiles) + axis->right +
                       falling_sum(axis->right - last, axis->tile, tiles - 1);
    return axis_counts(axis, tiles, n, ghosts, inner_uses(axis, n),
                       (tiles - 1) * inner_uses(axis, axis->tile) + inner_uses(axis, last));
}

/* The number of whole tiles on an axis of N cells that reach no ghost cell: T*i >= left and T*(i+1)
 * + right <= n. */
static long long axis_internal(const struct axis *axis, long long n)
{
    long long end = n < axis->right ? 0 : (n - axis->right) / axis->tile;
    long long begin = divide_up(axis->left, axis->tile);
    return end > begin ? end - begin : 0;
}

/* ---- products ---- */

/* *fits becomes false if the product exceeds 64 bits. (Not __builtin_mul_overflow: gcc 12.2
 * multiplies twice if the operands are const, and wrongly if the result overwrites one of them.) */
static long long multiply(long long a, long long b, bool *fits)
{
    int128 product = (int128)a * b;
    *fits = *fits && product <= LLONG_MAX;
    return (long long)product;
}

/* The counts of TIMES tiles (or grids) that count X along one axis and Y along the other. False if
 * a count exceeds 64 bits. */
static bool counts_multiply(struct reuse_counts *product, const struct reuse_counts *x,
                            const struct reuse_counts *y, long long times)
{
    bool fits = true;
    for (int i = 0; i < REUSE_COUNTS; i++)
        product->all[i] = multiply(multiply(x->all[i], y->all[i], &fits), times, &fits);
    return fits;
}

struct reuse_counts reuse_tile_count(const struct reuse_shape *shape, enum reuse_place place_x,
                                     enum reuse_place place_y)
{
    struct axis along_x = axis_of(shape, false), along_y = axis_of(shape, true);
    struct reuse_counts x = axis_place(&along_x, place_x), y = axis_place(&along_y, place_y);
    struct reuse_counts counts;
    (void)counts_multiply(&counts, &x, &y, 1); /* fits: see REUSE_MAX_TILE */
    return counts;
}

const struct reuse_position *reuse_positions(int dims, int *count)
{
    /* 1D uses the first three. */
    static const struct reuse_position positions[REUSE_POSITIONS] = {
        {"internal", REUSE_INSIDE, REUSE_INSIDE}, {"left", REUSE_FIRST, REUSE_INSIDE},
        {"right", REUSE_LAST, REUSE_INSIDE},      {"top", REUSE_INSIDE, REUSE_FIRST},
        {"bottom", REUSE_INSIDE, REUSE_LAST},     {"top left", REUSE_FIRST, REUSE_FIRST},
        {"top right", REUSE_LAST, REUSE_FIRST},   {"bottom left", REUSE_FIRST, REUSE_LAST},
        {"bottom right", REUSE_LAST, REUSE_LAST},
    };
    *count = dims == 1 ? 3 : REUSE_POSITIONS;
    return positions;
}

bool reuse_grid_count(const struct reuse_shape *shape, long long width, long long height,
                      int channels, struct reuse_grid *grid, struct error *err)
{
    struct axis along_x = axis_of(shape, false), along_y = axis_of(shape, true);
    struct reuse_counts x = axis_grid(&along_x, width), y = axis_grid(&along_y, height);
    struct reuse_counts tile_x = axis_place(&along_x, REUSE_INSIDE);
    struct reuse_counts tile_y = axis_place(&along_y, REUSE_INSIDE);
    long long internal = axis_internal(&along_x, width) * axis_internal(&along_y, height);
    /* The array with its ghost cells is one input tile around one output tile. Sides below 2^31
     * keep these two products inside 64 bits; products with mask or channels may not fit. */
    long long ghost_cells =
        (width + along_x.mask - 1) * (height + along_y.mask - 1) - width * height;

    *grid = (struct reuse_grid){.blocks_x = x.tiles, .blocks_y = y.tiles};
    bool good = counts_multiply(&grid->total, &x, &y, channels);
    grid->ghost_cells = multiply(ghost_cells, channels, &good);
    grid->shared_tiled = multiply(grid->total.tiles, reuse_block_tiled(shape).shared_bytes, &good);
    grid->shared_cached =
        multiply(grid->total.tiles, reuse_block_cached(shape).shared_bytes, &good);
    /* Internal tiles are a subset of the tiles counted above, so their sums fit too. */
    good = good && counts_multiply(&grid->internal, &tile_x, &tile_y, internal * channels);
    if (!good)
        return error_set(err, EXIT_USAGE,
                         "%lld x %lld with a mask of %d x %d: the counts need more than 64 bits",
                         width, height, shape->mask_width, shape->mask_height);
    for (int i = 0; i < REUSE_COUNTS; i++)
        grid->boundary.all[i] = grid->total.all[i] - grid->internal.all[i];
    return true;
}

/* ---- blocks and cells ---- */

struct reuse_block reuse_block_tiled(const struct reuse_shape *shape)
{
    struct reuse_counts tile = reuse_tile_count(shape, REUSE_INSIDE, REUSE_INSIDE);
    return (struct reuse_block){shape->dims == 1 ? tile.outputs : tile.cells,
                                tile.cells * REUSE_CELL_BYTES};
}

struct reuse_block reuse_block_cached(const struct reuse_shape *shape)
{
    struct reuse_counts tile = reuse_tile_count(shape, REUSE_INSIDE, REUSE_INSIDE);
    return (struct reuse_block){tile.outputs, tile.outputs * REUSE_CELL_BYTES};
}

int reuse_uses(int mask, int tile, int index)
{
    /* The cell is index + 1 steps from one end of the input tile and cells - index steps from the
     * other. As many outputs reach it, but no more than the tile's outputs or the mask's width. */
    long long end = least(index + 1, tile + mask - 1 - index);
    return (int)least(end, least(mask, tile));
}

/* ---- fractions ---- */

struct reuse_fraction reuse_fraction_make(long long numerator, long long denominator)
{
    long long a = numerator, b = denominator;
    while (b != 0) {
        long long rest = a % b;
        a = b;
        b = rest;
    }
    return (struct reuse_fraction){numerator / a, denominator / a};
}

struct reuse_fraction reuse_reduction(const struct reuse_counts *counts)
{
    return reuse_fraction_make(counts->basic, counts->tiled);
}

void reuse_fraction_text(char text[REUSE_TEXT_CHARS], struct reuse_fraction fraction, int decimals)
{
    long long scale = 1;
    for (int i = 0; i < decimals; i++)
        scale *= 10;
    /* floor(v + 1/2) for v = scale * n/d, in integers only; 2^63 * 2 * 10^9 < 2^127. */
    int128 d = fraction.denominator;
    int128 rounded = (2 * (int128)fraction.numerator * scale + d) / (2 * d);
    long long whole = (long long)(rounded / scale), digits = (long long)(rounded % scale);
    if (decimals == 0)
        snprintf(text, REUSE_TEXT_CHARS, "%lld", whole);
    else
        snprintf(text, REUSE_TEXT_CHARS, "%lld.%0*lld", whole, decimals, digits);
}

/* ---- notes ---- */

/* The correct number is not stored here but computed from the case. */
static const struct reuse_note notes[] = {
    {1, 5, 128, "the teaching kit (module 8.4)", "4.9", 1,
     "4.9 is what the next column, T = 256, rounds to"},
    {1, 11, 32, "the chapter (section 7.4)", "8.14", 2,
     "it subtracts 10 loads for ghost cells, (32*11-10)/(32+10), but an internal tile has none"},
    {1, 11, 128, "the chapter (section 7.4)", "10.13", 2,
     "it subtracts 10 loads for ghost cells, (128*11-10)/(128+10), but an internal tile has none"},
    {2, 5, 32, "the chapter (Fig. 7.22) and in the teaching kit (module 8.4)", "19.7", 1,
     "the other digits were cut off there"},
};

const struct reuse_note *reuse_note_find(const struct reuse_shape *shape)
{
    int height = shape->dims == 1 ? 1 : shape->mask_width;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        if (notes[i].dims == shape->dims && notes[i].mask == shape->mask_width &&
            notes[i].tile == shape->tile && shape->mask_height == height)
            return &notes[i];
    }
    return NULL;
}

void reuse_note_text(char text[REUSE_NOTE_CHARS], const struct reuse_note *note,
                     const struct reuse_shape *shape)
{
    char exact[REUSE_TEXT_CHARS], rounded[REUSE_TEXT_CHARS];
    struct reuse_counts tile = reuse_tile_count(shape, REUSE_INSIDE, REUSE_INSIDE);
    reuse_fraction_text(exact, reuse_reduction(&tile), 4);
    reuse_fraction_text(rounded, reuse_reduction(&tile), note->decimals);
    snprintf(text, REUSE_NOTE_CHARS,
             "k = %d, T = %d: %s in %s. The exact ratio is %lld/%lld = %s, rounded %s; %s.",
             note->mask, note->tile, note->prints, note->source, tile.basic, tile.tiled, exact,
             rounded, note->why);
}
