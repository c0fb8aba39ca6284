/* The backends: where kernels run. The CPU backend always exists. The CUDA backend exists if the
 * build includes CUDA; it has devices if the machine has a driver and a GPU. */
#ifndef STENCIL_KERNEL_BACKEND_H
#define STENCIL_KERNEL_BACKEND_H

#include "kernel/kernel.h"

/* A device's peak rate of multiply-adds, measured on independent chains. One multiply-add counts as
 * two operations. */
struct device_ceiling {
    const char *name; /* the instruction: "FFMA" */
    double gflops;
};
#define DEVICE_CEILINGS 2

/* What the bench reports about a device. */
struct device_probe {
    char name[128], driver[64];                     /* driver: "" if there is none */
    size_t cache_bytes;                             /* the last-level cache; 0: unknown */
    struct device_ceiling ceiling[DEVICE_CEILINGS]; /* from low to high */
    int ceilings;
};

struct backend {
    enum device device;
    const char *name; /* as in --device: "cpu", "cuda", "soft" */
    /* Is it a software GPU? Then its times are not a GPU's. Only the program that --device soft
     * starts has such a backend, in the place of CUDA's. */
    bool software;
    bool in_build; /* false for CUDA in a build without CUDA: then no text speaks of its costs */
    /* The number of devices. If there is none, WHY gets the reason as half a sentence. */
    int (*devices)(char *why, size_t why_bytes);
    /* Writes one line about the existing device INDEX: name, size, capability. */
    void (*describe)(int index, char *text, size_t text_bytes);
    /* Prepares device INDEX; this can overlap with decoding (a CUDA context takes about 0.2 s). May
     * be called again, and from any thread. EXIT_DEVICE if the device does not exist. */
    bool (*start)(int index, struct error *err);
    /* Has device INDEX been started? INDEX -1: has any device been started? NULL: never. */
    bool (*is_ready)(int index);
    /* Pinned host memory, which device INDEX copies from and to directly. Pinning takes long, so
     * the memory is kept for later pictures. NULL (also for the function): none is available; use
     * other memory. host_give returns false for memory that host_take did not give. */
    void *(*host_take)(int index, size_t bytes);
    bool (*host_give)(void *memory);
    /* Memory of device INDEX, for pictures with on_device (kernel/kernel.h): takes BYTES of it
     * (NULL: there is no room), gives it back, and tells whether DATA points into it. NULL: the
     * backend has no memory of its own. */
    void *(*memory_take)(int index, size_t bytes);
    void (*memory_give)(int index, void *memory);
    bool (*memory_has)(int index, const void *data);
    /* Frees what the devices keep from run to run, so that a leak checker reports nothing. A
     * program that ends need not call this. NULL: nothing is kept. */
    void (*release)(void);
    /* The cost model of --device auto: estimates the milliseconds of the fastest kernel for one
     * pass over WIDTH x HEIGHT pixels (on a CPU: with one thread). Needs no device. */
    double (*pass_ms)(const struct plan *plan, int width, int height);
    /* Measures the existing device INDEX (a CPU with THREADS threads) in about half a second. */
    bool (*probe)(int index, int threads, struct device_probe *probe, struct error *err);
    /* One line about a method of this backend's kernels. NULL: they have no methods. */
    const char *(*method_idea)(const char *method);
    /* Fills NOTE if a device has turned out to lack something that kernels need. NULL: nothing to
     * say. */
    void (*note)(char *note, size_t bytes);
};

/* The remark that goes with the times of a software backend. */
#define BACKEND_SOFT_TIMES "these are times of the software GPU: they say nothing about a GPU"

const struct backend *backend_find(enum device device);

/* Does CUDA device INDEX exist? If not: EXIT_DEVICE. Nothing is started. KERNEL is the kernel that
 * was asked for, or NULL. */
bool backend_check_cuda(int index, const struct kernel *kernel, struct error *err);

extern const struct backend backend_cpu, backend_cuda;

/* The longest row of a picture in bytes: kernels on whole pixels count bytes of rows in an int,
 * also of halo cells and of tiles that reach beyond the row. */
#define CUDA_MOST_ROW_BYTES ((1 << 30) + ((1 << 30) - (1 << 20)))

/* The pass_ms of backend_cuda, also in builds without CUDA (cuda/cost.c; of the software GPU:
 * soft/cost.c). */
double cuda_pass_ms(const struct plan *plan, int width, int height);

#endif
