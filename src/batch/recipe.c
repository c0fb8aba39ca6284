/* The recipe of a batch's outputs: everything except the input that decides their bytes. Device,
 * kernel, tile and threads never affect the bytes, so the recipe does not contain them. A change of
 * this text makes older manifests invalid: all files are filtered again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "batch/batch.h"

/* Prints a hash of all numbers of the mask, since a large mask as text would be the longest line of
 * the manifest. */
static bool put_mask(FILE *out, const struct mask *mask)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *numbers = open_memstream(&text, &bytes);

    if (!numbers)
        return false;
    for (int i = 0; i < mask_numbers(mask); i++)
        gmp_fprintf(numbers, "%Qd ", mask->weight[i]);
    if (mask->outer)
        gmp_fprintf(numbers, "outer %Qd ", mask->centre);
    gmp_fprintf(numbers, "/ %Qd + %Qd%s", mask->divisor, mask->offset,
                mask->offset_percent ? "%" : "");
    bool ok = fclose(numbers) == 0;
    if (ok)
        fprintf(out, "mask %dx%d anchor %d,%d weights %016" PRIx64 "\n", mask->width, mask->height,
                mask->anchor_x, mask->anchor_y, hash_text(text));
    free(text);
    return ok;
}

/* The mask for 16-bit pictures: a folder may have pictures of both depths. */
static bool put_deep_mask(FILE *out, const struct filter_request *filter)
{
    struct filter_request deep = *filter;
    struct error why;

    deep.next = NULL; /* unloads this step only */
    if (!filter_masks(&deep, SAMPLE_U16, &why))
        return false;
    bool ok = put_mask(out, &deep.masks[0]);
    filter_unload(&deep);
    return ok;
}

static void put(FILE *out, const char *name, const char *value)
{
    if (value)
        fprintf(out, "%s %s\n", name, value);
}

/* A hash of the samples of --where. */
static uint64_t hash_where(const struct filter_request *filter)
{
    const struct image *where = &filter->where_picture;
    uint64_t hash = filter->where_max;

    for (int y = 0; y < where->height; y++)
        hash = hash_bytes(hash, image_row(where, y), image_row_bytes(where));
    return hash;
}

static void put_step(FILE *out, const struct filter_request *filter)
{
    fprintf(out, "filter %s\n", filter->filter->name);
    put(out, "amount", filter->amount);
    put(out, "rank", filter->rank);
    put(out, "range", filter->range);
    fprintf(out, "border %s\n", border_name(filter->border.border));
    if (filter->border.border == BORDER_CONSTANT)
        fprintf(out, "constant %s%s\n", filter->border.value, filter->border.percent ? "%" : "");
    fprintf(out, "alpha %d\n", (int)filter->alpha);
    put(out, "channels", filter->channels);
    fprintf(out, "repeat %d\n", filter->repeat);
    if (filter->light)
        fprintf(out, "light linear\n");
    if (filter->has_nodata)
        fprintf(out, "nodata %" PRIu32 "\n", filter->nodata);
    if (filter->region.width > 0)
        fprintf(out, "region %d,%d,%d,%d\n", filter->region.x, filter->region.y,
                filter->region.width, filter->region.height);
    if (filter->where)
        fprintf(out, "where %016" PRIx64 "\n", hash_where(filter));
}

char *batch_recipe(const struct picture_request *request, const char *folder, struct error *err)
{
    const struct filter_request *step = &request->filter;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    bool ok = out != NULL;

    if (ok)
        fprintf(out, "version %s\n", STENCIL_VERSION);
    for (; ok && step; step = step->next) {
        put_step(out, step);
        for (int i = 0; ok && i < step->mask_count; i++)
            ok = put_mask(out, &step->masks[i]);
        if (ok && filter_masks_differ(step))
            ok = put_deep_mask(out, step);
    }
    if (ok)
        fprintf(out, "format %s quality %d png-level %d tiff %d%s\nfolder %s\n",
                format_name(request->sink.format), request->sink.quality,
                (int)request->sink.png_level, request->sink.tiff_compression,
                request->sink.drop_alpha ? " drop alpha" : "", folder);
    ok = out && fclose(out) == 0 && ok;
    if (ok)
        return text;
    free(text);
    error_set(err, EXIT_INPUT, "no memory for the recipe of the manifest");
    return NULL;
}
