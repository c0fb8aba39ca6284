/* Every access of a student's kernel passes here: see probe.h. */
#include "try/probe.h"

#include <string.h>

#include "soft/threads.h"

struct probe_state probe;

/* The last store to P by another thread than the first: whether it changed the cell is known only
 * after it. */
static struct {
    const unsigned char *at;
    unsigned char before[16];
    size_t bytes;
    struct try_place place;
    enum try_fault fault;
} pending;

struct try_place *probe_note(enum try_fault fault, const struct try_array *array, long long cell)
{
    struct try_finding *finding = &probe.found[fault];
    struct try_place *place = &finding->first;

    if (finding->count++ > 0)
        return NULL;
    *place = (struct try_place){
        .block = {(int)soft_block_index.x, (int)soft_block_index.y},
        .thread = {(int)soft_thread_index.x, (int)soft_thread_index.y},
        .cell = cell,
    };
    if (array)
        snprintf(place->array, sizeof place->array, "%s", array->name);
    return place;
}

void probe_settle(void)
{
    if (pending.at && memcmp(pending.at, pending.before, pending.bytes) != 0 &&
        probe.found[pending.fault].count++ == 0)
        probe.found[pending.fault].first = pending.place;
    pending.at = NULL;
}

/* The store that comes is a fault if it changes the cell. OTHER: the thread that wrote it. */
static void expect_change(enum try_fault fault, const struct try_array *array, uintptr_t at,
                          size_t bytes, long long cell, int other)
{
    if (bytes > sizeof pending.before)
        return;
    pending.at = (const unsigned char *)at;
    memcpy(pending.before, pending.at, bytes);
    pending.bytes = bytes;
    pending.fault = fault;
    pending.place = (struct try_place){
        .block = {(int)soft_block_index.x, (int)soft_block_index.y},
        .thread = {(int)soft_thread_index.x, (int)soft_thread_index.y},
        .cell = cell,
        .store = true,
        .other = {other % (int)soft_block_size.x, other / (int)soft_block_size.x},
    };
    snprintf(pending.place.array, sizeof pending.place.array, "%s", array->name);
}

static void note(enum try_fault fault, const struct try_array *array, uintptr_t at, bool store)
{
    const long long bytes = (long long)at - (long long)(uintptr_t)array->begin;
    const long long element = array->element;
    struct try_place *place = probe_note(
        fault, array, bytes >= 0 ? bytes / element : -((-bytes + element - 1) / element));

    if (place)
        place->store = store;
}

/* ---- shared memory ---- */

static void note_race(const struct try_array *array, size_t offset, bool store, int other)
{
    struct try_place *place =
        probe_note(FAULT_RACE, array, (long long)(offset / (size_t)array->element));

    if (!place)
        return;
    place->store = store;
    place->other[0] = other < 0 ? -1 : other % (int)soft_block_size.x;
    place->other[1] = other < 0 ? -1 : other / (int)soft_block_size.x;
}

/* The threads of one warp may be ordered by __syncwarp. */
static bool ordered(int warp, unsigned turn, int thread)
{
    return warp == thread / 32 && turn != probe.warp_turn[thread / 32];
}

/* A thread reads a cell: keeps who has read it since the last barrier. */
static void keep_reader(struct shared_cell *cell, int thread)
{
    const bool first = cell->read_turn != probe.turn || cell->reader == -1 ||
                       ordered(cell->reader_warp, cell->read_warp_turn, thread);

    cell->reader_warp = (short)(first || cell->reader_warp == thread / 32 ? thread / 32 : -2);
    cell->reader = (short)(first || cell->reader == thread ? thread : -2);
    cell->read_turn = probe.turn;
    cell->read_warp_turn = probe.warp_turn[thread / 32];
}

static void use_shared(const struct try_array *array, uintptr_t at, size_t bytes, bool store)
{
    const size_t offset = at - (uintptr_t)array->begin, unit = (size_t)array->unit;
    const int thread = soft_thread_number();

    for (size_t i = offset / unit; i <= (offset + bytes - 1) / unit; i++) {
        struct shared_cell *cell = &array->cells[i];
        const bool fresh = cell->block == probe.block;
        const bool written_now = fresh && cell->write_turn == probe.turn &&
                                 cell->writer != thread &&
                                 !ordered(cell->writer / 32, cell->warp_turn, thread);
        if (!fresh)
            *cell = (struct shared_cell){.block = probe.block, .writer = -1, .reader = -1};
        if (!store && written_now && cell->writer >= 0)
            note_race(array, offset, false, cell->writer);
        if (!store && cell->writer < 0)
            note(FAULT_UNSET, array, at, false);
        if (store && cell->read_turn == probe.turn && cell->reader != -1 &&
            cell->reader != thread && !ordered(cell->reader_warp, cell->read_warp_turn, thread))
            note_race(array, offset, true, cell->reader);
        if (store && written_now && cell->writer >= 0)
            expect_change(FAULT_OVERLAP, array, at, bytes,
                          (long long)(offset / (size_t)array->element), cell->writer);
        if (store) {
            cell->writer = (short)thread;
            cell->write_turn = probe.turn;
            cell->warp_turn = probe.warp_turn[thread / 32];
        } else {
            keep_reader(cell, thread);
        }
    }
}

/* ---- N, P and M ---- */

static bool in_padding(const struct try_array *array, uintptr_t at)
{
    const long long cell = (long long)(at - (uintptr_t)array->begin) / array->element;
    return cell % probe.it->pitch >= (long long)probe.it->width * probe.it->channels;
}

static void store_p(const struct try_array *array, uintptr_t at, size_t bytes)
{
    const long long cell = (long long)(at - (uintptr_t)array->begin) / array->element;
    const int thread = soft_thread_number();
    const int block = (int)grid_block();

    if (in_padding(array, at)) {
        note(FAULT_STORE, array, at, true);
        return;
    }
    for (size_t i = 0; i < (bytes + (size_t)array->element - 1) / (size_t)array->element; i++) {
        struct try_writer *writer = &probe.writer[cell + (long long)i];
        if (writer->block >= 0 && (writer->block != block || writer->thread != thread))
            expect_change(FAULT_RACE_P, array, at, bytes, cell, writer->thread);
        writer->block = block;
        writer->row = (int)soft_grid_size.x;
        writer->thread = (short)thread;
        writer->writes += writer->writes < 1000;
        writer->turn = probe.stores++;
    }
}

static void load_p(const struct try_array *array, uintptr_t at)
{
    const long long cell = (long long)(at - (uintptr_t)array->begin) / array->element;

    if (!in_padding(array, at) && probe.writer[cell].block < 0)
        note(FAULT_OLD_P, array, at, false);
}

/* Whether a cell of the mask's array holds no number of the mask. */
static bool beside_mask(const struct try_array *array, uintptr_t at)
{
    const long long cell = (long long)(at - (uintptr_t)array->begin) / array->element;
    const int width = probe.it->mask_width, rows = probe.it->mask_rows;

    if (probe.mask_row > 0 && rows > 1)
        return cell % probe.mask_row >= width || cell / probe.mask_row >= rows;
    return cell >= (long long)width * rows;
}

static void outside(const struct try_array *array, uintptr_t at, bool store)
{
    static const enum try_fault faults[] = {[ARRAY_N] = FAULT_LOAD,
                                            [ARRAY_P] = FAULT_STORE,
                                            [ARRAY_M] = FAULT_MASK,
                                            [ARRAY_SHARED] = FAULT_SHARED,
                                            [ARRAY_OTHER] = FAULT_OTHER};
    enum try_fault fault = faults[array->kind];

    if (store && array->kind == ARRAY_N)
        fault = FAULT_STORE;
    if (!store && array->kind == ARRAY_P)
        fault = FAULT_OLD_P;
    note(fault, array, at, store);
}

static void use(uintptr_t at, size_t bytes, bool store, const void *code)
{
    struct try_array *array;

    if (!probe.watching || !(array = array_at(at)))
        return;
    soft_thread_works();
    if (pending.at)
        probe_settle();
    if (probe.counts && !(array->kind == ARRAY_M && probe.mask_row >= 0))
        counts_access(at, (int)bytes, code, array->kind == ARRAY_SHARED);
    if (at < (uintptr_t)array->begin || at + bytes > (uintptr_t)array->begin + array->bytes) {
        outside(array, at, store);
        return;
    }
    if (array->kind == ARRAY_SHARED)
        use_shared(array, at, bytes, store);
    else if (array->kind == ARRAY_P)
        store ? store_p(array, at, bytes) : load_p(array, at);
    else if (array->kind == ARRAY_N && store)
        note(FAULT_STORE, array, at, true);
    else if (array->kind == ARRAY_N && in_padding(array, at))
        note(FAULT_PADDING, array, at, false);
    else if (array->kind == ARRAY_M && beside_mask(array, at))
        note(FAULT_MASK, array, at, store);
    if (!probe.counts)
        return;
    probe.counts->n_loads += array->kind == ARRAY_N && !store;
    if (array->kind == ARRAY_SHARED)
        ++*(store ? &probe.counts->shared_stores : &probe.counts->shared_loads);
    else if (array->kind == ARRAY_M && probe.mask_row >= 0)
        probe.counts->constant_loads++;
    else
        ++*(store ? &probe.counts->global_stores : &probe.counts->global_loads);
}

void probe_begin(const struct try_case *it, struct try_finding *found, struct try_counts *counts,
                 struct try_writer *writer)
{
    probe.it = it;
    probe.found = found;
    probe.counts = counts;
    probe.writer = writer;
    probe.stores = 0;
    pending.at = NULL;
}

/* ---- what the compiler calls ---- */

#define EXPORT __attribute__((visibility("default"), used))

/* What the compiler tells of an index past the end of an array (-fsanitize=bounds). */
struct bounds_type {
    uint16_t kind, info;
    char name[];
};
struct bounds_place {
    const char *file;
    uint32_t line, column;
    const struct bounds_type *array, *index;
};
EXPORT void __ubsan_handle_out_of_bounds(const struct bounds_place *place, const void *index);

void __ubsan_handle_out_of_bounds(const struct bounds_place *place, const void *index)
{
    struct try_place *first =
        probe.watching ? probe_note(FAULT_INDEX, NULL, (long long)(uintptr_t)index) : NULL;

    if (!first)
        return;
    first->line = (int)place->line;
    snprintf(first->array, sizeof first->array, "%s", place->array->name);
}
#define HERE __builtin_return_address(0)

#define PROBES(bytes)                                                                              \
    EXPORT void __tsan_read##bytes(void *at);                                                      \
    EXPORT void __tsan_read##bytes(void *at)                                                       \
    {                                                                                              \
        use((uintptr_t)at, bytes, false, HERE);                                                    \
    }                                                                                              \
    EXPORT void __tsan_write##bytes(void *at);                                                     \
    EXPORT void __tsan_write##bytes(void *at)                                                      \
    {                                                                                              \
        use((uintptr_t)at, bytes, true, HERE);                                                     \
    }                                                                                              \
    EXPORT void __tsan_unaligned_read##bytes(void *at);                                            \
    EXPORT void __tsan_unaligned_read##bytes(void *at)                                             \
    {                                                                                              \
        use((uintptr_t)at, bytes, false, HERE);                                                    \
    }                                                                                              \
    EXPORT void __tsan_unaligned_write##bytes(void *at);                                           \
    EXPORT void __tsan_unaligned_write##bytes(void *at)                                            \
    {                                                                                              \
        use((uintptr_t)at, bytes, true, HERE);                                                     \
    }                                                                                              \
    EXPORT void __tsan_read_write##bytes(void *at);                                                \
    EXPORT void __tsan_read_write##bytes(void *at)                                                 \
    {                                                                                              \
        use((uintptr_t)at, bytes, false, HERE);                                                    \
        use((uintptr_t)at, bytes, true, HERE);                                                     \
    }                                                                                              \
    EXPORT void __tsan_volatile_read##bytes(void *at);                                             \
    EXPORT void __tsan_volatile_read##bytes(void *at)                                              \
    {                                                                                              \
        use((uintptr_t)at, bytes, false, HERE);                                                    \
    }                                                                                              \
    EXPORT void __tsan_volatile_write##bytes(void *at);                                            \
    EXPORT void __tsan_volatile_write##bytes(void *at)                                             \
    {                                                                                              \
        use((uintptr_t)at, bytes, true, HERE);                                                     \
    }
PROBES(1)
PROBES(2)
PROBES(4)
PROBES(8)
PROBES(16)

EXPORT void __tsan_init(void);
EXPORT void __tsan_func_entry(void *code);
EXPORT void __tsan_func_exit(void);
EXPORT void __tsan_vptr_update(void *at, void *value);
EXPORT void __tsan_vptr_read(void *at);
EXPORT void __tsan_read_range(void *at, size_t bytes);
EXPORT void __tsan_write_range(void *at, size_t bytes);
EXPORT void *__tsan_memcpy(void *to, const void *from, size_t bytes);
EXPORT void *__tsan_memmove(void *to, const void *from, size_t bytes);
EXPORT void *__tsan_memset(void *to, int value, size_t bytes);
EXPORT void try_atomic(void *at, size_t bytes);
EXPORT void try_warp_wait(void);

void __tsan_init(void)
{
}
void __tsan_func_entry(void *code)
{
    (void)code;
}
void __tsan_func_exit(void)
{
}
void __tsan_vptr_update(void *at, void *value)
{
    (void)at, (void)value;
}
void __tsan_vptr_read(void *at)
{
    (void)at;
}

static void use_range(const void *at, size_t bytes, bool store, const void *code)
{
    for (size_t i = 0; i < bytes && i < 4096; i += 4)
        use((uintptr_t)at + i, bytes - i < 4 ? bytes - i : 4, store, code);
}

void __tsan_read_range(void *at, size_t bytes)
{
    use_range(at, bytes, false, HERE);
}
void __tsan_write_range(void *at, size_t bytes)
{
    use_range(at, bytes, true, HERE);
}

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    use_range(from, bytes, false, HERE);
    use_range(to, bytes, true, HERE);
    return memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    use_range(from, bytes, false, HERE);
    use_range(to, bytes, true, HERE);
    return memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int value, size_t bytes)
{
    use_range(to, bytes, true, HERE);
    return memset(to, value, bytes);
}

/* The compiler puts a call of it at the begin of each piece of code that has no branches. */
EXPORT void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    if (probe.watching && probe.counts)
        counts_step(HERE);
}

/* Atomics race with nothing; they only must stay inside their array. */
void try_atomic(void *at, size_t bytes)
{
    struct try_array *array = probe.watching ? array_at((uintptr_t)at) : NULL;

    if (pending.at)
        probe_settle();
    if (!array)
        return;
    if ((uintptr_t)at < (uintptr_t)array->begin ||
        (uintptr_t)at + bytes > (uintptr_t)array->begin + array->bytes) {
        outside(array, (uintptr_t)at, true);
    } else if (array->kind == ARRAY_P) {
        const long long cell =
            (long long)((uintptr_t)at - (uintptr_t)array->begin) / array->element;
        load_p(array, (uintptr_t)at);
        if (!in_padding(array, (uintptr_t)at) && probe.writer[cell].block < 0)
            probe.writer[cell] =
                (struct try_writer){(int)grid_block(), (int)soft_grid_size.x,
                                    (short)soft_thread_number(), 1, probe.stores++};
    } else if (array->kind == ARRAY_SHARED) {
        struct shared_cell *cell =
            &array->cells[((uintptr_t)at - (uintptr_t)array->begin) / (size_t)array->unit];
        if (cell->block != probe.block || cell->writer < 0)
            note(FAULT_UNSET, array, (uintptr_t)at, false);
    }
}

void try_warp_wait(void)
{
    const int warp = soft_thread_number() / 32;
    const unsigned before = probe.warp_turn[warp];

    soft_warp_wait();
    if (probe.warp_turn[warp] == before)
        probe.warp_turn[warp]++;
}
