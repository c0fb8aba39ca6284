/* The reference of `stencilcli try`: every output by the chapter's formula, in integers that
 * floating point holds exactly; and the same formula with a slip, to recognise it. */
#include <math.h>

#include "try/judge.h"

/* Where a ghost cell takes its value from; -1: it is 0. */
static int place(enum try_border border, int at, int size)
{
    if (at >= 0 && at < size)
        return at;
    if (border == TRY_ZERO)
        return -1;
    if (border == TRY_REPLICATE)
        return at < 0 ? 0 : size - 1;
    if (border == TRY_WRAP)
        return (at % size + size) % size;
    if (border == TRY_MIRROR) { /* the edge counts once */
        const int period = size > 1 ? 2 * size - 2 : 1;
        at = (at % period + period) % period;
        return at < size ? at : period - at;
    }
    at = (at % (2 * size) + 2 * size) % (2 * size);
    return at < size ? at : 2 * size - 1 - at;
}

double try_reference(const struct try_case *it, const struct try_variant *variant, int x, int y,
                     int channel)
{
    const int width = it->mask_width, rows = it->mask_rows;
    double sum = 0;

    for (int i = variant->skip_top; i < rows - variant->skip_bottom; i++) {
        for (int j = variant->skip_left; j < width - variant->skip_right; j++) {
            const int number = i * width + j;
            if ((variant->skip_cell > 0 && number == width * rows - 1) ||
                (variant->skip_cell < 0 && number == 0))
                continue;
            const int row =
                place(variant->border,
                      y + variant->shift_y + (variant->half_y - 1) * (rows / 2) + i, it->height);
            const int col =
                place(variant->border,
                      x + variant->shift_x + (variant->half_x - 1) * (width / 2) + j, it->width);
            if (row < 0 || col < 0)
                continue;
            const int from_row = variant->flip_y ? rows - 1 - i : i;
            const int from_col = variant->flip_x ? width - 1 - j : j;
            const int weight = it->m[variant->transpose ? from_col * width + from_row
                                                        : from_row * width + from_col];
            sum += (double)weight * it->n[(row * it->width + col) * it->channels + channel];
        }
    }
    return sum;
}
