/* Transactions, bank conflicts and divergent branches of a student's kernel. The threads of a warp
 * run one after the other here; on a GPU they run together. So the accesses of a block are noted,
 * and those that one place of the code makes for the same time in each thread of a warp are taken
 * together. Warps whose threads part ways are counted nearly right only. A branch is divergent if
 * threads of a warp come to it for the same time and go on to different places. See probe.h. */
#include <stdlib.h>
#include <string.h>

#include "soft/threads.h"
#include "try/probe.h"

#define MOST_NOTES (1 << 21) /* of a block; steps take at most half of them */
#define SECTOR     32
#define BANKS      32

enum kind { GLOBAL, SHARED, STEP };

struct note {
    uintptr_t code, address; /* of a step: the next one; 0: the thread ended there */
    int warp, lane, time, order;
    short bytes;
    enum kind kind;
};

static struct note *notes;
static int count, steps, last_step[SOFT_MAX_THREADS]; /* of each thread of the block; 0: none */

static bool add_note(const void *code, uintptr_t address, int bytes, enum kind kind)
{
    const int thread = soft_thread_number();

    if ((!notes && !(notes = malloc(MOST_NOTES * sizeof *notes))) || count == MOST_NOTES)
        return false;
    notes[count] = (struct note){.code = (uintptr_t)code,
                                 .address = address,
                                 .warp = thread / 32,
                                 .lane = thread % 32,
                                 .order = count,
                                 .bytes = (short)bytes,
                                 .kind = kind};
    count++;
    return true;
}

void counts_access(uintptr_t address, int bytes, const void *code, bool shared)
{
    add_note(code, address, bytes, shared ? SHARED : GLOBAL);
}

void counts_step(const void *code)
{
    int *last = &last_step[soft_thread_number()];

    if (*last > 0)
        notes[*last - 1].address = (uintptr_t)code;
    *last = steps < MOST_NOTES / 2 && add_note(code, 0, 0, STEP) ? count : 0;
    steps += *last > 0;
}

#define COMPARE(member)                                                                            \
    if (a->member != b->member)                                                                    \
    return a->member < b->member ? -1 : 1

static int by_thread(const void *one, const void *other)
{
    const struct note *a = one, *b = other;

    COMPARE(warp);
    COMPARE(code);
    COMPARE(lane);
    COMPARE(order);
    return 0;
}

static int by_time(const void *one, const void *other)
{
    const struct note *a = one, *b = other;

    COMPARE(warp);
    COMPARE(code);
    COMPARE(time);
    COMPARE(address);
    return 0;
}

/* Transactions of the accesses [FROM, TO), which are sorted by address. */
static int sectors(int from, int to)
{
    uintptr_t last = 0;
    int n = 0;

    for (int i = from; i < to; i++) {
        const uintptr_t first = notes[i].address / SECTOR;
        const uintptr_t end = (notes[i].address + (uintptr_t)notes[i].bytes - 1) / SECTOR;
        n += first != last;
        n += end != first;
        last = end;
    }
    return n;
}

/* How often the fullest bank is asked for another word, beyond once. */
static int conflicts(int from, int to)
{
    int words[BANKS] = {0}, most = 1;
    uintptr_t last = 0;

    for (int i = from; i < to; i++) {
        const uintptr_t word = notes[i].address / 4;
        if (word == last)
            continue;
        last = word;
        if (++words[word % BANKS] > most)
            most = words[word % BANKS];
    }
    return most - 1;
}

void counts_block_ends(void)
{
    qsort(notes, (size_t)count, sizeof *notes, by_thread);
    for (int i = 1; i < count; i++) {
        const struct note *before = &notes[i - 1];
        const bool same = before->warp == notes[i].warp && before->code == notes[i].code &&
                          before->lane == notes[i].lane;
        notes[i].time = same ? before->time + 1 : 0;
    }
    qsort(notes, (size_t)count, sizeof *notes, by_time);
    for (int from = 0, to; from < count; from = to) {
        for (to = from + 1;
             to < count && notes[to].warp == notes[from].warp &&
             notes[to].code == notes[from].code && notes[to].time == notes[from].time;
             to++)
            ;
        if (notes[from].kind == STEP)
            probe.counts->divergences += notes[from].address != notes[to - 1].address;
        else if (notes[from].kind == SHARED)
            probe.counts->conflicts += conflicts(from, to);
        else
            probe.counts->transactions += sectors(from, to);
    }
    count = steps = 0;
    memset(last_step, 0, sizeof last_step);
}
