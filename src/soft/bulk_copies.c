/* Copies that run beside the threads, and the barriers at which they arrive: see soft/gpu.h. */
#include <string.h>

#include "soft/parts.h"

#define MAX_COPIES   8192
#define MAX_BARRIERS 8
#define MAX_THREADS  1024

/* A pending copy: bytes, or, if `box` is set, a box of rows. */
struct copy {
    char *to;
    const char *from;
    int bytes, barrier, thread; /* incoming: its barrier; outgoing: -1 and the thread that waits */
    const CUtensorMap *box; /* then `to` or `from` is shared memory, and the other one is NULL */
    int x, y;
};

struct barrier {
    uint64_t *at;
    int phase, expected; /* -1: no arrival yet */
    int arrived;         /* bytes of this phase that have arrived */
};

static struct copy copies[MAX_COPIES];
static struct barrier barriers[MAX_BARRIERS];
static int copy_count, barrier_count;

void soft_copies_begin(void)
{
    copy_count = barrier_count = 0;
}

void soft_copies_end(void)
{
    if (copy_count > 0)
        soft_block_break("a block ends before its copies");
}

void soft_copies_thread_ends(int thread)
{
    for (int i = 0; i < copy_count; i++)
        if (copies[i].barrier < 0 && copies[i].thread == thread)
            soft_misuse("a thread ends before what it sent has left");
}

/* ---- executing copies ---- */

/* A word of the tensor, NULL if it is outside. */
static char *word_at(const CUtensorMap *map, int x, int y)
{
    return x < 0 || y < 0 || (uint64_t)x >= map->words || (uint64_t)y >= map->rows
               ? NULL
               : (char *)(uintptr_t)map->base + (size_t)y * map->pitch + (size_t)x * 4;
}

/* Word x of row y of a box in shared memory. With the 128-byte swizzle, the position's bits 7 to 9
 * are added to bits 4 to 6, modulo 2. */
static char *box_word(const CUtensorMap *map, const void *shared, uint32_t x, uint32_t y)
{
    uint32_t address = soft_shared_address(shared) + (y * map->box_words + x) * 4;
    if (map->swizzled)
        address ^= (address >> 7 & 7) << 4;
    return soft_shared_at(address);
}

static void check_global(const void *global, size_t bytes)
{
    if (bytes && !soft_device_memory(global, bytes, soft_device()))
        soft_thread_break();
}

static void do_box(const struct copy *c)
{
    const CUtensorMap *map = c->box;
    check_global((const void *)(uintptr_t)map->base,
                 (size_t)((map->rows - 1) * map->pitch + map->words * 4));
    for (uint32_t y = 0; y < map->box_rows; y++)
        for (uint32_t x = 0; x < map->box_words; x++) {
            char *word = word_at(map, c->x + (int)x, c->y + (int)y);
            if (c->to && word)
                memcpy(box_word(map, c->to, x, y), word, 4);
            else if (c->to)
                memset(box_word(map, c->to, x, y), 0, 4);
            else if (word)
                memcpy(word, box_word(map, c->from, x, y), 4);
        }
}

/* Executes the copies of BARRIER, or of THREAD if BARRIER is -1; returns their bytes. */
static int do_copies(int barrier, int thread)
{
    int bytes = 0, kept = 0;
    for (int i = 0; i < copy_count; i++) {
        const struct copy c = copies[i];
        if (c.barrier != barrier || (barrier < 0 && c.thread != thread)) {
            copies[kept++] = c;
            continue;
        }
        if (c.box)
            do_box(&c);
        else
            memcpy(c.to, c.from, (size_t)c.bytes);
        bytes += c.bytes;
    }
    copy_count = kept;
    return bytes;
}

/* Executes the copy now or later. */
static void add(struct copy c)
{
    if (copy_count == MAX_COPIES)
        soft_misuse("too many copies at a time");
    c.thread = soft_thread_number();
    copies[copy_count++] = c;
    if (soft_pick(2) == 0)
        return;
    if (c.barrier >= 0)
        barriers[c.barrier].arrived += do_copies(c.barrier, 0);
    else
        do_copies(-1, c.thread);
}

/* ---- barriers ---- */

static int find(const uint64_t *at)
{
    for (int i = 0; i < barrier_count; i++)
        if (barriers[i].at == at)
            return i;
    soft_misuse("a barrier that nobody has made");
}

void soft_barrier_init(uint64_t *at)
{
    if (barrier_count == MAX_BARRIERS || (uintptr_t)at % 8)
        soft_misuse("a barrier that cannot be");
    barriers[barrier_count++] = (struct barrier){.at = at, .expected = -1};
}

void soft_barrier_expect(uint64_t *at, int bytes)
{
    struct barrier *b = &barriers[find(at)];
    if (b->expected >= 0)
        soft_misuse("two arrivals at a barrier for one");
    b->expected = bytes;
}

void soft_barrier_wait(uint64_t *at, int phase)
{
    const int number = find(at);
    struct barrier *b = &barriers[number];

    if (phase != 0 && phase != 1)
        soft_misuse("a phase that is neither 0 nor 1");
    while (b->phase == phase) {
        if (b->expected >= 0) {
            b->arrived += do_copies(number, 0);
            if (b->arrived > b->expected)
                soft_misuse("more bytes arrive than are expected");
            if (b->arrived == b->expected) {
                b->phase ^= 1;
                b->expected = -1;
                b->arrived = 0;
                break;
            }
        }
        soft_thread_poll();
    }
}

/* ---- from kernels/ptx.cuh ---- */

static bool misaligned(const void *global, const void *shared, int bytes, unsigned to)
{
    return (uintptr_t)global % 16 || soft_shared_address(shared) % to || bytes % 16 || bytes < 0;
}

void soft_copy_in(void *shared, const void *global, int bytes, uint64_t *barrier)
{
    if (misaligned(global, shared, bytes, 16))
        soft_misuse("a copy in that is not of multiples of 16");
    check_global(global, (size_t)bytes);
    add((struct copy){.to = shared, .from = global, .bytes = bytes, .barrier = find(barrier)});
}

void soft_copy_out(void *global, const void *shared, int bytes)
{
    if (misaligned(global, shared, bytes, 16))
        soft_misuse("a copy out that is not of multiples of 16");
    check_global(global, (size_t)bytes);
    add((struct copy){.to = global, .from = shared, .bytes = bytes, .barrier = -1});
}

void soft_copy_box_in(const CUtensorMap *map, void *shared, int x, int y, uint64_t *barrier)
{
    if (misaligned(NULL, shared, 0, 128))
        soft_misuse("a box in that does not begin on 128 bytes");
    add((struct copy){.to = shared,
                      .bytes = (int)(map->box_words * map->box_rows * 4),
                      .barrier = find(barrier),
                      .box = map,
                      .x = x,
                      .y = y});
}

void soft_copy_box_out(const CUtensorMap *map, const void *shared, int x, int y)
{
    if (misaligned(NULL, shared, 0, 128))
        soft_misuse("a box out that does not begin on 128 bytes");
    add((struct copy){.from = shared,
                      .bytes = (int)(map->box_words * map->box_rows * 4),
                      .barrier = -1,
                      .box = map,
                      .x = x,
                      .y = y});
}

void soft_copy_16(void *shared, const void *global)
{
    if (misaligned(global, shared, 16, 16))
        soft_misuse("a copy of 16 bytes that is not aligned");
    check_global(global, 16);
    add((struct copy){.to = shared, .from = global, .bytes = 16, .barrier = -1});
}

void soft_copies_wait(void)
{
    do_copies(-1, soft_thread_number());
}

/* ---- tensors ---- */

CUresult soft_encode_tensor(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *base,
                            const cuuint64_t *size, const cuuint64_t *stride, const cuuint32_t *box,
                            const cuuint32_t *step, CUtensorMapInterleave interleave,
                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                            CUtensorMapFloatOOBfill fill)
{
    (void)interleave, (void)promotion, (void)fill;
    if (type != CU_TENSOR_MAP_DATA_TYPE_UINT32 || rank != 2 || (uintptr_t)base % 16 ||
        stride[0] % 16 || stride[0] < size[0] * 4 || size[0] == 0 || size[1] == 0 || box[0] == 0 ||
        box[0] > 256 || box[1] == 0 || box[1] > 256 || box[0] * 4 % 16 || step[0] != 1 ||
        step[1] != 1 || (swizzle == CU_TENSOR_MAP_SWIZZLE_128B && box[0] * 4 > 128))
        return CUDA_ERROR_INVALID_VALUE;
    *map = (CUtensorMap){.base = (uintptr_t)base,
                         .words = size[0],
                         .rows = size[1],
                         .pitch = stride[0],
                         .box_words = box[0],
                         .box_rows = box[1],
                         .swizzled = swizzle == CU_TENSOR_MAP_SWIZZLE_128B};
    return CUDA_SUCCESS;
}
