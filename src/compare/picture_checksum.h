/* A checksum of what a picture holds, not of its file: the same picture may be compressed
 * differently by the next version of a library, or lie in another format.
 *
 * FNV-1a over width, height, channels, bytes a sample and max (each as 32 bits, little-endian),
 * then over all samples in row order, 16-bit ones little-endian. It finds accidents; against
 * people who want two pictures to have one checksum it is no help. */
#ifndef STENCIL_COMPARE_PICTURE_CHECKSUM_H
#define STENCIL_COMPARE_PICTURE_CHECKSUM_H

#include "base/image.h"

#define PIXEL_SUM_CHARS 16 /* as hexadecimal digits */

/* Reads the picture at PATH to its end. */
bool pixel_sum_file(const char *path, uint64_t *sum, struct error *err);

#endif
