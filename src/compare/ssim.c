/* Structural similarity: the formula and the exact sums that it takes. Why no sum overflows,
 * with weights that sum to 2^11 in each direction:
 *
 *            sum of a column            of the window          times the weights' sum
 *   8 bits   2^11 * 2 * 255^2 < 2^28    < 2^39                 2^22 * 2^39 = 2^61
 *   16 bits  2^11 * 2 * 65535^2 < 2^44  < 2^55                 2^77: 128 bits */
#include "compare/ssim.h"

#include <stdbool.h>
#include <string.h>

/* So many windows at a time: their sums stay in the first cache. */
#define BLOCK 256

__extension__ typedef __int128 int128;

static const int gauss[SSIM_SIDE] = {2, 16, 74, 224, 436, 544, 436, 224, 74, 16, 2};

/* The middle SIDE weights. */
static const int *ssim_weights(int side)
{
    return gauss + (SSIM_SIDE - side) / 2;
}

static int64_t ssim_whole(int side)
{
    int64_t sum = 0;
    for (int i = 0; i < side; i++)
        sum += ssim_weights(side)[i];
    return sum;
}

int ssim_side(int samples)
{
    return samples >= SSIM_SIDE ? SSIM_SIDE : samples % 2 ? samples : samples - 1;
}

/* The sums of columns: w x, w y, w (x^2 + y^2), w x y. */
struct columns {
    uint64_t *x, *y, *squares, *xy;
};

size_t ssim_scratch(int width)
{
    return (size_t)width * 4;
}

static void sum_columns(const struct ssim_rows *rows, const struct columns *sums)
{
    const int *weight = ssim_weights(rows->rows);
    uint64_t *sx = sums->x, *sy = sums->y, *squares = sums->squares, *sxy = sums->xy;

    memset(sx, 0, ssim_scratch(rows->width) * sizeof *sx);
    for (int i = 0; i < rows->rows; i++) {
        const uint16_t *a = rows->a[i], *b = rows->b[i];
        uint32_t w = (uint32_t)weight[i];
        for (int x = 0; x < rows->width; x++) {
            uint32_t va = a[x], vb = b[x];
            sx[x] += w * va;
            sy[x] += w * vb;
            squares[x] += (uint64_t)w * (va * va) + (uint64_t)w * (vb * vb);
            sxy[x] += (uint64_t)w * (va * vb);
        }
    }
}

/* The sums of COUNT windows; the weights are the same from both ends. */
static void sum_windows(const uint64_t *column, int side, int count, int64_t *sum)
{
    const int *weight = ssim_weights(side);

    for (int x = 0; x < count; x++)
        sum[x] = (int64_t)(column[x + side / 2] * (uint32_t)weight[side / 2]);
    for (int j = 0; j < side / 2; j++) {
        const uint64_t *left = column + j, *right = column + side - 1 - j;
        uint32_t w = (uint32_t)weight[j];
        for (int x = 0; x < count; x++)
            sum[x] += (int64_t)((left[x] + right[x]) * w);
    }
}

static inline double number(int128 value, bool narrow)
{
    return narrow ? (double)(int64_t)value : (double)value;
}

/* The sum of the SSIM over one row of windows. NARROW: samples of 8 bits, whose products fit 64
 * bits. Everything in the formula is times the square of the weights' sum, so that it is whole. */
static inline __attribute__((always_inline)) double ssim_windows(const struct ssim_rows *rows,
                                                                 const struct columns *columns,
                                                                 bool narrow)
{
    int side = ssim_side(rows->width), windows = rows->width - side + 1;
    int64_t whole = ssim_whole(side) * ssim_whole(rows->rows);
    double scale = (double)whole * (double)whole, max = rows->max;
    double c1 = 0.01 * 0.01 * max * max * scale, c2 = 0.03 * 0.03 * max * max * scale, sum = 0;
    int64_t a[BLOCK], b[BLOCK], squares[BLOCK], ab[BLOCK];

    for (int first = 0; first < windows; first += BLOCK) {
        int count = windows - first < BLOCK ? windows - first : BLOCK;
        sum_windows(columns->x + first, side, count, a);
        sum_windows(columns->y + first, side, count, b);
        sum_windows(columns->squares + first, side, count, squares);
        sum_windows(columns->xy + first, side, count, ab);
        for (int x = 0; x < count; x++) {
            int128 means = (int128)a[x] * a[x] + (int128)b[x] * b[x];
            int128 product = 2 * ((int128)a[x] * b[x]);
            int128 variances = (int128)whole * squares[x] - means;
            int128 covariance = 2 * ((int128)whole * ab[x]) - product;
            sum += ((number(product, narrow) + c1) * (number(covariance, narrow) + c2)) /
                   ((number(means, narrow) + c1) * (number(variances, narrow) + c2));
        }
    }
    return sum;
}

double ssim_row(const struct ssim_rows *rows, uint64_t *sums)
{
    size_t width = (size_t)rows->width;
    const struct columns columns = {sums, sums + width, sums + 2 * width, sums + 3 * width};

    sum_columns(rows, &columns);
    return rows->max <= 255 ? ssim_windows(rows, &columns, true)
                            : ssim_windows(rows, &columns, false);
}
