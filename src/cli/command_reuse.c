/* `stencilcli reuse [IMAGE]`: the data-reuse analysis of the textbook's chapter as tables. Collects
 * the masks, the tiles and the array or picture, and refuses contradictory options before it prints
 * anything. Of an IMAGE it reads only the size and the number of channels. */
#include <stdlib.h>
#include <string.h>

#include "bench/reuse.h"
#include "cli/command.h"

static bool check_together(const struct options *options, struct error *err)
{
    if (options->json && options->csv)
        return error_set(err, EXIT_USAGE, "--json and --csv: expected one of them");
    if (options->request.filter.mask && options->mask_width.count)
        return error_set(err, EXIT_USAGE, "--mask and --mask-width: expected one of them");
    if (options->operands && options->size.count)
        return error_set(err, EXIT_USAGE,
                         "--size is for when there is no picture: '%.80s' has its own size",
                         options->operand[0]);
    return true;
}

/* ---- masks ---- */

/* Completes --mask-width: with the size of --mask (its anchor then counts like --anchor), or with
 * the chapter's masks. A width without a height means a mask of that many cells in 1D, and a square
 * of that side in 2D. */
static bool read_masks(struct options *options, struct error *err)
{
    struct plan_overrides *anchor = &options->request.filter.overrides;
    struct mask mask;
    if (options->request.filter.mask) {
        if (!mask_load(&mask, options->request.filter.mask, err))
            return false;
        options->mask_width = (struct option_sizes){1, {mask.width}, {mask.height}};
        if (!anchor->has_anchor)
            *anchor = (struct plan_overrides){
                .has_anchor = true, .anchor_x = mask.anchor_x, .anchor_y = mask.anchor_y};
        mask_free(&mask);
    }
    if (options->mask_width.count == 0)
        options->mask_width = (struct option_sizes){2, {5, 9}, {0}};
    return true;
}

/* ---- 1D, 2D or both ---- */

/* The first option that only 2D has, or NULL. */
static const char *needs_2d(const struct options *options)
{
    if (options->operands)
        return "a picture";
    if (options->size.height[0])
        return "a size of two sides";
    for (int i = 0; i < options->mask_width.count; i++) {
        if (options->mask_width.height[i] > 1)
            return "a mask of several rows";
    }
    return NULL;
}

static bool add_table(const struct options *options, struct reuse_report *report, int index,
                      int dims, struct error *err)
{
    static const int tiles[2][5] = {{16, 32, 64, 128, 256}, {8, 16, 32, 64}};
    const struct plan_overrides *anchor = &options->request.filter.overrides;
    struct reuse_table *table = &report->table[report->tables++];
    int width = options->mask_width.width[index], height = options->mask_width.height[index];
    height = dims == 1 ? 1 : height ? height : width;
    struct reuse_shape shape = {.dims = dims,
                                .mask_width = width,
                                .mask_height = height,
                                .anchor_x = anchor->has_anchor ? anchor->anchor_x : width / 2,
                                .anchor_y = anchor->has_anchor ? anchor->anchor_y : height / 2};
    if (shape.anchor_x >= width || shape.anchor_y >= height)
        return error_set(err, EXIT_USAGE, "--anchor %d,%d lies outside a mask of %d x %d cells%s",
                         shape.anchor_x, shape.anchor_y, width, height,
                         dims == 1 ? " (for 2D alone: --dims 2)" : "");
    table->tiles = options->tiles.count ? options->tiles.count : dims == 1 ? 5 : 4;
    for (int i = 0; i < table->tiles; i++) {
        shape.tile = options->tiles.count ? options->tiles.width[i] : tiles[dims - 1][i];
        table->shape[i] = shape;
    }
    return true;
}

static bool add_tables(const struct options *options, struct reuse_report *report,
                       struct error *err)
{
    const char *reason = needs_2d(options);
    if (reason && options->dims == 1)
        return error_set(err, EXIT_USAGE, "--dims 1: %s is for 2D", reason);
    for (int dims = reason ? 2 : 1; dims <= 2; dims++) {
        if (options->dims != 0 && options->dims != dims)
            continue;
        for (int i = 0; i < options->mask_width.count; i++) {
            if (!add_table(options, report, i, dims, err))
                return false;
        }
    }
    return true;
}

/* ---- the array or picture ---- */

static bool read_size(const struct options *options, struct reuse_report *report, struct error *err)
{
    struct source *source;
    report->has_size = options->operands || options->size.count;
    report->channels = 1;
    if (options->size.count) {
        report->width = options->size.width[0];
        report->height = options->size.height[0] ? options->size.height[0] : report->width;
    }
    if (!options->operands)
        return true;
    if (!source_open(&source, options->operand[0], err))
        return false;
    const struct image_info *info = source_info(source);
    report->input = options->operand[0];
    report->width = info->width;
    report->height = info->height;
    report->channels = info->channels;
    source_close(source);
    return true;
}

/* Counts the grids of all shapes if there is a size. */
static bool count_grids(struct reuse_report *report, struct error *err)
{
    for (int i = 0; report->has_size && i < report->tables; i++) {
        struct reuse_table *table = &report->table[i];
        for (int j = 0; j < table->tiles; j++) {
            long long height = table->shape[j].dims == 1 ? 1 : report->height;
            if (!reuse_grid_count(&table->shape[j], report->width, height, report->channels,
                                  &table->grid[j], err))
                return false;
        }
    }
    return true;
}

static bool report_make(struct options *options, struct reuse_report *report, struct error *err)
{
    return check_together(options, err) && read_masks(options, err) &&
           add_tables(options, report, err) && read_size(options, report, err) &&
           count_grids(report, err);
}

bool command_reuse(const struct options *given, struct error *err)
{
    struct reuse_report *report = calloc(1, sizeof *report);
    struct options options = *given;
    bool ok = report ? report_make(&options, report, err)
                     : error_set(err, EXIT_INPUT, "no memory for the tables");
    if (ok && options.json)
        reuse_print_json(stdout, report);
    else if (ok && options.csv)
        reuse_print_csv(stdout, report);
    else if (ok)
        reuse_print_text(stdout, report);
    free(report);
    return ok;
}
