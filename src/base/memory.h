/* Memory for pictures: large buffers, and rings of rows.
 *
 * A fresh buffer costs a page fault per 4 KiB when it is first touched: 16 ms for the 25 MB of a 4K
 * picture, a third of the time to decompress the picture. Large buffers therefore ask for huge
 * pages (2 MiB), which cut the 16 ms to 5 ms. */
#ifndef STENCIL_BASE_MEMORY_H
#define STENCIL_BASE_MEMORY_H

#include "base/image.h"

/* Like malloc, but aligned to a cache line, so that vectors do not lie across two lines; free()
 * takes it. The other one is cleared. */
void *large_alloc(size_t bytes);
void *large_alloc_cleared(size_t bytes);

/* False if the machine does not have so much memory: for sizes that a file names. The allocation
 * then gives NULL. */
bool large_fits(uint64_t bytes);
void *large_alloc_checked(size_t bytes);

/* From now on the process keeps freed blocks of up to a few MiB instead of returning their pages
 * and faulting them in again. For work in bands, which allocates the same sizes again and again.
 * Otherwise the allocator also keeps up to 64 MiB of freed memory a thread: 150 MiB where files of
 * 9 MB go through 8 threads one at a time, 38 with this call. */
void large_alloc_keep_small(void);

/* No thread of the program needs a larger stack (tests/cli/small_stack.sh). */
#define STACK_NEEDED ((size_t)256 << 10)

/* From now on threads get small stacks, and no heap of their own, which takes 64 MiB of addresses
 * and keeps freed blocks. For processes whose memory is limited. */
void large_alloc_few_heaps(void);

/* A ring of picture rows that is mapped twice, one copy behind the other, so that any run of rows
 * in it is contiguous, wherever it starts.
 *
 *      row     0 1 2 3 4 5 6 7 | 0 1 2 3 4 5 6 7       one memory, two places
 *                        [ band with halo ]            rows 6 7 0 1 2: contiguous
 *
 * Neighbouring bands share their halo rows in it and nothing is ever moved. (A plain window would
 * have to copy the halo at every wrap, at a moment when no thread reads the rows that the copy
 * overwrites.) The ring does not know which rows were read or written. */
struct row_ring {
    struct image image; /* height: the rows of the ring; data: the first of the two places */
    size_t bytes;       /* of one place */
};

/* Makes a ring of at least ROWS rows. The ring may have more rows, because its last row must end at
 * the end of a page. Returns false, without an error text, if the system cannot provide a ring; the
 * caller then works without one. */
bool row_ring_alloc(struct row_ring *ring, int width, int channels, enum sample_type type,
                    int rows);
void row_ring_free(struct row_ring *ring); /* harmless on a zeroed one */

/* Rows [first, first+rows) of the picture, at most as many as the ring holds. */
struct image row_ring_rows(const struct row_ring *ring, int first, int rows);

#endif
