/* M in constant memory, for the kernels that keep their mask there. Each .cu file
 * that includes this has a bank of its own: 64 KB, which is 128 x 128 floats.
 * Larger masks go in several launches, a group of mask rows each, whose sums add
 * up in P: exact, because every partial sum is inside the plan's bound. */
#ifndef STENCIL_CONSTANT_MASK_CUH
#define STENCIL_CONSTANT_MASK_CUH

#include "ghost.cuh"

#define CONSTANT_BYTES 65536

__constant__ unsigned char M_bytes[CONSTANT_BYTES];

/* One launch: the plane's job and the mask rows that M holds. */
struct constant_args {
    struct plane_job job;
    int first_mask_row, mask_rows;
    int group_rows; /* mask rows staged in shared memory at a time; tiled only */
    bool add;       /* add to what earlier launches left in P */
};

/* Mask rows that fit constant memory at a time. */
static inline int constant_rows_of(const struct plane_job *job)
{
    int rows = (int)(CONSTANT_BYTES / (plane_cell_bytes(job->type) * (size_t)job->mask_width));
    return rows < job->mask_height ? rows : job->mask_height;
}

/* Fills M for mask rows from first_row on and launches KERNEL, until the whole mask was there. */
static cudaError_t constant_launch(void (*kernel)(const constant_args), struct constant_args args,
                                   dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream)
{
    const struct plane_job *job = &args.job;
    size_t row_bytes = plane_cell_bytes(job->type) * (size_t)job->mask_width;
    int rows = constant_rows_of(job);
    cudaError_t status = cudaSuccess;

    for (int i = 0; status == cudaSuccess && i < job->mask_height; i += rows) {
        args.first_mask_row = i;
        args.mask_rows = job->mask_height - i < rows ? job->mask_height - i : rows;
        args.add = i > 0;
        status = cudaMemcpyToSymbolAsync(M_bytes, (const char *)job->weight + i * row_bytes,
                                         row_bytes * (size_t)args.mask_rows, 0,
                                         cudaMemcpyHostToDevice, stream);
        if (status != cudaSuccess)
            break;
        kernel<<<grid, block, shared_bytes, stream>>>(args);
        status = cudaGetLastError();
    }
    return status;
}

#endif
