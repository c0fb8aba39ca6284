/* Private to src/try: a kernel that is right on the software GPU runs on a GPU, too, and is timed
 * there. The file is compiled by nvcc. Its host code then runs with the user's rights: the CUDA
 * driver needs too much of the system for the sandbox of the software way. */
#ifndef STENCIL_TRY_GPU_H
#define STENCIL_TRY_GPU_H

#include "try/judge.h"
#include "try/ours.h"

struct try_gpu {
    bool ran;
    bool right;
    char name[256], sentence[300]; /* of the GPU; what is wrong */
    int cases;
    char timed[80];     /* the case that was timed */
    double ms, copy_ms; /* of the kernel, and of a copy of N to P */
    struct try_ours ours;
};

/* Compiles the file, runs the battery's cases and times a large one. False with ERR: there is no
 * nvcc or no GPU (EXIT_DEVICE), or the file does not compile. */
bool try_gpu_run(const struct try_setup *setup, const struct try_battery *battery,
                 struct try_gpu *gpu, struct error *err);

#endif
