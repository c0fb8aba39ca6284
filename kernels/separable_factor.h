/* The factors of a mask of rank 1 as operands of matrix products, in the form that both separable
 * kernels (8 and 16-bit samples) load. */
#ifndef STENCIL_KERNELS_SEPARABLE_FACTOR_H
#define STENCIL_KERNELS_SEPARABLE_FACTOR_H

#include "banded_window.h"

/* Byte `byte` of a row factor's entries as a band, from byte `from` of the window `stage` on: the
 * matrix of one product, dense over 32 bytes or sparse over 64. FRAGMENTS are 512 bytes, PLACES the
 * sparse one's 32 words, left alone if dense. */
void separable_pack_matrix(const struct banded_shape *stage, int sparse, const int64_t *row,
                           int width, int from, int byte, void *fragments, uint32_t *places);

/* Lane (g, t) takes for output row g rows 2t and 2t + 1 of a block that begins with row `first` of
 * the sums. The weight of the first of them is this one of the column factor, */
int separable_weight_of_lane(int first, int lane);

/* and these are byte `byte` of both; 0 where the factor has none. */
uint32_t separable_column_word(const int64_t *column, int height, int first, int lane, int byte);

#endif
