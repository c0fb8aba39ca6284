/* How high the bands of a picture are, on the CPU and through a device. Arithmetic only, for
 * run/pipeline.c; the rows of a band: kernel/band_device.h. */
#ifndef STENCIL_RUN_BANDS_H
#define STENCIL_RUN_BANDS_H

#include "kernel/band_device.h"

/* Cuts into bands of ROWS rows. */
void bands_cut(struct bands *bands, int rows);

/* How many rows a band of a picture of that shape should have: for THREADS threads of the CPU that
 * run KERNEL by METHOD (NULL: the fastest), and for a device. */
int bands_rows_cpu(const struct bands *bands, const struct plan *plan, const struct kernel *kernel,
                   const char *method, const struct image *shape, int threads);
int bands_rows_device(const struct bands *bands, const struct image *shape);

#endif
