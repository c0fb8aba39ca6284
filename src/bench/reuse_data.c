/* The analysis for programs: see bench/reuse.h. JSON has one object per mask and
 * tile, CSV one line per kind of tile; both hold every exact fraction beside its
 * decimal. What the numbers mean is said in bench/reuse.h. */
#include "bench/reuse.h"

#include <inttypes.h>

#include "base/json.h"

/* Enough to tell any two ratios of a table apart. */
#define DECIMALS 6

/* ---- JSON ---- */

static void json_reduction(FILE *out, const struct reuse_counts *counts)
{
    if (counts->tiles == 0) {
        fprintf(out, ",\"reduction\":null");
        return;
    }
    struct reuse_fraction exact = reuse_reduction(counts);
    char text[REUSE_TEXT_CHARS];
    reuse_fraction_text(text, exact, DECIMALS);
    fprintf(out,
            ",\"reduction\":{\"numerator\":%" PRId64 ",\"denominator\":%" PRId64 ",\"decimal\":%s}",
            exact.numerator, exact.denominator, text);
}

/* What stands in an object after its first key. */
static void json_counts(FILE *out, const struct reuse_counts *c)
{
    fprintf(out,
            ",\"outputs\":%" PRId64 ",\"input_cells\":%" PRId64 ",\"halo_cells\":%" PRId64
            ",\"ghost_cells\":%" PRId64 ",\"multiplications\":%" PRId64
            ",\"multiplications_without_ghosts\":%" PRId64 ",\"basic_loads\":%" PRId64
            ",\"tiled_loads\":%" PRId64 ",\"cached_loads\":%" PRId64
            ",\"cached_left_to_l2\":%" PRId64,
            c->outputs, c->cells, c->cells - c->outputs, c->ghosts, c->multiplications, c->basic,
            c->basic, c->tiled, c->outputs, c->basic - c->shared_uses);
    json_reduction(out, c);
}

static void json_tiles(FILE *out, const struct reuse_shape *shape)
{
    int count;
    const struct reuse_position *position = reuse_positions(shape->dims, &count);
    fprintf(out, ",\"tiles\":[");
    for (int i = 0; i < count; i++) {
        struct reuse_counts counts;
        reuse_tile_count(shape, position[i].x, position[i].y, &counts);
        fprintf(out, "%s{\"place\":\"%s\"", i ? "," : "", position[i].name);
        json_counts(out, &counts);
        fputc('}', out);
    }
    fputc(']', out);
}

static void json_uses(FILE *out, const char *key, int mask, int tile)
{
    fprintf(out, ",\"%s\":[", key);
    for (int i = 0; i < tile + mask - 1; i++)
        fprintf(out, "%s%d", i ? "," : "", reuse_uses(mask, tile, i));
    fputc(']', out);
}

static void json_block(FILE *out, const char *before, const char *kernel, struct reuse_block block)
{
    fprintf(out, "%s\"%s\":{\"threads\":%" PRId64 ",\"shared_bytes\":%" PRId64 "}", before, kernel,
            block.threads, block.shared_bytes);
}

static void json_grid(FILE *out, const struct reuse_report *report, const struct reuse_shape *shape)
{
    struct reuse_grid grid;
    struct error err;
    (void)reuse_report_grid(report, shape, &grid, &err); /* fits: asked for by the caller */
    fprintf(out, ",\"grid\":{");
    if (report->input) {
        fprintf(out, "\"input\":");
        json_print_text(out, report->input);
        fputc(',', out);
    }
    fprintf(out,
            "\"width\":%" PRId64 ",\"height\":%" PRId64 ",\"channels\":%d,\"blocks_x\":%" PRId64
            ",\"blocks_y\":%" PRId64 ",\"surrounding_ghost_cells\":%" PRId64
            ",\"tiled_shared_bytes\":%" PRId64 ",\"cached_shared_bytes\":%" PRId64,
            report->width, shape->dims == 1 ? 1 : report->height, report->channels, grid.blocks_x,
            grid.blocks_y, grid.ghost_cells, grid.shared_tiled, grid.shared_cached);
    const struct {
        const char *name;
        const struct reuse_counts *counts;
    } parts[] = {{"internal", &grid.internal}, {"boundary", &grid.boundary}, {"all", &grid.total}};
    for (int i = 0; i < 3; i++) {
        fprintf(out, ",\"%s\":{\"blocks\":%" PRId64, parts[i].name, parts[i].counts->tiles);
        json_counts(out, parts[i].counts);
        fputc('}', out);
    }
    fputc('}', out);
}

static void json_note(FILE *out, const struct reuse_shape *shape)
{
    const struct reuse_note *note = reuse_note_find(shape);
    char text[512];
    if (!note)
        return;
    reuse_note_text(text, sizeof text, note, shape);
    fprintf(out, ",\"note\":{\"source\":");
    json_print_text(out, note->source);
    fprintf(out, ",\"prints\":\"%s\",\"text\":", note->prints);
    json_print_text(out, text);
    fputc('}', out);
}

void reuse_print_json(FILE *out, const struct reuse_report *report)
{
    for (int i = 0; i < report->tables; i++) {
        for (int j = 0; j < report->table[i].tiles; j++) {
            struct reuse_shape shape = reuse_table_shape(&report->table[i], j);
            fprintf(out,
                    "{\"dims\":%d,\"mask_width\":%d,\"mask_height\":%d,\"anchor_x\":%d,"
                    "\"anchor_y\":%d,\"tile\":%d,\"limit\":%d",
                    shape.dims, shape.mask_width, shape.mask_height, shape.anchor_x, shape.anchor_y,
                    shape.tile, shape.mask_width * shape.mask_height);
            json_tiles(out, &shape);
            json_uses(out, "uses_x", shape.mask_width, shape.tile);
            if (shape.dims == 2)
                json_uses(out, "uses_y", shape.mask_height, shape.tile);
            json_block(out, ",\"block\":{", "tiled", reuse_block_tiled(&shape));
            json_block(out, ",", "cached", reuse_block_cached(&shape));
            fputc('}', out);
            if (report->has_size)
                json_grid(out, report, &shape);
            json_note(out, &shape);
            fprintf(out, "}\n");
        }
    }
}

/* ---- CSV ---- */

/* What a line says besides its counts; empty columns are NULL or negative. */
struct csv_extra {
    const char *note;    /* has no quotes inside */
    bool uses;           /* of each cell of the input tile */
    int64_t surrounding; /* ghost cells around the array */
};

static void csv_reduction(FILE *out, const struct reuse_counts *counts)
{
    if (counts->tiles == 0) {
        fprintf(out, ",,,");
        return;
    }
    struct reuse_fraction exact = reuse_reduction(counts);
    char text[REUSE_TEXT_CHARS];
    reuse_fraction_text(text, exact, DECIMALS);
    fprintf(out, ",%" PRId64 ",%" PRId64 ",%s", exact.numerator, exact.denominator, text);
}

/* Numbers with blanks between, so that the column stays one. */
static void csv_uses(FILE *out, int mask, int tile)
{
    for (int i = 0; i < tile + mask - 1; i++)
        fprintf(out, "%s%d", i ? " " : "", reuse_uses(mask, tile, i));
}

/* KIND is a place of one tile or a part of the grid. */
static void csv_line(FILE *out, const struct reuse_shape *shape, const char *kind,
                     const struct reuse_counts *c, const struct csv_extra *extra)
{
    struct reuse_block tiled = reuse_block_tiled(shape), cached = reuse_block_cached(shape);
    fprintf(out, "%d,%d,%d,%d,%d,%d,%s,%" PRId64, shape->dims, shape->mask_width,
            shape->mask_height, shape->anchor_x, shape->anchor_y, shape->tile, kind, c->tiles);
    fprintf(out,
            ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
            ",%" PRId64 ",%" PRId64,
            c->outputs, c->cells, c->cells - c->outputs, c->ghosts, c->multiplications, c->basic,
            c->tiled, c->outputs, c->basic - c->shared_uses);
    csv_reduction(out, c);
    fprintf(out, ",%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",",
            shape->mask_width * shape->mask_height, tiled.threads, tiled.shared_bytes,
            cached.threads, cached.shared_bytes);
    if (extra->surrounding >= 0)
        fprintf(out, "%" PRId64, extra->surrounding);
    fputc(',', out);
    if (extra->uses)
        csv_uses(out, shape->mask_width, shape->tile);
    fputc(',', out);
    if (extra->uses && shape->dims == 2)
        csv_uses(out, shape->mask_height, shape->tile);
    fputc(',', out);
    if (extra->note)
        fprintf(out, "\"%s\"", extra->note);
    fputc('\n', out);
}

static void csv_shape(FILE *out, const struct reuse_report *report, const struct reuse_shape *shape)
{
    int count;
    const struct reuse_position *position = reuse_positions(shape->dims, &count);
    const struct reuse_note *note = reuse_note_find(shape);
    struct csv_extra none = {.surrounding = -1}, extra = none;
    char text[512];
    if (note)
        reuse_note_text(text, sizeof text, note, shape);
    for (int i = 0; i < count; i++) {
        struct reuse_counts counts;
        reuse_tile_count(shape, position[i].x, position[i].y, &counts);
        extra.note = i == 0 && note ? text : NULL;
        extra.uses = i == 0;
        csv_line(out, shape, position[i].name, &counts, &extra);
    }
    if (report->has_size) {
        struct reuse_grid grid;
        struct error err;
        (void)reuse_report_grid(report, shape, &grid, &err); /* fits, as above */
        csv_line(out, shape, "grid internal", &grid.internal, &none);
        csv_line(out, shape, "grid boundary", &grid.boundary, &none);
        extra = (struct csv_extra){.surrounding = grid.ghost_cells};
        csv_line(out, shape, "grid", &grid.total, &extra);
    }
}

void reuse_print_csv(FILE *out, const struct reuse_report *report)
{
    fprintf(out, "dims,mask_width,mask_height,anchor_x,anchor_y,tile,kind,tiles,outputs,"
                 "input_cells,halo_cells,ghost_cells,multiplications,basic_loads,tiled_loads,"
                 "cached_loads,cached_left_to_l2,reduction_numerator,reduction_denominator,"
                 "reduction,limit,tiled_threads,tiled_shared_bytes,cached_threads,"
                 "cached_shared_bytes,surrounding_ghost_cells,uses_x,uses_y,note\n");
    for (int i = 0; i < report->tables; i++) {
        for (int j = 0; j < report->table[i].tiles; j++) {
            struct reuse_shape shape = reuse_table_shape(&report->table[i], j);
            csv_shape(out, report, &shape);
        }
    }
}
