/* Writing zlib streams, and checksums: see codec/zlib/stream.h. */
#include "codec/zlib/stream.h"

#ifdef HAVE_ISAL
#include <isa-l.h>
#define CRC32   crc32_gzip_refl
#define ADLER32 isal_adler32
#else
#include <zlib.h>
#define CRC32   crc32_z
#define ADLER32 adler32_z
#endif

/* ---- writing ---- */

size_t zlib_stream_begin(uint8_t *out)
{
    out[0] = 0x78; /* deflate, a window of 32 KiB */
    out[1] = 0x01; /* the fastest level; 0x7801 is a multiple of 31 */
    return ZLIB_BEGIN_BYTES;
}

size_t zlib_stream_end(uint8_t *out, uint32_t adler)
{
    out[0] = 3; /* the last block, with the fixed code and nothing in it */
    out[1] = 0;
    for (int i = 0; i < 4; i++)
        out[2 + i] = (uint8_t)(adler >> (24 - 8 * i));
    return ZLIB_END_BYTES;
}

/* ---- checksums ---- */

uint32_t zlib_crc32(uint32_t crc, const uint8_t *data, size_t bytes)
{
    return CRC32(crc, data, bytes);
}

uint32_t zlib_adler32(uint32_t adler, const uint8_t *data, size_t bytes)
{
    return ADLER32(adler, data, bytes);
}

/* With A = 1 + sum of bytes and B = sum of the running As: every A of the second piece starts from
 * A1 instead of 1, and there are LENGTH of them. */
uint32_t zlib_adler32_combine(uint32_t first, uint32_t second, uint64_t length)
{
    const uint64_t base = 65521;
    uint64_t a1 = first & 0xffff, b1 = first >> 16;
    uint64_t a2 = second & 0xffff, b2 = second >> 16;
    uint64_t a = (a1 + a2 + base - 1) % base;
    uint64_t b = (b1 + b2 + (length % base) * ((a1 + base - 1) % base)) % base;

    return (uint32_t)(b << 16 | a);
}
