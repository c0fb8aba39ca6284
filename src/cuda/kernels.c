/* Rows of the kernel table for the kernels of CUDA. The textbook's kernels work on planes and
 * run any plan: the number type follows the plan's bounds, a mask too large for constant memory
 * takes several launches, a picture too large for device memory is cut into bands. Kernels on whole
 * pixels run only some plans (cuda/pixel_kernels.c). A build without CUDA has these rows too, but
 * cannot run them. */
#include "kernel/kernel.h"

#ifdef HAVE_CUDA
#include "cuda/planes.h"
#define IF_CUDA(...) __VA_ARGS__
#else
#define IF_CUDA(...) NULL
#endif

#define ROW(kernel, ...)                                                                           \
    .name = #kernel, .dims = 2, .device = DEVICE_CUDA, .run = IF_CUDA(cuda_run),                   \
    .time = IF_CUDA(cuda_time), .bands = IF_CUDA(&cuda_bands),                                     \
    .cuda = IF_CUDA(&(const struct planes_method){__VA_ARGS__})

#define PLANE_ROW(kernel, in_constant_memory)                                                      \
    ROW(kernel, .plane = plane_##kernel, .constant = in_constant_memory),                          \
        .kinds = KERNEL_KIND(PLAN_LINEAR) | KERNEL_KIND(PLAN_GRADIENT)

#define IMAGE_ROW(kernel, ...)                                                                     \
    ROW(kernel, .pack = cuda_image_pack_##kernel, __VA_ARGS__),                                    \
        .supports = IF_CUDA(cuda_image_supports), .kinds = KERNEL_KIND(PLAN_LINEAR)

#define ORDER_ROW(kernel)                                                                          \
    ROW(kernel, .pack = cuda_image_pack_##kernel, .image = kernel##_launch, .since = 7),           \
        .kinds = KERNEL_KIND(PLAN_ORDER), .supports = IF_CUDA(cuda_image_supports)

#define BILATERAL_ROW                                                                              \
    ROW(bilateral, .pack = cuda_image_pack_bilateral, .image = bilateral_launch, .since = 7),      \
        .kinds = KERNEL_KIND(PLAN_BILATERAL), .supports = IF_CUDA(cuda_image_supports)

#define SIGNAL_ROW(kernel)                                                                         \
    .name = #kernel, .dims = 1, .device = DEVICE_CUDA, .run_signal = IF_CUDA(cuda_signal_##kernel)

static const struct kernel KERNELS[] = {
    {PLANE_ROW(basic, false), .tile = TILE_BLOCK,
     .idea = "mask and input in global memory, one thread an output (Kirk, Hwu: Fig. 7.6 in 2D)"},
    {PLANE_ROW(readonly, false), .tile = TILE_BLOCK,
     .idea = "as basic, the mask through const __restrict__ (teaching kit, module 8.3)"},
    {PLANE_ROW(constant, true), .tile = TILE_BLOCK,
     .idea = "as basic, the mask in constant memory (Kirk, Hwu: Fig. 7.8 in 2D)"},
    {PLANE_ROW(cached, true), .tile = TILE_INTERNAL,
     .idea = "internal cells in shared memory, halo cells through L2 (Figs. 7.13-7.14 in 2D)"},
    {PLANE_ROW(tiled, true), .tile = TILE_HALO, .shape = IF_CUDA(cuda_tiled_shape),
     .idea = "input tile with halo cells in shared memory (Figs. 7.19-7.21)"},
    {IMAGE_ROW(dp4a, .image = dp4a_launch, .since = 7) | KERNEL_KIND(PLAN_GRADIENT),
     .idea = "whole 8-bit pixels, four cells times four weights an instruction (7.5)"},
    {IMAGE_ROW(weighted, .image = weighted_launch, .since = 7), .only_weighted = true,
     .idea = "colour weighted by alpha, 8 bits, products and division in one pass (7.5)"},
    {IMAGE_ROW(int8, .image = int8_mma_launch, .since = 8),
     .idea = "whole 8-bit pixels on the int8 matrix units, 4 x 4 outputs a column"},
    {IMAGE_ROW(banded, .image = banded_launch, .since = 9),
     .idea = "pixels as they lie, mask rows as banded, sparse matrices (9.0)"},
    {IMAGE_ROW(certified, .image = certified_launch, .since = 9),
     .pays = IF_CUDA(cuda_certified_pays),
     .idea = "as banded, weights rounded to 16 bits; doubtful samples summed again (9.0)"},
    {IMAGE_ROW(separable, .image = separable_launch, .since = 9),
     .pays = IF_CUDA(cuda_separable_pays),
     .idea = "rank 1: row and column pass in one kernel, as banded matrices (9.0)"},
    {ORDER_ROW(bisect),
     .idea = "any cell of any sorted window: its bits from the top, by counting smaller cells"},
    {ORDER_ROW(network),
     .idea = "medians of 3, 5 and 7 cells a side: sorting networks in registers"},
    {ORDER_ROW(extremes),
     .idea = "the least or greatest cell: prefixes and suffixes of blocks, any rectangle as fast"},
    {BILATERAL_ROW,
     .idea = "bilateral filters on whole pixels, 8 and 16 bits, one thread an output (7.5)"},
};

static const struct kernel SIGNAL_KERNELS[] = {
    {SIGNAL_ROW(basic), .tile = TILE_BLOCK,
     .idea = "mask and input in global memory, one thread an output (Kirk, Hwu: Fig. 7.6)"},
    {SIGNAL_ROW(constant), .tile = TILE_BLOCK,
     .idea = "as basic, the mask in constant memory (Kirk, Hwu: Fig. 7.8)"},
    {SIGNAL_ROW(cached), .tile = TILE_INTERNAL, .shape_signal = IF_CUDA(cuda_signal_cached_shape),
     .idea = "internal cells in shared memory, halo cells through L2 (Figs. 7.13-7.14)"},
    {SIGNAL_ROW(tiled), .tile = TILE_HALO, .shape_signal = IF_CUDA(cuda_signal_tiled_shape),
     .idea = "input tile with left and right halo cells in shared memory (Fig. 7.11)"},
};

const struct kernel *cuda_kernels(int *count)
{
    *count = (int)(sizeof KERNELS / sizeof *KERNELS);
    return KERNELS;
}

const struct kernel *cuda_signal_kernels(int *count)
{
    *count = (int)(sizeof SIGNAL_KERNELS / sizeof *SIGNAL_KERNELS);
    return SIGNAL_KERNELS;
}
