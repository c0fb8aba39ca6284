/* Rows of the kernel table for the textbook's 2D kernels. They run any plan: the
 * number type follows the plan's bounds, masks past constant memory go in
 * several launches, pictures past device memory in bands. */
#include "kernel/rows.h"

#include "cuda/planes.h"

static bool supports(const struct plan *plan, char *why, size_t why_bytes)
{
    (void)plan;
    return backend_cuda.devices(why, why_bytes) > 0;
}

/* run, time and bands of one method: METHOD_name, run_name, time_name, bands_name. */
#define METHOD(kernel, ...)                                                                        \
    static const struct planes_method METHOD_##kernel = {.name = #kernel, __VA_ARGS__};            \
    static bool run_##kernel(const struct kernel_job *job, struct error *err)                      \
    {                                                                                              \
        return cuda_run(job, &METHOD_##kernel, err);                                               \
    }                                                                                              \
    static bool time_##kernel(const struct kernel_job *job, struct kernel_trial *trial,            \
                              struct error *err)                                                   \
    {                                                                                              \
        return cuda_time(job, &METHOD_##kernel, trial, err);                                       \
    }                                                                                              \
    static void *open_##kernel(const struct band_job *job, struct error *err)                      \
    {                                                                                              \
        return cuda_bands_open(job, &METHOD_##kernel, err);                                        \
    }                                                                                              \
    static const struct band_device bands_##kernel = {.open = open_##kernel, CUDA_BANDS};
METHOD(basic, .plane = plane_basic)
METHOD(constant, .plane = plane_constant, .constant = true)
METHOD(readonly, .plane = plane_readonly)
METHOD(cached, .plane = plane_cached, .constant = true)
METHOD(tiled, .plane = plane_tiled, .constant = true)

/* A method on whole pixels, and cuda_image_supports_name. */
#define IMAGE_METHOD(kernel, ...)                                                                  \
    METHOD(kernel, .pack = cuda_image_pack_##kernel, __VA_ARGS__)                                  \
    static bool cuda_image_supports_##kernel(const struct plan *plan, char *why, size_t why_bytes) \
    {                                                                                              \
        return cuda_image_supports(&METHOD_##kernel, plan, why, why_bytes);                        \
    }
IMAGE_METHOD(dp4a, .image = dp4a_launch, .form = cuda_image_planes, .since = 7,
             .unit = "product of four bytes")
IMAGE_METHOD(weighted, .image = weighted_launch, .form = cuda_image_form_weighted, .since = 7,
             .unit = "product of four bytes")
IMAGE_METHOD(int8, .image = int8_mma_launch, .form = cuda_image_planes, .since = 8,
             .unit = "int8 matrix product")
IMAGE_METHOD(banded, .image = banded_launch, .form = cuda_image_planes, .since = 9,
             .unit = "tensor copies", .aligns = true)
IMAGE_METHOD(certified, .image = certified_launch, .form = cuda_image_form_certified, .since = 9,
             .unit = "tensor copies", .aligns = true)
IMAGE_METHOD(separable, .image = separable_launch, .form = cuda_image_form_separable, .since = 9,
             .unit = "tensor copies", .aligns = true)

static void shape_tiled(const struct kernel_job *job, struct kernel_shape *shape)
{
    planes_shape(job, plane_tiled_shape, shape);
}

#define ROW(kernel, staged, sentence)                                                              \
    .name = #kernel, .dims = 2, .device = DEVICE_CUDA, .idea = sentence,                           \
    .kinds = KERNEL_KIND(PLAN_LINEAR) | KERNEL_KIND(PLAN_GRADIENT), .supports = supports,          \
    .run = run_##kernel, .time = time_##kernel, .tile = staged, .bands = &bands_##kernel

static const struct kernel KERNELS[] = {
    {ROW(basic, TILE_BLOCK,
         "mask and input in global memory, one thread an output (Fig. 7.6 in 2D)")},
    {ROW(readonly, TILE_BLOCK, "as basic, the mask through const __restrict__ (teaching kit 8.3)")},
    {ROW(constant, TILE_BLOCK, "as basic, the mask in constant memory (Fig. 7.8 in 2D)")},
    {ROW(cached, TILE_INTERNAL,
         "internal cells in shared memory, halo cells through L2 (Figs. 7.13-7.14 in 2D)")},
    {ROW(tiled, TILE_HALO, "input tile with halo cells in shared memory (Figs. 7.19-7.21)"),
     .shape = shape_tiled},
    {.name = "dp4a",
     .dims = 2,
     .device = DEVICE_CUDA,
     .idea = "whole 8-bit pixels, four cells times four weights an instruction (7.5)",
     .kinds = KERNEL_KIND(PLAN_LINEAR),
     .supports = cuda_image_supports_dp4a,
     .run = run_dp4a,
     .time = time_dp4a,
     .bands = &bands_dp4a},
    {.name = "weighted",
     .dims = 2,
     .device = DEVICE_CUDA,
     .idea = "colour weighted by alpha, 8 bits, products and division in one pass (7.5)",
     .kinds = KERNEL_KIND(PLAN_LINEAR),
     .supports = cuda_image_supports_weighted,
     .only_weighted = true,
     .run = run_weighted,
     .time = time_weighted,
     .bands = &bands_weighted},
    {.name = "int8",
     .dims = 2,
     .device = DEVICE_CUDA,
     .idea = "whole 8-bit pixels on the int8 matrix units, 4 x 4 outputs a column",
     .kinds = KERNEL_KIND(PLAN_LINEAR),
     .supports = cuda_image_supports_int8,
     .run = run_int8,
     .time = time_int8,
     .bands = &bands_int8},
    {.name = "banded",
     .dims = 2,
     .device = DEVICE_CUDA,
     .idea = "pixels as they lie, mask rows as banded, sparse matrices (9.0)",
     .kinds = KERNEL_KIND(PLAN_LINEAR),
     .supports = cuda_image_supports_banded,
     .run = run_banded,
     .time = time_banded,
     .bands = &bands_banded},
    {.name = "certified",
     .dims = 2,
     .device = DEVICE_CUDA,
     .idea = "as banded, weights rounded to 16 bits; doubtful samples summed again (9.0)",
     .kinds = KERNEL_KIND(PLAN_LINEAR),
     .supports = cuda_image_supports_certified,
     .pays = cuda_image_pays_certified,
     .run = run_certified,
     .time = time_certified,
     .bands = &bands_certified},
    {.name = "separable",
     .dims = 2,
     .device = DEVICE_CUDA,
     .idea = "rank 1: row and column pass in one kernel, as banded matrices (9.0)",
     .kinds = KERNEL_KIND(PLAN_LINEAR),
     .supports = cuda_image_supports_separable,
     .pays = cuda_image_pays_separable,
     .run = run_separable,
     .time = time_separable,
     .bands = &bands_separable},
};

const struct kernel *cuda_kernels(int *count)
{
    *count = (int)(sizeof KERNELS / sizeof *KERNELS);
    return KERNELS;
}
