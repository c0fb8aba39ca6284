/* Rows of the kernel table for the textbook's 2D kernels. They run any plan: the
 * number type follows the plan's bounds, masks past constant memory go in
 * several launches, pictures past device memory in strips. */
#include "cuda_kernels.h"

#include "backend.h"
#include "cuda_image.h"
#include "cuda_run.h"

static bool supports(const struct plan *plan, char *why, size_t why_bytes)
{
    (void)plan;
    return backend_cuda.devices(why, why_bytes) > 0;
}

#define RUN(kernel)                                                                                \
    static bool run_##kernel(const struct kernel_job *job, struct error *err)                      \
    {                                                                                              \
        static const struct planes_method METHOD = {.name = #kernel, .plane = plane_##kernel};     \
        return cuda_run(job, &METHOD, err);                                                        \
    }
RUN(basic)
RUN(constant)
RUN(readonly)
RUN(cached)
RUN(tiled)

static void shape_tiled(const struct kernel_job *job, struct kernel_shape *shape)
{
    planes_shape(job, plane_tiled_shape, shape);
}

#define ROW(kernel, sentence)                                                                      \
    .name = #kernel, .dims = 2, .device = DEVICE_CUDA, .idea = sentence, .supports = supports,     \
    .run = run_##kernel

static bool run_int8(const struct kernel_job *job, struct error *err)
{
    static const struct planes_method METHOD = {.name = "int8", .image = int8_mma_launch};
    return cuda_run(job, &METHOD, err);
}

static const struct kernel KERNELS[] = {
    {ROW(basic, "mask and input in global memory, one thread an output (Fig. 7.6 in 2D)")},
    {ROW(readonly, "as basic, the mask through const __restrict__ (teaching kit 8.3)")},
    {ROW(constant, "as basic, the mask in constant memory (Fig. 7.8 in 2D)")},
    {ROW(cached, "internal cells in shared memory, halo cells through L2 (Figs. 7.13-7.14 in 2D)")},
    {ROW(tiled, "input tile with halo cells in shared memory (Figs. 7.19-7.21)"),
     .shape = shape_tiled},
    {.name = "int8",
     .dims = 2,
     .device = DEVICE_CUDA,
     .idea = "whole 8-bit pixels on the int8 matrix units, 4 x 4 outputs a column",
     .supports = cuda_image_supports,
     .run = run_int8},
};

const struct kernel *cuda_kernels(int *count)
{
    *count = (int)(sizeof KERNELS / sizeof *KERNELS);
    return KERNELS;
}
