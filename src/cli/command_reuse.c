/* `stencilcli reuse [IMAGE]`: the data-reuse analysis of the textbook's chapter as
 * tables. Puts together the masks, the tiles and the array or picture that
 * the user asks about, and refuses options that contradict each other before anything is
 * printed. Of an IMAGE only the size and the number of channels are read. */
#include <stdio.h>
#include <string.h>

#include "bench/reuse.h"
#include "cli/command.h"
#include "codec/codec.h"
#include "plan/mask.h"

/* The masks, whether given as numbers or by --mask. A mask without a height has as many cells as it
 * is wide in 1D, and the square of that in 2D. */
struct mask_sizes {
    struct option_sizes list;
    bool has_anchor; /* else it is the middle */
    int anchor_x, anchor_y;
};

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

static bool read_masks(const struct options *options, struct mask_sizes *masks, struct error *err)
{
    const struct plan_overrides *given = &options->request.filter.overrides;
    struct mask mask;
    *masks = (struct mask_sizes){options->mask_width, given->has_anchor, given->anchor_x,
                                 given->anchor_y};
    if (options->request.filter.mask) {
        if (!mask_load(&mask, options->request.filter.mask, err))
            return false;
        masks->list = (struct option_sizes){1, {mask.width}, {mask.height}};
        if (!masks->has_anchor) {
            masks->anchor_x = mask.anchor_x;
            masks->anchor_y = mask.anchor_y;
        }
        masks->has_anchor = true;
        mask_free(&mask);
    }
    if (masks->list.count == 0) /* those of the chapter */
        masks->list = (struct option_sizes){2, {5, 9}, {0}};
    return true;
}

/* ---- 1D, 2D or both ---- */

/* The option that makes the question one of 2D, or NULL. */
static const char *needs_2d(const struct options *options, const struct mask_sizes *masks)
{
    if (options->operands)
        return "a picture";
    if (options->size.height[0])
        return "a size of two sides";
    for (int i = 0; i < masks->list.count; i++) {
        if (masks->list.height[i] > 1)
            return "a mask of several rows";
    }
    return NULL;
}

static bool add_table(const struct options *options, struct reuse_report *report,
                      const struct mask_sizes *masks, int index, int dims, struct error *err)
{
    static const int tiles[2][5] = {{16, 32, 64, 128, 256}, {8, 16, 32, 64}};
    struct reuse_table *table = &report->table[report->tables++];
    struct reuse_shape *shape = &table->shape;
    int width = masks->list.width[index], height = masks->list.height[index];
    height = dims == 1 ? 1 : height ? height : width;
    *shape = (struct reuse_shape){.dims = dims,
                                  .mask_width = width,
                                  .mask_height = height,
                                  .anchor_x = masks->has_anchor ? masks->anchor_x : width / 2,
                                  .anchor_y = masks->has_anchor ? masks->anchor_y : height / 2};
    if (shape->anchor_x >= width || shape->anchor_y >= height)
        return error_set(err, EXIT_USAGE, "--anchor %d,%d lies outside a mask of %d x %d cells%s",
                         shape->anchor_x, shape->anchor_y, width, height,
                         dims == 1 ? " (for 2D alone: --dims 2)" : "");
    const int *from = options->tiles.count ? options->tiles.width : tiles[dims - 1];
    table->tiles = options->tiles.count ? options->tiles.count : dims == 1 ? 5 : 4;
    memcpy(table->tile, from, (size_t)table->tiles * sizeof *from);
    return true;
}

static bool add_tables(const struct options *options, struct reuse_report *report,
                       const struct mask_sizes *masks, struct error *err)
{
    const char *reason = needs_2d(options, masks);
    if (reason && options->dims == 1)
        return error_set(err, EXIT_USAGE, "--dims 1: %s is for 2D", reason);
    for (int dims = reason ? 2 : 1; dims <= 2; dims++) {
        if (options->dims != 0 && options->dims != dims)
            continue;
        for (int i = 0; i < masks->list.count; i++) {
            if (!add_table(options, report, masks, i, dims, err))
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

/* The printers rely on this check. */
static bool check_counts(const struct reuse_report *report, struct error *err)
{
    for (int i = 0; report->has_size && i < report->tables; i++) {
        for (int j = 0; j < report->table[i].tiles; j++) {
            struct reuse_shape shape = reuse_table_shape(&report->table[i], j);
            struct reuse_grid grid;
            if (!reuse_report_grid(report, &shape, &grid, err))
                return false;
        }
    }
    return true;
}

bool command_reuse(const struct options *options, struct error *err)
{
    struct reuse_report report = {0};
    struct mask_sizes masks;
    if (!check_together(options, err) || !read_masks(options, &masks, err) ||
        !add_tables(options, &report, &masks, err) || !read_size(options, &report, err) ||
        !check_counts(&report, err))
        return false;
    if (options->json)
        reuse_print_json(stdout, &report);
    else if (options->csv)
        reuse_print_csv(stdout, &report);
    else
        reuse_print_text(stdout, &report);
    return true;
}
