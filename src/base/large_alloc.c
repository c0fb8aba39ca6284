/* Huge pages for large buffers: see base/large_alloc.h. Where the kernel has none to give,
 * or the advice is unknown, this is malloc with a wide alignment. */
#include "base/large_alloc.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

/* Below two huge pages the alignment alone would waste more than the faults cost. */
#define LARGE_BYTES (2 * HUGE_PAGE)

void *large_alloc(size_t bytes)
{
    void *memory;

    if (bytes < LARGE_BYTES)
        return malloc(bytes);
    if (posix_memalign(&memory, HUGE_PAGE, bytes) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE); /* advice: a refusal changes nothing but time */
#endif
    return memory;
}

#define CACHE_LINE 64

void *large_alloc_cleared(size_t bytes)
{
    size_t whole = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *memory = aligned_alloc(CACHE_LINE, whole);
    return memory ? memset(memory, 0, whole) : NULL;
}

/* Above what a band's buffers take, below what whole pictures do. */
#define KEPT_BYTES (8 << 20)

void large_alloc_keep_small(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    mallopt(M_TRIM_THRESHOLD, 4 * KEPT_BYTES);
#endif
}

void large_alloc_one_arena(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}
