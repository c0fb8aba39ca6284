/* 8-bit samples under masks of small weights on the CPU: everything in 16 bits, 32
 * samples to a register. Linear masks whose last sum fits 16 bits (blurs and boxes by
 * rows and columns, sharpen, edge, laplace directly) and gradients (sobel). Which
 * plans go this way is decided here and nowhere else. */
#ifndef STENCIL_CPU_BYTES_H
#define STENCIL_CPU_BYTES_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

bool cpu_bytes_wins(const struct plan *plan);

#endif
