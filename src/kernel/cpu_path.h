/* The ways of the CPU kernels to a mask's sums. All give the same integers; which is
 * the fastest follows from the plan and the size of the work. */
#ifndef STENCIL_KERNEL_CPU_PATH_H
#define STENCIL_KERNEL_CPU_PATH_H

#include <stdbool.h>

struct plan;
struct kernel_job;

enum cpu_path {
    CPU_PATH_AUTO,   /* in a job: the fastest */
    CPU_PATH_DIRECT, /* every cell of the mask, or rows and columns where its rank is 1 */
    CPU_PATH_TERMS,  /* a few columns times rows, added up */
    CPU_PATH_RUNS, /* running sums along rows, of which the ends of runs of one weight are taken */
    CPU_PATH_FFT,  /* Fourier transforms of tiles */
    CPU_PATH_COUNT
};

/* Can the plan go this way? DIRECT can always. */
bool cpu_path_can(enum cpu_path path, const struct plan *plan);

/* About the nanoseconds of one thread for a pass over so many pixels. */
double cpu_path_cost(enum cpu_path path, const struct plan *plan, int width, int height);

enum cpu_path cpu_path_fastest(const struct plan *plan, int width, int height);

/* The job's own way where its plan can go it, else the fastest. */
enum cpu_path cpu_path_choose(const struct kernel_job *job);

/* A word, and a phrase. */
const char *cpu_path_name(enum cpu_path path);
const char *cpu_path_idea(enum cpu_path path);

#endif
