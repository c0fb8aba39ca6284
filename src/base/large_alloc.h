/* Memory for pictures. A fresh buffer costs a page fault per 4 KiB when it is first
 * touched: 16 ms for the 25 MB of a 4K picture, a third of what decompressing it takes.
 * Large buffers therefore ask for huge pages (2 MiB), which cuts that to 5 ms. */
#ifndef STENCIL_BASE_LARGE_ALLOC_H
#define STENCIL_BASE_LARGE_ALLOC_H

#include <stddef.h>

/* malloc's contract: free() and realloc() take it. */
void *large_alloc(size_t bytes);

/* Cleared, and from the start of a cache line on: otherwise every second vector, or every one of
 * 64 bytes, lies on two of them. */
void *large_alloc_cleared(size_t bytes);

/* From here on the process keeps what it frees, up to a few MiB a block, instead of handing pages
 * back and faulting them in again: for work in bands, which allocates the same sizes over and over.
 */
void large_alloc_keep_small(void);

/* From here on no thread gets a heap of its own, each of which takes 64 MiB of addresses: for
 * processes whose address space is limited. */
void large_alloc_one_arena(void);

#endif
