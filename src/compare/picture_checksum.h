/* A checksum of a picture's samples, not of its file: the next version of a library may compress
 * the same picture to other bytes, and another format has other bytes.
 *
 * FNV-1a over width, height, channels, bytes a sample and max (each as 32 bits, little-endian),
 * then over all samples in row order, 16-bit ones little-endian. It finds
 * accidents, not two pictures that somebody made to have one checksum. */
#ifndef STENCIL_COMPARE_PICTURE_CHECKSUM_H
#define STENCIL_COMPARE_PICTURE_CHECKSUM_H

#include "base/image.h"

#define PICTURE_CHECKSUM_CHARS 16

/* Reads the picture at PATH to its end and writes its checksum as hexadecimal digits. */
bool picture_checksum(const char *path, char text[PICTURE_CHECKSUM_CHARS + 1], struct error *err);

#endif
