/* Choosing for a strip: see codec/png/choose.h. The filter that leaves the least for a code of
 * single bytes is found by its entropy. Photographs are best served so, and soon done.
 * Only where repeats promise much more than that are they looked for, and then the
 * filter is the one that leaves most of them. */
#include "codec/png/choose.h"

#include "codec/png/filter.h"
#include "codec/zlib/deflate.h"

#define FILTERS      4
#define SAMPLE_BYTES (PNG_CHOOSE_SCRATCH / FILTERS)
#define SPAN_BYTES   (SAMPLE_BYTES / 6) /* of one row */

/* Of any code of single bytes, times 256. */
#define LEAST_BITS 256

static const int filters[FILTERS] = {4, 1, 2, 0};

/* Finding repeats takes up to ten times as long: it has to save so much, in eighths. The sample
 * is small, and they come out better than it says. */
static unsigned worth(enum png_level level)
{
    return level == PNG_LEVEL_FAST ? 4 : 6;
}

/* Pieces spread over the strip, down and across, under each filter; how many bytes. */
static size_t take_samples(const uint8_t *rows, int count, size_t bytes, size_t pixel,
                           uint8_t *scratch)
{
    size_t span = bytes < SPAN_BYTES ? bytes : SPAN_BYTES / pixel * pixel, used = 0;
    size_t samples = SAMPLE_BYTES / span, s;
    int f;

    if (samples > (size_t)count)
        samples = (size_t)count;
    for (s = 0; s < samples; s++, used += span) {
        size_t y = (2 * s + 1) * (size_t)count / (2 * samples);
        size_t x = (bytes - span) / pixel * s / samples * pixel;
        const uint8_t *row = rows + y * bytes + x;
        for (f = 0; f < FILTERS; f++)
            png_filter(filters[f], row, row - bytes, span, pixel,
                       scratch + (size_t)f * SAMPLE_BYTES + used);
    }
    return used;
}

void png_choose(struct png_choice *choice, enum png_level level, const uint8_t *rows, int count,
                size_t bytes, size_t pixel, uint8_t *scratch)
{
    size_t used = take_samples(rows, count, bytes, pixel, scratch);
    unsigned bits[FILTERS], least;
    int f, best = 0;

    for (f = 0; f < FILTERS; f++) {
        uint32_t histogram[256] = {0};
        deflate_count(scratch + (size_t)f * SAMPLE_BYTES, used, histogram);
        bits[f] = deflate_literals_estimate(histogram);
        if (bits[f] < LEAST_BITS)
            bits[f] = LEAST_BITS;
        best = bits[f] < bits[best] ? f : best;
    }
    *choice = (struct png_choice){.filter = filters[best]};
    if (level == PNG_LEVEL_SMALL)
        return;
    least = deflate_repeats_estimate(scratch + (size_t)best * SAMPLE_BYTES, used, bits[best]);
    if (least * 8 > bits[best] * worth(level))
        return;
    choice->repeats = true;
    for (f = 0; f < FILTERS; f++) {
        unsigned took = deflate_repeats_estimate(scratch + (size_t)f * SAMPLE_BYTES, used, bits[f]);
        if (took < least) {
            least = took;
            choice->filter = filters[f];
        }
    }
}
