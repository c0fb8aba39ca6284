/* Putting on PNG filters: see codec/png/filter.h. Unlike undoing them, every byte here is on
 * its own (all neighbours are known), so a whole vector is filtered at once. Paeth's
 * three distances are taken in bytes: two of them are differences, and the third is their
 * sum or their difference. */
#include "codec/png/filter.h"

#include <stdlib.h>
#include <string.h>

static int nearest(int a, int b, int c)
{
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);

    if (pa <= pb && pa <= pc)
        return a;
    return pb <= pc ? b : c;
}

/* Bytes FROM.. of a row. */
static void filter_from(size_t from, int filter, const uint8_t *row, const uint8_t *up,
                        size_t bytes, size_t pixel, uint8_t *out)
{
    size_t i;

    for (i = from; i < bytes; i++) {
        int a = i >= pixel ? row[i - pixel] : 0;
        int b = up[i];
        int c = i >= pixel ? up[i - pixel] : 0;
        int less = filter == 1 ? a : (filter == 2 ? b : (filter == 4 ? nearest(a, b, c) : 0));
        out[i] = (uint8_t)(row[i] - less);
    }
}

void png_filter_plain(int filter, const uint8_t *row, const uint8_t *up, size_t bytes, size_t pixel,
                      uint8_t *out)
{
    filter_from(0, filter, row, up, bytes, pixel, out);
}

#ifdef __SSE2__
#include <emmintrin.h>

#define LANES 16

static inline __m128i load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline __m128i choose(__m128i mask, __m128i yes, __m128i no)
{
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

/* |a + b - 2c| of a - c and b - c: they add where both have the same sign, else they cancel.
 * A sum past 255 may stop there: it is then not the least, or ties never count for c. */
static inline __m128i nearest_lanes(__m128i a, __m128i b, __m128i c)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i b_over = _mm_subs_epu8(b, c), b_under = _mm_subs_epu8(c, b);
    __m128i a_over = _mm_subs_epu8(a, c), a_under = _mm_subs_epu8(c, a);
    __m128i pa = _mm_or_si128(b_over, b_under), pb = _mm_or_si128(a_over, a_under);
    __m128i apart = _mm_or_si128(_mm_subs_epu8(pa, pb), _mm_subs_epu8(pb, pa));
    __m128i sum = _mm_adds_epu8(pa, pb);
    /* The same sign: not (one above and the other below). */
    __m128i same = _mm_cmpeq_epi8(
        _mm_or_si128(_mm_min_epu8(b_over, a_under), _mm_min_epu8(b_under, a_over)), zero);
    __m128i pc = choose(same, sum, apart);
    __m128i least = _mm_min_epu8(pc, _mm_min_epu8(pa, pb));

    return choose(_mm_cmpeq_epi8(pa, least), a, choose(_mm_cmpeq_epi8(pb, least), b, c));
}

/* From byte START (>= pixel, or anywhere for `up`) on; returns where whole vectors end. */
__attribute__((always_inline)) static inline size_t filter_lanes(int filter, const uint8_t *row,
                                                                 const uint8_t *up, size_t start,
                                                                 size_t bytes, size_t pixel,
                                                                 uint8_t *out)
{
    size_t i;

    for (i = start; i + LANES <= bytes; i += LANES) {
        __m128i less = filter == 1   ? load(row + i - pixel)
                       : filter == 2 ? load(up + i)
                                     : nearest_lanes(load(row + i - pixel), load(up + i),
                                                     load(up + i - pixel));
        _mm_storeu_si128((__m128i *)(void *)(out + i), _mm_sub_epi8(load(row + i), less));
    }
    return i;
}

void png_filter(int filter, const uint8_t *row, const uint8_t *up, size_t bytes, size_t pixel,
                uint8_t *out)
{
    size_t done = bytes < pixel ? bytes : pixel;

    if (filter == 0) {
        memcpy(out, row, bytes);
        return;
    }
    filter_from(0, filter, row, up, done, pixel, out);
    if (filter == 1)
        done = filter_lanes(1, row, up, done, bytes, pixel, out);
    else if (filter == 2)
        done = filter_lanes(2, row, up, done, bytes, pixel, out);
    else
        done = filter_lanes(4, row, up, done, bytes, pixel, out);
    filter_from(done, filter, row, up, bytes, pixel, out);
}

#else

void png_filter(int filter, const uint8_t *row, const uint8_t *up, size_t bytes, size_t pixel,
                uint8_t *out)
{
    png_filter_plain(filter, row, up, bytes, pixel, out);
}

#endif
