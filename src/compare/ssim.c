/* The structural similarity of two rows of pictures (Wang, Bovik, Sheikh, Simoncelli, "Image
 * quality assessment: from error visibility to structural similarity", 2004).
 *
 *           (2 mx my + C1) (2 sxy + C2)         C1 = (0.01 max)^2
 *   SSIM = --------------------------------     C2 = (0.03 max)^2
 *          (mx^2 + my^2 + C1) (sx + sy + C2)
 *
 * with means m, variances s and covariance sxy in a window of 11 x 11 samples, weighted by a
 * Gaussian of sigma 1.5; then the mean over all windows that lie inside the picture. In a picture
 * less than 11 wide (or high) the window's side is the largest odd number of samples that fits. The
 * weights of a window always sum to 1. scikit-image gives the same number with
 * gaussian_weights=True, use_sample_covariance=False.
 *
 * Doubles are precise enough: a variance is the difference of two numbers below 2^32, whose errors
 * are below 2^-18, and it is added to C2, which is at least (0.03 * 65535)^2 > 2^21 there. */
#include "compare/ssim.h"

#include <math.h>
#include <string.h>

/* Windows computed at a time: their sums stay in the L1 cache. */
#define BLOCK 256

static void make_weights(double weight[SSIM_SIDE], int side)
{
    double sum = 0;

    for (int i = 0; i < side; i++) {
        double d = (i - side / 2) / 1.5;
        sum += weight[i] = exp(-d * d / 2);
    }
    for (int i = 0; i < side; i++)
        weight[i] /= sum;
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
static void sum_columns(const struct ssim_rows *rows, double *sums)
{
    double *sx = sums, *sy = sx + rows->width, *squares = sy + rows->width;
    double *sxy = squares + rows->width, weight[SSIM_SIDE];

    make_weights(weight, rows->rows);
    memset(sums, 0, ssim_scratch(rows->width) * sizeof *sums);
    for (int i = 0; i < rows->rows; i++) {
        const uint16_t *a = rows->a[i], *b = rows->b[i];
        const double w = weight[i];
        for (int x = 0; x < rows->width; x++) {
            double va = a[x], vb = b[x];
            sx[x] += w * va;
            sy[x] += w * vb;
            squares[x] += w * (va * va + vb * vb);
            sxy[x] += w * (va * vb);
        }
    }
}

/* Computes the sums of COUNT windows; the weights are symmetric. */
static void sum_windows(const double *column, const double *weight, int side, int count,
                        double *sum)
{
    for (int x = 0; x < count; x++)
        sum[x] = column[x + side / 2] * weight[side / 2];
    for (int j = 0; j < side / 2; j++) {
        const double *left = column + j, *right = column + side - 1 - j;
        for (int x = 0; x < count; x++)
            sum[x] += (left[x] + right[x]) * weight[j];
    }
}

double ssim_row(const struct ssim_rows *rows, double *sums)
{
    const int side = ssim_side(rows->width), windows = rows->width - side + 1;
    const double max = rows->max, c1 = 0.01 * 0.01 * max * max, c2 = 0.03 * 0.03 * max * max;
    double weight[SSIM_SIDE], window[4][BLOCK], sum = 0;

    make_weights(weight, side);
    sum_columns(rows, sums);
    for (int first = 0; first < windows; first += BLOCK) {
        int count = windows - first < BLOCK ? windows - first : BLOCK;
        for (int k = 0; k < 4; k++)
            sum_windows(sums + (size_t)k * (size_t)rows->width + first, weight, side, count,
                        window[k]);
        for (int x = 0; x < count; x++) {
            double a = window[0][x], b = window[1][x], squares = window[2][x], ab = window[3][x];
            double means = a * a + b * b, product = 2 * (a * b);
            sum +=
                (product + c1) * (2 * ab - product + c2) / ((means + c1) * (squares - means + c2));
        }
    }
    return sum;
}
