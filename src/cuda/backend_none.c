/* The CUDA backend of a build without nvcc: its name, no devices, and why. */
#include <stdio.h>

#include "cuda/cost.h"
#include "kernel/backend.h"

static int devices(char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "this build has no CUDA");
    return 0;
}

static void describe(int index, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "cuda:%d is not there", index);
}

static bool start(int index, struct error *err)
{
    return error_set(err, EXIT_DEVICE, "cuda:%d is not there: this build has no CUDA", index);
}

static bool probe(int index, int threads, struct device_probe *to, struct error *err)
{
    (void)threads, (void)to;
    return start(index, err);
}

const struct backend backend_cuda = {
    .device = DEVICE_CUDA,
    .name = "cuda",
    .devices = devices,
    .describe = describe,
    .start = start,
    .pass_ms = cuda_pass_ms,
    .probe = probe,
};
