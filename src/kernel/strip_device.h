/* How a picture goes through a device in strips, and what a device has to do for it.
 * Every row goes up once; the halo rows of a strip are those of its neighbour before,
 * which are on the device already. So the output lags behind by the rows below:
 *
 *      input      |  strip 0  |  strip 1  |  strip 2  |        `rows` each, the last fewer
 *      output     | 0       |  1        |  2            |      each `below` rows higher
 *      on device  [ halo: above + below ][ strip ]             rows for output 1: 0 1
 *
 * Arithmetic and an interface; run/strips.c runs it, cuda/strips.c is a device. */
#ifndef STENCIL_KERNEL_STRIP_DEVICE_H
#define STENCIL_KERNEL_STRIP_DEVICE_H

#include "kernel/kernel.h"

struct strip_layout {
    int height;       /* of the picture */
    int rows, count;  /* input rows of a strip (the last may have fewer); strips */
    int above, below; /* rows that sums read beyond their own; ghost rows fold within them */
};

static inline int strip_in_first(const struct strip_layout *l, int strip)
{
    return strip * l->rows;
}

/* One behind the last row of a strip, of input and of output. */
static inline int strip_in_end(const struct strip_layout *l, int strip)
{
    return strip == l->count - 1 ? l->height : (strip + 1) * l->rows;
}

static inline int strip_out_end(const struct strip_layout *l, int strip)
{
    int end = strip_in_end(l, strip);
    return end == l->height ? end : end > l->below ? end - l->below : 0;
}

static inline int strip_out_first(const struct strip_layout *l, int strip)
{
    return strip == 0 ? 0 : strip_out_end(l, strip - 1);
}

/* The first row on the device beside a strip: sums of its output read none before. */
static inline int strip_halo_first(const struct strip_layout *l, int strip)
{
    int first = strip_in_first(l, strip), halo = l->above + l->below;
    return first > halo ? first - halo : 0;
}

struct strip_job {
    const struct plan *plan; /* one pass */
    struct strip_layout layout;
    int width, tile, device_index;
    /* Host memory: strip i comes in in[i % in_slots] and leaves in out[i % out_slots], which hold
     * `rows` and `rows` + `below` rows without gaps. Of one slot or more, 2 or more for several
     * strips. */
    struct image *in, *out;
    int in_slots, out_slots;
    bool pin; /* the slots are used often enough to be worth pinning */
};

/* open, submit and close are called by one thread; the two waits by others, for a strip that was
 * submitted. A strip is submitted when its input is there and strip - out_slots has been waited
 * for and done with. */
struct strip_device {
    /* Gets the device and its memory ready, which may take long. The job has to stay. */
    void *(*open)(const struct strip_job *job, struct error *err);
    /* Up, filtered, down; returns before that is over. */
    bool (*submit)(void *state, int strip, struct error *err);
    /* Until the strip's input may be overwritten; until its output is there. */
    bool (*wait_uploaded)(void *state, int strip, struct error *err);
    bool (*wait_downloaded)(void *state, int strip, struct error *err);
    /* Also after a failure. Adds to times. */
    void (*close)(void *state, struct kernel_times *times);
};

#endif
