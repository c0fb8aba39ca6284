/* The cases on which a student's kernel is tried: see judge.h. Pictures and masks are random and
 * asymmetric. All sums are exact in the kernel's types. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "codec/codec.h"
#include "plan/mask.h"
#include "try/judge.h"

static unsigned seed_now;

static unsigned next_random(unsigned below)
{
    seed_now = seed_now * 1664525u + 1013904223u;
    return (seed_now >> 8) % below;
}

/* ---- numbers ---- */

static bool is_small(enum try_type type)
{
    return type == TYPE_U8 || type == TYPE_I8;
}

static bool is_signed(enum try_type type)
{
    return type != TYPE_U8 && type != TYPE_U16 && type != TYPE_U32 && type != TYPE_U64;
}

/* The greatest sample and weight so that P holds each sum, and a sum of bytes is too large for a
 * byte if P is larger. If the mask has too many cells for P, only each EVERY-th is not 0. */
static void choose_ranges(const struct try_file *file, const struct try_case *it, int *most_n,
                          int *most_m, int *least_m, int *every)
{
    const enum try_type p = file->type[ROLE_P];
    const int cells = it->mask_width * it->mask_rows;
    const int room = is_small(p) ? 127 : p == TYPE_I16 || p == TYPE_U16 ? 32767 : 1 << 24;

    *most_n = file->type[ROLE_N] == TYPE_I8 ? 120 : 250;
    *most_m = 30;
    *least_m = is_signed(file->type[ROLE_M]) && is_signed(p) ? -9 : 1;
    while (*most_m > 3 && (double)cells * *most_n * *most_m > room)
        *most_m -= 1;
    while (*most_n > 1 && (double)cells * *most_n * *most_m > room)
        *most_n -= 1;
    while (*most_m > 1 && (double)cells * *most_n * *most_m > room)
        *most_m -= 1;
    *every = 1 + (*most_n * *most_m == 1 ? (cells - 1) / room : 0);
    if (*least_m < -*most_m)
        *least_m = -*most_m;
}

static bool fill_case(const struct try_file *file, struct try_case *it)
{
    const size_t samples = (size_t)it->width * (size_t)it->height * (size_t)it->channels;
    const int cells = it->mask_width * it->mask_rows;
    int most_n, most_m, least_m, every;

    choose_ranges(file, it, &most_n, &most_m, &least_m, &every);
    it->n = malloc(samples * sizeof *it->n);
    it->m = malloc((size_t)cells * sizeof *it->m);
    if (!it->n || !it->m)
        return false;
    for (size_t i = 0; i < samples; i++)
        it->n[i] = 1 + (int)next_random((unsigned)most_n);
    for (int i = 0; i < cells; i++) {
        it->m[i] = least_m + (int)next_random((unsigned)(most_m - least_m + 1));
        it->m[i] = i % every ? 0 : it->m[i] ? it->m[i] : 1;
    }
    return true;
}

/* ---- cases ---- */

/* A new case without numbers; NULL: no memory. */
static struct try_case *add(struct try_battery *battery, int width, int height, int mask_width,
                            const struct try_file *file)
{
    if (battery->count == battery->room) {
        const int room = battery->room ? 2 * battery->room : 64;
        struct try_case *more = realloc(battery->cases, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        battery->cases = more;
        battery->room = room;
    }
    struct try_case *it = &battery->cases[battery->count];
    *it = (struct try_case){.width = width,
                            .height = file->dims == 1 ? 1 : height,
                            .channels = 1,
                            .pitch = width,
                            .mask_width = mask_width,
                            .mask_rows = file->dims == 1 ? 1 : mask_width,
                            .order = ORDER_FORWARD,
                            .seed = seed_now};
    battery->count++;
    return it;
}

/* Whether the kernel takes the mask, as far as its file says. */
static bool can_take(const struct try_file *file, int mask_width)
{
    if (file->only_mask)
        return mask_width == file->only_mask;
    return (!file->limit_mask || mask_width <= file->limit_mask) &&
           !(file->odd_only && mask_width % 2 == 0);
}

static bool takes_mask(const struct try_file *file, int mask_width)
{
    return can_take(file, mask_width) && mask_width <= file->most_mask;
}

/* Products of a case that are not too many to wait for. */
#define MOST_PRODUCTS (4 << 20)

static bool is_long(const struct try_file *file, int width, int height, int mask_width)
{
    return (double)width * height * mask_width * (file->dims == 1 ? 1 : mask_width) > MOST_PRODUCTS;
}

static void name_case(const struct try_file *file, struct try_case *it)
{
    char pitch[32] = "", channels[32] = "";

    if (it->pitch != it->width * it->channels)
        snprintf(pitch, sizeof pitch, ", pitch %d", it->pitch);
    if (it->channels > 1)
        snprintf(channels, sizeof channels, ", %d channels", it->channels);
    if (file->dims == 1)
        snprintf(it->name, sizeof it->name, "%d cells, mask of %d", it->width, it->mask_width);
    else
        snprintf(it->name, sizeof it->name, "%d x %d, mask %d x %d%s%s", it->width, it->height,
                 it->mask_width, it->mask_rows, pitch, channels);
}

static bool add_filled(struct try_battery *battery, const struct try_file *file, int width,
                       int height, int mask_width, int padding, int channels, enum try_order order)
{
    if (width < 1 || height < 1 || !can_take(file, mask_width))
        return true;
    struct try_case *it = add(battery, width, height, mask_width, file);
    if (!it)
        return false;
    it->order = order;
    it->channels = channels;
    it->pitch = width * channels + padding;
    name_case(file, it);
    return fill_case(file, it);
}

/* One size with a mask: with all that the kernel's parameters let vary. */
static bool add_size(struct try_battery *battery, const struct try_file *file, int width,
                     int height, int mask_width)
{
    const enum try_order order = (enum try_order)(battery->count % 3);
    if (is_long(file, width, height, mask_width))
        return true;
    bool good = add_filled(battery, file, width, height, mask_width, 0, 1, order);

    if (file->has[ROLE_PITCH])
        good = good && add_filled(battery, file, width, height, mask_width, 5, 1, order);
    if (file->has[ROLE_CHANNELS])
        good = good && add_filled(battery, file, width, height, mask_width,
                                  file->has[ROLE_PITCH] ? 3 : 0, 3, order);
    return good;
}

static int some_mask(const struct try_file *file, int wanted)
{
    while (wanted > 1 && !takes_mask(file, wanted))
        wanted--;
    return takes_mask(file, wanted) ? wanted : file->only_mask ? file->only_mask : file->most_mask;
}

static bool add_sizes(struct try_battery *battery, const struct try_file *file, bool quick)
{
    const int w = file->tile[0], h = file->tile[1];
    const int k3 = some_mask(file, 3), k5 = some_mask(file, 5);
    const int line = file->dims == 1;
    const int sizes[][2] = {{2 * w, 2 * h},
                            {3 * w + 2, line ? 1 : h + 5},
                            {37, 23},
                            {23, 37},
                            {w, line ? 1 : 3 * h},
                            {1, 1},
                            {w + 1, h + 1},
                            {7, 1},
                            {1, 7},
                            {w, h},
                            {3 * w, h},
                            {w - 1, h - 1},
                            {h + 5, 3 * h + 2},
                            {29, 29},
                            {2 * w + 1, 2 * h},
                            {2 * w, 2 * h + 1},
                            {19, 2},
                            {2, 19}};
    const int count = quick ? 9 : (int)(sizeof sizes / sizeof sizes[0]);

    for (int i = 0; i < count; i++) {
        const int mask = i % 2 ? k5 : k3;
        const int width = sizes[i][0] < 300 ? sizes[i][0] : 300 + sizes[i][0] % 2;
        if (!add_size(battery, file, sizes[i][0] < 1200 ? sizes[i][0] : width, sizes[i][1], mask))
            return false;
    }
    return true;
}

static bool add_masks(struct try_battery *battery, const struct try_file *file, bool quick)
{
    const int most = file->most_mask;
    const int masks[] = {1, 2, 4, 3, 5, 7, most, most - 1, 9, 11, 13};
    const int count = quick ? 7 : (int)(sizeof masks / sizeof masks[0]);

    for (int i = 0; i < count; i++) {
        if (masks[i] < 1 || masks[i] > most)
            continue;
        const bool square = i % 2;
        if (!add_size(battery, file, square ? 26 : 31, square ? 26 : 21, masks[i]))
            return false;
    }
    /* Masks that are larger than the picture. */
    return add_size(battery, file, 3, 2, some_mask(file, most)) &&
           add_size(battery, file, 2, 3, some_mask(file, 5));
}

/* ---- cases that the user gives ---- */

static bool add_hidden(struct try_battery *battery, const struct try_file *file, const char *path,
                       struct error *err)
{
    FILE *in = fopen(path, "r");
    char text[256];
    bool good = in != NULL;

    if (!in)
        return error_errno(err, path, "open");
    for (int line = 1; good && fgets(text, sizeof text, in); line++) {
        int number[4] = {0}, numbers = 0;
        text[strcspn(text, "#\r\n")] = '\0';
        if (text[strspn(text, " \t")] == '\0')
            continue;
        const char *at = text;
        while (numbers < 4 && word_int(at += strspn(at, " \t"), &at, &number[numbers]))
            numbers++;
        const int read = at[strspn(at, " \t")] == '\0' ? numbers : 0;
        const int width = number[0], height = number[1], mask = number[2], pitch = number[3];
        if (read < 3 || width < 1 || height < 1 || mask < 1 || width > 2048 || height > 2048 ||
            mask > 255 || (read == 4 && (pitch < width || pitch > 4096))) {
            good = error_file(err, path, "line %d: expected width height mask_width [pitch]", line);
        } else if (can_take(file, mask) && is_long(file, width, height, mask)) {
            good =
                error_file(err, path,
                           "line %d: %d x %d with a mask of %d takes too long in software: choose "
                           "a smaller picture or mask",
                           line, width, height, mask);
        } else {
            const int padding = read == 4 && file->has[ROLE_PITCH] ? pitch - width : 0;
            const int before = battery->count;
            battery->not_taken += !can_take(file, mask);
            good = add_filled(battery, file, width, height, mask, padding, 1, ORDER_RANDOM) ||
                   error_file(err, path, "no memory for its cases");
            if (good && battery->count > before)
                battery->cases[before].hidden = true;
        }
    }
    fclose(in);
    return good;
}

static bool add_mask(struct try_battery *battery, const struct try_file *file, const char *name,
                     struct error *err)
{
    struct mask mask;
    bool good = mask_load(&mask, name, err);

    if (!good)
        return false;
    if (mask.outer || mask.height != (file->dims == 1 ? 1 : mask.width) ||
        !can_take(file, mask.width)) {
        char taken[64];
        try_masks_name(file, taken);
        good = error_set(err, EXIT_USAGE, "--mask %.80s: the kernel takes %s", name, taken);
    } else if (mask.width > TRY_MOST_MASK(file->dims)) {
        good = error_set(err, EXIT_USAGE,
                         "--mask %.80s: too wide to try in software: choose one of at most %d "
                         "cells along an axis",
                         name, TRY_MOST_MASK(file->dims));
    } else if (!add_filled(battery, file, 37, 23, mask.width, 0, 1, ORDER_RANDOM)) {
        good = error_set(err, EXIT_INPUT, "no memory for the mask's case");
    } else {
        struct try_case *it = &battery->cases[battery->count - 1];
        for (int i = 0; i < mask.width * mask.height; i++)
            it->m[i] = (int32_t)mpq_get_d(mask.weight[i]);
    }
    mask_free(&mask);
    return good;
}

#define IMAGE_MOST 256

/* The upper left part of a picture, its first channel. */
static bool add_image(struct try_battery *battery, const struct try_file *file, const char *path,
                      struct error *err)
{
    struct source *source;
    struct image image = {0};
    bool good = source_open(&source, path, err);

    if (!good)
        return false;
    good = source_read_all(source, &image, err);
    source_close(source);
    if (!good)
        return false;
    const int mask_width = some_mask(file, 5);
    int most = IMAGE_MOST;
    while (is_long(file, most, most, mask_width))
        most /= 2;
    const int width = image.width < most ? image.width : most;
    const int height = image.height < most ? image.height : most;
    good = add_filled(battery, file, width, height, mask_width, 0, 1, ORDER_RANDOM) ||
           error_file(err, path, "no memory for its case");
    if (good) {
        struct try_case *it = &battery->cases[battery->count - 1];
        for (int y = 0; y < it->height; y++)
            for (int x = 0; x < width; x++)
                it->n[y * width + x] = (int32_t)(image_sample(image_row(&image, y), image.type,
                                                              (size_t)x * (size_t)image.channels) >>
                                                 (image.type == SAMPLE_U16 ? 8 : 0)) %
                                       (is_small(file->type[ROLE_P]) ? 2 : 251);
    }
    image_free(&image);
    return good;
}

bool try_battery_make(struct try_battery *battery, const struct try_file *file,
                      const struct try_wishes *wishes, struct error *err)
{
    *battery = (struct try_battery){0};
    seed_now = wishes->seed * 2654435761u + 12345u;
    if (!add_sizes(battery, file, wishes->quick) || !add_masks(battery, file, wishes->quick))
        return error_set(err, EXIT_INPUT, "no memory for the cases");
    return (!wishes->hidden || add_hidden(battery, file, wishes->hidden, err)) &&
           (!wishes->mask || add_mask(battery, file, wishes->mask, err)) &&
           (!wishes->image || add_image(battery, file, wishes->image, err));
}

void try_masks_name(const struct try_file *file, char text[64])
{
    const int most = file->only_mask ? file->only_mask : file->limit_mask;
    char sides[32] = "";

    if (most && file->dims == 1)
        snprintf(sides, sizeof sides, " of %s%d cells", file->only_mask ? "" : "up to ", most);
    else if (most)
        snprintf(sides, sizeof sides, " of %s%d x %d", file->only_mask ? "" : "up to ", most, most);
    snprintf(text, 64, "%s%s%s", file->odd_only ? "odd " : "",
             file->dims == 1 ? "masks of one row" : "square masks", sides);
}

bool try_battery_add_count(struct try_battery *battery, const struct try_file *file, int mask_width,
                           struct error *err)
{
    const int before = battery->count;

    if (!add_filled(battery, file, file->dims == 1 ? 1000 : 61, 59, some_mask(file, mask_width), 0,
                    1, ORDER_FORWARD))
        return error_set(err, EXIT_INPUT, "no memory for the cases");
    for (int i = before; i < battery->count; i++)
        battery->cases[i].count = true;
    return true;
}

bool try_battery_add_large(struct try_battery *battery, const struct try_file *file,
                           struct error *err)
{
    const int side = file->dims == 1 ? 1 << 24 : 4096;

    return add_filled(battery, file, side, side, some_mask(file, 5), 0, 1, ORDER_FORWARD) ||
           error_set(err, EXIT_INPUT, "no memory for a large case");
}

void try_battery_free(struct try_battery *battery)
{
    for (int i = 0; i < battery->count; i++)
        try_case_free(&battery->cases[i]);
    free(battery->cases);
    *battery = (struct try_battery){0};
}
