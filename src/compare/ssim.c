/* Structural similarity: the weights, the formula, and which type holds which sum. The sums
 * are computed in compare/ssim_sums.h. Why no sum overflows, with weights that sum to 2^11
 * in each direction:
 *
 *            sum of a column            of the window          times the weights' sum
 *   8 bits   2^11 * 2 * 255^2 < 2^28    < 2^39                 2^22 * 2^39 = 2^61
 *   16 bits  2^11 * 2 * 65535^2 < 2^44  < 2^55                 2^77: 128 bits */
#include "compare/ssim.h"

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

/* The SSIM of one window. Everything is times the square of the weights' sum: 2 mx my, 2 sxy,
 * mx^2 + my^2, sx + sy, C1 and C2. */
static double ssim(double product, double covariance, double means, double variances, double c1,
                   double c2)
{
    return ((product + c1) * (covariance + c2)) / ((means + c1) * (variances + c2));
}

#define NAME(function) function##_8
#define COLUMN         uint32_t
#define PRODUCT        int64_t
#include "compare/ssim_sums.h"
#undef NAME
#undef COLUMN
#undef PRODUCT
#define NAME(function) function##_16
#define COLUMN         uint64_t
#define PRODUCT        int128
#include "compare/ssim_sums.h"

int ssim_side(int samples)
{
    return samples >= SSIM_SIDE ? SSIM_SIDE : samples % 2 ? samples : samples - 1;
}

size_t ssim_scratch_bytes(int width)
{
    return (size_t)width * 4 * sizeof(uint64_t);
}

double ssim_row(const struct ssim_rows *rows, void *scratch)
{
    return rows->max <= 255 ? row_8(rows, scratch) : row_16(rows, scratch);
}
