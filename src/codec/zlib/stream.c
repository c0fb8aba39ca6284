/* Writing zlib streams: see codec/zlib/stream.h. */
#include "codec/zlib/stream.h"

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
