/* How often each cell of an input tile is used once it is in shared memory, as
 * module 8.4 of the teaching kit writes it down: 1 2 ... k ... k ... 2 1. In 2D the
 * uses of a cell are its column's times its row's. Long runs of one number are
 * written once with their length. */
#include "bench/reuse_print.h"

#include <string.h>

/* Cells in a row with the same number of uses. */
struct run {
    int uses, cells;
};

/* A row of runs rises, stays, and falls; past this many its slopes are cut short. */
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

/* The product of rows and columns, a number for each pair of runs. */
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
    int blanks = 0; /* none is left at the line's end */
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

void reuse_print_uses(FILE *out, const struct reuse_table *table)
{
    const struct reuse_shape *shape = &table->shape;
    bool square = shape->mask_width == shape->mask_height;
    if (shape->dims == 1)
        fprintf(out, "\n  How often each cell of the input tile is used (module 8.4); the sum is "
                     "basic's\n  loads\n\n");
    else
        fprintf(out, "\n  How often each cell of the input tile is used (module 8.4): its column's "
                     "uses\n  times its row's; the sum is basic's loads\n\n");
    fprintf(out, "  %6s  %s\n", "T", "uses");
    for (int i = 0; i < table->tiles; i++) {
        fprintf(out, "  %6d %s", table->tile[i],
                shape->dims == 1 ? ""
                : square         ? " columns and rows"
                                 : " columns");
        print_runs(out, shape->mask_width, table->tile[i]);
        if (shape->dims == 2 && !square) {
            fprintf(out, "  %6s  rows   ", "");
            print_runs(out, shape->mask_height, table->tile[i]);
        }
    }
    if (shape->dims == 2) {
        struct reuse_shape first = reuse_table_shape(table, 0);
        print_products(out, &first);
    }
}
