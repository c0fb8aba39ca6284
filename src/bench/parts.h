/* What the parts of bench/run.c share (which kernels are meant, how one of them is
 * timed), and what the printers and plots share. Nobody else includes this. */
#ifndef STENCIL_BENCH_PARTS_H
#define STENCIL_BENCH_PARTS_H

#include "bench/bench.h"

#define BENCH_KERNELS 32

struct bench_kernels {
    const struct kernel *kernel[BENCH_KERNELS];
    int count;
    bool named; /* by the user: none of them is left out in silence */
};

/* ---- bench/choose.c ---- */

/* The kernels that are meant, in the table's order. NO_CUDA (256 bytes) says why CUDA kernels are
 * missing, or is left empty. */
bool bench_kernels_choose(struct bench_kernels *kernels, const struct bench_request *request,
                          enum bench_sweep sweep, char *no_cuda, struct error *err);

/* True for the reference: it is timed on fewer rows and less often. */
bool bench_is_reference(const struct kernel *kernel);

/* ---- bench/time.c ---- */

/* Times JOB on KERNEL and fills the result's times, bytes, tile and inputs. */
bool bench_time_kernel(struct bench_result *result, const struct bench_request *request,
                       const struct kernel_job *job, struct error *err);

/* The time of a copy of result->bytes on the device, kept from one kernel to the next. OUT is a
 * whole picture to copy to, where that is done by the CPU. */
bool bench_time_copy(struct bench_result *result, struct bench_device *device,
                     const struct bench_request *request, const struct kernel_job *job,
                     struct image *out, struct error *err);

/* ---- bench/run.c ---- */

/* What bench/reuse.h says of an internal tile: the loads of `basic` for one load of a kernel that
 * keeps STAGED in shared memory; 0: nothing is said. Where that is the internal cells only, every
 * load from outside the tile counts, though it comes from L2. CUT: how the kernel really cuts, or
 * NULL.
 */
double bench_predict(enum kernel_tile staged, const struct plan_mask *m, int tile,
                     const struct kernel_shape *cut);

/* ---- bench/print.c ---- */

#define BENCH_NAME_CHARS 12

void bench_print_head(FILE *out, const struct bench_report *report);
void bench_print_advice(FILE *out, const struct bench_report *report);

/* A time with no more digits than mean something; a number, or a dash where it is not above 0. */
void bench_print_ms(FILE *out, int width, double ms);
void bench_print_fixed(FILE *out, int width, int decimals, double value);

/* ---- bench/sweep.c ---- */

/* Where a result lies in a sweep: its tile's or mask's width. */
int bench_sweep_place(const struct bench_report *report, const struct bench_result *result);

/* All places in rising order, all kernels in the order of the report; at most BENCH_KERNELS. */
int bench_sweep_places(const struct bench_report *report, int at[BENCH_KERNELS]);
int bench_sweep_kernels(const struct bench_report *report,
                        const struct kernel *kernel[BENCH_KERNELS]);

/* The timed result of a kernel at a place, or NULL. */
const struct bench_result *bench_sweep_find(const struct bench_report *report,
                                            const struct kernel *kernel, int at);

#endif
