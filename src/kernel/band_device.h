/* How a picture is cut into bands, and what a device has to do for a picture that goes through it
 * in bands. A band is some rows of output; its sums also read halo rows above and below. Each row
 * of input is read once, when the first band needs it:
 *
 *      output      |  band 0  |  band 1  |  band 2  |      `rows` each, the last fewer
 *      new input   |  band 0    |  band 1  | band 2 |      each `below` rows lower
 *      for band 1      [ halo ] [ new ]                    halo: at most above + below rows
 *
 * Arithmetic and an interface; run/pipeline.c chooses the rows and runs the bands, and
 * cuda/bands.c is a device. */
#ifndef STENCIL_KERNEL_BAND_DEVICE_H
#define STENCIL_KERNEL_BAND_DEVICE_H

#include "kernel/kernel.h"

struct bands {
    int height;       /* of the picture */
    int rows, count;  /* output rows of a band (the last may have fewer); bands */
    int above, below; /* rows beyond a band that its sums may read; ghost rows fold within them */
};

/* Sets the height and the rows beyond a band that the sums of a picture of HEIGHT rows may read.
 * False where they read rows that may be anywhere in the picture. */
bool bands_find_reach(struct bands *bands, const struct plan *plan, int height);

/* The first output row of a band, and one behind its last. */
static inline int bands_first(const struct bands *bands, int band)
{
    return band * bands->rows;
}

static inline int bands_end(const struct bands *bands, int band)
{
    return band == bands->count - 1 ? bands->height : (band + 1) * bands->rows;
}

/* The first row that the sums of BAND, or of any later one, read; one behind the last of BAND's. */
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

/* The first row that BAND reads and no band before it. There may be none up to bands_needs_to. */
static inline int bands_new_from(const struct bands *bands, int band)
{
    return band == 0 ? 0 : bands_needs_to(bands, band - 1);
}

struct band_job {
    const struct kernel *kernel; /* of the device */
    const struct plan *plan;     /* one pass */
    const struct bands *bands;
    const struct image *shape; /* of the picture, without memory */
    int tile, device_index;
    /* Host memory: the new rows of band i come in in[i % in_slots], its output leaves in
     * out[i % out_slots]; they hold `rows` + `below` and `rows` rows without gaps. Of one slot or
     * more, 2 or more for several bands. */
    struct image *in, *out;
    int in_slots, out_slots;
    bool pin;                   /* the slots are used often enough to be worth pinning */
    struct kernel_times *times; /* added to until close */
};

/* Bands are submitted in order, each when its input is there and band - out_slots has been waited
 * for and done with. The two waits are for a band that was submitted. Any thread may call; only
 * the waits may be called beside each other and beside submit. */
struct band_device {
    /* Gets the device and its memory ready, which may take long. The job has to stay. */
    void *(*open)(const struct band_job *job, struct error *err);
    /* Up, filtered, down; returns before that is over. */
    bool (*submit)(void *state, int band, struct error *err);
    /* Until the band's input may be overwritten; until its output is there. */
    bool (*wait_uploaded)(void *state, int band, struct error *err);
    bool (*wait_downloaded)(void *state, int band, struct error *err);
    /* Also after a failure. */
    void (*close)(void *state);
};

#endif
