/* Host side of the launches of the banded, certified and separable kernels: input and output as
 * tensors for the tensor copy, and which tiles have no ghost cells. */
#ifndef STENCIL_BANDED_TENSORS_CUH
#define STENCIL_BANDED_TENSORS_CUH

#include "banded.cuh"

#if CUDART_VERSION >= 12050
/* The driver's function, found at run time so that the program starts without a driver. */
static CUresult encode(CUtensorMap *map, void *base, uint64_t words, uint64_t rows, uint64_t pitch,
                       uint32_t box_words, uint32_t box_rows, CUtensorMapSwizzle swizzle)
{
    typedef CUresult encoder(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                             const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                             const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                             CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static encoder *known;
    const cuuint64_t size[2] = {words, rows}, stride[1] = {pitch};
    const cuuint32_t box[2] = {box_words, box_rows}, step[2] = {1, 1};

    if (!known) {
        void *found = nullptr;
        cudaDriverEntryPointQueryResult result;
        if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                             cudaEnableDefault, &result) != cudaSuccess ||
            result != cudaDriverEntryPointSuccess)
            return CUDA_ERROR_NOT_FOUND;
        known = (encoder *)found;
    }
    return known(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, base, size, stride, box, step,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* Both images as tensors of 32-bit words that begin on 16 bytes; out_rows leave at a time. */
static cudaError_t tensors(struct banded_args *args, int out_rows)
{
    const struct image_job *job = &args->job;
    const uint64_t row = (uint64_t)job->width * (uint64_t)args->shape.pixel_bytes;
    char *in = (char *)job->in - args->in_pad, *out = (char *)job->out - args->out_pad;
    const uint64_t words = (args->in_pad + row + 3) / 4;
    CUresult result = encode(&args->in, in, words, (uint64_t)job->in_rows, job->in_pitch,
                             (uint32_t)args->shape.pitch / 4, (uint32_t)args->shape.copied_rows,
                             CU_TENSOR_MAP_SWIZZLE_NONE);
    if (result == CUDA_SUCCESS && args->shape.more_rows)
        result = encode(&args->in_more, in, words, (uint64_t)job->in_rows, job->in_pitch,
                        (uint32_t)args->shape.pitch / 4, (uint32_t)args->shape.more_rows,
                        CU_TENSOR_MAP_SWIZZLE_NONE);
    if (result == CUDA_SUCCESS)
        result = encode(&args->out, out, (args->out_pad + row + 3) / 4, (uint64_t)job->out_rows,
                        job->out_pitch, 32, (uint32_t)out_rows, CU_TENSOR_MAP_SWIZZLE_128B);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
#else
static cudaError_t tensors(struct banded_args *, int)
{
    return cudaErrorNotSupported;
}
#endif

/* Which tiles have all of their window among the rows and pixels that are there. */
static void inner_tiles(struct banded_args *args)
{
    const struct image_job *job = &args->job;
    const int row = args->in_pad + job->width * args->shape.pixel_bytes;
    int above = job->in_first_row - (job->out_first_row - job->anchor_y);
    int below = job->in_first_row + job->in_rows - (job->out_first_row - job->anchor_y) -
                (args->shape.needed_rows - args->shape.tile_rows);
    int left = args->in_pad - args->first_byte, right = row - args->first_byte - args->shape.pitch;

    args->inner_from.x =
        left > 0 ? (left + args->shape.tile_bytes - 1) / args->shape.tile_bytes : 0;
    args->inner_to.x = right < 0 ? 0 : right / args->shape.tile_bytes + 1;
    args->inner_from.y =
        above > 0 ? (above + args->shape.tile_rows - 1) / args->shape.tile_rows : 0;
    args->inner_to.y = below < 0 ? 0 : below / args->shape.tile_rows;
    /* the last tile of a band needs fewer rows than it has */
    if (job->out_rows <= below)
        args->inner_to.y = args->down;
}

/* All of a launch but the grid; a warp's output leaves by out_rows at a time. */
static cudaError_t banded_prepare(struct banded_args *args, const struct image_job *job,
                                  const struct banded_shape *shape, int out_rows)
{
    args->job = *job;
    args->shape = *shape;
    args->divide = sample_divide_of(job);
    args->in_pad = (int)((uintptr_t)job->in % 16);
    args->out_pad = (int)((uintptr_t)job->out % 16);
    banded_pad((uintptr_t)job->in, (uintptr_t)job->out, job->anchor_x * shape->pixel_bytes,
               &args->first_byte);
    args->across = (args->out_pad + job->width * shape->pixel_bytes + shape->tile_bytes - 1) /
                   shape->tile_bytes;
    args->down = (job->out_rows + shape->tile_rows - 1) / shape->tile_rows;
    inner_tiles(args);
    return tensors(args, out_rows);
}

/* A block a tile: they start in the order in which the tiles lie in memory, which moves them faster
 * than blocks that stay and walk. */
template <typename KERNEL>
static cudaError_t banded_run(KERNEL kernel, struct banded_args *args, int threads, size_t shared,
                              cudaStream_t stream)
{
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)(args->across * args->down), threads, shared, stream>>>(*args);
    return cudaGetLastError();
}

#endif
