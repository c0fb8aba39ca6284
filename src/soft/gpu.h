/* A software GPU: runs the kernels of kernels/ on the CPU, one block after the other, so that
 * they can be run and checked without a GPU. It guarantees only what CUDA guarantees:
 *
 *   threads    Fibers. Each runs until it waits; the next one is chosen at random, so that
 *              a missing barrier gives wrong bytes. A wait that cannot end breaks a rule.
 *   shared     Begins as rubbish; a write beyond its end breaks a rule.
 *   copies     Run beside the threads: at once or as late as possible, at random. Misaligned
 *              copies, copies outside an allocation and copies never waited for break a rule.
 *   memory     As in soft/runtime.h: device pointers can be followed only while a kernel runs,
 *              only into that device's memory, and not into the page after an allocation;
 *              another pointer breaks a rule.
 *
 * soft/runtime.h says what a broken rule does. Blocks run on the thread that waits for the stream,
 * under the runtime's lock. */
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

/* ---- for a kernel: its position, and waiting ---- */

extern struct soft_index soft_thread_index, soft_block_index, soft_block_size, soft_grid_size;

void soft_block_wait(void); /* __syncthreads */
void soft_warp_wait(void);  /* __syncwarp */

/* Every lane of a warp gives WORDS and gets the words of all lanes, result[lane], valid until its
 * next exchange. */
#define SOFT_WORDS 9
typedef const uint32_t soft_words[SOFT_WORDS];
soft_words *soft_exchange(const uint32_t *words, int count);

/* Whether the device's adder of products of halves keeps only 21 bits (soft/runtime.h). */
bool soft_adder_is_short(void);

/* Dynamic shared memory; and shared addresses, which are offsets from its start. */
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
void soft_copies_wait(void); /* for all copies that this thread sent, and its copies of 16 bytes */

/* ---- for a launch ---- */

struct soft_grid {
    struct soft_index blocks, threads;
    size_t shared;
};

/* Sets how much dynamic shared memory a block of the kernel may have on the current device.
 * soft_shared_check first lets other threads run, to detect a thread that changes the limit between
 * another thread's call and launch. */
cudaError_t soft_shared_allow(const void *kernel, int bytes);
void soft_shared_check(const void *kernel, size_t bytes);

/* cudaMemcpyToSymbolAsync from pageable memory, which is read at once. Every device has its own
 * constant memory, shared by all its streams. */
cudaError_t soft_constant_copy(void *symbol, size_t offset, const void *from, size_t bytes,
                               cudaStream_t stream);
void soft_constants_show(int device); /* makes this device's constant memory visible to kernels */

/* Runs a whole grid on DEVICE; calls `thread` once for each of its threads. */
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
