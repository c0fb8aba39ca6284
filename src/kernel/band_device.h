/* How a picture goes through a device in bands, and what a device has to do for it.
 * Every row goes up once; the halo rows of a band are those of its neighbour before,
 * which are on the device already. So the output lags behind by the rows below:
 *
 *      input      |  band 0  |  band 1  |  band 2  |         `rows` each, the last fewer
 *      output     | 0      |  1       |  2           |       each `below` rows higher
 *      on device  [ halo: above + below ][ band ]            rows for output 1: 0 1
 *
 * Arithmetic and an interface; run/device_bands.c runs it, cuda/bands.c is a device. */
#ifndef STENCIL_KERNEL_BAND_DEVICE_H
#define STENCIL_KERNEL_BAND_DEVICE_H

#include "kernel/kernel.h"

struct band_layout {
    int height;       /* of the picture */
    int rows, count;  /* input rows of a band (the last may have fewer); bands */
    int above, below; /* rows that sums read beyond their own; ghost rows fold within them */
};

static inline int band_in_first(const struct band_layout *l, int band)
{
    return band * l->rows;
}

/* One behind the last row of a band, of input and of output. */
static inline int band_in_end(const struct band_layout *l, int band)
{
    return band == l->count - 1 ? l->height : (band + 1) * l->rows;
}

static inline int band_out_end(const struct band_layout *l, int band)
{
    int end = band_in_end(l, band);
    return end == l->height ? end : end > l->below ? end - l->below : 0;
}

static inline int band_out_first(const struct band_layout *l, int band)
{
    return band == 0 ? 0 : band_out_end(l, band - 1);
}

/* The first row on the device beside a band: sums of its output read none before. */
static inline int band_halo_first(const struct band_layout *l, int band)
{
    int first = band_in_first(l, band), halo = l->above + l->below;
    return first > halo ? first - halo : 0;
}

struct band_job {
    const struct plan *plan; /* one pass */
    struct band_layout layout;
    int width, tile, device_index;
    /* Host memory: band i comes in in[i % in_slots] and leaves in out[i % out_slots], which hold
     * `rows` and `rows` + `below` rows without gaps. Of one slot or more, 2 or more for several
     * bands. */
    struct image *in, *out;
    int in_slots, out_slots;
    bool pin; /* the slots are used often enough to be worth pinning */
};

/* open, submit and close are called by one thread; the two waits by others, for a band that was
 * submitted. A band is submitted when its input is there and band - out_slots has been waited
 * for and done with. */
struct band_device {
    /* Gets the device and its memory ready, which may take long. The job has to stay. */
    void *(*open)(const struct band_job *job, struct error *err);
    /* Up, filtered, down; returns before that is over. */
    bool (*submit)(void *state, int band, struct error *err);
    /* Until the band's input may be overwritten; until its output is there. */
    bool (*wait_uploaded)(void *state, int band, struct error *err);
    bool (*wait_downloaded)(void *state, int band, struct error *err);
    /* Also after a failure. Adds to times. */
    void (*close)(void *state, struct kernel_times *times);
};

#endif
