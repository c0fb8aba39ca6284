/* Prints the analysis of data reuse: as tables for a reader of the chapter, and for programs as
 * JSON (an object for each mask and tile) or CSV (a line for each kind of tile), both with every
 * exact fraction beside its decimal. The tables show, for 1D and for 2D, first the reduction of
 * loads, as in the chapter's Fig. 7.22; then, for each mask, its tiles, the uses of their cells,
 * thread blocks, and the whole array or picture. bench/reuse.h computes all numbers. */
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/reuse.h"
#include "kernel/kernel.h"

#define LABEL_CHARS 96

/* Decimals of the ratios in JSON and CSV, enough to tell any two ratios of a table apart. */
#define DECIMALS 6

/* Prints the reduction of loads, rounded and exact, and the line's end; a dash without tiles. */
static void print_ratio(FILE *out, const struct reuse_counts *counts)
{
    char text[REUSE_TEXT_CHARS];
    if (counts->tiles == 0) {
        fprintf(out, "  %9s\n", "-");
        return;
    }
    struct reuse_fraction exact = reuse_reduction(counts);
    reuse_fraction_text(text, exact, 2);
    fprintf(out, "  %9s = %lld/%lld\n", text, exact.numerator, exact.denominator);
}

/* ---- the head of 1D and 2D ---- */

static void print_intro(FILE *out, const struct reuse_table *table, int tables)
{
    bool square = true;
    for (int i = 0; i < tables; i++)
        square = square && table[i].shape->mask_width == table[i].shape->mask_height;
    if (table->shape->dims == 1)
        fprintf(out,
                "1D convolution with a mask of k cells, output tiles of T cells\n\n"
                "A thread block computes one output tile. It needs an input tile of T + k - 1\n"
                "cells: T internal cells, and k - 1 halo cells on both sides of them.\n"
                "  basic   each output loads the k cells under its mask:  T k loads\n"
                "  cached  each internal cell is loaded once:             T loads, and uses of\n"
                "          halo cells are left to the L2 cache\n"
                "  tiled   each cell of the input tile is loaded once:    T + k - 1 loads\n"
                "Boundary tiles lie at an end of the array, where halo cells are ghost cells.\n"
                "These are not loaded: n of them save basic n(n+1)/2 loads and tiled n.\n");
    else
        fprintf(
            out,
            "2D convolution with a mask of k x k cells, output tiles of T x T cells\n\n"
            "A thread block computes one output tile. It needs an input tile of (T + k - 1)^2\n"
            "cells: T^2 internal cells, and the halo cells around them.\n"
            "  basic   each output loads the k^2 cells under its mask:  T^2 k^2 loads\n"
            "  cached  each internal cell is loaded once:               T^2 loads, and uses of\n"
            "          halo cells are left to the L2 cache\n"
            "  tiled   each cell of the input tile is loaded once:      (T + k - 1)^2 loads\n"
            "Boundary tiles lie at an edge or a corner of the picture, where halo cells are\n"
            "ghost cells, which are not loaded.\n");
    if (table->shape->dims == 2 && !square)
        fprintf(out,
                "With a mask of k x l cells it is T^2 k l and (T + k - 1)(T + l - 1) loads.\n");
    fprintf(out,
            "\nReduction of loads in internal tiles, basic / tiled (limit: T without end)\n\n");
}

/* Prints the reductions of one mask in one line, with a star if a note follows. The line begins
 * with "k = 5" for a mask of 5 cells or of 5 x 5, else "7 x 3". */
static void print_reductions(FILE *out, const struct reuse_table *table)
{
    int width = table->shape->mask_width, height = table->shape->mask_height;
    char text[LABEL_CHARS];
    bool square = table->shape->dims == 1 || width == height;
    snprintf(text, sizeof text, square ? "k = %d" : "%d x %d", width, height);
    fprintf(out, "  %-9s", text);
    for (int i = 0; i < table->tiles; i++) {
        const struct reuse_shape *shape = &table->shape[i];
        struct reuse_counts tile = reuse_tile_count(shape, REUSE_INSIDE, REUSE_INSIDE);
        reuse_fraction_text(text, reuse_reduction(&tile), 1);
        fprintf(out, "%8s%s", text, reuse_note_find(shape) ? "*" : " ");
    }
    fprintf(out, "%8d\n", width * height);
}

static void print_notes(FILE *out, const struct reuse_table *table)
{
    for (int i = 0; i < table->tiles; i++) {
        const struct reuse_note *note = reuse_note_find(&table->shape[i]);
        char text[REUSE_NOTE_CHARS];
        if (!note)
            continue;
        reuse_note_text(text, note, &table->shape[i]);
        fprintf(out, "\n  * ");
        text_wrap(out, text, 4, 78);
    }
}

/* Prints the head of TABLES tables with the same number of dimensions. */
static void print_overview(FILE *out, const struct reuse_table *table, int tables)
{
    print_intro(out, table, tables);
    fprintf(out, "  %-9s", "T");
    for (int i = 0; i < table->tiles; i++)
        fprintf(out, "%8d ", table->shape[i].tile);
    fprintf(out, "   limit\n");
    for (int i = 0; i < tables; i++)
        print_reductions(out, &table[i]);
    for (int i = 0; i < tables; i++)
        print_notes(out, &table[i]);
}

/* ---- the tiles of one mask ---- */

struct place_row {
    char label[LABEL_CHARS];
    struct reuse_counts counts;
};

/* Adds the places FIRST up to END to ROWS, one row for all places with equal counts. A single row
 * (a symmetric mask) has the label WORD; otherwise labels name the places before WORD. */
static int add_places(struct place_row *rows, int count, const struct reuse_shape *shape, int first,
                      int end, const char *word)
{
    int positions, begin = count;
    const struct reuse_position *position = reuse_positions(shape->dims, &positions);
    for (int i = first; i < end; i++) {
        int row = begin;
        struct reuse_counts counts = reuse_tile_count(shape, position[i].x, position[i].y);
        while (row < count && memcmp(&rows[row].counts, &counts, sizeof counts) != 0)
            row++;
        char *label = rows[row].label;
        if (row == count) {
            rows[count++].counts = counts;
            label[0] = '\0';
        }
        size_t used = strlen(label);
        snprintf(label + used, LABEL_CHARS - used, "%s%s", used ? ", " : "", position[i].name);
    }
    for (int i = begin; i < count; i++) {
        size_t used = count == begin + 1 ? 0 : strlen(rows[i].label);
        snprintf(rows[i].label + used, LABEL_CHARS - used, used ? " %s" : "%s", word);
    }
    return count;
}

static int make_places(struct place_row rows[REUSE_POSITIONS], const struct reuse_shape *shape)
{
    int count = add_places(rows, 0, shape, 0, 1, "internal");
    if (shape->dims == 1)
        return add_places(rows, count, shape, 1, 3, "boundary");
    count = add_places(rows, count, shape, 1, 5, "edge");
    return add_places(rows, count, shape, 5, REUSE_POSITIONS, "corner");
}

static void print_tiles(FILE *out, const struct reuse_table *table)
{
    struct place_row rows[REUSE_POSITIONS];
    size_t width = 8;
    for (int i = 0; i < table->tiles; i++)
        for (int j = make_places(rows, &table->shape[i]) - 1; j >= 0; j--)
            width = strlen(rows[j].label) > width ? strlen(rows[j].label) : width;
    fprintf(out, "\n  %6s  %-*s  %10s  %6s  %6s  %10s  %10s  %9s\n", "T", (int)width, "tile",
            "input tile", "halo", "ghost", "basic", "tiled", "reduction");
    for (int i = 0; i < table->tiles; i++) {
        int count = make_places(rows, &table->shape[i]);
        for (int j = 0; j < count; j++) {
            const struct reuse_counts *c = &rows[j].counts;
            char tile[16] = "";
            if (j == 0)
                snprintf(tile, sizeof tile, "%d", table->shape[i].tile);
            fprintf(out, "  %6s  %-*s  %10lld  %6lld  %6lld  %10lld  %10lld", tile, (int)width,
                    rows[j].label, c->cells, c->cells - c->outputs, c->cells - c->tiled, c->basic,
                    c->tiled);
            print_ratio(out, c);
        }
    }
}

/* ---- thread blocks ---- */

static void print_blocks(FILE *out, const struct reuse_table *table)
{
    bool too_many = false, too_far = false, line = table->shape->dims == 1;
    int left = table->shape->anchor_x, right = table->shape->mask_width - 1 - left;
    fprintf(out, "\n  Thread blocks and their shared memory, cells of %d bytes (exercise 7)\n\n",
            REUSE_CELL_BYTES);
    fprintf(out, "  %6s  %23s  %23s  %10s\n", "",
            line ? "tiled, Fig. 7.11" : "tiled, Figs. 7.19-7.21",
            line ? "cached, Fig. 7.13" : "cached, as Fig. 7.13", "left to L2");
    fprintf(out, "  %6s  %10s  %11s  %10s  %11s  %10s\n", "T", "threads", "bytes", "threads",
            "bytes", "uses");
    for (int i = 0; i < table->tiles; i++) {
        const struct reuse_shape *shape = &table->shape[i];
        struct reuse_block blocks[] = {reuse_block_tiled(shape), reuse_block_cached(shape)};
        struct reuse_counts tile = reuse_tile_count(shape, REUSE_INSIDE, REUSE_INSIDE);
        fprintf(out, "  %6d", shape->tile);
        for (int j = 0; j < 2; j++) {
            bool over = blocks[j].threads > REUSE_BLOCK_THREADS;
            fprintf(out, "  %10lld%s %10lld", blocks[j].threads, over ? "!" : " ",
                    blocks[j].shared_bytes);
            too_many |= over;
        }
        fprintf(out, "  %10lld\n", tile.basic - tile.shared_uses);
        too_far |= line && (left > shape->tile || right > shape->tile);
    }
    if (too_many)
        fprintf(out,
                "\n  ! A block has at most %d threads; each thread then has several cells to do.\n",
                REUSE_BLOCK_THREADS);
    if (too_far)
        fprintf(out, "\n  Fig. 7.11 as printed needs T threads to load a side's halo cells, so it\n"
                     "  is wrong where the halo is wider than T.\n");
}

/* ---- uses of the cells of a tile ---- */

/* Printed as in module 8.4 of the teaching kit: 1 2 ... k ... k ... 2 1. In 2D a cell's uses are
 * its column's uses times its row's. A long run of one number is written once, with its length. */

/* Adjacent cells with equal uses. */
struct run {
    int uses, cells;
};

/* Runs rise, stay, and fall; if there are more than this, rise and fall are shortened. */
#define SHOWN_RUNS 17
#define SHOWN_ENDS 3
/* min(mask, tile) is at most 255. */
#define RUNS_MAX (2 * 255)

static int make_runs(struct run runs[RUNS_MAX], int mask, int tile)
{
    int count = 0;
    for (int i = 0; i < tile + mask - 1; i++) {
        int uses = reuse_uses(mask, tile, i);
        if (count > 0 && runs[count - 1].uses == uses)
            runs[count - 1].cells++;
        else
            runs[count++] = (struct run){uses, 1};
    }
    return count;
}

static void print_runs(FILE *out, int mask, int tile)
{
    struct run runs[RUNS_MAX];
    int count = make_runs(runs, mask, tile), middle = count / 2;
    for (int i = 0; i < count; i++) {
        bool end = i < SHOWN_ENDS || i >= count - SHOWN_ENDS;
        if (count <= SHOWN_RUNS || end || (i >= middle - 1 && i <= middle + 1))
            fprintf(out, " %d", runs[i].uses);
        else if (i == SHOWN_ENDS || i == middle + 2)
            fprintf(out, " ...");
        else
            continue;
        if (runs[i].cells > 1)
            fprintf(out, "(x%d)", runs[i].cells);
    }
    fputc('\n', out);
}

#define TIMES_CHARS 16

/* "x12" for a run of 12 cells, nothing for one. */
static void times_text(char text[TIMES_CHARS], const struct run *run)
{
    text[0] = '\0';
    if (run->cells > 1)
        snprintf(text, TIMES_CHARS, "x%d", run->cells);
}

/* Prints the products of rows and columns, a number for each pair of runs. */
static void print_products(FILE *out, const struct reuse_shape *shape)
{
    struct run columns[RUNS_MAX], rows[RUNS_MAX];
    int width = make_runs(columns, shape->mask_width, shape->tile);
    int height = make_runs(rows, shape->mask_height, shape->tile);
    int cell_width[SHOWN_RUNS];
    char times[TIMES_CHARS];
    if (width > SHOWN_RUNS || height > SHOWN_RUNS)
        return;
    fprintf(out, "\n  Their products for T = %d: the uses of the input tile's cells\n\n  %6s",
            shape->tile, "");
    int blanks = 0; /* so that no line ends with blanks */
    for (int x = 0; x < width; x++) {
        times_text(times, &columns[x]);
        cell_width[x] = strlen(times) < 3 ? 4 : (int)strlen(times) + 1;
        blanks += cell_width[x];
        if (times[0]) {
            fprintf(out, "%*s", blanks, times);
            blanks = 0;
        }
    }
    fputc('\n', out);
    for (int y = 0; y < height; y++) {
        times_text(times, &rows[y]);
        fprintf(out, "  %6s", times);
        for (int x = 0; x < width; x++)
            fprintf(out, "%*d", cell_width[x], rows[y].uses * columns[x].uses);
        fputc('\n', out);
    }
}

static void print_uses(FILE *out, const struct reuse_table *table)
{
    const struct reuse_shape *shape = table->shape;
    bool line = shape->dims == 1, square = shape->mask_width == shape->mask_height;
    fprintf(out, "\n  How often each cell of the input tile is used (module 8.4)%s\n\n",
            line ? "; the sum is basic's\n  loads"
                 : ": its column's uses\n  times its row's; the sum is basic's loads");
    fprintf(out, "  %6s  %s\n", "T", "uses");
    for (int i = 0; i < table->tiles; i++) {
        fprintf(out, "  %6d %s", shape[i].tile,
                line     ? ""
                : square ? " columns and rows"
                         : " columns");
        print_runs(out, shape->mask_width, shape[i].tile);
        if (!line && !square) {
            fprintf(out, "  %6s  rows   ", "");
            print_runs(out, shape->mask_height, shape[i].tile);
        }
    }
    if (!line)
        print_products(out, shape);
}

/* ---- the whole array or picture ---- */

/* Answers to exercises 4 to 7 for the report's size. All channels of a picture count, each as one
 * launch. */

/* Exercise 4 is about arrays, 5 about square matrices, 6 about all others. */
static void print_exercise(FILE *out, const struct reuse_report *report,
                           const struct reuse_table *table)
{
    const struct reuse_grid *grid = table->grid;
    bool square =
        report->width == report->height && table->shape->mask_width == table->shape->mask_height;
    fprintf(out,
            "\n  Exercise %d: %lld ghost cells; %lld multiplications with them, %lld without\n",
            table->shape->dims == 1 ? 4
            : square                ? 5
                                    : 6,
            grid->ghost_cells, grid->total.multiplications, grid->total.basic);
}

static void print_title(FILE *out, const struct reuse_report *report, int dims)
{
    if (dims == 1)
        fprintf(out, "\n  An array of %lld cells", report->width);
    else if (report->input)
        fprintf(out, "\n  %s: %lld x %lld cells, %d channel%s, a launch for each", report->input,
                report->width, report->height, report->channels, report->channels == 1 ? "" : "s");
    else
        fprintf(out, "\n  A picture of %lld x %lld cells", report->width, report->height);
    fputc('\n', out);
}

static void print_grids(FILE *out, const struct reuse_report *report,
                        const struct reuse_table *table)
{
    print_title(out, report, table->shape->dims);
    print_exercise(out, report, table);
    fprintf(out, "\n  %6s  %-8s  %10s  %16s  %16s  %9s\n", "T", "tiles", "blocks", "basic", "tiled",
            "reduction");
    for (int i = 0; i < table->tiles; i++) {
        const struct reuse_grid *grid = &table->grid[i];
        const struct reuse_counts *parts[] = {&grid->internal, &grid->boundary, &grid->total};
        static const char *const labels[] = {"internal", "boundary", "all"};
        fprintf(out, "  %6d", table->shape[i].tile);
        for (int j = 0; j < 3; j++) {
            fprintf(out, "%*s  %-8s  %10lld  %16lld  %16lld", j > 0 ? 8 : 0, "", labels[j],
                    parts[j]->tiles, parts[j]->basic, parts[j]->tiled);
            print_ratio(out, parts[j]);
        }
    }
    fprintf(out, "\n  Shared memory of all blocks (exercise 7)\n\n");
    fprintf(out, "  %6s  %19s  %16s  %16s\n", "T", "blocks", "tiled, bytes", "cached, bytes");
    for (int i = 0; i < table->tiles; i++) {
        const struct reuse_grid *grid = &table->grid[i];
        const char *format = table->shape->dims == 1 ? "%lld"
                             : report->channels == 1 ? "%lld x %lld"
                                                     : "%lld x %lld x %d";
        char blocks[64];
        snprintf(blocks, sizeof blocks, format, grid->blocks_x, grid->blocks_y, report->channels);
        fprintf(out, "  %6d  %19s  %16lld  %16lld\n", table->shape[i].tile, blocks,
                grid->shared_tiled, grid->shared_cached);
    }
}

/* ---- all of it ---- */

static void print_table(FILE *out, const struct reuse_report *report,
                        const struct reuse_table *table)
{
    const struct reuse_shape *shape = table->shape;
    int right = shape->mask_width - 1 - shape->anchor_x;
    int below = shape->mask_height - 1 - shape->anchor_y;
    if (shape->dims == 1)
        fprintf(out, "\n1D, mask of %d cells: halo %d left, %d right\n", shape->mask_width,
                shape->anchor_x, right);
    else
        fprintf(out, "\n2D, mask of %d x %d cells: halo %d left, %d right, %d above, %d below\n",
                shape->mask_width, shape->mask_height, shape->anchor_x, right, shape->anchor_y,
                below);
    print_tiles(out, table);
    print_uses(out, table);
    print_blocks(out, table);
    if (report->has_size)
        print_grids(out, report, table);
}

void reuse_print_text(FILE *out, const struct reuse_report *report)
{
    int end = 0; /* end of the tables with the last overview's dimensions */
    text_wrap(out, "The analysis of tiled convolution in " TEXTBOOK ".", 0, 78);
    fprintf(out, "\n");
    for (int i = 0; i < report->tables; i++) {
        const struct reuse_table *table = &report->table[i];
        if (i == end) {
            while (end < report->tables && report->table[end].shape->dims == table->shape->dims)
                end++;
            if (i > 0)
                fprintf(out, "\n\n");
            print_overview(out, table, end - i);
        }
        print_table(out, report, table);
    }
    if (!report->has_size)
        fprintf(out, "\nWith --size N or --size WxH, or with the name of a picture, there are also "
                     "the\nnumbers of its whole grid of tiles and of exercises 4 to 6.\n");
}

/* ---- JSON ---- */

/* The uses of each cell along one axis. */
static void put_uses(FILE *out, int mask, int tile, const char *between)
{
    for (int i = 0; i < tile + mask - 1; i++)
        fprintf(out, "%s%d", i ? between : "", reuse_uses(mask, tile, i));
}

/* Prints the counts as members of a JSON object, after its first member. */
static void json_counts(FILE *out, const struct reuse_counts *c)
{
    char text[REUSE_TEXT_CHARS];
    json_print(out,
               ",'outputs':%lld,'input_cells':%lld,'halo_cells':%lld,'ghost_cells':%lld,"
               "'multiplications':%lld,'multiplications_without_ghosts':%lld,'basic_loads':%lld,"
               "'tiled_loads':%lld,'cached_loads':%lld,'cached_left_to_l2':%lld,'reduction':",
               c->outputs, c->cells, c->cells - c->outputs, c->cells - c->tiled, c->multiplications,
               c->basic, c->basic, c->tiled, c->outputs, c->basic - c->shared_uses);
    if (c->tiles == 0) {
        fprintf(out, "null}");
        return;
    }
    struct reuse_fraction exact = reuse_reduction(c);
    reuse_fraction_text(text, exact, DECIMALS);
    fprintf(out, "{\"numerator\":%lld,\"denominator\":%lld,\"decimal\":%s}}", exact.numerator,
            exact.denominator, text);
}

static void json_tiles(FILE *out, const struct reuse_shape *shape)
{
    int count;
    const struct reuse_position *position = reuse_positions(shape->dims, &count);
    for (int i = 0; i < count; i++) {
        struct reuse_counts counts = reuse_tile_count(shape, position[i].x, position[i].y);
        json_print(out, i ? ",{'place':%s" : ",'tiles':[{'place':%s", position[i].name);
        json_counts(out, &counts);
    }
    json_print(out, "],'uses_x':[");
    put_uses(out, shape->mask_width, shape->tile, ",");
    if (shape->dims == 2) {
        json_print(out, "],'uses_y':[");
        put_uses(out, shape->mask_height, shape->tile, ",");
    }
    fputc(']', out);
}

static void json_grid(FILE *out, const struct reuse_report *report, int dims,
                      const struct reuse_grid *grid)
{
    json_print(out, ",'grid':{");
    if (report->input)
        json_print(out, "'input':%s,", report->input);
    json_print(out,
               "'width':%lld,'height':%lld,'channels':%d,'blocks_x':%lld,'blocks_y':%lld,"
               "'surrounding_ghost_cells':%lld,'tiled_shared_bytes':%lld,"
               "'cached_shared_bytes':%lld,'internal':{'blocks':%lld",
               report->width, dims == 1 ? 1 : report->height, report->channels, grid->blocks_x,
               grid->blocks_y, grid->ghost_cells, grid->shared_tiled, grid->shared_cached,
               grid->internal.tiles);
    json_counts(out, &grid->internal);
    json_print(out, ",'boundary':{'blocks':%lld", grid->boundary.tiles);
    json_counts(out, &grid->boundary);
    json_print(out, ",'all':{'blocks':%lld", grid->total.tiles);
    json_counts(out, &grid->total);
    fputc('}', out);
}

static void json_shape(FILE *out, const struct reuse_report *report,
                       const struct reuse_shape *shape, const struct reuse_grid *grid)
{
    struct reuse_block tiled = reuse_block_tiled(shape), cached = reuse_block_cached(shape);
    const struct reuse_note *note = reuse_note_find(shape);
    char text[REUSE_NOTE_CHARS];

    json_print(out,
               "{'dims':%d,'mask_width':%d,'mask_height':%d,'anchor_x':%d,'anchor_y':%d,"
               "'tile':%d,'limit':%d",
               shape->dims, shape->mask_width, shape->mask_height, shape->anchor_x, shape->anchor_y,
               shape->tile, shape->mask_width * shape->mask_height);
    json_tiles(out, shape);
    json_print(out,
               ",'block':{'tiled':{'threads':%lld,'shared_bytes':%lld},'cached':{'threads':%lld,"
               "'shared_bytes':%lld}}",
               tiled.threads, tiled.shared_bytes, cached.threads, cached.shared_bytes);
    if (report->has_size)
        json_grid(out, report, shape->dims, grid);
    if (note) {
        reuse_note_text(text, note, shape);
        json_print(out, ",'note':{'source':%s,'prints':%s,'text':%s}", note->source, note->prints,
                   text);
    }
    fprintf(out, "}\n");
}

void reuse_print_json(FILE *out, const struct reuse_report *report)
{
    for (int i = 0; i < report->tables; i++)
        for (int j = 0; j < report->table[i].tiles; j++)
            json_shape(out, report, &report->table[i].shape[j], &report->table[i].grid[j]);
}

/* ---- CSV ---- */

/* KIND is a place of one tile or a part of the grid. The caller prints the rest of the line: ghost
 * cells around the array, uses along x and along y, a note. */
static void csv_counts(FILE *out, const struct reuse_shape *shape, const char *kind,
                       const struct reuse_counts *c)
{
    struct reuse_block tiled = reuse_block_tiled(shape), cached = reuse_block_cached(shape);
    char text[REUSE_TEXT_CHARS];
    fprintf(out, "%d,%d,%d,%d,%d,%d,%s,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,",
            shape->dims, shape->mask_width, shape->mask_height, shape->anchor_x, shape->anchor_y,
            shape->tile, kind, c->tiles, c->outputs, c->cells, c->cells - c->outputs,
            c->cells - c->tiled, c->multiplications, c->basic, c->tiled, c->outputs,
            c->basic - c->shared_uses);
    if (c->tiles == 0) {
        fprintf(out, ",,");
    } else {
        struct reuse_fraction exact = reuse_reduction(c);
        reuse_fraction_text(text, exact, DECIMALS);
        fprintf(out, "%lld,%lld,%s", exact.numerator, exact.denominator, text);
    }
    fprintf(out, ",%d,%lld,%lld,%lld,%lld,", shape->mask_width * shape->mask_height, tiled.threads,
            tiled.shared_bytes, cached.threads, cached.shared_bytes);
}

static void csv_shape(FILE *out, const struct reuse_report *report, const struct reuse_shape *shape,
                      const struct reuse_grid *grid)
{
    int count;
    const struct reuse_position *position = reuse_positions(shape->dims, &count);
    const struct reuse_note *note = reuse_note_find(shape);
    char text[REUSE_NOTE_CHARS] = "";
    if (note)
        reuse_note_text(text, note, shape);
    for (int i = 0; i < count; i++) {
        struct reuse_counts counts = reuse_tile_count(shape, position[i].x, position[i].y);
        csv_counts(out, shape, position[i].name, &counts);
        fputc(',', out);
        if (i == 0) /* separated by blanks, so that they stay in one column */
            put_uses(out, shape->mask_width, shape->tile, " ");
        fputc(',', out);
        if (i == 0 && shape->dims == 2)
            put_uses(out, shape->mask_height, shape->tile, " ");
        fprintf(out, i == 0 && note ? ",\"%s\"\n" : ",%s\n", i == 0 ? text : "");
    }
    if (report->has_size) {
        csv_counts(out, shape, "grid internal", &grid->internal);
        fprintf(out, ",,,\n");
        csv_counts(out, shape, "grid boundary", &grid->boundary);
        fprintf(out, ",,,\n");
        csv_counts(out, shape, "grid", &grid->total);
        fprintf(out, "%lld,,,\n", grid->ghost_cells);
    }
}

void reuse_print_csv(FILE *out, const struct reuse_report *report)
{
    fprintf(out, "dims,mask_width,mask_height,anchor_x,anchor_y,tile,kind,tiles,outputs,"
                 "input_cells,halo_cells,ghost_cells,multiplications,basic_loads,tiled_loads,"
                 "cached_loads,cached_left_to_l2,reduction_numerator,reduction_denominator,"
                 "reduction,limit,tiled_threads,tiled_shared_bytes,cached_threads,"
                 "cached_shared_bytes,surrounding_ghost_cells,uses_x,uses_y,note\n");
    for (int i = 0; i < report->tables; i++)
        for (int j = 0; j < report->table[i].tiles; j++)
            csv_shape(out, report, &report->table[i].shape[j], &report->table[i].grid[j]);
}
