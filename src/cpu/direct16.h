/* 16-bit samples on the CPU under masks whose exact sums need 64 bits, by certified sums
 * (cpu/certify16.h). Which plans go this way is decided here and nowhere else. */
#ifndef STENCIL_CPU_DIRECT16_H
#define STENCIL_CPU_DIRECT16_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

bool cpu_direct16_can(const struct plan *plan);

#endif
