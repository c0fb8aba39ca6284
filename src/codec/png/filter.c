/* PNG filters, applied and undone: see codec/png/png.h. First come the definitions, then faster
 * code for the same bytes with SSE2, which every x86-64 has.
 *
 * Applying a filter: all neighbours are known, so a whole register is filtered at once. Undoing a
 * filter: sub, average and Paeth each need the pixel before, so a register holds the bytes of one
 * pixel, and its time is that of the instructions that wait for the pixel before. A gray photograph
 * of 3840x2160 is read in 0.6 of the time of plain code, and a blurred screenshot in 0.6 of the
 * time without flat_bytes (tests/codec/time_png.c, an Intel Xeon, 2026-11-26 and 28). */
#include <stdlib.h>
#include <string.h>

#include "codec/png/png.h"

/* ---- the definitions ---- */

/* Paeth's choice: of A, B and C the one nearest to A + B - C; where two tie, the earlier one. */
static int nearest(int a, int b, int c)
{
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);

    if (pa <= pb && pa <= pc)
        return a;
    return pb <= pc ? b : c;
}

static int foretold(int filter, int a, int b, int c)
{
    return filter == 1   ? a
           : filter == 2 ? b
           : filter == 3 ? (a + b) / 2
           : filter == 4 ? nearest(a, b, c)
                         : 0;
}

/* Filters, or unfilters, the bytes of a row from byte FROM on. */
static void byte_by_byte(bool undo, size_t from, int filter, const uint8_t *row, const uint8_t *up,
                         size_t bytes, size_t pixel, uint8_t *out)
{
    const uint8_t *unfiltered = undo ? out : row;

    for (size_t i = from; i < bytes; i++) {
        int a = i >= pixel ? unfiltered[i - pixel] : 0, c = i >= pixel ? up[i - pixel] : 0;
        int prediction = foretold(filter, a, up[i], c);
        out[i] = (uint8_t)(undo ? row[i] + prediction : row[i] - prediction);
    }
}

/* The first pixel of a row, where a and c are 0; rows of one pixel have no other. */
static inline void filter_first(int filter, const uint8_t *row, const uint8_t *up, size_t bytes,
                                uint8_t *out)
{
    const uint8_t all = filter == 2 || filter == 4 ? 255 : 0;

    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(row[i] - (up[i] & all));
}

static inline void unfilter_first(int filter, const uint8_t *raw, const uint8_t *up, size_t bytes,
                                  uint8_t *out)
{
    const uint8_t all = filter >= 2 ? 255 : 0;

    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(raw[i] + ((up[i] & all) >> (filter == 3)));
}

void png_filter_plain(int filter, const uint8_t *row, const uint8_t *up, size_t bytes, size_t pixel,
                      uint8_t *out)
{
    byte_by_byte(false, 0, filter, row, up, bytes, pixel, out);
}

void png_unfilter_plain(int filter, const uint8_t *raw, const uint8_t *up, size_t bytes,
                        size_t pixel, uint8_t *out)
{
    byte_by_byte(true, 0, filter, raw, up, bytes, pixel, out);
}

#ifdef __SSE2__
#include <emmintrin.h>

#define LANES 16

INLINE __m128i load_16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

INLINE __m128i load_8(const uint8_t *p)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)p);
}

INLINE void store_16(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)(void *)p, v);
}

/* ---- applying ---- */

/* Paeth's choice: the greater of a and b if c is at most a third of the way from the lesser to it,
 * the lesser if c is at most a third of the way from the greater, and otherwise c. (If c is both,
 * a, b and c are equal.) */
INLINE __m128i nearest_bytes(__m128i a, __m128i b, __m128i c)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i less = _mm_min_epu8(a, b), more = _mm_max_epu8(a, b);
    __m128i over = _mm_subs_epu8(c, less), under = _mm_subs_epu8(more, c);
    __m128i low = _mm_cmpeq_epi8(_mm_subs_epu8(_mm_adds_epu8(over, over), under), zero);
    __m128i high = _mm_cmpeq_epi8(_mm_subs_epu8(_mm_adds_epu8(under, under), over), zero);

    return _mm_or_si128(_mm_or_si128(_mm_and_si128(low, more), _mm_and_si128(high, less)),
                        _mm_andnot_si128(_mm_or_si128(low, high), c));
}

/* FILTER 1, 2 or 4. */
static void filter_fast(int filter, const uint8_t *row, const uint8_t *up, size_t bytes,
                        size_t pixel, uint8_t *out)
{
    size_t i = bytes < pixel ? bytes : pixel;

    filter_first(filter, row, up, i, out);
    for (; i + LANES <= bytes; i += LANES) {
        __m128i less = filter == 1   ? load_16(row + i - pixel)
                       : filter == 2 ? load_16(up + i)
                                     : nearest_bytes(load_16(row + i - pixel), load_16(up + i),
                                                     load_16(up + i - pixel));
        store_16(out + i, _mm_sub_epi8(load_16(row + i), less));
    }
    byte_by_byte(false, i, filter, row, up, bytes, pixel, out);
}

/* ---- undoing ---- */

/* A pixel's bytes as 16-bit lanes; bytes after the pixel go to other lanes and do no harm. */
INLINE __m128i load_wide(const uint8_t *p)
{
    return _mm_unpacklo_epi8(load_8(p), _mm_setzero_si128());
}

/* Paeth's choice as above, with t = 3c - a - b: the greater of a and b if t is at most the lesser,
 * the lesser if t is at least the greater. A pixel waits for six instructions of the pixel before.
 */
INLINE __m128i nearest_wide(__m128i a, __m128i b, __m128i c)
{
    __m128i t = _mm_sub_epi16(_mm_sub_epi16(_mm_add_epi16(c, _mm_add_epi16(c, c)), b), a);
    __m128i less = _mm_min_epi16(a, b), more = _mm_max_epi16(a, b);
    __m128i below = _mm_cmpgt_epi16(more, t), above = _mm_cmpgt_epi16(t, less);

    return _mm_or_si128(_mm_or_si128(_mm_andnot_si128(below, less), _mm_andnot_si128(above, more)),
                        _mm_and_si128(_mm_and_si128(below, above), c));
}

/* Stores a pixel, and up to two bytes behind it. */
INLINE void store_pixel(uint8_t *p, __m128i v, size_t pixel)
{
    int64_t eight = _mm_cvtsi128_si64(v);

    memcpy(p, &eight, pixel == 3 ? 4 : pixel == 6 ? 8 : pixel);
}

INLINE bool same_pixel(__m128i a, __m128i c, size_t pixel)
{
    int all = (1 << 2 * pixel) - 1;

    return (_mm_movemask_epi8(_mm_cmpeq_epi16(a, c)) & all) == all;
}

/* Paeth chooses b, the byte above, where a equals c. A raw pixel of 0 then repeats the pixel above,
 * and a equals c for the next pixel, too. So a run of zeros is a copy of the bytes above;
 * screenshots have long runs. Counts the zeros at RAW, of which the first eight are known: a
 * multiple of 8, at most BYTES (>= 16) without the last eight. */
INLINE size_t flat_bytes(const uint8_t *raw, size_t bytes)
{
    size_t flat = 8;

    while (flat + 16 <= bytes && _mm_cvtsi128_si64(load_8(raw + flat)) == 0)
        flat += 8;
    return flat;
}

/* FILTER 1, 3 or 4; callers pass constants. Returns the place from which few bytes are left. The
 * next pixel of RAW is loaded before a pixel is stored: OUT may be RAW. */
INLINE size_t undo_pixels(int filter, const uint8_t *raw, const uint8_t *up, size_t bytes,
                          size_t pixel, uint8_t *out)
{
    const __m128i ones = _mm_set1_epi8(-1);
    __m128i a = filter == 3 ? ones : _mm_setzero_si128(), c = _mm_setzero_si128(), next;
    size_t i = 0;

    if (bytes < 8)
        return 0;
    next = load_8(raw);
    for (; i + pixel + 8 <= bytes; i += pixel) {
        __m128i now = next;
        if (filter == 4 && _mm_cvtsi128_si64(now) == 0 && i + 16 <= bytes &&
            same_pixel(a, c, pixel)) {
            size_t flat = flat_bytes(raw + i, bytes - i) / pixel * pixel;
            memcpy(out + i, up + i, flat);
            i += flat - pixel;
            a = c = load_wide(up + i);
            next = load_8(raw + i + pixel);
            continue;
        }
        next = load_8(raw + i + pixel);
        if (filter == 1) {
            a = _mm_add_epi8(a, now);
            store_pixel(out + i, a, pixel);
        } else if (filter == 3) {
            /* The mean of complements, rounded up, is the complement of the mean, rounded down. So
             * a is the complement of the pixel, and a pixel waits for two instructions. */
            __m128i b = _mm_xor_si128(load_8(up + i), ones);
            a = _mm_sub_epi8(_mm_avg_epu8(a, b), now);
            store_pixel(out + i, _mm_xor_si128(a, ones), pixel);
        } else {
            __m128i b = load_wide(up + i);
            a = _mm_add_epi8(_mm_unpacklo_epi8(now, _mm_setzero_si128()), nearest_wide(a, b, c));
            c = b;
            store_pixel(out + i, _mm_packus_epi16(a, a), pixel);
        }
    }
    _mm_storel_epi64((__m128i *)(void *)(out + i), next); /* if OUT is RAW: its bytes again */
    return i;
}

/* As undo_pixels, for filter 2. */
INLINE size_t undo_up(const uint8_t *raw, const uint8_t *up, size_t bytes, uint8_t *out)
{
    size_t i;

    for (i = 0; i + LANES <= bytes; i += LANES)
        store_16(out + i, _mm_add_epi8(load_16(raw + i), load_16(up + i)));
    return i;
}

/* FILTER 1 to 4. */
static void unfilter_fast(int filter, const uint8_t *raw, const uint8_t *up, size_t bytes,
                          size_t pixel, uint8_t *out)
{
    size_t done = 0;

    if (filter == 1)
        FOR_PIXEL(pixel, done = undo_pixels(1, raw, up, bytes, PIXEL, out));
    else if (filter == 2)
        done = undo_up(raw, up, bytes, out);
    else if (filter == 3)
        FOR_PIXEL(pixel, done = undo_pixels(3, raw, up, bytes, PIXEL, out));
    else
        FOR_PIXEL(pixel, done = undo_pixels(4, raw, up, bytes, PIXEL, out));
    byte_by_byte(true, done, filter, raw, up, bytes, pixel, out);
}

#else
#define filter_fast   png_filter_plain
#define unfilter_fast png_unfilter_plain
#endif

void png_filter(int filter, const uint8_t *row, const uint8_t *up, size_t bytes, size_t pixel,
                uint8_t *out)
{
    if (filter == 0)
        memcpy(out, row, bytes);
    else
        filter_fast(filter, row, up, bytes, pixel, out);
}

/* ---- rows of one pixel ----
 *
 * A call for each row would take longer than its bytes. Callers pass a constant PIXEL. */

INLINE void filter_column(int filter, const uint8_t *rows, int count, size_t pixel, uint8_t *out)
{
    for (; count > 0; count--, rows += pixel, out += 1 + pixel) {
        *out = (uint8_t)filter;
        filter_first(filter, rows, rows - pixel, pixel, out + 1);
    }
}

INLINE int unfilter_column(const uint8_t *raw, const uint8_t *up, int count, size_t pixel,
                           uint8_t *out)
{
    int i = 0;

    for (; i < count && *raw <= 4; i++, raw += 1 + pixel, up = out, out += pixel)
        unfilter_first(*raw, raw + 1, up, pixel, out);
    return i;
}

void png_filter_rows(int filter, const uint8_t *rows, int count, size_t bytes, size_t pixel,
                     uint8_t *out)
{
    if (bytes == pixel)
        FOR_PIXEL(pixel, filter_column(filter, rows, count, PIXEL, out));
    for (; bytes != pixel && count > 0; count--, rows += bytes, out += 1 + bytes) {
        *out = (uint8_t)filter;
        png_filter(filter, rows, rows - bytes, bytes, pixel, out + 1);
    }
}

int png_unfilter_column(const uint8_t *raw, const uint8_t *up, int count, size_t pixel,
                        uint8_t *out)
{
    int rows = 0;

    FOR_PIXEL(pixel, rows = unfilter_column(raw, up, count, PIXEL, out));
    return rows;
}

void png_unfilter(int filter, const uint8_t *raw, const uint8_t *up, size_t bytes, size_t pixel,
                  uint8_t *out)
{
    if (filter == 0)
        memmove(out, raw, bytes);
    else
        unfilter_fast(filter, raw, up, bytes, pixel, out);
}
