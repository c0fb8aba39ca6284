/* One picture through a device that is not the CPU, in bands, with a thread for each
 * stage:
 *
 *      decoder   slots of input  | ahead as far as there are slots, also while the
 *                                | device starts
 *      device    submits bands   | up, kernels and down run beside each other there
 *      encoder   slots of output | waits for a band and writes it
 *
 * Memory is some slots, on the host and on the device, whatever the picture's height.
 * The bytes are those of the whole picture in one piece. */
#ifndef STENCIL_RUN_DEVICE_BANDS_H
#define STENCIL_RUN_DEVICE_BANDS_H

#include "run/pipeline.h"

/* A picture of so many bytes waits in the slots as a whole while the device starts; from so many on
 * the slots are pinned, and few. */
#define DEVICE_BANDS_AHEAD_BYTES  ((double)(128 << 20))
#define DEVICE_BANDS_PINNED_BYTES (4 * DEVICE_BANDS_AHEAD_BYTES)

struct device_bands;

/* NULL where the picture has to be done whole: rows far away are needed (wrap, a mirror as tall as
 * the picture, repeated passes), or the bands would take too much memory. job->kernel may be NULL:
 * then job->choose is asked for it on the device's thread. */
struct device_bands *device_bands_open(const struct pipeline_job *job);

/* Everything from the first row to the renamed output. On failure the first error of any stage is
 * told, all stages have ended and nothing is left behind. Frees the bands. */
bool device_bands_run(struct device_bands *bands, struct pipeline_times *times,
                      struct kernel_times *device, struct error *err);

#endif
