/* Host side of the banded kernel's launch: its images as tensors for the tensor
 * copy, and which tiles have no ghost cells. */
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

/* Both images as tensors of 32-bit words that begin on 16 bytes. */
static cudaError_t tensors(struct banded_args *args)
{
    const struct image_job *job = &args->job;
    const uint64_t row = (uint64_t)job->width * (uint64_t)args->shape.pixel_bytes;
    char *in = (char *)job->in - args->in_pad, *out = (char *)job->out - args->out_pad;
    CUresult result = encode(&args->in, in, (args->in_pad + row + 3) / 4, (uint64_t)job->in_rows,
                             job->in_pitch, (uint32_t)args->shape.pitch / 4,
                             (uint32_t)args->shape.rows, CU_TENSOR_MAP_SWIZZLE_NONE);
    if (result == CUDA_SUCCESS)
        result = encode(&args->out, out, (args->out_pad + row + 3) / 4, (uint64_t)job->out_rows,
                        job->out_pitch, 32, 8, CU_TENSOR_MAP_SWIZZLE_128B);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
#else
static cudaError_t tensors(struct banded_args *)
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
                (args->shape.rows - BANDED_TILE_ROWS);
    int left = args->in_pad - args->first_byte, right = row - args->first_byte - args->shape.pitch;

    args->inner_from.x = left > 0 ? (left + BANDED_TILE_BYTES - 1) / BANDED_TILE_BYTES : 0;
    args->inner_to.x = right < 0 ? 0 : right / BANDED_TILE_BYTES + 1;
    args->inner_from.y = above > 0 ? (above + BANDED_TILE_ROWS - 1) / BANDED_TILE_ROWS : 0;
    args->inner_to.y = below < 0 ? 0 : below / BANDED_TILE_ROWS;
    /* the last tile of a strip needs fewer rows than it has */
    if (job->out_rows <= below)
        args->inner_to.y = args->down;
}

#endif
