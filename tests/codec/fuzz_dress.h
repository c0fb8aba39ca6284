/* How the fuzz targets for images turn libFuzzer's bytes into files.
 *
 * A PNG protects its chunks with CRCs and its pixels with an Adler-32, so almost every mutation
 * would fail at the first check. Therefore the first byte says how the remaining bytes are changed
 * before they are opened:
 *   0   unchanged (PNM, damaged files)
 *   1   as PNG chunks, with corrected CRCs
 *   2   as 1, and the content of the IDAT chunks becomes pixels: it is wrapped in a zlib
 *       stream of stored blocks with a correct Adler-32, in one IDAT chunk
 *   3   as 2, but with a wrong Adler-32
 * The next bit of this byte chooses between reading the whole picture and reading bands. */
#ifndef STENCIL_TESTS_CODEC_FUZZ_DRESS_H
#define STENCIL_TESTS_CODEC_FUZZ_DRESS_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_MAX_BYTES 65536

/* Turns DATA, 1 .. FUZZ_MAX_BYTES bytes, into a file. Returns its path and, in *file, its content;
 * both are valid until the next call. */
const char *fuzz_dress(const uint8_t *data, size_t size, const uint8_t **file, size_t *bytes);

#endif
