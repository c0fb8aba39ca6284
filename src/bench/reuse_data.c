/* The analysis of data reuse for programs. JSON has one object a mask and tile, CSV one line
 * a kind of tile; both hold every exact fraction beside its decimal. bench/reuse.h says
 * what the numbers mean. */
#include "bench/reuse.h"

#include <inttypes.h>

#include "base/json.h"

/* Enough to tell any two ratios of a table apart. */
#define DECIMALS 6

#define NOTE_CHARS 512

/* Calls PRINT for every mask and tile. */
static void print_shapes(FILE *out, const struct reuse_report *report,
                         void (*print)(FILE *out, const struct reuse_report *report,
                                       const struct reuse_shape *shape))
{
    for (int i = 0; i < report->tables; i++)
        for (int j = 0; j < report->table[i].tiles; j++) {
            struct reuse_shape shape = reuse_table_shape(&report->table[i], j);
            print(out, report, &shape);
        }
}

/* The uses of each cell along one axis. */
static void print_uses(FILE *out, int mask, int tile, char between)
{
    for (int i = 0; i < tile + mask - 1; i++) {
        if (i > 0)
            fputc(between, out);
        fprintf(out, "%d", reuse_uses(mask, tile, i));
    }
}

/* ---- JSON ---- */

/* What stands in an object after its first key. */
static void json_counts(FILE *out, const struct reuse_counts *c)
{
    char text[REUSE_TEXT_CHARS];
    json_print(out,
               ",'outputs':%" PRId64 ",'input_cells':%" PRId64 ",'halo_cells':%" PRId64
               ",'ghost_cells':%" PRId64 ",'multiplications':%" PRId64
               ",'multiplications_without_ghosts':%" PRId64 ",'basic_loads':%" PRId64
               ",'tiled_loads':%" PRId64 ",'cached_loads':%" PRId64 ",'cached_left_to_l2':%" PRId64
               ",'reduction':",
               c->outputs, c->cells, c->cells - c->outputs, c->ghosts, c->multiplications, c->basic,
               c->basic, c->tiled, c->outputs, c->basic - c->shared_uses);
    if (c->tiles == 0) {
        fprintf(out, "null}");
        return;
    }
    struct reuse_fraction exact = reuse_reduction(c);
    reuse_fraction_text(text, exact, DECIMALS);
    fprintf(out, "{\"numerator\":%" PRId64 ",\"denominator\":%" PRId64 ",\"decimal\":%s}}",
            exact.numerator, exact.denominator, text);
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
    print_uses(out, shape->mask_width, shape->tile, ',');
    if (shape->dims == 2) {
        json_print(out, "],'uses_y':[");
        print_uses(out, shape->mask_height, shape->tile, ',');
    }
    fputc(']', out);
}

static void json_grid(FILE *out, const struct reuse_report *report, const struct reuse_shape *shape)
{
    struct reuse_grid grid;
    struct error err;
    (void)reuse_report_grid(report, shape, &grid, &err); /* fits: asked for by the caller */
    json_print(out, ",'grid':{");
    if (report->input)
        json_print(out, "'input':%s,", report->input);
    json_print(out,
               "'width':%" PRId64 ",'height':%" PRId64 ",'channels':%d,'blocks_x':%" PRId64
               ",'blocks_y':%" PRId64 ",'surrounding_ghost_cells':%" PRId64
               ",'tiled_shared_bytes':%" PRId64 ",'cached_shared_bytes':%" PRId64,
               report->width, shape->dims == 1 ? 1 : report->height, report->channels,
               grid.blocks_x, grid.blocks_y, grid.ghost_cells, grid.shared_tiled,
               grid.shared_cached);
    json_print(out, ",'internal':{'blocks':%" PRId64, grid.internal.tiles);
    json_counts(out, &grid.internal);
    json_print(out, ",'boundary':{'blocks':%" PRId64, grid.boundary.tiles);
    json_counts(out, &grid.boundary);
    json_print(out, ",'all':{'blocks':%" PRId64, grid.total.tiles);
    json_counts(out, &grid.total);
    fputc('}', out);
}

static void json_shape(FILE *out, const struct reuse_report *report,
                       const struct reuse_shape *shape)
{
    struct reuse_block tiled = reuse_block_tiled(shape), cached = reuse_block_cached(shape);
    const struct reuse_note *note = reuse_note_find(shape);
    char text[NOTE_CHARS];

    json_print(out,
               "{'dims':%d,'mask_width':%d,'mask_height':%d,'anchor_x':%d,'anchor_y':%d,"
               "'tile':%d,'limit':%d",
               shape->dims, shape->mask_width, shape->mask_height, shape->anchor_x, shape->anchor_y,
               shape->tile, shape->mask_width * shape->mask_height);
    json_tiles(out, shape);
    json_print(out,
               ",'block':{'tiled':{'threads':%" PRId64 ",'shared_bytes':%" PRId64
               "},'cached':{'threads':%" PRId64 ",'shared_bytes':%" PRId64 "}}",
               tiled.threads, tiled.shared_bytes, cached.threads, cached.shared_bytes);
    if (report->has_size)
        json_grid(out, report, shape);
    if (note) {
        reuse_note_text(text, sizeof text, note, shape);
        json_print(out, ",'note':{'source':%s,'prints':%s,'text':%s}", note->source, note->prints,
                   text);
    }
    fprintf(out, "}\n");
}

void reuse_print_json(FILE *out, const struct reuse_report *report)
{
    print_shapes(out, report, json_shape);
}

/* ---- CSV ---- */

/* KIND is a place of one tile or a part of the grid. The rest of the line is the caller's: ghost
 * cells around the array, uses along x and along y, a note. */
static void csv_counts(FILE *out, const struct reuse_shape *shape, const char *kind,
                       const struct reuse_counts *c)
{
    struct reuse_block tiled = reuse_block_tiled(shape), cached = reuse_block_cached(shape);
    char text[REUSE_TEXT_CHARS];
    fprintf(out,
            "%d,%d,%d,%d,%d,%d,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
            ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64,
            shape->dims, shape->mask_width, shape->mask_height, shape->anchor_x, shape->anchor_y,
            shape->tile, kind, c->tiles, c->outputs, c->cells, c->cells - c->outputs, c->ghosts,
            c->multiplications, c->basic, c->tiled, c->outputs, c->basic - c->shared_uses);
    if (c->tiles == 0) {
        fprintf(out, ",,,");
    } else {
        struct reuse_fraction exact = reuse_reduction(c);
        reuse_fraction_text(text, exact, DECIMALS);
        fprintf(out, ",%" PRId64 ",%" PRId64 ",%s", exact.numerator, exact.denominator, text);
    }
    fprintf(out, ",%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",",
            shape->mask_width * shape->mask_height, tiled.threads, tiled.shared_bytes,
            cached.threads, cached.shared_bytes);
}

static void csv_shape(FILE *out, const struct reuse_report *report, const struct reuse_shape *shape)
{
    int count;
    const struct reuse_position *position = reuse_positions(shape->dims, &count);
    const struct reuse_note *note = reuse_note_find(shape);
    char text[NOTE_CHARS] = "";
    if (note)
        reuse_note_text(text, sizeof text, note, shape);
    for (int i = 0; i < count; i++) {
        struct reuse_counts counts = reuse_tile_count(shape, position[i].x, position[i].y);
        csv_counts(out, shape, position[i].name, &counts);
        fputc(',', out);
        if (i == 0) /* numbers with blanks between, so that the column stays one */
            print_uses(out, shape->mask_width, shape->tile, ' ');
        fputc(',', out);
        if (i == 0 && shape->dims == 2)
            print_uses(out, shape->mask_height, shape->tile, ' ');
        fprintf(out, i == 0 && note ? ",\"%s\"\n" : ",%s\n", i == 0 ? text : "");
    }
    if (report->has_size) {
        struct reuse_grid grid;
        struct error err;
        (void)reuse_report_grid(report, shape, &grid, &err); /* fits, as above */
        csv_counts(out, shape, "grid internal", &grid.internal);
        fprintf(out, ",,,\n");
        csv_counts(out, shape, "grid boundary", &grid.boundary);
        fprintf(out, ",,,\n");
        csv_counts(out, shape, "grid", &grid.total);
        fprintf(out, "%" PRId64 ",,,\n", grid.ghost_cells);
    }
}

void reuse_print_csv(FILE *out, const struct reuse_report *report)
{
    fprintf(out, "dims,mask_width,mask_height,anchor_x,anchor_y,tile,kind,tiles,outputs,"
                 "input_cells,halo_cells,ghost_cells,multiplications,basic_loads,tiled_loads,"
                 "cached_loads,cached_left_to_l2,reduction_numerator,reduction_denominator,"
                 "reduction,limit,tiled_threads,tiled_shared_bytes,cached_threads,"
                 "cached_shared_bytes,surrounding_ghost_cells,uses_x,uses_y,note\n");
    print_shapes(out, report, csv_shape);
}
