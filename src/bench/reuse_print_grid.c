/* The whole array or picture: how many blocks of which kind, what all of them load,
 * and the answers to exercises 4 to 7 for its size. A picture's channels are
 * counted all, as one launch each. */
#include "bench/reuse_print.h"

#include <inttypes.h>

static void print_row(FILE *out, const char *label, const struct reuse_counts *counts)
{
    fprintf(out, "  %-8s  %10" PRId64 "  %16" PRId64 "  %16" PRId64, label, counts->tiles,
            counts->basic, counts->tiled);
    if (counts->tiles == 0) {
        fprintf(out, "  %9s\n", "-");
        return;
    }
    struct reuse_fraction exact = reuse_reduction(counts);
    char text[REUSE_TEXT_CHARS];
    reuse_fraction_text(text, exact, 2);
    fprintf(out, "  %9s = %" PRId64 "/%" PRId64 "\n", text, exact.numerator, exact.denominator);
}

/* Exercise 4 asks it of arrays, 5 of square matrices, 6 of all others. */
static void print_exercise(FILE *out, const struct reuse_report *report,
                           const struct reuse_shape *shape, const struct reuse_grid *grid)
{
    bool square = report->width == report->height && shape->mask_width == shape->mask_height;
    fprintf(out,
            "\n  Exercise %d: %" PRId64 " ghost cells; %" PRId64 " multiplications with them, "
            "%" PRId64 " without\n",
            shape->dims == 1 ? 4
            : square         ? 5
                             : 6,
            grid->ghost_cells, grid->total.multiplications, grid->total.basic);
}

static void print_title(FILE *out, const struct reuse_report *report, int dims)
{
    if (dims == 1)
        fprintf(out, "\n  An array of %" PRId64 " cells", report->width);
    else if (report->input)
        fprintf(out, "\n  %s: %" PRId64 " x %" PRId64 " cells, %d channel%s, a launch for each",
                report->input, report->width, report->height, report->channels,
                report->channels == 1 ? "" : "s");
    else
        fprintf(out, "\n  A picture of %" PRId64 " x %" PRId64 " cells", report->width,
                report->height);
    fputc('\n', out);
}

void reuse_print_grids(FILE *out, const struct reuse_report *report,
                       const struct reuse_table *table)
{
    struct reuse_grid grid;
    struct error err;
    print_title(out, report, table->shape.dims);
    for (int i = 0; i < table->tiles; i++) {
        struct reuse_shape shape = reuse_table_shape(table, i);
        (void)reuse_report_grid(report, &shape, &grid, &err); /* fits: asked for by the caller */
        if (i == 0) {
            print_exercise(out, report, &shape, &grid);
            fprintf(out, "\n  %6s  %-8s  %10s  %16s  %16s  %9s\n", "T", "tiles", "blocks", "basic",
                    "tiled", "reduction");
        }
        fprintf(out, "  %6d", shape.tile);
        print_row(out, "internal", &grid.internal);
        fprintf(out, "  %6s", "");
        print_row(out, "boundary", &grid.boundary);
        fprintf(out, "  %6s", "");
        print_row(out, "all", &grid.total);
    }
    fprintf(out, "\n  Shared memory of all blocks (exercise 7)\n\n");
    fprintf(out, "  %6s  %19s  %16s  %16s\n", "T", "blocks", "tiled, bytes", "cached, bytes");
    for (int i = 0; i < table->tiles; i++) {
        struct reuse_shape shape = reuse_table_shape(table, i);
        char blocks[64];
        (void)reuse_report_grid(report, &shape, &grid, &err);
        if (shape.dims == 1)
            snprintf(blocks, sizeof blocks, "%" PRId64, grid.blocks_x);
        else if (report->channels == 1)
            snprintf(blocks, sizeof blocks, "%" PRId64 " x %" PRId64, grid.blocks_x, grid.blocks_y);
        else
            snprintf(blocks, sizeof blocks, "%" PRId64 " x %" PRId64 " x %d", grid.blocks_x,
                     grid.blocks_y, report->channels);
        fprintf(out, "  %6d  %19s  %16" PRId64 "  %16" PRId64 "\n", shape.tile, blocks,
                grid.shared_tiled, grid.shared_cached);
    }
}
