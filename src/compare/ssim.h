/* Private to src/compare. The structural similarity of two rows of pictures: compare/ssim.c. */
#ifndef STENCIL_COMPARE_SSIM_H
#define STENCIL_COMPARE_SSIM_H

#include <stddef.h>
#include <stdint.h>

#define SSIM_SIDE 11

/* The window's length along a picture side of SAMPLES. */
int ssim_side(int samples);

/* How many numbers ssim_row needs as scratch for pictures of this width. */
size_t ssim_scratch(int width);

struct ssim_rows {
    const uint16_t *a[SSIM_SIDE], *b[SSIM_SIDE]; /* the window's rows, from the top */
    int width, rows;                             /* rows: ssim_side of the height */
    uint32_t max;
};

/* The sum of SSIM over one row of windows: width - ssim_side(width) + 1 windows. */
double ssim_row(const struct ssim_rows *rows, double *scratch);

#endif
