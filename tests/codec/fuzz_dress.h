/* What the fuzz targets for images make of libFuzzer's bytes.
 *
 * A PNG guards its chunks by CRCs and its pixels by an Adler-32, so almost every
 * mutation would end at the first check. The first byte therefore says how the
 * rest is to be dressed up before it is opened:
 *   0   as it is (PNM, damaged files)
 *   1   as PNG chunks whose CRCs are made right
 *   2   the same, and what the IDAT chunks hold is taken for pixels: it is wrapped in a zlib
 *       stream of stored blocks with a right Adler-32, in one IDAT chunk
 *   3   as 2, but the Adler-32 is wrong
 * and its next bit chooses between reading the whole picture and reading bands. */
#ifndef STENCIL_TESTS_CODEC_FUZZ_DRESS_H
#define STENCIL_TESTS_CODEC_FUZZ_DRESS_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_MAX_BYTES 65536

/* DATA of 1 .. FUZZ_MAX_BYTES bytes as a file: its path, and what is in it; both until the next
 * call. */
const char *fuzz_dress(const uint8_t *data, size_t size, const uint8_t **file, size_t *bytes);

#endif
