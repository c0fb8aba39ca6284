/* The arrays that a student's file can reach, each in slots of its own: see probe.h. Between two
 * arrays lies a slot that cannot be accessed, so that no access ends up in another array. */
#include "try/probe.h"

#include <string.h>
#include <sys/mman.h>

#define SLOTS  1024
#define ARRAYS 128

static unsigned char *room;
static short slot_of[SLOTS]; /* the array of a slot, -1: none */
static struct try_array arrays[ARRAYS];
static int array_count, next_slot = 1;

bool arrays_make(void)
{
    room = mmap(NULL, SLOTS * SLOT_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
    memset(slot_of, -1, sizeof slot_of);
    return room != MAP_FAILED;
}

struct try_array *array_add(enum try_array_kind kind, const char *name, size_t bytes, int element)
{
    const size_t slots = (bytes + 2 * GUARD_BYTES + SLOT_BYTES - 1) / SLOT_BYTES;
    struct try_array *array = &arrays[array_count];
    unsigned char *begin = room + (size_t)next_slot * SLOT_BYTES;

    if (array_count == ARRAYS || slots + 2 > (size_t)(SLOTS - next_slot) ||
        mprotect(begin, slots * SLOT_BYTES, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    *array = (struct try_array){.kind = kind,
                                .begin = begin + GUARD_BYTES,
                                .bytes = bytes,
                                .element = element,
                                .unit = element < 4 ? element : 4};
    snprintf(array->name, sizeof array->name, "%s", name);
    if (kind == ARRAY_SHARED) {
        const size_t cells = (slots * SLOT_BYTES / (size_t)array->unit) * sizeof *array->cells;
        array->cells = mmap(NULL, cells, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (array->cells == MAP_FAILED)
            return NULL;
    }
    /* The inaccessible slots beside it count as its own, to name it in a sentence. */
    for (size_t i = 0; i <= slots; i++)
        slot_of[(size_t)next_slot + i] = (short)array_count;
    next_slot += (int)slots + 1;
    array_count++;
    return array;
}

struct try_array *array_named(const char *name)
{
    for (int i = 0; i < array_count; i++)
        if (strcmp(arrays[i].name, name) == 0)
            return &arrays[i];
    return NULL;
}

void array_resize(struct try_array *array, size_t bytes)
{
    array->bytes = bytes;
}

struct try_array *array_at(uintptr_t address)
{
    const size_t offset = address - (uintptr_t)room;

    if (offset >= SLOTS * SLOT_BYTES || slot_of[offset / SLOT_BYTES] < 0)
        return NULL;
    return &arrays[slot_of[offset / SLOT_BYTES]];
}

void array_fill(struct try_array *array, int byte)
{
    const size_t guard = 4096;

    memset(array->begin - guard, byte, array->bytes + 2 * guard);
}

void arrays_shared_rubbish(int byte)
{
    for (int i = 0; i < array_count; i++)
        if (arrays[i].kind == ARRAY_SHARED)
            array_fill(&arrays[i], byte);
}

size_t arrays_shared_bytes(void)
{
    size_t bytes = 0;

    for (int i = 0; i < array_count; i++)
        if (arrays[i].kind == ARRAY_SHARED)
            bytes += arrays[i].bytes;
    return bytes;
}
