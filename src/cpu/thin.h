/* Thin pictures, whose rows are too short or too few for the methods. A picture of few columns is
 * laid on its side; a picture of one row, also one that lies, needs only one row of the mask. Both
 * are cut along their longer axis into pieces with halo cells and ghost cells of their own, for all
 * threads. Private to cpu/kernels.c. */
#ifndef STENCIL_CPU_THIN_H
#define STENCIL_CPU_THIN_H

#include "kernel/kernel.h"

/* Is a picture so narrow that it is faster on its side? */
bool cpu_thin_is_narrow(int width, int height);

/* Is it faster with a mask of one row? */
bool cpu_thin_is_row(int width, int height);

/* The longer axis of a piece, in pixels, for pieces of a narrow picture, and of a single row. */
int cpu_thin_piece(const struct plan *plan, int shorter);

/* Makes the plan of the pieces. False: no memory, or PLAN has none. */
bool cpu_thin_plan(struct plan *thin, const struct plan *plan, int width, bool narrow);

/* Runs one pass of JOB in pieces: calls RUN for each of them with a job of THIN, cpu_thin_plan's.
 */
bool cpu_thin_run(const struct kernel_job *job, const struct plan *thin, bool narrow,
                  bool (*run)(const struct kernel_job *piece, void *context, struct error *err),
                  void *context, struct error *err);

#endif
