/* How a picture is cut into bands, and the interface of a device that filters a picture band by
 * band. A band is some rows of output; its sums also read halo rows above and below. Each row of
 * input is read once, when the first band needs it:
 *
 *      output      |  band 0  |  band 1  |  band 2  |      `rows` each, the last fewer
 *      new input   |  band 0    |  band 1  | band 2 |      each `below` rows lower
 *      for band 1      [ halo ] [ new ]                    halo: at most above + below rows
 *
 * This file holds arithmetic and the interface. run/pipeline.c chooses the rows and runs the bands;
 * cuda/bands.c implements a device. */
#ifndef STENCIL_KERNEL_BAND_DEVICE_H
#define STENCIL_KERNEL_BAND_DEVICE_H

#include "kernel/kernel.h"

struct bands {
    int height;       /* of the picture */
    int rows, count;  /* output rows per band (the last may have fewer); number of bands */
    int above, below; /* rows beyond a band that its sums may read, also for ghost rows; for all
                         passes of all steps */
};

/* Sets height, above and below for a picture of HEIGHT rows. Returns false if the sums of a band
 * may read rows anywhere in the picture. */
bool bands_find_reach(struct bands *bands, const struct plan *plan, int height);

/* The first output row of a band, and the row after its last one. */
static inline int bands_first(const struct bands *bands, int band)
{
    return band * bands->rows;
}

static inline int bands_end(const struct bands *bands, int band)
{
    return band == bands->count - 1 ? bands->height : (band + 1) * bands->rows;
}

/* The first input row that BAND or a later band reads; the row after BAND's last input row. */
static inline int bands_needs_from(const struct bands *bands, int band)
{
    int first = band < bands->count ? bands_first(bands, band) - bands->above : bands->height;
    return first > 0 ? first : 0;
}

static inline int bands_needs_to(const struct bands *bands, int band)
{
    int end = bands_end(bands, band), left = bands->height - end;
    return end + (bands->below < left ? bands->below : left);
}

/* The first row that BAND reads and no earlier band; bands_needs_to if BAND reads no new row. */
static inline int bands_new_from(const struct bands *bands, int band)
{
    return band == 0 ? 0 : bands_needs_to(bands, band - 1);
}

struct band_job {
    const struct plan *plan; /* `steps` of them, of plan->repeat passes each */
    int steps;
    const struct kernel *const *kernels; /* of the device, one for each step */
    const struct bands *bands;
    const struct image *shape; /* of the picture, without memory */
    int tile, device_index;
    /* Host memory. New rows of band i are in in[i % in_slots], its output is in out[i % out_slots].
     * An input slot has `rows` + `below` rows, an output slot `rows` rows, without gaps. At least 1
     * slot each; at least 2 for several bands. */
    struct image *in, *out;
    int in_slots, out_slots;
    bool pin;                   /* the slots are used often enough to be worth pinning */
    struct kernel_times *times; /* added to until close */
};

/* Bands are submitted in order. Before a band is submitted, its input must be complete, and the
 * output of band - out_slots must have been used. The waits take a submitted band. Any thread may
 * call; the waits may run in parallel with each other and with submit, all else not. */
struct band_device {
    /* Prepares the device and its memory, which may take long. The job must outlive close. */
    void *(*open)(const struct band_job *job, struct error *err);
    /* Starts a band's upload, filtering and download; returns before they are done. */
    bool (*submit)(void *state, int band, struct error *err);
    /* Wait until the band's input may be overwritten; until the band's output is complete. */
    bool (*wait_uploaded)(void *state, int band, struct error *err);
    bool (*wait_downloaded)(void *state, int band, struct error *err);
    /* To be called after a failure, too. */
    void (*close)(void *state);
};

#endif
