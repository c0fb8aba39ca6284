/* The values of options that are lists of sizes: --mask-width, --size, and --tile
 * as `reuse` understands it. A size is N or, where the option allows it, NxM. Which
 * of them go together is for cli/command_reuse.c to say. */
#include "cli/option_table.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "bench/reuse.h"
#include "plan/mask.h"

/* Digits only, 1 to MAX; *text moves behind them. */
static bool parse_number(const char **text, int max, int *number)
{
    const char *at = *text;
    int64_t value = 0;
    for (; isdigit((unsigned char)*at) && value <= max; at++)
        value = 10 * value + (*at - '0');
    if (at == *text || value < 1 || value > max)
        return false;
    *text = at;
    *number = (int)value;
    return true;
}

/* MOST sizes with commas between, each side 1 to MAX, NxM where PAIRS. *sizes changes only when
 * all is well. */
static bool parse_sizes(const char *text, int most, int max, bool pairs, struct option_sizes *sizes)
{
    struct option_sizes parsed = {0};
    do {
        int i = parsed.count++;
        if (i == most || !parse_number(&text, max, &parsed.width[i]))
            return false;
        if (pairs && *text == 'x') {
            text++;
            if (!parse_number(&text, max, &parsed.height[i]))
                return false;
        }
    } while (*text++ == ',');
    if (text[-1] != '\0')
        return false;
    *sizes = parsed;
    return true;
}

bool option_set_mask_width(struct options *options, const struct option_spec *spec,
                           const char *value, struct error *err)
{
    if (parse_sizes(value, OPTION_SIZES_MAX, MASK_MAX_SIDE, true, &options->mask_width))
        return true;
    return error_set(err, EXIT_USAGE,
                     "--%s %s: expected K or KxL from 1 to %d, or up to %d of them with commas "
                     "between",
                     spec->name, value, MASK_MAX_SIDE, OPTION_SIZES_MAX);
}

bool option_set_size(struct options *options, const struct option_spec *spec, const char *value,
                     struct error *err)
{
    if (parse_sizes(value, 1, INT_MAX, true, &options->size))
        return true;
    return error_set(err, EXIT_USAGE, "--%s %s: expected N or WxH, whole numbers from 1 to %d",
                     spec->name, value, INT_MAX);
}

bool option_read_tiles(struct options *options, const struct option_spec *spec, const char *value,
                       struct error *err)
{
    if (parse_sizes(value, OPTION_SIZES_MAX, REUSE_MAX_TILE, false, &options->tiles))
        return true;
    return error_set(err, EXIT_USAGE,
                     "--%s %s: expected a whole number from 1 to %d, or up to %d of them with "
                     "commas between",
                     spec->name, value, REUSE_MAX_TILE, OPTION_SIZES_MAX);
}
