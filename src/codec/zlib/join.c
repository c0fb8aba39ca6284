/* Joining strips: see codec/zlib/join.h. */
#include "codec/zlib/join.h"

#ifdef HAVE_ISAL
#include <isa-l.h>
#else
#include <libdeflate.h>
#endif

uint32_t zlib_strip_adler32(uint32_t adler, const uint8_t *data, size_t bytes)
{
#ifdef HAVE_ISAL
    return isal_adler32(adler, data, bytes);
#else
    return libdeflate_adler32(adler, data, bytes);
#endif
}

size_t zlib_strip_begin(uint8_t *out)
{
    out[0] = 0x78; /* deflate, a window of 32 KiB */
    out[1] = 0x01; /* the fastest level; 0x7801 is a multiple of 31 */
    return ZLIB_BEGIN_BYTES;
}

size_t zlib_strip_end(uint8_t *out, uint32_t adler)
{
    uint8_t *to = out;
    int i;

    *to++ = 3; /* the last block, with the fixed code and nothing in it */
    *to++ = 0;
    for (i = 0; i < 4; i++)
        *to++ = (uint8_t)(adler >> (24 - 8 * i));
    return (size_t)(to - out);
}

/* With A = 1 + sum of bytes and B = sum of the running As: the second piece's As all start
 * from A1 instead of 1, and it has LENGTH of them. */
uint32_t zlib_strip_adler32_combine(uint32_t first, uint32_t second, uint64_t length)
{
    const uint64_t base = 65521;
    uint64_t a1 = first & 0xffff, b1 = first >> 16;
    uint64_t a2 = second & 0xffff, b2 = second >> 16;
    uint64_t a = (a1 + a2 + base - 1) % base;
    uint64_t b = (b1 + b2 + (length % base) * ((a1 + base - 1) % base)) % base;

    return (uint32_t)(b << 16 | a);
}
