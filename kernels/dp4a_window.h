/* How the dp4a kernel lays a mask's window over the four outputs of a thread: the sizes on which
 * its packer (kernels/dp4a_pack.c), its launch and the kernel must agree. C17 and CUDA C. A row of
 * the window is that of int8_window.h: `pad` cells, then the mask, in groups of four cells. */
#ifndef STENCIL_DP4A_WINDOW_H
#define STENCIL_DP4A_WINDOW_H

#include "int8_window.h"

#define DP4A_TILE_X 128 /* 4 outputs a lane */
#define DP4A_TILE_Y 32

#define WEIGHTED_TILE_Y 16 /* of weighted.cu, whose windows and weights are the same */

/* Of an unrolled mask, a square with the anchor in the middle: cells before it, groups of a row. */
#define DP4A_SIDE_PAD(side)    ((4 - (side) / 2 % 4) % 4)
#define DP4A_SIDE_GROUPS(side) (((side) + 3 + DP4A_SIDE_PAD(side) + 3) / 4)

/* Does output J of four see a cell of group W? Else its weights there are all 0. */
#define DP4A_SEES(w, j, pad, width) (4 * (w) + 3 >= (j) + (pad) && 4 * (w) < (j) + (pad) + (width))

/* Staged words (4 cells) side by side, of a channel. */
#define DP4A_PITCH(groups) (DP4A_TILE_X / 4 + (groups)-1)

#endif
