/* How a picture is cut into bands, and which rows of the input the sums of a band
 * read. Arithmetic only, for run/pipeline.c. */
#ifndef STENCIL_RUN_BANDS_H
#define STENCIL_RUN_BANDS_H

#include "codec/codec.h"
#include "kernel/kernel.h"

struct bands {
    int height;       /* of the picture */
    int rows, count;  /* of a band (the last may be lower); bands */
    int above, below; /* rows beyond a band that its sums may read */
};

/* What runs on the bands. */
struct bands_use {
    const struct plan *plan;
    const struct kernel *kernel; /* asked how high bands should be; needless where ROWS is given */
    const char *method;          /* of the kernel, NULL: the fastest */
};

/* False where the sums read rows that may be anywhere in the picture. ROWS is the height of a band,
 * 0: chosen for THREADS threads. */
bool bands_make(struct bands *bands, const struct bands_use *use, const struct image_info *info,
                int threads, int rows);

/* The first row of a band, and one behind its last. */
int bands_first(const struct bands *bands, int band);
int bands_end(const struct bands *bands, int band);

/* The first row that the sums of BAND, or of any later one, read; one behind the last of BAND's. */
int bands_needs_from(const struct bands *bands, int band);
int bands_needs_to(const struct bands *bands, int band);

#endif
