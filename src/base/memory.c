/* Large buffers and rings of rows (base/memory.h). If the kernel has no huge pages, or does not
 * know the advice, large_alloc is malloc with a wide alignment. */
#include "base/memory.h"

#include "base/machine.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <pthread.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

/* ---- large buffers ---- */

#define HUGE_PAGE ((size_t)2 << 20)

/* Smaller blocks hold no whole huge page. */
#define LARGE_BYTES HUGE_PAGE

void *large_alloc(size_t bytes)
{
    const bool large = bytes >= LARGE_BYTES;
    void *memory;

    if (posix_memalign(&memory, large ? HUGE_PAGE : IMAGE_ROW_ALIGN, bytes) != 0)
        return NULL;
    if (large)
        madvise(memory, bytes, MADV_HUGEPAGE); /* advice: a refusal changes nothing but time */
    return memory;
}

void *large_alloc_cleared(size_t bytes)
{
    void *memory = large_alloc(bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

bool large_fits(uint64_t bytes)
{
    return bytes < (64 << 20) || bytes <= machine_memory(); /* asking takes time */
}

void *large_alloc_checked(size_t bytes)
{
    return large_fits(bytes) ? large_alloc(bytes) : NULL;
}

#define STACK_BYTES (2 * STACK_NEEDED)

/* More than the buffers of a band take, less than a whole picture. */
#define KEPT_BYTES (8 << 20)

/* A heap grows by this many bytes more than it must. */
#define GROWTH_BYTES (512 << 10)

void large_alloc_keep_small(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    mallopt(M_TRIM_THRESHOLD, 4 * KEPT_BYTES);
    mallopt(M_TOP_PAD, GROWTH_BYTES);
#endif
}

/* The limit of data does not count shared memory: each ring also takes as many private bytes, which
 * it never touches. */
static bool rings_are_counted;

void large_alloc_few_heaps(void)
{
    rings_are_counted = true;
#ifdef __GLIBC__
    pthread_attr_t attributes;

    mallopt(M_ARENA_MAX, 1);
    if (pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
            pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
    }
#endif
}

/* ---- rings of rows ---- */

/* If the rows beyond the requested ones would take more bytes than this, the pitch grows
 * instead. */
#define MOST_SPARE ((uint64_t)256 * 1024)

/* Larger rings get their pages as data comes: a header may promise rows of gigabytes. */
#define MOST_FILLED ((size_t)64 << 20)

static size_t bytes_of_ring(size_t bytes)
{
    return (rings_are_counted ? 3 : 2) * bytes;
}

/* Maps FILE at two places, one behind the other. The pages of a common ring are filled at once: one
 * call for hundreds of pages costs far less than as many faults. */
static void *map_twice(int file, size_t bytes)
{
    unsigned char *place = mmap(NULL, bytes_of_ring(bytes), PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (place == MAP_FAILED)
        return NULL;
    bool ok = !rings_are_counted || mprotect(place + 2 * bytes, bytes, PROT_READ | PROT_WRITE) == 0;
    for (size_t i = 0; ok && i < 2; i++)
        ok = mmap(place + i * bytes, bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_FIXED | (bytes <= MOST_FILLED ? MAP_POPULATE : 0), file,
                  0) != MAP_FAILED;
    if (ok)
        return place;
    munmap(place, bytes_of_ring(bytes));
    return NULL;
}

bool row_ring_alloc(struct row_ring *ring, int width, int channels, enum sample_type type, int rows)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), row, pitch, common, step, whole;
    int file;

    memset(ring, 0, sizeof *ring);
    /* width < 2^31, channels <= 4, sample <= 2: a row is below 2^34 bytes and the ring below 2^66,
     * so the number of rows is checked before it is multiplied. No machine has 2^47 bytes. */
    row = (uint64_t)width * (uint64_t)channels * (uint64_t)type;
    for (uint64_t align = image_row_align(row);; align *= 2) {
        pitch = (row + align - 1) / align * align;
        /* A page has 2^n bytes, so after STEP rows a row and a page end together. */
        common = (pitch & -pitch) < page ? pitch & -pitch : page;
        step = page / common;
        whole = ((uint64_t)rows + step - 1) / step * step;
        if (align >= page || (whole - (uint64_t)rows) * pitch <= MOST_SPARE)
            break;
    }
    if (whole > INT32_MAX || whole > ((uint64_t)1 << 46) / pitch)
        return false;
    if (whole * pitch > MOST_FILLED && whole * pitch > machine_memory())
        return false;
    ring->image = (struct image){width, (int)whole, channels, (size_t)pitch, type, NULL};
    ring->bytes = (size_t)(whole * pitch);
    file = memfd_create("rows", MFD_CLOEXEC);
    if (file < 0)
        return false;
    if (ftruncate(file, (off_t)ring->bytes) == 0)
        ring->image.data = map_twice(file, ring->bytes);
    close(file); /* the mappings keep the memory */
    return ring->image.data != NULL;
}

void row_ring_free(struct row_ring *ring)
{
    if (ring->image.data)
        munmap(ring->image.data, bytes_of_ring(ring->bytes));
    memset(ring, 0, sizeof *ring);
}

struct image row_ring_rows(const struct row_ring *ring, int first, int rows)
{
    return image_rows(&ring->image, first % ring->image.height, rows);
}
