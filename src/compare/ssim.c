/* The structural similarity of two rows of pictures (Wang, Bovik, Sheikh, Simoncelli, "Image
 * quality assessment: from error visibility to structural similarity", 2004).
 *
 *           (2 mx my + C1) (2 sxy + C2)         C1 = (0.01 max)^2
 *   SSIM = --------------------------------     C2 = (0.03 max)^2
 *          (mx^2 + my^2 + C1) (sx + sy + C2)
 *
 * with means m, variances s and covariance sxy in a window of 11 x 11 samples, weighted by a
 * Gaussian of sigma 1.5; then the mean over all windows that lie inside the picture. The weights
 * are those of `stencilcli mask --sigma 1.5 --radius 5`, whole numbers over 2048^2, so that all
 * sums are exact; only the quotient is a double. In a picture less than 11 wide (or high) the
 * window's side is the largest odd number of samples that fits, with the middle weights.
 *
 * Why no sum overflows, with weights that sum to 2^11 in each direction:
 *
 *            sum of a column            of the window          times the weights' sum
 *   8 bits   2^11 * 2 * 255^2 < 2^28    < 2^39                 2^22 * 2^39 = 2^61
 *   16 bits  2^11 * 2 * 65535^2 < 2^44  < 2^55                 2^77: 128 bits */
#include "compare/ssim.h"

#include <string.h>

/* Windows computed at a time: their sums stay in the L1 cache. */
#define BLOCK 256

__extension__ typedef __int128 int128;

static const int gauss[SSIM_SIDE] = {2, 16, 74, 224, 436, 544, 436, 224, 74, 16, 2};

/* The SIDE middle weights. */
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

size_t ssim_scratch(int width)
{
    return (size_t)width * 4;
}

/* Fills SUMS with the sums of all columns: first w x of each, then w y, w (x^2 + y^2), w x y. */
static void sum_columns(const struct ssim_rows *rows, uint64_t *sums)
{
    const int *weight = ssim_weights(rows->rows);
    uint64_t *sx = sums, *sy = sx + rows->width, *squares = sy + rows->width;
    uint64_t *sxy = squares + rows->width;

    memset(sums, 0, ssim_scratch(rows->width) * sizeof *sums);
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

/* Computes the sums of COUNT windows; the weights are symmetric. */
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

/* All terms of the formula are multiplied by the square of the weights' sum, so they are whole. */
double ssim_row(const struct ssim_rows *rows, uint64_t *sums)
{
    int side = ssim_side(rows->width), windows = rows->width - side + 1;
    int64_t whole = ssim_whole(side) * ssim_whole(rows->rows), window[4][BLOCK];
    double scale = (double)whole * (double)whole, max = rows->max;
    double c1 = 0.01 * 0.01 * max * max * scale, c2 = 0.03 * 0.03 * max * max * scale, sum = 0;

    sum_columns(rows, sums);
    for (int first = 0; first < windows; first += BLOCK) {
        int count = windows - first < BLOCK ? windows - first : BLOCK;
        for (int k = 0; k < 4; k++)
            sum_windows(sums + (size_t)k * (size_t)rows->width + first, side, count, window[k]);
        for (int x = 0; x < count; x++) {
            int128 a = window[0][x], b = window[1][x], squares = window[2][x], ab = window[3][x];
            int128 means = a * a + b * b, product = 2 * (a * b);
            int128 variances = whole * squares - means, covariance = 2 * (whole * ab) - product;
            sum += (((double)product + c1) * ((double)covariance + c2)) /
                   (((double)means + c1) * ((double)variances + c2));
        }
    }
    return sum;
}
