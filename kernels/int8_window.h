/* How the int8 kernel lays a mask's window over a staged tile: the sizes on which its packer
 * (kernels/int8_pack.c) and the kernel must agree. C17 and CUDA C. */
#ifndef STENCIL_INT8_WINDOW_H
#define STENCIL_INT8_WINDOW_H

#define INT8_TILE_X   128
#define INT8_TILE_Y   32
#define INT8_HALO_X   16  /* cells staged left and right of the tile: 16-pixel groups stay whole */
#define INT8_IN_PITCH 176 /* 160 cells; 44 words: three window rows fall into different banks */

#define INT8_RAW_PITCH 160 /* a fetched row, a channel */
/* a finished row of N channels; 4 words past a multiple of 32: the rows of a block of outputs fall
 * into different banks */
#define INT8_OUT_PITCH(n) (INT8_TILE_X * (n) + 16)

struct int8_window {
    int pad;    /* cells left of the mask, so that the window starts on a whole group */
    int groups; /* groups of 4 cells in a window row */
    int steps;  /* matrix products a block of 4 x 4 outputs: groups * rows in eights */
};

static inline struct int8_window int8_window_of(int width, int height, int anchor_x)
{
    struct int8_window w;
    w.pad = (4 - anchor_x % 4) % 4;
    w.groups = (width + 3 + w.pad + 3) / 4;
    w.steps = (w.groups * (height + 3) + 7) / 8;
    return w;
}

#endif
