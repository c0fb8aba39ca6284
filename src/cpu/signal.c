/* The fast 1D kernel of the CPU, in plain C: threads make the outputs in pieces. A piece copies its
 * cells with their halo and ghost cells into one line, the textbook's input tile, and then needs no
 * border test:
 *
 *      line   | left halo | internal cells | right halo |      piece + mask_width - 1 cells
 *      sums  += weight[j] * line[j ...]                        one loop over the piece per weight
 *
 * Compilers turn this inner loop into vector instructions. Masks are summed in groups of weights,
 * so that the line stays in the first-level cache. */
#include "kernel/signal_job.h"

#include <string.h>

#include "base/parallel.h"
#include "kernel/kernel.h"

/* Outputs of a piece, and weights of a group: line and sums take 40 KB of integers at most. */
#define PIECE 2048
#define GROUP 1024

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

#define CELL           float
#define NAME(function) function##_floats
#include "cpu/signal_template.h"

#define CELL           int64_t
#define NAME(function) function##_integers
#include "cpu/signal_template.h"

static void run_piece(void *context, int piece, int worker)
{
    const struct signal_job *job = context;
    (void)worker;
    if (job->type == SIGNAL_F32)
        sum_floats(job, piece * PIECE);
    else
        sum_integers(job, piece * PIECE);
}

static bool run(const struct signal_job *job, struct error *err)
{
    struct signal_job copy = *job;
    (void)err;
    parallel_for(job->threads, (job->n + PIECE - 1) / PIECE, run_piece, &copy);
    return true;
}

const struct kernel kernel_signal_scalar = {
    .name = "scalar",
    .dims = 1,
    .device = DEVICE_CPU,
    .idea = "plain C, on all cores",
    .run_signal = run,
};
