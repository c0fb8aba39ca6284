/* The CUDA backend of a build without nvcc: its name, no devices, and why. */
#include <stdio.h>

#include "kernel/backend.h"

static int devices(char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "needs a CUDA build, made where nvcc is installed");
    return 0;
}

static bool start(int index, struct error *err)
{
    return backend_check_cuda(index, NULL, err);
}

const struct backend backend_cuda = {
    .device = DEVICE_CUDA,
    .name = "cuda",
    .devices = devices,
    .start = start,
    .pass_ms = cuda_pass_ms,
};
