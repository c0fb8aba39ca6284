/* The backends: where kernels run. The CPU is always there; CUDA is there when
 * the build has it, and its devices when the machine has a driver and a GPU. */
#ifndef STENCIL_KERNEL_BACKEND_H
#define STENCIL_KERNEL_BACKEND_H

#include "kernel/kernel.h"

/* How fast a device can multiply and add: measured on chains that do not wait for each other,
 * two operations each. */
struct device_ceiling {
    const char *name; /* the instruction: "FFMA" */
    double gflops;
};
#define DEVICE_CEILINGS 2

/* What the bench asks of a device. */
struct device_probe {
    char name[128], driver[64];                     /* driver: "" where there is none */
    size_t cache_bytes;                             /* the last cache before memory; 0: unknown */
    struct device_ceiling ceiling[DEVICE_CEILINGS]; /* from low to high */
    int ceilings;
};

struct backend {
    enum device device;
    const char *name; /* "cpu", "cuda": what --device calls it */
    /* How many devices there are; 0 with a half-sentence in why when none. */
    int (*devices)(char *why, size_t why_bytes);
    /* One line about device INDEX, which is there: name, size, capability. */
    void (*describe)(int index, char *text, size_t text_bytes);
    /* Gets device INDEX ready (a CUDA context takes about 0.2 s), so that it can be done beside
     * decoding; harmless to call again, safe from another thread. EXIT_DEVICE when it is not there.
     */
    bool (*start)(int index, struct error *err);
    /* Says that this process runs one job and no others beside it, so that there is less to start:
     * before any thread, and before start. NULL: nothing is saved. */
    void (*expect_one)(void);
    /* Is there nothing left to start? Index -1: has any been started? NULL: never. */
    bool (*is_ready)(int index);
    /* Memory of the host that device INDEX copies from and to without a detour, for pictures one
     * after the other: making it takes long, so it is kept. NULL (also for the function): there is
     * none, any other does. host_give is false for memory that is not from there. */
    void *(*host_take)(int index, size_t bytes);
    bool (*host_give)(void *memory);
    /* Frees what the devices keep from run to run, so that a leak checker has nothing to tell; a
     * program that ends need not. NULL: nothing is kept. */
    void (*release)(void);
    /* The cost model of --device auto: about the milliseconds that the fastest kernel takes for one
     * pass over a picture of WIDTH x HEIGHT pixels, on one thread of a CPU. Of devices that are not
     * there, too. */
    double (*pass_ms)(const struct plan *plan, int width, int height);
    /* Measures device INDEX, which is there, with THREADS threads (of a CPU), in about half a
     * second. */
    bool (*probe)(int index, int threads, struct device_probe *probe, struct error *err);
};

const struct backend *backend_find(enum device device);

/* Is device INDEX of CUDA there? Else EXIT_DEVICE. Nothing is started. */
bool backend_check_cuda(int index, struct error *err);

extern const struct backend backend_cpu, backend_cuda;

/* The pass_ms of backend_cuda, also of builds without CUDA: cuda/cost.c. */
double cuda_pass_ms(const struct plan *plan, int width, int height);

#endif
