/* Who has which lane of a CUDA device: a queue at its door. Only in builds with CUDA. */
#ifndef STENCIL_CUDA_LANES_H
#define STENCIL_CUDA_LANES_H

#include "cuda/device.h"

/* Waits until it is the caller's turn and there is a lane, the lowest free one; or none is taken,
 * for who wants to be alone, who gets lane 0. Those who ask first come first. */
int cuda_lanes_take(int index, enum cuda_use use);
void cuda_lanes_give(int index, int lane);

#endif
