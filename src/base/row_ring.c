/* A ring of rows mapped twice: see base/row_ring.h. */
#include "base/row_ring.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes of rows that nobody asked for: more of them, and the rows are made longer in their place.
 */
#define MOST_SPARE ((uint64_t)256 * 1024)

/* Both places over one anonymous file, its pages there from the start: one call that fills
 * hundreds of pages costs far less than as many faults. */
static void *map_twice(int file, size_t bytes)
{
    unsigned char *place =
        mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (place == MAP_FAILED)
        return NULL;
    for (int i = 0; i < 2; i++)
        if (mmap(place + (size_t)i * bytes, bytes, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0) == MAP_FAILED) {
            munmap(place, 2 * bytes);
            return NULL;
        }
    return place;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool row_ring_alloc(struct row_ring *ring, int width, int channels, enum sample_type type, int rows)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), row, pitch, step, bytes;
    int file;

    memset(ring, 0, sizeof *ring);
    /* width < 2^31, channels <= 4, sample <= 2: a row is below 2^34, the ring below 2^66 of
     * which no machine has 2^47: rows are checked before the product. */
    row = (uint64_t)width * (uint64_t)channels * (uint64_t)type;
    for (uint64_t align = IMAGE_ROW_ALIGN;; align *= 2) {
        pitch = (row + align - 1) / align * align;
        step = page / common_divisor(pitch, page); /* rows after which row and page end together */
        bytes = ((uint64_t)rows + step - 1) / step * step;
        if (align >= page || (bytes - (uint64_t)rows) * pitch <= MOST_SPARE)
            break;
    }
    if (bytes > INT32_MAX || bytes > ((uint64_t)1 << 46) / pitch)
        return false;
    ring->image = (struct image){.width = width,
                                 .height = (int)bytes,
                                 .channels = channels,
                                 .type = type,
                                 .pitch = (size_t)pitch};
    bytes *= pitch;
    ring->bytes = (size_t)bytes;
    file = memfd_create("rows", MFD_CLOEXEC);
    if (file < 0)
        return false;
    if (ftruncate(file, (off_t)bytes) == 0)
        ring->image.data = map_twice(file, (size_t)bytes);
    close(file); /* the mappings keep the memory */
    return ring->image.data != NULL;
}

void row_ring_free(struct row_ring *ring)
{
    if (ring->image.data)
        munmap(ring->image.data, 2 * ring->bytes);
    memset(ring, 0, sizeof *ring);
}

struct image row_ring_rows(const struct row_ring *ring, int first, int rows)
{
    return image_rows(&ring->image, first % ring->image.height, rows);
}
