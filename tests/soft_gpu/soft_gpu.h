/* A GPU in software: runs the kernels of kernels/ on the CPU, one block after the other,
 * so that they are checked where there is no GPU. What it promises is CUDA's and no more:
 *
 *   threads    Fibers. Each runs until it waits; which one is next is a matter of chance, so
 *              that a missing barrier shows as wrong bytes. A wait that cannot end aborts.
 *   shared     Begins as rubbish; what is written behind its end aborts.
 *   copies     Beside the threads: at once or as late as may be, by chance. Misaligned ones,
 *              ones that leave their allocation, ones nobody waited for: abort.
 *   memory     fake_cuda.h's: device pointers can be followed while a kernel runs, only
 *              into that device's memory, and not into the page behind an allocation.
 *
 * Blocks run on the thread that waits for the stream, under fake_cuda.h's lock. */
#ifndef STENCIL_SOFT_GPU_H
#define STENCIL_SOFT_GPU_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct soft_index {
    unsigned x, y, z;
};

/* ---- for a kernel: where it is, and waiting ---- */

extern struct soft_index soft_thread_index, soft_block_index, soft_block_size, soft_grid_size;

void soft_block_wait(void); /* __syncthreads */
void soft_warp_wait(void);  /* __syncwarp */

/* Every lane of a warp brings WORDS and sees those of all others, result[lane], until its next
 * exchange. */
#define SOFT_WORDS 9
typedef const uint32_t soft_words[SOFT_WORDS];
soft_words *soft_exchange(const uint32_t *words, int count);

/* Dynamic shared memory; and shared addresses, which are distances from it. */
void *soft_shared(void);
uint32_t soft_shared_address(const void *shared);
void *soft_shared_at(uint32_t address);

/* ---- copies beside the threads, as kernels/ptx.cuh describes them ---- */

void soft_barrier_init(uint64_t *barrier);
void soft_barrier_expect(uint64_t *barrier, int bytes);
void soft_barrier_wait(uint64_t *barrier, int phase);
void soft_copy_in(void *shared, const void *global, int bytes, uint64_t *barrier);
void soft_copy_out(void *global, const void *shared, int bytes);
void soft_copy_box_in(const CUtensorMap *map, void *shared, int x, int y, uint64_t *barrier);
void soft_copy_box_out(const CUtensorMap *map, const void *shared, int x, int y);
void soft_copy_16(void *shared, const void *global);
void soft_copies_wait(void); /* for all that this thread sent, and all its copies of 16 bytes */

/* ---- for a launch ---- */

struct soft_grid {
    struct soft_index blocks, threads;
    size_t shared;
};

/* How much dynamic shared memory a block of the kernel may have on the current device. The check
 * first lets other threads run: a thread that sets the limit anew between another one's setting and
 * launch is found out. */
cudaError_t soft_shared_allow(const void *kernel, int bytes);
void soft_shared_check(const void *kernel, size_t bytes);

/* cudaMemcpyToSymbolAsync from pageable memory, which is read at once. Every device has constant
 * memory of its own, which all its streams share. */
cudaError_t soft_constant_copy(void *symbol, size_t offset, const void *from, size_t bytes,
                               cudaStream_t stream);
void soft_constants_show(int device); /* its constant memory is what kernels see */

/* All of a grid on DEVICE; `thread` is called once for each of its threads. */
void soft_run(const struct soft_grid *grid, void (*thread)(const void *arguments),
              const void *arguments, int device);

/* cuTensorMapEncodeTiled, for tensors of two dimensions of 32-bit words. */
CUresult soft_encode_tensor(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *base,
                            const cuuint64_t *size, const cuuint64_t *stride, const cuuint32_t *box,
                            const cuuint32_t *step, CUtensorMapInterleave interleave,
                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                            CUtensorMapFloatOOBfill fill);

#ifdef __cplusplus
}
#endif
#endif
