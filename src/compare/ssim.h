/* The structural similarity of two rows of pictures (Wang, Bovik, Sheikh, Simoncelli,
 * "Image quality assessment: from error visibility to structural similarity", 2004).
 *
 *           (2 mx my + C1) (2 sxy + C2)         C1 = (0.01 max)^2
 *   SSIM = --------------------------------     C2 = (0.03 max)^2
 *          (mx^2 + my^2 + C1) (sx + sy + C2)
 *
 * of means m, variances s and covariance sxy in a window of 11 x 11 samples, weighted by a
 * Gaussian of sigma 1.5; then the mean over all windows that lie inside the picture. The
 * weights are those of `stencilcli mask --sigma 1.5 --radius 5`, whole numbers over 2048^2,
 * so that all sums are exact; only the quotient is a double. In a picture that is less than
 * 11 wide (or high) the window is the largest odd number of samples that fits, of the middle
 * weights. */
#ifndef STENCIL_COMPARE_SSIM_H
#define STENCIL_COMPARE_SSIM_H

#include <stddef.h>
#include <stdint.h>

#define SSIM_SIDE 11

/* The side of the window along a side of SAMPLES. */
int ssim_side(int samples);

/* How many numbers the scratch of ssim_row has for pictures of this width. */
size_t ssim_scratch(int width);

struct ssim_rows {
    const uint16_t *a[SSIM_SIDE], *b[SSIM_SIDE]; /* the window's rows, from the top */
    int width, rows;                             /* rows: ssim_side of the height */
    uint32_t max;
};

/* The sum over the windows of one row of windows: width - ssim_side(width) + 1 of them. */
double ssim_row(const struct ssim_rows *rows, uint64_t *scratch);

#endif
